package quire

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// resolveElementals turns records into elementals, reading what they refer to in
// two batches.
func (l *Library) resolveElementals(ctx context.Context, tx ReadTx, a Actor, recs []ElementalRecord) ([]Elemental, error) {
	out, err := l.untagged(ctx, tx, a, recs)
	if err != nil {
		return nil, err
	}
	tags, err := tx.Tags(ctx, tagIDsOf(recs))
	for i := range out {
		out[i].Tags = pick(tags, out[i].TagIDs)
	}
	return out, err
}

// untagged is resolveElementals without tags.
func (l *Library) untagged(ctx context.Context, tx ReadTx, a Actor, recs []ElementalRecord) ([]Elemental, error) {
	userIDs := make([]string, len(recs))
	for i, r := range recs {
		userIDs[i] = r.OwnerID
	}
	users, err := usersSeen(ctx, tx, a, userIDs)
	if err != nil {
		return nil, err
	}
	cat := l.catalogue.Load()
	out := make([]Elemental, len(recs))
	for i, r := range recs {
		e := Elemental{ElementalRecord: r, Owner: users[r.OwnerID]}
		e.Type, _ = cat.elementalType(r.TypeID)
		e.Category, _ = cat.category(r.CategoryID)
		for _, t := range r.TopicIDs {
			topic, _ := cat.topic(t)
			e.Topics = append(e.Topics, topic)
		}
		if r.ID != "" { // an empty place of a table has none
			e.URL = l.elementalURL(r.ID)
		}
		out[i] = e
	}
	return out, nil
}

// wholeElementals turns records into elementals with their details.
func (l *Library) wholeElementals(ctx context.Context, tx ReadTx, a Actor, recs []ElementalRecord, tables bool) ([]Elemental, error) {
	out, err := l.resolveElementals(ctx, tx, a, recs)
	if err != nil {
		return nil, err
	}
	return out, l.addDetails(ctx, tx, a, out, tables)
}

func (l *Library) wholeElemental(ctx context.Context, tx ReadTx, a Actor, rec ElementalRecord) (Elemental, error) {
	out, err := l.wholeElementals(ctx, tx, a, []ElementalRecord{rec}, true)
	if err != nil {
		return Elemental{}, err
	}
	return out[0], nil
}

// changeElemental is changeAs for a change of one elemental, whose record change
// returns: it reads what the record has become.
func (l *Library) changeElemental(ctx context.Context, a Actor, change func(tx Tx, ch *changes) (ElementalRecord, error)) (Elemental, error) {
	var out Elemental
	err := l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		rec, err := change(tx, ch)
		if err != nil {
			return err
		}
		out, err = l.wholeElemental(ctx, tx, a, rec)
		return err
	})
	if err != nil {
		return Elemental{}, err
	}
	return out, nil
}

// changeList is changeElemental for a list.
func (l *Library) changeList(ctx context.Context, a Actor, change func(tx Tx, ch *changes) (ListRecord, error)) (List, error) {
	var out List
	err := l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		rec, err := change(tx, ch)
		if err != nil {
			return err
		}
		out, err = l.resolveList(ctx, tx, a, rec)
		return err
	})
	if err != nil {
		return List{}, err
	}
	return out, nil
}

func (l *Library) elementalURL(id string) string {
	return l.opts.PublicURL + "/v1/elemental/" + url.PathEscape(id)
}

func (l *Library) listURL(id int64) string {
	return l.opts.PublicURL + "/v1/list/" + strconv.FormatInt(id, 10)
}

// resolveLists turns records into lists as the actor sees them.
func (l *Library) resolveLists(ctx context.Context, tx ReadTx, a Actor, recs []ListRecord) ([]List, error) {
	var userIDs []string
	var tagIDs, listIDs []int64
	for _, r := range recs {
		userIDs = append(userIDs, r.OwnerID)
		tagIDs = append(tagIDs, r.TagIDs...)
		listIDs = append(listIDs, r.ID)
	}
	users, tags, err := references(ctx, tx, a, userIDs, tagIDs)
	if err != nil {
		return nil, err
	}
	counts, err := tx.CountItems(ctx, listIDs, viewer(a))
	if err != nil {
		return nil, err
	}
	cat := l.catalogue.Load()
	out := make([]List, len(recs))
	for i, r := range recs {
		out[i] = List{
			ListRecord: r, Owner: users[r.OwnerID], Tags: pick(tags, r.TagIDs), TotalItems: counts[r.ID],
			URL: l.listURL(r.ID),
		}
		out[i].Type, _ = cat.listType(r.TypeID)
	}
	return out, addListDetails(ctx, tx, a, out)
}

func (l *Library) resolveList(ctx context.Context, tx ReadTx, a Actor, rec ListRecord) (List, error) {
	out, err := l.resolveLists(ctx, tx, a, []ListRecord{rec})
	if err != nil {
		return List{}, err
	}
	return out[0], nil
}

// references reads users, as the actor sees them, and tags, each id once.
func references(ctx context.Context, tx ReadTx, a Actor, userIDs []string, tagIDs []int64) (map[string]User, map[int64]Tag, error) {
	users, err := usersSeen(ctx, tx, a, userIDs)
	if err != nil {
		return nil, nil, err
	}
	tags, err := tx.Tags(ctx, unique(tagIDs))
	return users, tags, err
}

// usersSeen reads users as an actor sees them: another one's mail address is not its
// business. Of those that the Store does not know there is the id.
func usersSeen(ctx context.Context, tx ReadTx, a Actor, ids []string) (map[string]User, error) {
	users, err := tx.Users(ctx, unique(ids))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]User, len(ids))
	for _, id := range ids {
		u, known := users[id]
		if !known {
			u.ID = id
		}
		if id != a.UserID {
			u.Email = ""
		}
		seen[id] = u
	}
	return seen, nil
}

// pick returns the values of keys that are there, in the order of the keys.
func pick[K comparable, V any](from map[K]V, keys []K) []V {
	var out []V
	for _, k := range keys {
		if v, ok := from[k]; ok {
			out = append(out, v)
		}
	}
	return out
}

// unique returns the values without repetition, in order of first appearance.
func unique[T comparable](in []T) []T {
	seen := make(map[T]bool, len(in))
	return slices.DeleteFunc(slices.Clone(in), func(v T) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		return false
	})
}

// tagTitles is the text of tags that full-text search sees.
func tagTitles(tags []Tag) string {
	var b strings.Builder
	for _, t := range tags {
		b.WriteString(t.Title)
		b.WriteByte('\n')
	}
	return b.String()
}
