package static

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/static/internal/table"
)

func open(tb testing.TB) *Embedder {
	tb.Helper()
	e, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestConforms(t *testing.T) {
	enginetest.RunEmbedder(t, func(tb testing.TB) quire.Embedder { return open(tb) })
}

func TestNewDimension(t *testing.T) {
	t.Parallel()
	prints := make(map[string]bool)
	for _, dimension := range []int{minDimension, defaultDimension, maxDimension} {
		e, err := NewDimension(dimension)
		if err != nil {
			t.Fatal(err)
		}
		if e.Dimension() != dimension || len(e.embed("text")) != dimension {
			t.Errorf("dimension %d, %d components, want %d", e.Dimension(), len(e.embed("text")), dimension)
		}
		prints[e.Fingerprint()] = true
	}
	if len(prints) != 3 {
		t.Errorf("dimensions share a fingerprint: %v", prints)
	}
	for _, dimension := range []int{-1, 0, minDimension - 1, maxDimension + 1} {
		if _, err := NewDimension(dimension); !errors.Is(err, quire.ErrInvalid) {
			t.Errorf("dimension %d: %v", dimension, err)
		}
	}
}

// TestStable fails when a change alters vectors: then version must change with it,
// because stored vectors are compared with new ones.
func TestStable(t *testing.T) {
	t.Parallel()
	if version != 1 {
		t.Fatal("write down the vectors of the new version")
	}
	v := open(t).embed(passage + " 知識庫 C++")
	var got []float64
	for i := 0; i < defaultDimension; i += 64 {
		got = append(got, math.Round(float64(v[i])*1e5)/1e5)
	}
	want := []float64{-0.13577, 0.05229, 0.00619, -0.03451, -0.02421, -0.01271, -0.01402, -0.02632}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1.5e-5)); diff != "" {
		t.Error(diff)
	}
}

// TestConcurrent embeds from several goroutines what one embeds.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	e := open(t)
	want := e.embed(passage)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, e.embed(passage)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	all.Wait()
}

// dot returns the cosine of two vectors of unit length.
func dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	e := open(t)
	tests := []struct{ name, text, near, far string }{
		{"synonyms", "car", "automobile", "carpet"},
		{"synonyms in sentences", "how to cure a headache", "treatment of migraine", "how to head a school"},
		{"definitions", "glacier", "a slowly moving mass of ice", "a slowly moving line of cars"},
		{"subjects", "lawyers argued before the judge", "the attorney spoke in court", "the goalkeeper saved a penalty"},
		{"forms of a word", "iterating over maps", "the iteration of a map", "sending on channels"},
		{"misspelling", "synchronization", "sinchronization", "generics"},
		{"rare before common words", "use goroutine", "a goroutine", "a use"},
		{"names the table lacks", "Xyzzybar settings", "the xyzzybar", "the settings"},
		{"accents", "café crème", "cafe creme", "cafeteria"},
		{"Chinese", "知識庫", "這個知識庫", "這個數據"},
		{"German", "Wartung der Pumpe", "Pumpe warten", "Wahl der Farbe"},
		{"symbol names", "C++", "the C++ language", "the C language"},
		{"symbols only", "🚀", "🚀🚀", "🌍"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			near, far := dot(e.embed(tt.text), e.embed(tt.near)), dot(e.embed(tt.text), e.embed(tt.far))
			if near <= far+0.05 {
				t.Errorf("%q: %q has %.3f, %q has %.3f", tt.text, tt.near, near, tt.far, far)
			}
		})
	}
}

// TestUnrelated checks that texts of different subjects are hardly similar, so that a
// least similarity means something.
func TestUnrelated(t *testing.T) {
	t.Parallel()
	e := open(t)
	texts := []string{
		"The cat sleeps on a warm windowsill in the afternoon.",
		"Quarterly tax returns must be filed before the end of April.",
		"Photosynthesis turns sunlight, water and carbon dioxide into sugar.",
		"The goalkeeper saved a penalty in the final minute of the match.",
	}
	for i, a := range texts {
		for _, b := range texts[:i] {
			if similarity := dot(e.embed(a), e.embed(b)); similarity > 0.3 {
				t.Errorf("%q and %q: %.3f", a, b, similarity)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if vectors, err := open(t).Embed(ctx, []string{"a"}); vectors != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%d vectors, %v", len(vectors), err)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	wide, err := table.New([]string{"word"}, [][]float32{make([]float32, minDimension)})
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"nothing": "", "a cut file": file[:len(file)/2], "a wide table": string(wide.File())} {
		if _, err := load(file); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{
		"", " ", "words of a text", "知識庫Go語言", "\xff\xfe", "e\u0301\u0301", "🚀", "C++", "the the the", "a\x00b",
		strings.Repeat("x", 200), strings.Repeat("zero ", 500), "क\u093f",
	} {
		f.Add(seed)
	}
	e := open(f)
	f.Fuzz(func(t *testing.T, text string) {
		v := e.embed(text)
		if length := math.Sqrt(dot(v, v)); !(math.Abs(length-1) < 1e-5) {
			t.Errorf("%q has the length %v", text, length)
		}
		if !slices.Equal(v, e.embed(text)) {
			t.Errorf("%q has two vectors", text)
		}
	})
}

// passage is 1,500 characters of ordinary text.
var passage = strings.TrimSpace(`
Glaciers form where more snow falls each winter than melts in the following summer. Year after year the layers press on
those below, air is squeezed out, and the crystals grow together into dense blue ice. Once the mass is some thirty metres
thick it begins to move under its own weight, slowly at the bed, faster near the surface, and fastest in the middle of the
valley. Rocks that freeze to the underside scratch the floor like sandpaper; meltwater carries away the flour that is left.
Where the tongue ends in the sea, towers break off and drift as icebergs, of which only a tenth shows above the waves.
Geologists read the past from such remains. A ridge of boulders marks how far an advance once reached, and a lake behind it
often fills the basin that was carved. Cores drilled in Greenland and Antarctica hold bubbles of ancient atmosphere: their
carbon dioxide, dust and isotopes tell of temperatures, volcanic eruptions and droughts over eight hundred thousand years.
Today most measured tongues are shrinking. Villages in dry mountain regions depend on the late summer runoff for drinking
water, irrigation and electricity, so hydrologists model how long the supply will last. Satellites record changes of height
with lasers and radar, while stakes and photographs on the ground check these estimates. Protecting what remains requires
lower emissions; white blankets spread over ski slopes only delay the loss. Museums therefore store samples from vanishing
sites at very low temperatures, for instruments that nobody has yet invented.`)

// BenchmarkEmbed prints how many texts of 1,500 characters one core embeds a second.
func BenchmarkEmbed(b *testing.B) {
	e := open(b)
	text := passage[:1500]
	b.ReportAllocs()
	for b.Loop() {
		e.embed(text)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}

// BenchmarkLoad measures what the first New costs.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := load(file); err != nil {
			b.Fatal(err)
		}
	}
}
