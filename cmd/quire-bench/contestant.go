package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/flat"
)

// contestant answers queries with the numbers of the nearest vectors.
type contestant interface {
	search(ctx context.Context, query []float32) ([]int, error)
}

// truths are the files of neighbours, and the tags that rows must have to be among them, by
// what a contestant's name ends in.
var truths = map[string]struct{ file, tag string }{
	"":   {"gt.i32", ""},
	"10": {"gt10.i32", "g10 3"},
	"1":  {"gt1.i32", "g100 7"},
}

// open reads what a contestant is to search in. The contestant is not filled yet.
func open(dir, name string) (*dataset, func(context.Context) (contestant, error), error) {
	kind, filter, _ := strings.Cut(name, "@")
	kind, number, _ := strings.Cut(kind, "-")
	width, err := strconv.Atoi(cmp.Or(number, "0"))
	if err != nil {
		return nil, nil, fmt.Errorf("no width %q", number)
	}
	t, known := truths[filter]
	if !known {
		return nil, nil, fmt.Errorf("no filter %q; there are 10 and 1", filter)
	}
	d, err := readDataset(dir, t.file)
	if err != nil {
		return nil, nil, err
	}
	fill := func(index quire.VectorIndex) func(context.Context) (contestant, error) {
		return func(ctx context.Context) (contestant, error) {
			x := &indexed{index: index, filters: quire.Filters{TenantID: tenant}}
			if t.tag != "" {
				x.filters.TagIDs = []string{t.tag}
			}
			return x, x.fill(ctx, d)
		}
	}
	switch kind {
	case "flat":
		return d, fill(flat.New(nil)), nil
	case "hnsw":
		return d, fill(flat.New(&flat.Options{GraphRows: 1, GraphWidth: width})), nil
	case "chromem":
		return d, fill(chromem.New(nil)), nil
	case "collection":
		return d, func(ctx context.Context) (contestant, error) { return newCollection(ctx, d, t.tag) }, nil
	case "memory":
		return d, func(context.Context) (contestant, error) { return newMemory(d.count() * d.dimension), nil }, nil
	default:
		return nil, nil, fmt.Errorf("no contestant %q; there are flat, hnsw, chromem, collection and memory", kind)
	}
}

// tenant has all vectors.
const tenant = "tenant"

// indexed is a VectorIndex with vectors whose ids are their numbers.
type indexed struct {
	index   quire.VectorIndex
	filters quire.Filters
}

// tags are those of a vector, which filters ask for.
func tags(i int) []string { return []string{fmt.Sprint("g10 ", i%10), fmt.Sprint("g100 ", i%100)} }

// perElemental is how many vectors an elemental has.
const perElemental = 20

func (x *indexed) fill(ctx context.Context, d *dataset) error {
	for first := 0; first < d.count(); first += perElemental {
		elemental := strconv.Itoa(first / perElemental)
		var chunks []quire.Chunk
		for i := first; i < min(first+perElemental, d.count()); i++ {
			chunks = append(chunks, quire.Chunk{ID: strconv.Itoa(i), TenantID: tenant, ElementalID: elemental, Vector: d.row(i), TagIDs: tags(i)})
		}
		if err := x.index.Replace(ctx, tenant, elemental, chunks); err != nil {
			return err
		}
	}
	if built, ok := x.index.(*flat.Index); ok {
		return built.Built(ctx)
	}
	return nil
}

func (x *indexed) search(ctx context.Context, query []float32) ([]int, error) {
	hits, err := x.index.Search(ctx, query, x.filters, nearest)
	if err != nil {
		return nil, err
	}
	return numbers(hits, func(h quire.Hit) string { return h.ID })
}

// numbers are the vectors that were found, whose ids are their numbers.
func numbers[T any](found []T, id func(T) string) ([]int, error) {
	list := make([]int, len(found))
	for i, f := range found {
		var err error
		if list[i], err = strconv.Atoi(id(f)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// memory reads a number of bytes for each query, with the vector instructions that
// bytes.IndexByte has.
type memory []byte

func newMemory(size int) memory {
	m := make(memory, size)
	for i := range m { // so that there is memory behind each page
		m[i] = 1
	}
	return m
}

func (m memory) search(context.Context, []float32) ([]int, error) {
	at := bytes.IndexByte(m, 0)
	runtime.KeepAlive(at)
	return nil, nil
}
