package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire/engine/static/internal/table"
)

// gloveFile is a file like that of the package, with random vectors.
func gloveFile(words ...string) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`{"size":1,"words":["vectors"],"vectors":{`)
	for i, word := range words {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + word + `":[`)
		for range gloveDimension {
			fmt.Fprintf(&b, "%.5f,", random.NormFloat64()/2)
		}
		b.WriteString("1.5,0]")
	}
	b.WriteString("}}")
	return b.String()
}

func TestReadGlove(t *testing.T) {
	t.Parallel()
	v, err := readGlove(strings.NewReader(gloveFile("the", ",", "don't", "café", "cafe", "river", "bank")), 4)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"the", "cafe", "river", "bank"}, v.words); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 4, 6, 7}, v.ranks); diff != "" {
		t.Error(diff)
	}
	for _, file := range []string{"", "[]", "{}", `{"vectors":[]}`, `{"vectors":{"a":[1]}}`, `{"vectors":{"a":"b"}}`} {
		if _, err := readGlove(strings.NewReader(file), 4); err == nil {
			t.Errorf("%s is taken", file)
		}
	}
}

func TestReadSynsets(t *testing.T) {
	t.Parallel()
	const file = "  1 a licence\n" +
		`00001740 03 n 02 river_bank 0 shore(p) 0 001 @ 00002000 n 0000 | land beside water; "we sat on the shore"; dry  ` + "\n"
	sets, err := readSynsets(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []pair{
		{"river bank", "land beside water; ; dry"},
		{"river bank", "shore"},
		{"shore", "land beside water; ; dry"},
		{"land beside water; ; dry", "we sat on the shore"},
	}
	if diff := cmp.Diff(want, pairs(sets), cmp.AllowUnexported(pair{})); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"1", "1 2 n x", "1 2 n 02 a 0 b"} {
		if _, err := readSynsets(strings.NewReader(line)); err == nil {
			t.Errorf("%s is taken", line)
		}
	}
}

// smallPairs are of two subjects.
var smallPairs = []pair{
	{"river", "water flows"}, {"stream", "flows water"}, {"river", "stream"},
	{"bank", "money lent"}, {"loan", "lent money"}, {"bank", "loan"},
	{"unknown", "river"}, // left out: the model lacks the first
}

func smallModel(t *testing.T) *model {
	t.Helper()
	v, err := readGlove(strings.NewReader(gloveFile("river", "water", "flows", "stream", "bank", "money", "lent", "loan")), 100)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(v)
}

// TestTune checks that training brings pairs together, that texts of different pairs
// part, and that the result does not depend on the number of goroutines.
func TestTune(t *testing.T) {
	similarity := func(m *model, a, b string) float32 {
		var units [2][]float32
		for i, text := range []string{a, b} {
			units[i] = make([]float32, dimension)
			m.pool(m.bag(text), make([]float32, gloveDimension), units[i])
		}
		return dot(units[0], units[1])
	}
	m := smallModel(t)
	examples := m.examples(smallPairs)
	if len(examples) != len(smallPairs)-1 {
		t.Fatalf("%d examples", len(examples))
	}
	near, far := similarity(m, "bank", "lent money"), similarity(m, "bank", "water flows")
	tune(m, examples, 50, len(examples), io.Discard)
	if got := similarity(m, "bank", "lent money"); !(got > near+0.1 && got > 0.8) {
		t.Errorf("a pair had %v and has %v", near, got)
	}
	if got := similarity(m, "bank", "water flows"); !(got < 0.3) {
		t.Errorf("no pair had %v and has %v", far, got)
	}

	again := smallModel(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tune(again, again.examples(smallPairs), 50, len(examples), io.Discard)
	if diff := cmp.Diff(m.own.values, again.own.values); diff != "" {
		t.Errorf("trained again it differs: %s", diff)
	}
}

// TestGradients compares the gradient of the loss with differences of the loss.
func TestGradients(t *testing.T) {
	m := smallModel(t)
	tuner := newTuner(m, len(smallPairs)-1)
	tuner.batch = m.examples(smallPairs)
	loss := func() float64 { // of both sides
		tuner.learn(0)
		var sum float64
		for i := range tuner.batch {
			for s := range tuner.sides {
				own := tuner.sides[s].units.row(i)
				var others float64
				for k := range tuner.batch {
					if i != k && tuner.same(i, k) {
						continue
					}
					others += math.Exp(float64(dot(own, tuner.sides[1-s].units.row(k))) / temperature)
				}
				self := float64(dot(own, tuner.sides[1-s].units.row(i))) / temperature
				sum += (math.Log(others) - self) / 2 / float64(len(tuner.batch))
			}
		}
		return sum
	}
	before := loss()
	var analytic float64
	for i, e := range tuner.batch {
		for s, b := range e.bags {
			for k, id := range b.words {
				if id == 0 {
					analytic += float64(b.weights[k] * tuner.sides[s].gradient.row(i)[3])
				}
			}
		}
	}
	const small = 1e-3
	m.own.row(0)[3] += small
	if numeric := (loss() - before) / small; !(math.Abs(numeric-analytic) < 0.02*max(1, math.Abs(numeric))) {
		t.Errorf("the gradient is %v, the loss changes by %v", analytic, numeric)
	}
}

func TestTrain(t *testing.T) {
	t.Parallel()
	v, err := readGlove(strings.NewReader(gloveFile("river", "water", "flows", "stream", "bank", "money")), 100)
	if err != nil {
		t.Fatal(err)
	}
	file, err := train(v, smallPairs, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Parse(string(file))
	if err != nil {
		t.Fatal(err)
	}
	if got.Dimension != dimension || len(got.Words) != 6 {
		t.Errorf("%d words of dimension %d", len(got.Words), got.Dimension)
	}
	if bytes.Equal([]byte(got.Rows), make([]byte, len(got.Rows))) {
		t.Error("all vectors are zero")
	}
}

func TestFetchChecksTheSum(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, gloveSource.file), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := gloveSource.fetch(dir); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("%v", err)
	}
}
