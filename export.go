package quire

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/archive"
)

// Export writes the whole library of a tenant to w, for [Engine.Import] on another
// instance: its users, all content of the tenant with media, comments, rates and marks,
// and the chunks with their vectors. It is for operators: no user is asked for.
//
// API keys, remembered answers and jobs stay behind: keys are secrets, and an ingest
// that is queued, runs or has failed is queued again by the import. Content of other tenants stays
// behind as well, also where it is an item of one of the tenant's lists.
//
// The archive is the state of one moment. It is written while it is read, with a few
// records and the ids of all elementals in memory; compress it on the way if that is
// worth it. The transaction that reads lasts until w has taken everything: SQLite lets
// others write meanwhile, the Store in memory does not.
//
// An error of w is returned as it is, and what w has got then is incomplete: Import
// refuses it. ErrNotFound if there is nothing of the tenant. When ctx ends or the Engine is
// closed, the transaction ends at once, even if w stands still, and Export when w has
// returned; closed, with ErrClosed.
func (e *Engine) Export(ctx context.Context, tenantID string, w io.Writer) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	if tenantID == "" {
		var probs problems
		probs.add("tenant_id", "must not be empty")
		return probs.err()
	}
	if w == nil {
		return Errorf(CodeInvalid, "a writer for the archive is required")
	}
	ctx, done := e.untilClosed(ctx)
	return done(copyPiped(ctx, w, func(out io.Writer) error { return e.export(ctx, tenantID, out) }))
}

// copyPiped calls write on a goroutine and copies to w what it writes. When ctx ends, what
// write still writes fails, whether or not w stands still.
func copyPiped(ctx context.Context, w io.Writer, write func(out io.Writer) error) error {
	in, out := io.Pipe()
	stop := context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	defer stop()
	var writing sync.WaitGroup
	writing.Go(func() {
		var err error
		defer func() {
			if p := recover(); p != nil {
				err = panicked(CodeInternal, "the export failed unexpectedly", p)
			}
			out.CloseWithError(err) // nil is the end
		}()
		err = write(out)
	})
	defer writing.Wait()
	defer in.Close() // also when w panics
	_, err := io.Copy(w, in)
	return err
}

// export writes the archive in one transaction.
func (e *Engine) export(ctx context.Context, tenantID string, w io.Writer) error {
	return e.lib.store.View(ctx, func(tx ReadTx) error {
		x := exporter{
			lib: e.lib, tx: tx, tenantID: tenantID, out: archive.NewWriter(w),
			people: map[string]bool{}, tags: map[int64]bool{}, elementals: map[string]bool{}, active: map[string]bool{},
		}
		err := x.run(ctx)
		if errors.Is(err, archive.ErrTooLarge) {
			err = Errorf(CodeTooLarge, "a record is too long for an archive").WithCause(err)
		}
		return err
	})
}

// exporter writes one archive.
type exporter struct {
	lib        *Library
	tx         ReadTx
	tenantID   string
	out        *archive.Writer
	found      bool            // something of the tenant
	people     map[string]bool // users and guests that are written
	tags       map[int64]bool  // that are written
	elementals map[string]bool // that are written
	active     map[string]bool // elementals with an active job
}

func (x *exporter) run(ctx context.Context) error {
	jobs, err := x.tx.ActiveJobs(ctx, x.tenantID, "")
	if err != nil {
		return err
	}
	for _, j := range jobs {
		x.active[j.ElementalID] = true
	}
	if err := x.put(kindTenant, tenantEntry{x.tenantID}); err != nil {
		return err
	}
	if err := x.put(kindCatalogue, entryOfCatalogue(x.lib.catalogue.Load())); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{x.users, x.allElementals, x.lists, x.knowledge} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if !x.found {
		return Errorf(CodeNotFound, "there is nothing of this tenant")
	}
	return x.out.Close()
}

// put writes a record without a blob.
func (x *exporter) put(kind string, entry any) error { return x.out.Record(kind, entry, nil) }

func entryOfCatalogue(c *Catalogue) catalogueEntry {
	var out catalogueEntry
	for _, t := range c.Types {
		out.Types = append(out.Types, nameEntry{t.ID, t.Name})
	}
	for _, cat := range c.Categories {
		out.Categories = append(out.Categories, nameEntry{cat.ID, cat.Name})
	}
	for _, t := range c.Topics {
		out.Topics = append(out.Topics, nameEntry{t.ID, t.Name})
	}
	for _, t := range c.ListTypes {
		out.ListTypes = append(out.ListTypes, nameEntry(t))
	}
	return out
}

// users writes the users of the tenant, each with all tags.
func (x *exporter) users(ctx context.Context) error {
	for u, err := range x.tx.TenantUsers(ctx, x.tenantID) {
		if err != nil {
			return err
		}
		x.found, x.people[u.ID] = true, true
		if err := x.put(kindUser, userEntry{u.ID, u.Name, u.Username, u.Email, u.AvatarURL, u.CreatedAt}); err != nil {
			return err
		}
		tags, err := x.tx.TagsOf(ctx, u.ID)
		if err != nil {
			return err
		}
		for _, t := range tags {
			x.tags[t.ID] = true
			if err := x.put(kindTag, tagEntry(t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// guest writes who is named for the first time and is no user of the tenant.
func (x *exporter) guest(id string) error {
	if x.people[id] {
		return nil
	}
	if !utf8.ValidString(id) {
		return Errorf(CodeInvalid, "the id of a user who owns content, or wrote about it, is not valid UTF-8: it cannot be exported")
	}
	x.people[id] = true
	return x.put(kindGuest, guestEntry{id})
}

// prepare writes what a record of an owner names and has not been written: the owner
// and, of guests, the tags. It returns the tags without those that there are no more.
func (x *exporter) prepare(ctx context.Context, ownerID string, tagIDs []int64) ([]int64, error) {
	if err := x.guest(ownerID); err != nil {
		return nil, err
	}
	if len(tagIDs) == 0 {
		return nil, nil
	}
	tags, err := tagsInOrder(ctx, x.tx, tagIDs)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, t := range tags {
		if t.OwnerID != ownerID {
			continue
		}
		ids = append(ids, t.ID)
		if x.tags[t.ID] {
			continue
		}
		x.tags[t.ID] = true
		if err := x.put(kindTag, tagEntry(t)); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (x *exporter) allElementals(ctx context.Context) error {
	for rec, err := range x.tx.TenantElementals(ctx, x.tenantID) {
		if err != nil {
			return err
		}
		x.found, x.elementals[rec.ID] = true, true
		if rec.TagIDs, err = x.prepare(ctx, rec.OwnerID, rec.TagIDs); err != nil {
			return err
		}
		if err := x.out.Record(kindElemental, entryOfElemental(rec), []byte(rec.Body)); err != nil {
			return err
		}
		if err := x.media(ctx, MediaOwner{ElementalID: rec.ID}); err != nil {
			return err
		}
		if rec.Counters.Comments > 0 {
			if err := x.comments(ctx, rec.ID); err != nil {
				return err
			}
		}
		if err := x.engagement(ctx, Subject{ElementalID: rec.ID}, rec.Counters); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) lists(ctx context.Context) error {
	for rec, err := range x.tx.TenantLists(ctx, x.tenantID) {
		if err != nil {
			return err
		}
		x.found = true
		if rec.TagIDs, err = x.prepare(ctx, rec.OwnerID, rec.TagIDs); err != nil {
			return err
		}
		if err := x.put(kindList, entryOfList(rec)); err != nil {
			return err
		}
		if err := x.media(ctx, MediaOwner{ListID: rec.ID}); err != nil {
			return err
		}
		items, err := x.tx.Items(ctx, rec.ID)
		if err != nil {
			return err
		}
		for _, it := range items {
			if !x.elementals[it.ElementalID] { // another tenant's
				continue
			}
			if err := x.put(kindItem, itemEntry{it.ElementalID, it.OrderIndex, it.AddedAt}); err != nil {
				return err
			}
		}
		if err := x.engagement(ctx, Subject{ListID: rec.ID}, rec.Counters); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) media(ctx context.Context, owner MediaOwner) error {
	all, err := x.tx.MediaOf(ctx, []MediaOwner{owner})
	if err != nil {
		return err
	}
	for _, m := range all[owner] {
		data, err := x.tx.MediaData(ctx, m.ID)
		if err != nil {
			return err
		}
		if err := x.out.Record(kindMedia, mediaEntry{m.ID, m.Kind, m.Name, m.Ordinal, m.CreatedAt}, data); err != nil {
			return err
		}
	}
	return nil
}

// portionOfTalk is how many comments or rates are read at a time.
const portionOfTalk = 100

// oldestFirst calls write with all of something that a Store pages from its newest on,
// from the oldest on: it looks for the pages first and then reads them again.
func oldestFirst[T any](page func(before int64) ([]T, error), id func(T) int64, write func(T) error) error {
	befores := []int64{0}
	for {
		last := befores[len(befores)-1]
		found, err := page(last)
		if err != nil {
			return err
		}
		if len(found) < portionOfTalk {
			break
		}
		befores = append(befores, id(found[0]))
	}
	for _, before := range slices.Backward(befores) {
		found, err := page(before)
		if err != nil {
			return err
		}
		for _, v := range found {
			if err := write(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// comments writes the comments on an elemental. Their ids are the Store's: they name
// one another by their places.
func (x *exporter) comments(ctx context.Context, elementalID string) error {
	places := map[int64]int{}
	page := func(before int64) ([]Comment, error) {
		return x.tx.Comments(ctx, elementalID, before, portionOfTalk)
	}
	return oldestFirst(page, func(c Comment) int64 { return c.ID }, func(c Comment) error {
		places[c.ID] = len(places) + 1
		if err := x.guest(c.UserID); err != nil {
			return err
		}
		return x.put(kindComment, commentEntry{places[c.ParentID], c.UserID, c.Message, c.Votes, c.CreatedAt, c.UpdatedAt})
	})
}

// engagement writes the rates and marks of a subject.
func (x *exporter) engagement(ctx context.Context, s Subject, c Counters) error {
	if c.Rates > 0 {
		page := func(before int64) ([]Rate, error) { return x.tx.Rates(ctx, s, before, portionOfTalk) }
		err := oldestFirst(page, func(r Rate) int64 { return r.ID }, func(r Rate) error {
			if err := x.guest(r.UserID); err != nil {
				return err
			}
			return x.put(kindRate, rateEntry{r.UserID, r.Rating, r.Message, r.Votes, r.CreatedAt, r.UpdatedAt})
		})
		if err != nil {
			return err
		}
	}
	for _, kind := range []MarkKind{MarkUpvote, MarkSave, MarkFavorite} {
		if kind == MarkUpvote && c.Upvotes == 0 || kind == MarkSave && c.Saves == 0 {
			continue
		}
		marks, err := x.tx.LastMarks(ctx, s, kind, math.MaxInt32)
		if err != nil {
			return err
		}
		for _, m := range marks {
			if err := x.guest(m.UserID); err != nil {
				return err
			}
			if err := x.put(kindMark, markEntry{m.Kind, m.UserID, m.CreatedAt}); err != nil {
				return err
			}
		}
	}
	return nil
}

// knowledge writes the chunks of all elementals, and which are to be ingested.
func (x *exporter) knowledge(ctx context.Context) error {
	for rec, err := range x.tx.TenantElementals(ctx, x.tenantID) {
		if err != nil {
			return err
		}
		if rec.TypeID == TypeCell { // a part of its table
			continue
		}
		chunks, err := x.tx.ChunksOf(ctx, rec.ID)
		if err != nil {
			return err
		}
		entries, err := x.chunkEntries(ctx, rec, chunks)
		if err != nil {
			return err
		}
		stale := len(entries) < len(chunks)
		if len(entries) > 0 && !stale {
			if err := x.chunks(rec, chunks, entries); err != nil {
				return err
			}
		}
		ingest := x.active[rec.ID] || stale
		if !ingest { // one whose passages were deleted has a cancelled job by then
			if ingest, err = x.failed(ctx, rec.ID); err != nil {
				return err
			}
		}
		if ingest {
			if err := x.put(kindIngest, ingestEntry{rec.ID}); err != nil {
				return err
			}
		}
	}
	return nil
}

// failed reports whether the newest job of an elemental was given up.
func (x *exporter) failed(ctx context.Context, elementalID string) (bool, error) {
	jobs, _, err := x.tx.Jobs(ctx, JobQuery{TenantID: x.tenantID, ElementalID: elementalID, Limit: 1})
	return len(jobs) > 0 && jobs[0].Status == JobFailed, err
}

func (x *exporter) chunks(rec ElementalRecord, chunks []Chunk, entries []chunkEntry) error {
	head := knowledgeEntry{rec.ID, chunks[0].Fingerprint, len(chunks[0].Vector), len(chunks)}
	if err := x.put(kindKnowledge, head); err != nil {
		return err
	}
	for i, entry := range entries {
		if err := x.out.Record(kindChunk, entry, packVector(chunks[i].Vector)); err != nil {
			return err
		}
	}
	return nil
}

// chunkEntries describes the chunks of an elemental; none if any of them is of a text
// that the elemental no longer has, or of another embedder than the first, or one that
// an import would refuse.
func (x *exporter) chunkEntries(ctx context.Context, rec ElementalRecord, chunks []Chunk) ([]chunkEntry, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	metas, texts, err := x.lib.chunkSources(ctx, x.tx, rec)
	if err != nil {
		return nil, err
	}
	entries := make([]chunkEntry, len(chunks))
	for i, c := range chunks {
		text, own := texts[c.ItemID]
		_, known := metas[c.ItemID]
		fits := known && c.Start >= 0 && c.Start < c.End && c.End-c.Start == len(c.Text) && len(c.Vector) == len(chunks[0].Vector)
		if own {
			fits = fits && c.End <= len(text) && text[c.Start:c.End] == c.Text
		}
		fits = fits && checkChunkTexts(c.Heading, c.Text, !own) == nil
		if !fits || c.Fingerprint != chunks[0].Fingerprint {
			return nil, nil
		}
		entry := chunkEntry{ItemID: c.ItemID, Ordinal: c.Ordinal, Start: c.Start, End: c.End, Heading: c.Heading, Hash: c.Hash}
		if entry.ItemID == rec.ID {
			entry.ItemID = ""
		}
		if !own {
			entry.Text = c.Text
		}
		entries[i] = entry
	}
	return entries, nil
}

// chunkSources returns the metadata of all items of an elemental that there can be chunks
// of, and the source texts of those that are stored as texts.
func (l *Library) chunkSources(ctx context.Context, tx ReadTx, rec ElementalRecord) (map[string]chunkMeta, map[string]string, error) {
	sources, err := l.sources(ctx, tx, rec)
	metas, texts := make(map[string]chunkMeta, len(sources)), make(map[string]string, len(sources))
	for _, s := range sources {
		metas[s.itemID()] = s.meta
		if s.file.ID == 0 {
			texts[s.rec.ID] = sourceText(s.rec)
		}
	}
	return metas, texts, err
}
