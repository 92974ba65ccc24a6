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

// maxAhead is how many bytes of stored texts are indexed ahead of a change: they are held
// until it is done.
const maxAhead = 32 << 20

// indexStoredAhead is indexAhead for what is stored of an elemental, and of the table if it is
// a cell, if that is large. done must be called after the change: until then others that need
// this wait, since all of it is held in memory.
func (l *Library) indexStoredAhead(ctx context.Context, a Actor, id string) (ahead context.Context, done func(), err error) {
	return l.indexFoundAhead(ctx, a, func(tx ReadTx) ([]string, error) {
		tables, err := tableOfCell(ctx, tx, id)
		if len(tables) == 0 {
			return []string{id}, err
		}
		return tables, err
	})
}

// indexTableAhead is indexStoredAhead for the table that a cell is of, for changes that need
// nothing else that is stored.
func (l *Library) indexTableAhead(ctx context.Context, a Actor, cellID string) (ahead context.Context, done func(), err error) {
	return l.indexFoundAhead(ctx, a, func(tx ReadTx) ([]string, error) {
		return tableOfCell(ctx, tx, cellID)
	})
}

// tableOfCell returns the table that an elemental is a cell of, if it is one.
func tableOfCell(ctx context.Context, tx ReadTx, id string) ([]string, error) {
	found, err := tx.ElementalsWithoutBody(ctx, []string{id})
	if err != nil || found[id].TypeID != TypeCell {
		return nil, err
	}
	return []string{found[id].TableID}, nil
}

// indexTableOfListAhead is indexStoredAhead for the table that a list is a column or row of.
func (l *Library) indexTableOfListAhead(ctx context.Context, a Actor, listID int64) (ahead context.Context, done func(), err error) {
	return l.indexFoundAhead(ctx, a, func(tx ReadTx) ([]string, error) {
		list, err := tx.List(ctx, listID)
		if err != nil || list.TableID == "" {
			return nil, err
		}
		return []string{list.TableID}, nil
	})
}

// indexTaggedAhead is indexStoredAhead for what has a tag of the actor.
func (l *Library) indexTaggedAhead(ctx context.Context, a Actor, tagID int64) (ahead context.Context, done func(), err error) {
	return l.indexFoundAhead(ctx, a, func(tx ReadTx) ([]string, error) {
		if _, err := ownTag(ctx, tx, a, tagID); err != nil {
			return nil, err
		}
		ids, _, err := tx.Tagged(ctx, tagID)
		return ids, err
	})
}

// indexFoundAhead is indexAhead for what is stored of the actor's elementals among those that
// find returns, if that is much: as far as it fits into maxAhead. It waits for its turn among
// those who do the same.
func (l *Library) indexFoundAhead(ctx context.Context, a Actor, find func(tx ReadTx) ([]string, error)) (ahead context.Context, done func(), err error) {
	done = func() {}
	if l.joined(ctx) != nil {
		return ctx, done, nil
	}
	var ids []string
	err = l.viewAs(ctx, a, func(tx ReadTx) error {
		if ids, err = find(tx); err != nil {
			return err
		}
		ids, err = worthAhead(ctx, tx, ids)
		return err
	})
	switch {
	case CodeOf(err) == CodeNotFound: // the change will say so
		return ctx, done, nil
	case err != nil, len(ids) == 0:
		return ctx, done, err
	}
	taken, err := l.indexing.wait(ctx, a.UserID)
	if err != nil {
		return ctx, done, err
	}
	held := false
	defer func() {
		if !held { // also when a Store panics
			taken()
		}
	}()
	var texts []string
	err = l.viewAs(ctx, a, func(tx ReadTx) error {
		texts, err = ownTexts(ctx, tx, a, ids)
		return err
	})
	if err != nil {
		return ctx, done, err
	}
	ahead = l.IndexAhead(ctx, texts...)
	held = true
	return ahead, taken, nil
}

// worthAhead returns those of the elementals whose texts are indexed ahead: none if all are
// short.
func worthAhead(ctx context.Context, tx ReadTx, ids []string) ([]string, error) {
	sizes, err := tx.ElementalSizes(ctx, ids)
	var all, taken int64
	var out []string
	for _, id := range ids {
		size := sizes[id].Body + sizes[id].CellBody
		if all += size; taken+size <= maxAhead {
			taken += size
			out = append(out, id)
		}
	}
	if all < largeText {
		return nil, err
	}
	return out, err
}

// ownTexts are the texts of those of the elementals that are there and the actor's.
func ownTexts(ctx context.Context, tx ReadTx, a Actor, ids []string) (texts []string, err error) {
	for _, id := range ids {
		rec, err := tx.Elemental(ctx, id)
		if CodeOf(err) == CodeNotFound || err == nil && rec.OwnerID != a.UserID {
			continue
		}
		if err != nil {
			return nil, err
		}
		more, err := storedTexts(ctx, tx, rec)
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	return texts, nil
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
