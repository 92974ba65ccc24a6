package engine_test

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/internal/segment"
)

func TestNewChunkerChecksItsOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []engine.ChunkerOptions{{Target: -1}, {Target: 100, Cap: 99}, {Overlap: -1}, {Target: 10, Overlap: 10}} {
		if _, err := engine.NewChunker(&o); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestChunker(t *testing.T) {
	t.Parallel()
	c, err := engine.NewChunker(&engine.ChunkerOptions{Target: 8, Tokens: func(s string) int { return len(strings.Fields(s)) }})
	if err != nil {
		t.Fatal(err)
	}
	text := "# One\n\n" + strings.Repeat("A sentence of five words. ", 4) + "\n\n## Two\n\nThe rest."
	spans := c.Chunks(text)
	if len(spans) < 3 {
		t.Fatalf("%d spans", len(spans))
	}
	last := spans[len(spans)-1]
	if got := strings.Join(last.Heading, ">"); got != "One>Two" {
		t.Errorf("heading of the last chunk %q", got)
	}
	if c, err := engine.NewChunker(nil); err != nil || len(c.Chunks(text)) == 0 || len(c.Chunks(" \n")) != 0 {
		t.Errorf("defaults: %v", err)
	}
}

func TestChunkerConformance(t *testing.T) {
	for name, o := range map[string]*engine.ChunkerOptions{
		"default": nil, "overlap": {Target: 60, Cap: 100, Overlap: 20}, "small": {Target: 8, Cap: 12},
	} {
		limit := 512
		if o != nil {
			limit = o.Cap
		}
		t.Run(name, func(t *testing.T) {
			enginetest.RunChunker(t, func(text string) bool { return segment.Tokens(text) <= limit }, func(tb testing.TB) quire.Chunker {
				c, err := engine.NewChunker(o)
				if err != nil {
					tb.Fatal(err)
				}
				return c
			})
		})
	}
}
