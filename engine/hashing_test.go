package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func TestHashingConforms(t *testing.T) {
	enginetest.RunEmbedder(t, func(tb testing.TB) quire.Embedder {
		h, err := NewHashing(nil)
		if err != nil {
			tb.Fatal(err)
		}
		return h
	})
}

func TestNewHashingChecksItsOptions(t *testing.T) {
	t.Parallel()
	for _, dimension := range []int{-1, 1, minDimension - 1, maxDimension + 1} {
		if _, err := NewHashing(&HashingOptions{Dimension: dimension}); !errors.Is(err, quire.ErrInvalid) {
			t.Errorf("dimension %d: %v", dimension, err)
		}
	}
	prints := make(map[string]bool)
	for _, o := range []*HashingOptions{nil, {Dimension: minDimension}, {Dimension: maxDimension}} {
		h, err := NewHashing(o)
		if err != nil {
			t.Fatal(err)
		}
		if prints[h.Fingerprint()] {
			t.Errorf("%+v has the fingerprint of another dimension", o)
		}
		prints[h.Fingerprint()] = true
		if v := h.embed("text"); len(v) != h.Dimension() {
			t.Errorf("%d components, dimension %d", len(v), h.Dimension())
		}
	}
}

// TestHashingIsStable fails when a change alters vectors: then hashingVersion must
// change with it, because stored vectors are compared with new ones.
func TestHashingIsStable(t *testing.T) {
	t.Parallel()
	if hashingVersion != 1 {
		t.Fatal("write down the vectors of the new version")
	}
	h := &Hashing{dimension: minDimension}
	var got []float64
	for _, x := range h.embed("The closing of a channel. 知識庫 C++") {
		if x != 0 && len(got) < 8 {
			got = append(got, math.Round(float64(x)*1e5)/1e5)
		}
	}
	want := []float64{0.02191, 0.10899, -0.04383, 0.04383, 0.23768, 0.16267, -0.05368, 0.41299}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// similarity returns the cosine of two texts.
func similarity(h *Hashing, a, b string) float64 { return dot(h.embed(a), h.embed(b)) }

func TestHashingSimilarity(t *testing.T) {
	t.Parallel()
	h := &Hashing{dimension: defaultDimension}
	tests := []struct{ name, text, near, far string }{
		{"shared words", "deferred function calls", "how calls are deferred", "maps and slices"},
		{"forms of a word", "iterating over maps", "the iteration of a map", "sending on channels"},
		{"misspelling", "synchronization", "sinchronization", "generics"},
		{"content before function words", "what is the order of the map", "order map", "what is the of the"},
		{"rare before common words", "use goroutine", "a goroutine", "a use"},
		{"phrases", "zero value", "the zero value here", "value of here, then zero"},
		{"accents", "café crème", "cafe creme", "cafeteria"},
		{"Chinese", "知識庫", "這個知識庫", "這個數據"},
		{"Chinese order", "上海", "在上海", "海在上"},
		{"symbol names", "C++", "the C++ language", "the C language"},
		{"symbols only", "🚀", "🚀🚀", "🌍"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			near, far := similarity(h, tt.text, tt.near), similarity(h, tt.text, tt.far)
			if near <= far+0.05 {
				t.Errorf("%q: %q has %.3f, %q has %.3f", tt.text, tt.near, near, tt.far, far)
			}
		})
	}
}

func TestHashingBlank(t *testing.T) {
	t.Parallel()
	h := &Hashing{dimension: minDimension}
	for _, text := range []string{"", " \n", "\u200b"} {
		if v := h.embed(text); math.Abs(dot(v, v)-1) > 1e-6 {
			t.Errorf("%q has the length %v", text, math.Sqrt(dot(v, v)))
		}
	}
}

func TestHashingCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &Hashing{dimension: minDimension}
	if vectors, err := h.Embed(ctx, []string{"a"}); vectors != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%d vectors, %v", len(vectors), err)
	}
}

func FuzzHashing(f *testing.F) {
	for _, seed := range []string{"", " ", "words of a text", "知識庫Go語言", "\xff\xfe", "e\u0301\u0301", "🚀", "C++", strings.Repeat("x", 200), "क\u093f"} {
		f.Add(seed)
	}
	h := &Hashing{dimension: minDimension}
	f.Fuzz(func(t *testing.T, text string) {
		v := h.embed(text)
		if length := math.Sqrt(dot(v, v)); math.Abs(length-1) > 1e-5 {
			t.Errorf("%q has the length %v", text, length)
		}
		if diff := cmp.Diff(v, h.embed(text)); diff != "" {
			t.Errorf("%q has two vectors: %s", text, diff)
		}
	})
}

func BenchmarkHashing(b *testing.B) {
	h := &Hashing{dimension: defaultDimension}
	text := strings.Repeat("Package initialization happens in a single goroutine, sequentially, one package at a time. Functions launch others. ", 13)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		h.embed(text)
	}
}
