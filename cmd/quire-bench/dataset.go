package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// nearest is how many neighbours of each query a dataset tells.
const nearest = 10

// dataset is vectors, queries and what they should find.
type dataset struct {
	dimension int
	base      []float32
	queries   []float32
	truth     []int32 // nearest numbers of vectors for each query
}

func (d *dataset) count() int { return len(d.base) / d.dimension }

func (d *dataset) row(i int) []float32 { return d.base[i*d.dimension:][:d.dimension] }

func (d *dataset) query(i int) []float32 {
	i %= len(d.queries) / d.dimension
	return d.queries[i*d.dimension:][:d.dimension]
}

// found returns how many of the neighbours of a query are among ids.
func (d *dataset) found(query int, ids []int) int {
	query %= len(d.queries) / d.dimension
	n := 0
	for _, want := range d.truth[query*nearest:][:nearest] {
		for _, id := range ids {
			if id == int(want) {
				n++
			}
		}
	}
	return n
}

// readDataset reads a dataset with the neighbours that a file holds.
func readDataset(dir, truth string) (*dataset, error) {
	d := &dataset{}
	neighbours, err := read32(filepath.Join(dir, truth))
	if err != nil {
		return nil, err
	}
	d.truth = make([]int32, len(neighbours))
	for i, n := range neighbours {
		d.truth[i] = int32(n)
	}
	if d.queries, err = readFloats(filepath.Join(dir, "query.f32")); err != nil {
		return nil, err
	}
	if d.base, err = readFloats(filepath.Join(dir, "base.f32")); err != nil {
		return nil, err
	}
	queries := len(d.truth) / nearest
	if queries == 0 || len(d.queries)%queries != 0 || len(d.queries) == 0 {
		return nil, fmt.Errorf("%d numbers of queries and %d neighbours do not belong together", len(d.queries), len(d.truth))
	}
	d.dimension = len(d.queries) / queries
	if len(d.base) == 0 || len(d.base)%d.dimension != 0 {
		return nil, fmt.Errorf("%d numbers are no vectors of %d", len(d.base), d.dimension)
	}
	return d, nil
}

// read32 reads little-endian words of 32 bits.
func read32(path string) ([]uint32, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words, nil
}

func readFloats(path string) ([]float32, error) {
	words, err := read32(path)
	if err != nil {
		return nil, err
	}
	floats := make([]float32, len(words))
	for i, w := range words {
		floats[i] = math.Float32frombits(w)
	}
	return floats, nil
}
