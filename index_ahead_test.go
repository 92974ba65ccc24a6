package quire

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stopStore holds one document of ann's, and ends every change where it would write an
// elemental.
type stopStore struct {
	Store
	rec     ElementalRecord
	written []bool // whether the words were known by then
}

var errStopped = errors.New("stopped")

func (s *stopStore) View(_ context.Context, fn func(tx ReadTx) error) error { return fn(&stopTx{s: s}) }
func (s *stopStore) Update(_ context.Context, fn func(tx Tx) error) error   { return fn(&stopTx{s: s}) }

type stopTx struct {
	Tx
	s *stopStore
}

func (t *stopTx) Elemental(_ context.Context, id string) (ElementalRecord, error) {
	if id != t.s.rec.ID {
		return ElementalRecord{}, ErrNotFound
	}
	return t.s.rec, nil
}

func (t *stopTx) ElementalSizes(context.Context, []string) (map[string]ElementalSize, error) {
	return map[string]ElementalSize{t.s.rec.ID: {Body: int64(len(t.s.rec.Body))}}, nil
}

func (t *stopTx) Tags(context.Context, []int64) (map[int64]Tag, error) {
	return map[int64]Tag{7: {ID: 7, OwnerID: "ann"}}, nil
}

func (t *stopTx) Tag(context.Context, int64) (Tag, error) {
	return Tag{ID: 7, OwnerID: "ann", Title: "old", Color: "#fff", ElementalTypeID: TypeDocument}, nil
}

func (t *stopTx) Tagged(context.Context, int64) (elementals []string, lists []int64, err error) {
	return []string{t.s.rec.ID}, nil, nil
}

func (t *stopTx) PutTag(context.Context, Tag) error { return nil }

func (t *stopTx) PutElementalText(ctx context.Context, _ string, text IndexedText) error {
	return t.PutElemental(ctx, t.s.rec, text)
}

func (t *stopTx) PutElemental(ctx context.Context, rec ElementalRecord, text IndexedText) error {
	found, _ := ctx.Value(segmentedKey{}).(segmented)
	w, known := found[rec.Body]
	t.s.written = append(t.s.written, known && w == text.Body && strings.HasPrefix(w, "many words"))
	return errStopped
}

// TestIndexedAhead looks whether the words of a large body are known when the transaction
// writes them, for every call that writes a body.
func TestIndexedAhead(t *testing.T) {
	t.Parallel()
	ann := Actor{UserID: "ann", TenantID: "ann"}
	body := strings.Repeat("Many words ", 10_000)
	other := body + "more"
	for name, change := range map[string]func(l *Library) error{
		"create": func(l *Library) error {
			_, err := l.CreateElemental(t.Context(), ann, ElementalInput{Title: "A long document", TypeID: TypeDocument, CategoryID: CategoryText, Body: body})
			return err
		},
		"create many": func(l *Library) error {
			_, err := l.CreateElementals(t.Context(), ann, []ElementalInput{{Title: "A long document", TypeID: TypeDocument, Body: body}})
			return err
		},
		"update body": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "stored", ElementalPatch{Body: &other})
			return err
		},
		"update title": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "stored", ElementalPatch{Title: new("Another title for it")})
			return err
		},
		"tag": func(l *Library) error {
			_, err := l.AttachTag(t.Context(), ann, "stored", 7)
			return err
		},
		"rename its tag": func(l *Library) error {
			_, err := l.UpdateTag(t.Context(), ann, 7, TagPatch{Title: new("renamed")})
			return err
		},
		"delete its tag": func(l *Library) error { return l.DeleteTag(t.Context(), ann, 7) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stopStore{rec: ElementalRecord{ID: "stored", OwnerID: "ann", TenantID: "ann", Title: "A stored document", TypeID: TypeDocument, CategoryID: CategoryText, Visibility: Public, Body: body}}
			l := &Library{store: s, opts: LibraryOptions{MaxBodyBytes: 1 << 20, MaxBatch: 10}}
			cat := defaultCatalogue()
			l.catalogue.Store(&cat)
			if err := change(l); !errors.Is(err, errStopped) {
				t.Fatalf("error %v", err)
			}
			if len(s.written) != 1 || !s.written[0] {
				t.Errorf("the words were known: %v, want [true]", s.written)
			}
		})
	}
}

// A line break separates words, so that the texts of a table can be segmented one by one.
func TestWordsOfAll(t *testing.T) {
	t.Parallel()
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "C", "+", "++", "#", "\u0301", "e", ".NET", "\u200d", "Ünï", "日本", "ก\u0e31", "♯", "17", "\u1161", "\u1100", "\u00ad"}))
		texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "") })).Draw(t, "texts")
		l := &Library{}
		ctx := l.IndexAhead(context.Background(), texts[:len(texts)/2]...)
		if got, want := wordsOfAll(ctx, texts), words(strings.Join(texts, "\n")); got != want {
			t.Fatalf("%q: one by one %q, together %q", texts, got, want)
		}
		cases++
	})
	t.Logf("compared %d tables", cases)
}
