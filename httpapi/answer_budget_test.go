package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

func TestBudgetAdmitsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &budget{size: 10}
		var entered []string
		enter := func(ctx context.Context, name string, cost int64) func() {
			release := func() {}
			go func() {
				leave, err := b.acquire(ctx, cost)
				if err != nil {
					name += " gave up"
				} else {
					release = leave
				}
				entered = append(entered, name)
			}()
			synctest.Wait()
			return func() { release(); synctest.Wait() }
		}
		check := func(want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, entered); diff != "" {
				t.Error(diff)
			}
			entered = nil
		}
		first, second := enter(t.Context(), "6", 6), enter(t.Context(), "4", 4)
		check("6", "4")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		enter(ctx, "large for a minute", 1000)
		third := enter(t.Context(), "large", 1000)
		fourth := enter(t.Context(), "small behind it", 1)
		second()
		check()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		check("large for a minute gave up")
		first()
		check("large")
		third()
		check("small behind it")
		fourth()
		if b.used != 0 || len(b.waiting) != 0 {
			t.Errorf("%d are used and %d wait after all", b.used, len(b.waiting))
		}
	})
}

// TestLargeAnswersWait fills the budget by hand: what is large waits for as long as its
// context lasts, what is small does not, and neither what does not exist.
func TestLargeAnswersWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 2 << 20})
	large := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A text of some length","type_id":3,"category_id":18,"template":"`+strings.Repeat("word ", 10_000)+`"}`).want(201).str("response.id")
	small := f.elemental(f.ann, "A small text of words", "")
	release, err := f.h.(*server).memory.acquire(t.Context(), 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	f.do(f.ann.key, "GET", "/v1/elemental/"+small, "").want(200)
	f.do(f.ann.key, "GET", "/v1/elemental/unknown", "").want(404)
	for _, path := range []string{"GET /v1/elemental/" + large, "GET /v1/elemental/" + large + "/knowledge-base", "PUT /v1/user/elemental/" + large} {
		method, path, _ := strings.Cut(path, " ")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader("{}"))
		req.Header.Set("x-api-key", f.ann.key)
		rec := httptest.NewRecorder()
		f.h.ServeHTTP(rec, req)
		cancel()
		if rec.Code != 503 {
			t.Errorf("%s %s answers %d while there is no room, want 503", method, path, rec.Code)
		}
	}
	release()
	f.do(f.ann.key, "GET", "/v1/elemental/"+large, "").want(200)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+large, "{}").want(200)
	if m := &f.h.(*server).memory; m.used != 0 {
		t.Errorf("%d bytes are still taken", m.used)
	}
}

// TestLargeElementalsAreEncodedAlike compares what is written in parts with what is encoded
// at once.
func TestLargeElementalsAreEncodedAlike(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "*em* ", "\n\n", "# Heading\n", "- item\n", "<b>&", `"\`, "#place ", "#[a place]", "日本😀", "\xe6", "\x00", "\u2028", "|a|b|\n|-|-|\n|c|d|\n", strings.Repeat("long é ", 10_000)})
		e := quire.Elemental{URL: "https://quire.example/v1/elemental/e", Details: &quire.Details{}}
		e.ID, e.Title, e.TypeID = "e", `A title with "columns":[] in it`, quire.TypeDocument
		e.Body = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "body"), "")
		e.Description = rapid.String().Draw(t, "description")
		opts := quire.KnowledgeOptions{
			Format: rapid.SampledFrom([]quire.KnowledgeFormat{"", quire.FormatText, quire.FormatMarkdown, quire.FormatJSON}).Draw(t, "format"),
			Fields: rapid.SampledFrom([][]string{nil, {"content"}, {"id", "tutorial", "images"}, {"title", "content", "url"}}).Draw(t, "fields"),
		}
		atOnce, err := s.elementalWithKnowledge(e, opts)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (largeElemental{s, e, &opts}).encodeTo(&b); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(atOnce)
		if diff := cmp.Diff(decoded(t, want), decoded(t, b.Bytes())); diff != "" {
			t.Fatal(diff)
		}
		cases++
	})
	t.Logf("compared %d elementals", cases)
}

func decoded(t *rapid.T, text []byte) (v any) {
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	return v
}

// TestLargeElementalsEndWithTheirWriter makes every write fail in turn.
func TestLargeElementalsEndWithTheirWriter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.table(f.ann).str("response.id")
	e, err := f.lib.Elemental(t.Context(), f.ann.Actor(), id)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	large := largeElemental{f.h.(*server), e, &quire.KnowledgeOptions{}}
	whole := &counter{}
	if err := large.encodeTo(whole); err != nil {
		t.Fatal(err)
	}
	for limit := int64(1); limit < whole.size; limit += 97 {
		w := &counter{limit: limit, then: func() error { return full }}
		if err := large.encodeTo(w); !errors.Is(err, full) {
			t.Fatalf("after %d of %d bytes: %v, want %v", limit, whole.size, err, full)
		}
	}
}
