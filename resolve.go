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
	var userIDs []string
	var tagIDs []int64
	for _, r := range recs {
		userIDs = append(userIDs, r.OwnerID)
		tagIDs = append(tagIDs, r.TagIDs...)
	}
	users, tags, err := references(ctx, tx, userIDs, tagIDs)
	if err != nil {
		return nil, err
	}
	cat := l.catalogue.Load()
	out := make([]Elemental, len(recs))
	for i, r := range recs {
		e := Elemental{ElementalRecord: r, Owner: seenBy(users[r.OwnerID], a), Tags: pick(tags, r.TagIDs)}
		e.Type, _ = cat.elementalType(r.TypeID)
		e.Category, _ = cat.category(r.CategoryID)
		for _, t := range r.TopicIDs {
			topic, _ := cat.topic(t)
			e.Topics = append(e.Topics, topic)
		}
		e.URL = l.elementalURL(r.ID)
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
	users, tags, err := references(ctx, tx, userIDs, tagIDs)
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
			ListRecord: r, Owner: seenBy(users[r.OwnerID], a), Tags: pick(tags, r.TagIDs), TotalItems: counts[r.ID],
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

// references reads users and tags, each id once.
func references(ctx context.Context, tx ReadTx, userIDs []string, tagIDs []int64) (map[string]User, map[int64]Tag, error) {
	users, err := tx.Users(ctx, unique(userIDs))
	if err != nil {
		return nil, nil, err
	}
	tags, err := tx.Tags(ctx, unique(tagIDs))
	return users, tags, err
}

// seenBy is what an actor sees of a user: another one's mail address is not its
// business.
func seenBy(u User, a Actor) User {
	if u.ID != a.UserID {
		u.Email = ""
	}
	return u
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
