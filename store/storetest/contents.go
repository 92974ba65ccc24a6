package storetest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// contents is all that a Store holds after seed and rewrite, read through every
// reader that does not repeat another.
type contents struct {
	Meta       map[string][]byte
	Users      map[string]quire.User
	Keys       []quire.Key
	Tags       []quire.Tag
	Elementals []quire.ElementalRecord
	ByTitle    map[titled]string
	Found      [][]string // ids by query, in their order
	Lists      []quire.ListRecord
	FoundLists [][]int64
	Items      []quire.ListItem
	Jobs       []quire.Job
	Next       time.Time
	Chunks     []quire.Chunk
	Missing    []string // vectors of embedder-2
	Drafts     []map[string][]float32
	Cells      []quire.ElementalRecord
	TableLists []quire.ListRecord
	Media      map[quire.MediaOwner][]quire.Media
	MediaData  map[int64][]byte
	Marks      []quire.Mark
	LastMarks  []quire.Mark
	Comments   []quire.Comment
	Rates      []quire.Rate
	Receipts   []quire.Receipt
}

// seed fills an empty Store with two of everything and their connections.
func seed(ctx context.Context, tx quire.Tx) error {
	return errors.Join(
		tx.PutMeta(ctx, "one", []byte("first")),
		tx.PutMeta(ctx, "two", []byte("second")),
		tx.PutUser(ctx, sampleUser("u1")),
		tx.PutUser(ctx, sampleUser("u2")),
		tx.PutKey(ctx, sampleKey("k1", "u1")),
		tx.PutKey(ctx, sampleKey("k2", "u2")),
		tx.PutTag(ctx, sampleTag(1, "u1")),
		tx.PutTag(ctx, sampleTag(2, "u2")),
		tx.PutElemental(ctx, sampleElemental("e1", "u1"), quire.IndexedText{Title: "old word", Body: "shared"}),
		tx.PutElemental(ctx, sampleElemental("e2", "u2"), quire.IndexedText{Title: "another word", Tags: "shared"}),
		tx.PutList(ctx, plainList(1, "u1"), quire.IndexedText{Title: "old list"}),
		tx.PutList(ctx, plainList(2, "u2"), quire.IndexedText{Title: "another list"}),
		tx.PutItem(ctx, sampleItem(1, "e1", 1)),
		tx.PutItem(ctx, sampleItem(1, "e2", 2)),
		tx.PutItem(ctx, sampleItem(2, "e2", 3)),
		tx.PutJob(ctx, queuedJob("t1", "j1", "e1", at(5))),
		tx.PutJob(ctx, queuedJob("t2", "j2", "e2", at(6))),
		tx.ReplaceChunks(ctx, "e1", []quire.Chunk{sampleChunk("e1", 0), sampleChunk("e1", 1)}),
		tx.ReplaceChunks(ctx, "e2", []quire.Chunk{sampleChunk("e2", 0)}),
		tx.PutVectors(ctx, "embedder-2", kept(0)),
		tx.PutVectors(ctx, "embedder-3", kept(0, 1)),
		tx.PutDrafts(ctx, "e1", "embedder-1", kept(0)),
		tx.PutDrafts(ctx, "e2", "embedder-1", kept(1)),
		seedEngagement(ctx, tx),
	)
}

// rewrite uses every writer on what seed wrote: it adds, replaces and deletes.
func rewrite(ctx context.Context, tx quire.Tx) error {
	user, key, tag := sampleUser("u1"), sampleKey("k1", "u2"), sampleTag(1, "u2")
	user.Name, key.Hash, tag.Title = "Changed", "changed", "Changed"
	e, l, moved := sampleElemental("e1", "u2"), plainList(1, "u2"), sampleItem(1, "e1", 9)
	e.Title, l.Title, e.TagIDs = "Changed title", "Changed", []int64{2}
	done := sampleJob("t2", "j2", "e2")
	chunk := sampleChunk("e1", 1)
	chunk.Text, chunk.Vector = "changed", []float32{1}
	_, claimErr := tx.ClaimJob(ctx, at(5), "worker", at(50))
	return errors.Join(claimErr,
		tx.PutMeta(ctx, "one", []byte("changed")),
		tx.PutMeta(ctx, "three", []byte("added")),
		tx.PutUser(ctx, user),
		tx.PutUser(ctx, sampleUser("u3")),
		tx.PutKey(ctx, key),
		tx.PutKey(ctx, sampleKey("k3", "u3")),
		tx.PutTag(ctx, tag),
		tx.PutTag(ctx, sampleTag(3, "u1")),
		tx.DeleteTag(ctx, 2),
		tx.PutElemental(ctx, e, quire.IndexedText{Title: "new word", Body: "shared"}),
		tx.PutElemental(ctx, sampleElemental("e3", "u1"), quire.IndexedText{Title: "third word"}),
		tx.DeleteElemental(ctx, "e2"),
		tx.PutList(ctx, l, quire.IndexedText{Title: "new list"}),
		tx.PutList(ctx, plainList(3, "u1"), quire.IndexedText{Title: "third list"}),
		tx.DeleteList(ctx, 2),
		tx.PutItem(ctx, moved),
		tx.PutItem(ctx, sampleItem(3, "e1", 1)),
		tx.PutItem(ctx, sampleItem(3, "e3", 1)),
		tx.DeleteItem(ctx, 3, "e3"),
		tx.PutJob(ctx, done),
		tx.PutJob(ctx, queuedJob("t1", "j3", "e3", at(7))),
		tx.ReplaceChunks(ctx, "e1", []quire.Chunk{chunk}),
		tx.ReplaceChunks(ctx, "e2", nil),
		tx.ReplaceChunks(ctx, "e3", []quire.Chunk{sampleChunk("e3", 0)}),
		tx.PutVectors(ctx, "embedder-2", kept(1)),
		adopt(ctx, tx, "embedder-3"),
		tx.DeleteVectors(ctx, "embedder-2"),
		tx.PutDrafts(ctx, "e1", "embedder-1", kept(2)),
		tx.DeleteDrafts(ctx, "e2"),
		rewriteEngagement(ctx, tx),
	)
}

// readContents reads all there is. Its argument is for get.
func readContents(tx quire.ReadTx, ctx context.Context, _ struct{}) (contents, error) {
	var c contents
	for _, part := range []func(context.Context, quire.ReadTx, *contents) error{
		readMetaAndUsers, readElementals, readLists, readJobs, readChunks,
		readTables, readMedia, readEngagement, readReceipts,
	} {
		if err := part(ctx, tx, &c); err != nil {
			return contents{}, err
		}
	}
	return c, nil
}

func readMetaAndUsers(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	c.Meta = map[string][]byte{}
	for _, name := range []string{"one", "two", "three"} {
		value, err := tx.Meta(ctx, name)
		if err == nil {
			c.Meta[name] = value
		} else if !errors.Is(err, quire.ErrNotFound) {
			return err
		}
	}
	if c.Users, err = tx.Users(ctx, []string{"u1", "u2", "u3"}); err != nil {
		return err
	}
	for _, id := range []string{"u1", "u2", "u3"} {
		keys, err := tx.KeysOf(ctx, id)
		if err != nil {
			return err
		}
		tags, err := tx.TagsOf(ctx, id)
		if err != nil {
			return err
		}
		c.Keys, c.Tags = append(c.Keys, keys...), append(c.Tags, tags...)
	}
	return nil
}

func readElementals(ctx context.Context, tx quire.ReadTx, c *contents) error {
	c.ByTitle = map[titled]string{}
	for _, owner := range []string{"u1", "u2", "u3"} {
		es, err := ownedElementals(tx, ctx, owner)
		if err != nil {
			return err
		}
		c.Elementals = append(c.Elementals, es...)
		for _, e := range es {
			q := titled{owner, e.TypeID, e.Title}
			if c.ByTitle[q], err = elementalTitled(tx, ctx, q); err != nil {
				return err
			}
		}
	}
	for _, w := range []string{"word", "old", "new", "shared", "third"} {
		es, _, err := tx.SearchElementals(ctx, quire.ElementalSearch{Text: words(w), Viewer: anyone, Limit: 10})
		if err != nil {
			return err
		}
		c.Found = append(c.Found, idsOf(es))
	}
	return nil
}

func readLists(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	if c.Lists, _, err = tx.SearchLists(ctx, quire.ListSearch{Viewer: anyone, Limit: math.MaxInt32}); err != nil {
		return err
	}
	for _, w := range []string{"list", "old", "new"} {
		ls, _, err := tx.SearchLists(ctx, quire.ListSearch{Text: new(words(w)), Viewer: anyone, Limit: 10})
		if err != nil {
			return err
		}
		c.FoundLists = append(c.FoundLists, listIDs(ls))
	}
	for id := range int64(4) {
		items, err := tx.Items(ctx, id)
		if err != nil {
			return err
		}
		c.Items = append(c.Items, items...)
	}
	return nil
}

func readJobs(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	for _, tenant := range []string{"t1", "t2"} {
		jobs, _, err := tx.Jobs(ctx, quire.JobQuery{TenantID: tenant, Limit: 100})
		if err != nil {
			return err
		}
		c.Jobs = append(c.Jobs, jobs...)
	}
	c.Next, err = tx.NextJob(ctx)
	if errors.Is(err, quire.ErrNotFound) {
		return nil
	}
	return err
}

func readChunks(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	c.Chunks, err = allChunks(tx, ctx, struct{}{})
	slices.SortFunc(c.Chunks, func(a, b quire.Chunk) int { return cmp.Compare(a.ID, b.ID) })
	if err != nil {
		return err
	}
	for _, elementalID := range []string{"e1", "e2"} {
		drafts, err := tx.Drafts(ctx, elementalID, "embedder-1")
		if err != nil {
			return err
		}
		c.Drafts = append(c.Drafts, drafts)
	}
	c.Missing, err = missingVectors(tx, ctx, vectorsQuery{"embedder-2", []string{"hash 0", "hash 1", "hash 2"}})
	return err
}
