package quire

import (
	"context"
	"maps"
	"strings"
)

// segmented are texts as full-text search sees them, by the texts.
type segmented map[string]string

// segmentedKey is the key of what IndexAhead has found in a context.
type segmentedKey struct{}

// largeText is from how many bytes on what is stored of an elemental is read ahead of a
// change of something else in it, which indexes it anew.
const largeText = 64 << 10

// IndexAhead finds the words in the bodies and descriptions of what is about to be
// written, for full-text search, and returns a context with which calls of this Library
// need not do that again for the same texts: it takes about a second for 16 MiB, and inside
// of [Library.Once] all other writers would wait for it. The calls that write elementals do
// so by themselves where they have a transaction of their own. Each text is held a second
// time for as long as the context is.
func (l *Library) IndexAhead(ctx context.Context, texts ...string) context.Context {
	found := segmented{}
	if known, ok := ctx.Value(segmentedKey{}).(segmented); ok {
		found = maps.Clone(known)
	}
	for _, t := range texts {
		if _, known := found[t]; !known && t != "" {
			found[t] = words(t)
		}
	}
	return context.WithValue(ctx, segmentedKey{}, found)
}

// indexAhead is IndexAhead unless a transaction is open already.
func (l *Library) indexAhead(ctx context.Context, texts ...string) context.Context {
	if l.joined(ctx) != nil {
		return ctx
	}
	return l.IndexAhead(ctx, texts...)
}

// indexStoredAhead is indexAhead for what is stored of an elemental, if that is large.
func (l *Library) indexStoredAhead(ctx context.Context, a Actor, id string) (context.Context, error) {
	if l.joined(ctx) != nil {
		return ctx, nil
	}
	var texts []string
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		sizes, err := tx.ElementalSizes(ctx, []string{id})
		if err != nil || sizes[id].Body+sizes[id].CellBody < largeText {
			return err
		}
		rec, err := tx.Elemental(ctx, id)
		if err != nil || rec.OwnerID != a.UserID {
			return err
		}
		texts = append(texts, rec.Body, rec.Description)
		if rec.TypeID == TypeTable {
			t, err := readTexts(ctx, tx, rec)
			if err != nil {
				return err
			}
			texts = append(texts, t.texts()...)
		}
		return nil
	})
	if CodeOf(err) == CodeNotFound { // the change will say so
		err = nil
	}
	return l.IndexAhead(ctx, texts...), err
}

// wordsIn is words, which may have been found ahead.
func wordsIn(ctx context.Context, text string) string {
	if found, ok := ctx.Value(segmentedKey{}).(segmented); ok {
		if w, ok := found[text]; ok {
			return w
		}
	}
	return words(text)
}

// wordsOfAll is words of texts in lines of their own: a line break separates words.
func wordsOfAll(ctx context.Context, texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		w := wordsIn(ctx, t)
		if w == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}
