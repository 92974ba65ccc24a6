package store

import (
	"maps"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// The functions below copy a row so deeply that neither side sees the other's
// changes, with its times as a Store keeps them. They serve both directions.

// moment returns t as it is kept: to the microsecond, in UTC.
func moment(t time.Time) time.Time { return t.Truncate(time.Microsecond).UTC() }

func momentPtr(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(moment(*t))
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

func cloneUser(u quire.User) quire.User {
	u.CreatedAt = moment(u.CreatedAt)
	return u
}

func cloneKey(k quire.Key) quire.Key {
	k.CreatedAt = moment(k.CreatedAt)
	k.LastUsedAt = momentPtr(k.LastUsedAt)
	k.ExpiresAt = momentPtr(k.ExpiresAt)
	k.RevokedAt = momentPtr(k.RevokedAt)
	return k
}

func cloneTag(t quire.Tag) quire.Tag {
	t.CreatedAt = moment(t.CreatedAt)
	t.UpdatedAt = moment(t.UpdatedAt)
	return t
}

func cloneElemental(e quire.ElementalRecord) quire.ElementalRecord {
	e.TopicIDs = slices.Clone(e.TopicIDs)
	e.TutorialSteps = slices.Clone(e.TutorialSteps)
	e.Price = clonePtr(e.Price)
	e.PriceOriginal = clonePtr(e.PriceOriginal)
	e.TagIDs = slices.Clone(e.TagIDs)
	e.CreatedAt = moment(e.CreatedAt)
	e.UpdatedAt = momentPtr(e.UpdatedAt)
	return e
}

func cloneList(l quire.ListRecord) quire.ListRecord {
	l.TutorialSteps = slices.Clone(l.TutorialSteps)
	l.Price = clonePtr(l.Price)
	l.PriceOriginal = clonePtr(l.PriceOriginal)
	l.TagIDs = slices.Clone(l.TagIDs)
	l.CreatedAt = moment(l.CreatedAt)
	l.UpdatedAt = momentPtr(l.UpdatedAt)
	return l
}

func cloneItem(it quire.ListItem) quire.ListItem {
	it.AddedAt = moment(it.AddedAt)
	return it
}

func cloneComment(c quire.Comment) quire.Comment {
	c.CreatedAt = moment(c.CreatedAt)
	c.UpdatedAt = momentPtr(c.UpdatedAt)
	return c
}

func cloneRate(r quire.Rate) quire.Rate {
	r.CreatedAt = moment(r.CreatedAt)
	r.UpdatedAt = momentPtr(r.UpdatedAt)
	return r
}

func cloneReceipt(r quire.Receipt) quire.Receipt {
	r.Header = maps.Clone(r.Header)
	r.Body = slices.Clone(r.Body)
	r.CreatedAt = moment(r.CreatedAt)
	return r
}

func cloneJob(j quire.Job) quire.Job {
	j.Problems = slices.Clone(j.Problems)
	j.CreatedAt = moment(j.CreatedAt)
	j.StartedAt = momentPtr(j.StartedAt)
	j.FinishedAt = momentPtr(j.FinishedAt)
	j.RunAfter = moment(j.RunAfter)
	j.LeaseUntil = moment(j.LeaseUntil)
	return j
}

// cloneText copies a chunk without its vector.
func cloneText(c quire.Chunk) quire.Chunk {
	c.TagIDs = slices.Clone(c.TagIDs)
	c.TagNames = slices.Clone(c.TagNames)
	c.Heading = slices.Clone(c.Heading)
	c.Vector = nil
	return c
}

func cloneChunk(c quire.Chunk) quire.Chunk {
	v := slices.Clone(c.Vector)
	c = cloneText(c)
	c.Vector = v
	return c
}
