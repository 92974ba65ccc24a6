package enginetest

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/quirelib/quire"
)

// clusterCap is how many bytes a chunk of clusterChunker has at most.
const clusterCap = 100

func fitsCluster(text string) bool { return len(text) <= clusterCap }

// clusterChunker fills chunks with grapheme clusters.
func clusterChunker(text string) []quire.Span { return cutEvery(text, clusterCap, graphemeLen) }

func graphemeLen(text string) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return len(cluster)
}

// cutEvery fills chunks up to limit bytes with units.
func cutEvery(text string, limit int, unit func(string) int) []quire.Span {
	var spans []quire.Span
	for start := 0; start < len(text); {
		end := start + unit(text[start:])
		for end < len(text) && end+unit(text[end:])-start <= limit {
			end += unit(text[end:])
		}
		if strings.TrimSpace(text[start:end]) != "" {
			spans = append(spans, quire.Span{Start: start, End: end, Heading: []string{"heading"}})
		}
		start = end
	}
	return spans
}

// chunkerFunc is a Chunker.
type chunkerFunc func(text string) []quire.Span

func (f chunkerFunc) Chunks(text string) []quire.Span { return f(text) }

// chunksBy opens a Chunker without a state.
func chunksBy(f chunkerFunc) func(testing.TB) cappedChunker {
	return func(testing.TB) cappedChunker { return cappedChunker{f, fitsCluster} }
}

// spansWith changes the spans of a text.
func spansWith(change func(text string, spans []quire.Span) []quire.Span) func(testing.TB) cappedChunker {
	return chunksBy(func(text string) []quire.Span { return change(text, clusterChunker(text)) })
}

var chunkerMutants = []mutant[cappedChunker]{
	{"loses the end", "spans", spansWith(func(_ string, spans []quire.Span) []quire.Span { return spans[:len(spans)*9/10] })},
	{"loses the middle", "spans", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		if len(spans) > 2 {
			spans = slices.Delete(spans, 1, 2)
		}
		return spans
	})},
	{"out of order", "spans", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		slices.Reverse(spans)
		return spans
	})},
	{"beyond the end", "spans", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		if len(spans) > 0 {
			spans[len(spans)-1].End++
		}
		return spans
	})},
	{"an empty span", "spans", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		return append(spans[:1:1], append([]quire.Span{{Start: spans[0].Start, End: spans[0].Start}}, spans[1:]...)...)
	})},
	{"cuts characters", "spans", chunksBy(func(text string) []quire.Span {
		return cutEvery(text, clusterCap, func(string) int { return 1 })
	})},
	{"cuts clusters", "grapheme clusters", chunksBy(func(text string) []quire.Span {
		return cutEvery(text, clusterCap, func(text string) int {
			_, n := utf8.DecodeRuneInString(text)
			return n
		})
	})},
	{"a span of nothing", "blank", spansWith(func(text string, spans []quire.Span) []quire.Span {
		if len(spans) == 0 && text != "" {
			return []quire.Span{{Start: 0, End: len(text)}}
		}
		return spans
	})},
	{"spans of white space", "white space around", chunksBy(func(text string) []quire.Span {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		var spans []quire.Span
		for start := 0; start < len(text); start += clusterCap {
			spans = append(spans, quire.Span{Start: start, End: min(start+clusterCap, len(text))})
		}
		return spans
	})},
	{"over the cap", "cap", chunksBy(func(text string) []quire.Span { return cutEvery(text, clusterCap+1, graphemeLen) })},
	{"other spans after a while", "same again", func(testing.TB) cappedChunker {
		calls := 0
		return cappedChunker{chunkerFunc(func(text string) []quire.Span {
			calls++
			return cutEvery(text, clusterCap-calls%3, graphemeLen)
		}), fitsCluster}
	}},
	{"headings share memory", "results apart", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		for i := range spans {
			spans[i].Heading = spans[0].Heading
		}
		return spans
	})},
	{"a cache is handed out", "results apart", func(testing.TB) cappedChunker {
		cache := map[string][]quire.Span{}
		return cappedChunker{chunkerFunc(func(text string) []quire.Span {
			if cache[text] == nil {
				cache[text] = clusterChunker(text)
			}
			return cache[text]
		}), fitsCluster}
	}},
	{"one text for all calls", "concurrent", func(testing.TB) cappedChunker {
		var last atomic.Pointer[string]
		return cappedChunker{chunkerFunc(func(text string) []quire.Span {
			last.Store(&text)
			time.Sleep(50 * time.Microsecond)
			return clusterChunker(*last.Load())
		}), fitsCluster}
	}},
	{"no more than 1000 spans", "hostile texts", spansWith(func(_ string, spans []quire.Span) []quire.Span {
		return spans[:min(1000, len(spans))]
	})},
	{"nothing with angle brackets", "naughty strings", spansWith(func(text string, spans []quire.Span) []quire.Span {
		if strings.Contains(text, "<") {
			return nil
		}
		return spans
	})},
}

func TestChunker(t *testing.T) {
	RunChunker(t, fitsCluster, func(testing.TB) quire.Chunker { return chunkerFunc(clusterChunker) })
}

func TestChunkerWithoutCap(t *testing.T) {
	RunChunker(t, nil, func(testing.TB) quire.Chunker {
		return chunkerFunc(func(text string) []quire.Span {
			return cutEvery(text, len(text), func(text string) int { return len(text) })
		})
	})
}
