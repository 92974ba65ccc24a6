package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeDataset makes a dataset of 500 vectors and 4 queries, and its neighbours by comparing
// everything.
func writeDataset(t *testing.T) string {
	t.Helper()
	const count, queries, dimension = 500, 4, 12
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	vectors := make([]float32, (count+queries)*dimension)
	for i := range vectors {
		vectors[i] = float32(random.NormFloat64())
	}
	base, asked := vectors[:count*dimension], vectors[count*dimension:]
	write(t, dir, "base.f32", base)
	write(t, dir, "query.f32", asked)
	for _, f := range []struct {
		name              string
		modulo, remainder int
	}{{"gt.i32", 1, 0}, {"gt10.i32", 10, 3}, {"gt1.i32", 100, 7}} {
		var truth []int32
		for q := range queries {
			truth = append(truth, neighbours(base, asked[q*dimension:][:dimension], f.modulo, f.remainder)...)
		}
		write(t, dir, f.name, truth)
	}
	return dir
}

func neighbours(base, query []float32, modulo, remainder int) []int32 {
	cosine := func(n int32) float64 {
		dot, norm := 0.0, 0.0
		for i, f := range base[int(n)*len(query):][:len(query)] {
			dot, norm = dot+float64(f)*float64(query[i]), norm+float64(f)*float64(f)
		}
		return dot * max(dot, -dot) / norm // in the order of the cosines
	}
	var list []int32
	for n := range int32(len(base) / len(query)) {
		if int(n)%modulo == remainder {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		if cosine(a) > cosine(b) {
			return -1
		}
		return 1
	})
	for len(list) < nearest { // five rows have number%100 = 7
		list = append(list, -1)
	}
	return list[:nearest]
}

func write(t *testing.T, dir, name string, data any) {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestContestants(t *testing.T) {
	t.Parallel()
	dir := writeDataset(t)
	for _, c := range []struct {
		name   string
		recall float64
	}{{"flat", 1}, {"flat@10", 1}, {"flat@1", 0.5}, {"hnsw", 1}, {"chromem", 1}, {"chromem@10", 1}, {"collection", 1}, {"collection@10", 1}, {"memory", 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), dir, c.name, strings.NewReader("ef 10\nlat 2 6 60000\nconc 2 5\n"), &out); err != nil {
				t.Fatal(err)
			}
			var built struct{ Name string }
			var empty struct{}
			var l latencies
			var many throughput
			answers := json.NewDecoder(&out)
			for _, answer := range []any{&built, &empty, &l, &many} {
				if err := answers.Decode(answer); err != nil {
					t.Fatal(err)
				}
			}
			if built.Name != c.name || len(l.Lat) != 6 || l.Recall != c.recall || many.QPS <= 0 || many.P99 < many.P50 {
				t.Errorf("%+v, %+v, %+v; want 6 latencies and recall %v", built, l, many, c.recall)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := writeDataset(t)
	broken := writeDataset(t)
	write(t, broken, "query.f32", []float32{1, 2, 3})
	for name, c := range map[string]struct{ dir, contestant, input string }{
		"an unknown contestant": {dir, "other", ""},
		"an unknown filter":     {dir, "flat@7", ""},
		"no dataset":            {t.TempDir(), "flat", ""},
		"a broken dataset":      {broken, "flat", ""},
		"an unknown command":    {dir, "flat", "fly\n"},
	} {
		if err := run(t.Context(), c.dir, c.contestant, strings.NewReader(c.input), &bytes.Buffer{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
