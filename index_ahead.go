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
		texts, err = storedTexts(ctx, tx, rec)
		return err
	})
	if CodeOf(err) == CodeNotFound { // the change will say so
		err = nil
	}
	return l.IndexAhead(ctx, texts...), err
}

// storedTexts are the texts of an elemental that are indexed.
func storedTexts(ctx context.Context, tx ReadTx, rec ElementalRecord) ([]string, error) {
	texts := []string{rec.Body, rec.Description}
	if rec.TypeID != TypeTable {
		return texts, nil
	}
	t, err := readTexts(ctx, tx, rec)
	return append(texts, t.texts()...), err
}

// maxTaggedAhead is how many bytes of texts are indexed ahead of a change of a tag: they
// are held until it is done.
const maxTaggedAhead = 32 << 20

// indexTaggedAhead is indexAhead for what has a tag of the actor, if that is much: as far
// as it fits into maxTaggedAhead.
func (l *Library) indexTaggedAhead(ctx context.Context, a Actor, tagID int64) (context.Context, error) {
	if l.joined(ctx) != nil {
		return ctx, nil
	}
	var texts []string
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		if _, err := ownTag(ctx, tx, a, tagID); err != nil {
			return err
		}
		ids, _, err := tx.Tagged(ctx, tagID)
		if err != nil {
			return err
		}
		sizes, err := tx.ElementalSizes(ctx, ids)
		if err != nil {
			return err
		}
		var all, taken int64
		for _, size := range sizes {
			all += size.Body + size.CellBody
		}
		if all < largeText {
			return nil
		}
		for _, id := range ids {
			size := sizes[id].Body + sizes[id].CellBody
			if taken+size > maxTaggedAhead {
				continue
			}
			taken += size
			rec, err := tx.Elemental(ctx, id)
			if err != nil {
				return err
			}
			more, err := storedTexts(ctx, tx, rec)
			if err != nil {
				return err
			}
			texts = append(texts, more...)
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
