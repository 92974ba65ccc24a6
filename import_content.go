package quire

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// importedSubject is an elemental or list with what was counted on it so far.
type importedSubject struct {
	Subject
	counters Counters
	comments []importedComment // in their order
	rated    map[string]bool   // by whom
	media    []Media
	items    map[string]bool // of a list
}

type importedComment struct {
	id      int64
	isReply bool
}

// begin makes an elemental or list what the records are about that follow.
func (in *importer) begin(s Subject, c Counters) {
	in.about = &importedSubject{Subject: s, counters: c, rated: map[string]bool{}, items: map[string]bool{}}
}

// endSubject stores what was counted.
func (in *importer) endSubject(ctx context.Context) error {
	if in.about == nil || in.about.counters == (Counters{}) {
		return nil
	}
	s, c := in.about.Subject, in.about.counters
	in.about.counters = Counters{} // once
	return in.tx.PutCounters(ctx, s, c)
}

func (in *importer) elemental(ctx context.Context, r record) error {
	e, err := decode[elementalEntry](r)
	if err != nil {
		return err
	}
	body, err := r.blob(in.lib.opts.MaxBodyBytes)
	if err != nil {
		return err
	}
	rec := e.record(in.result.TenantID, string(body))
	if err := in.checkElemental(ctx, rec); err != nil {
		return err
	}
	in.elementals[rec.ID] = imported{rec.OwnerID, rec.TypeID, rec.Settings.KnowledgeBase && rec.TypeID != TypeCell}
	in.result.Elementals++
	in.begin(Subject{ElementalID: rec.ID}, rec.Counters)
	switch rec.TypeID {
	case TypeTable: // it gets its text when its cells are there
		in.tables = append(in.tables, rec.ID)
		return in.tx.PutElemental(ctx, rec, IndexedText{})
	case TypeCell:
		in.cells[rec.TableID]++
	}
	return in.lib.putElemental(ctx, in.tx, rec)
}

// checkElemental holds an elemental to the rules of the Library, those of tables apart.
func (in *importer) checkElemental(ctx context.Context, rec ElementalRecord) error {
	var probs problems
	checkID(&probs, "id", rec.ID)
	if slices.Contains(reservedIDs, rec.ID) {
		probs.add("id", "is reserved")
	}
	in.lib.checkElemental(&probs, rec.TypeID, rec)
	checkStored(&probs, rec.Title, rec.Version, rec.Counters)
	checkTimes(&probs, rec.CreatedAt, rec.UpdatedAt)
	cell := rec.TypeID == TypeCell
	if named := rec.TableID != "" && rec.ColumnID != 0 && rec.RowID != 0; cell != named || !cell && (rec.TableID != "" || rec.ColumnID != 0 || rec.RowID != 0) {
		probs.add("table_id", "cells have a table, a column and a row; others have none")
	}
	if err := in.catalogue.check(in.lib.catalogue.Load(), rec.TypeID, rec.CategoryID, rec.TopicIDs); err != nil {
		return err
	}
	if err := probs.err(); err != nil {
		return err
	}
	if err := in.checkOwned(rec.OwnerID, rec.TagIDs); err != nil {
		return err
	}
	if _, twice := in.elementals[rec.ID]; twice {
		return Errorf(CodeInvalid, "the elemental %q is in the archive already", rec.ID)
	}
	if err := absent(in.tx.Elemental(ctx, rec.ID)); err != nil {
		return conflict(err, "an elemental with the id \""+rec.ID+"\" "+takenHere)
	}
	return checkSnippetTitle(ctx, in.tx, rec)
}

// checkStored checks what no input has, but a record.
func checkStored(p *problems, title string, version int64, c Counters) {
	if title != strings.TrimSpace(title) {
		p.add("title", "must not begin or end with white space")
	}
	checkCount(p, "version", version, 1)
	checkCount(p, "sales", c.Sales, 0)
	checkCount(p, "uses", c.Uses, 0)
}

// checkCount refuses a number that is too small, or so large that what is counted on from it
// could overflow, and that programs which read JSON numbers as floats take it for another one.
func checkCount(p *problems, field string, n, least int64) {
	if n < least || n > maxNumber {
		p.add(field, "must be between %d and 2^53 - 1", least)
	}
}

// checkTimes checks when something was made and changed.
func checkTimes(p *problems, created time.Time, updated *time.Time) {
	checkTime(p, "created_at", created)
	if updated != nil {
		checkTime(p, "updated_at", *updated)
	}
}

// checkTime refuses a time that no encoding has: RFC 3339 knows four digits of a year, and an
// offset leads out of them, as that of 9999-12-31T23:59:59-23:59 does.
func checkTime(p *problems, field string, t time.Time) {
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		p.add(field, "must be in the years 1 to 9999, in UTC")
	}
}

// checkOwned checks the owner of an elemental or list, and that its tags are the owner's.
func (in *importer) checkOwned(ownerID string, tagIDs []int64) error {
	if err := in.known(ownerID); err != nil {
		return err
	}
	if len(unique(tagIDs)) < len(tagIDs) {
		return Errorf(CodeInvalid, "tag_ids: must each be there once")
	}
	for _, id := range tagIDs {
		if owner, ok := in.tags[id]; !ok || owner != ownerID {
			return Errorf(CodeInvalid, "tag_ids: must be tags of the owner that are in the archive")
		}
	}
	return nil
}

func (in *importer) list(ctx context.Context, r record) error {
	e, err := decode[listEntry](r)
	if err != nil {
		return err
	}
	rec := e.record(in.result.TenantID)
	if err := in.checkList(ctx, rec); err != nil {
		return err
	}
	in.lists[rec.ID] = imported{ownerID: rec.OwnerID, typeID: rec.TypeID}
	in.result.Lists++
	if rec.TableID != "" {
		in.tableLists[rec.TableID] = true
	}
	in.begin(Subject{ListID: rec.ID}, rec.Counters)
	tags, err := tagsInOrder(ctx, in.tx, rec.TagIDs)
	if err != nil {
		return err
	}
	return in.tx.PutList(ctx, rec, indexList(rec, tags))
}

func (in *importer) checkList(ctx context.Context, rec ListRecord) error {
	if err := in.catalogue.checkList(in.lib.catalogue.Load(), rec.TypeID); err != nil {
		return err
	}
	if err := in.lib.checkList(rec, nil); err != nil {
		return err
	}
	var probs problems
	checkStored(&probs, rec.Title, rec.Version, rec.Counters)
	checkTimes(&probs, rec.CreatedAt, rec.UpdatedAt)
	part := rec.TableOrientation == TableColumn || rec.TableOrientation == TableRow
	if part != (rec.TableID != "") || !part && (rec.TableOrientation != "" || rec.TableIndex != 0) || rec.TableIndex < 0 {
		probs.add("table_id", "columns and rows have a table and a place in it; others have none")
	}
	if err := probs.err(); err != nil {
		return err
	}
	if err := in.checkOwned(rec.OwnerID, rec.TagIDs); err != nil {
		return err
	}
	_, twice := in.lists[rec.ID]
	return freeNumber(rec.ID, twice, func() error { return absent(in.tx.List(ctx, rec.ID)) })
}

func (in *importer) item(ctx context.Context, r record) error {
	e, err := decode[itemEntry](r)
	if err != nil {
		return err
	}
	if _, ok := in.elementals[e.ElementalID]; !ok {
		return Errorf(CodeInvalid, "it names an elemental that is not in the archive")
	}
	if in.about.items[e.ElementalID] {
		return Errorf(CodeInvalid, "the elemental %q is in this list already", e.ElementalID)
	}
	var probs problems
	if checkTime(&probs, "added_at", e.AddedAt); len(probs) > 0 {
		return probs.err()
	}
	in.about.items[e.ElementalID] = true
	it := ListItem{ListID: in.about.ListID, ElementalID: e.ElementalID, OrderIndex: e.OrderIndex, AddedAt: exact(e.AddedAt)}
	return in.tx.PutItem(ctx, it)
}

func (in *importer) media(ctx context.Context, r record) error {
	e, err := decode[mediaEntry](r)
	if err != nil {
		return err
	}
	data, err := r.blob(in.lib.opts.MaxMediaBytes)
	if err != nil {
		return err
	}
	if err := in.checkMedia(e, data); err != nil {
		return err
	}
	// Media are looked up by id alone, so that one that is there twice is in the way too.
	if err := freeNumber(e.ID, false, func() error { return absent(in.tx.Media(ctx, e.ID)) }); err != nil {
		return err
	}
	d, err := in.lib.draftFile(ctx, Actor{}, e.Kind, 0, Upload{Name: e.Name, Data: data})
	if err != nil {
		return refusedImage(err)
	}
	m := d.Media
	m.ID, m.Owner, m.Ordinal, m.CreatedAt = e.ID, MediaOwner(in.about.Subject), e.Ordinal, exact(e.CreatedAt)
	in.about.media = append(in.about.media, m)
	in.result.Media++
	return in.tx.PutMedia(ctx, m, data)
}

func (in *importer) checkMedia(e mediaEntry, data []byte) error {
	most := maxMedia
	switch e.Kind {
	case MediaImage, MediaCover, MediaFile:
	case MediaAvatar:
		most = 1
	default:
		return Errorf(CodeInvalid, "kind: must be image, cover, avatar or file")
	}
	switch {
	case len(data) == 0:
		return Errorf(CodeInvalid, "a file must not be empty")
	case e.Name == "" || len(e.Name) > maxFileName || !utf8.ValidString(e.Name) || strings.ContainsRune(e.Name, 0):
		return Errorf(CodeInvalid, "name: must have 1 to %d bytes without NUL characters", maxFileName)
	}
	var probs problems
	checkCount(&probs, "ordinal", int64(e.Ordinal), 0)
	if checkTime(&probs, "created_at", e.CreatedAt); len(probs) > 0 {
		return probs.err()
	}
	n := 0
	for _, m := range in.about.media {
		if m.Kind != e.Kind {
			continue
		}
		if n++; m.Ordinal == e.Ordinal {
			return Errorf(CodeInvalid, "ordinal: must be one that no other file of the kind has")
		}
	}
	if n >= most {
		return Errorf(CodeInvalid, "at most %d of a kind are allowed", most)
	}
	return nil
}

func (in *importer) comment(ctx context.Context, r record) error {
	e, err := decode[commentEntry](r)
	if err != nil {
		return err
	}
	s := in.about
	var probs problems
	if strings.TrimSpace(e.Message) == "" {
		probs.add("message", "must not be blank")
	}
	checkText(&probs, "message", e.Message, maxMessage)
	if e.ReplyTo < 0 || e.ReplyTo > len(s.comments) || e.ReplyTo > 0 && s.comments[e.ReplyTo-1].isReply {
		probs.add("reply_to", "must be the place of an earlier comment that is no reply")
	}
	checkTimes(&probs, e.CreatedAt, e.UpdatedAt)
	if err := in.checkEngagement(&probs, e.UserID, e.Votes); err != nil {
		return err
	}
	c := Comment{
		ElementalID: s.ElementalID, UserID: e.UserID, Message: e.Message, Votes: e.Votes,
		CreatedAt: exact(e.CreatedAt), UpdatedAt: exactly(e.UpdatedAt),
	}
	if e.ReplyTo > 0 {
		c.ParentID = s.comments[e.ReplyTo-1].id
	}
	if c, err = in.tx.PutComment(ctx, c); err != nil {
		return err
	}
	s.comments = append(s.comments, importedComment{c.ID, e.ReplyTo > 0})
	s.counters.Comments++
	return nil
}

// checkEngagement adds the problems that comments and rates have in common, and returns
// all.
func (in *importer) checkEngagement(probs *problems, userID string, votes int64) error {
	checkCount(probs, "votes", votes, 0)
	if err := probs.err(); err != nil {
		return err
	}
	return in.known(userID)
}

func (in *importer) rate(ctx context.Context, r record) error {
	e, err := decode[rateEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if e.Rating < 1 || e.Rating > 5 {
		probs.add("rating", "must be between 1 and 5")
	}
	checkText(&probs, "message", e.Message, maxMessage)
	if in.about.rated[e.UserID] {
		probs.add("user_id", "has rated this already")
	}
	checkTimes(&probs, e.CreatedAt, e.UpdatedAt)
	if err := in.checkEngagement(&probs, e.UserID, e.Votes); err != nil {
		return err
	}
	in.about.rated[e.UserID] = true
	in.about.counters.Rates++
	in.about.counters.RatingSum += int64(e.Rating)
	_, _, err = in.tx.PutRate(ctx, Rate{
		Subject: in.about.Subject, UserID: e.UserID, Rating: e.Rating, Message: e.Message, Votes: e.Votes,
		CreatedAt: exact(e.CreatedAt), UpdatedAt: exactly(e.UpdatedAt),
	})
	return err
}

func (in *importer) mark(ctx context.Context, r record) error {
	e, err := decode[markEntry](r)
	if err != nil {
		return err
	}
	if err := in.known(e.UserID); err != nil {
		return err
	}
	var probs problems
	if checkTime(&probs, "created_at", e.CreatedAt); len(probs) > 0 {
		return probs.err()
	}
	switch e.Kind {
	case MarkUpvote:
		in.about.counters.Upvotes++
	case MarkSave:
		in.about.counters.Saves++
	case MarkFavorite:
	default:
		return Errorf(CodeInvalid, "kind: must be upvote, save or favorite")
	}
	added, err := in.tx.PutMark(ctx, Mark{Subject: in.about.Subject, UserID: e.UserID, Kind: e.Kind, CreatedAt: exact(e.CreatedAt)})
	if err == nil && !added {
		err = Errorf(CodeInvalid, "the same user has marked this already")
	}
	return err
}
