package main

import (
	"context"
	"slices"

	"github.com/quirelib/quire"
)

// The ids of the demo's elementals. They stay the same, so that a second start
// with -demo finds them and adds nothing.
const (
	demoReviewID   = "demo-review"
	demoReleaseID  = "demo-release-notes"
	demoHealthID   = "demo-health-check"
	demoBackupID   = "demo-backup"
	demoIncidentID = "demo-incident-guide"
)

const demoListTitle = "On-call handbook"

// fillDemo fills the library with a small handbook, unless it was done before. The
// elementals come last and in one transaction: as long as they are missing, a
// start that was killed is repeated.
func fillDemo(ctx context.Context, lib *quire.Library, a quire.Actor) error {
	if _, err := lib.Elemental(ctx, a, demoIncidentID); quire.CodeOf(err) != quire.CodeNotFound {
		return err
	}
	tags, err := demoTags(ctx, lib, a)
	if err != nil {
		return err
	}
	list, err := demoList(ctx, lib, a)
	if err != nil {
		return err
	}
	topics, err := demoTopics(ctx, lib)
	if err != nil {
		return err
	}
	ins := demoElementals(tags, topics)
	for i := range ins {
		ins[i].Lists = []int64{list}
		ins[i].Settings.KnowledgeBase = true
	}
	items, err := lib.CreateElementals(ctx, a, ins)
	if err != nil {
		return err
	}
	for _, it := range items {
		// One that exists was kept when others were deleted.
		if it.Err != nil && quire.CodeOf(it.Err) != quire.CodeConflict {
			return it.Err
		}
	}
	return nil
}

// demoTags returns the ids of the demo's tags by title; those that are missing are
// made.
func demoTags(ctx context.Context, lib *quire.Library, a quire.Actor) (map[string]int64, error) {
	have, err := lib.Tags(ctx, a)
	if err != nil {
		return nil, err
	}
	ids := map[string]int64{}
	for _, t := range have {
		ids[t.Title] = t.ID
	}
	for _, in := range []quire.TagInput{
		{Title: "operations", Color: "#2563eb", ElementalTypeID: quire.TypeDocument},
		{Title: "writing", Color: "#16a34a", ElementalTypeID: quire.TypePrompt},
	} {
		if ids[in.Title] != 0 {
			continue
		}
		t, err := lib.CreateTag(ctx, a, in)
		if err != nil {
			return nil, err
		}
		ids[t.Title] = t.ID
	}
	return ids, nil
}

// demoList returns the id of the demo's list, which it makes if it is missing.
func demoList(ctx context.Context, lib *quire.Library, a quire.Actor) (int64, error) {
	lists, err := lib.UserLists(ctx, a, nil)
	if err != nil {
		return 0, err
	}
	for _, l := range lists.Items {
		if l.Title == demoListTitle {
			return l.ID, nil
		}
	}
	l, err := lib.CreateList(ctx, a, quire.ListInput{
		Title:       demoListTitle,
		Description: "What the person on call needs at hand.",
	})
	return l.ID, err
}

// demoTopics returns a topic for the demo's prompts, which need one.
func demoTopics(ctx context.Context, lib *quire.Library) ([]int, error) {
	c, err := lib.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range c.Topics {
		if slices.Contains(t.CategoryIDs, quire.CategoryText) {
			return []int{t.ID}, nil
		}
	}
	return nil, quire.Errorf(quire.CodeNotFound, "the catalogue has no topic for the demo's prompts")
}

// demoElementals are the contents of the handbook.
func demoElementals(tags map[string]int64, topics []int) []quire.ElementalInput {
	operations, writing := []int64{tags["operations"]}, []int64{tags["writing"]}
	return []quire.ElementalInput{
		{
			ID: demoIncidentID, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, TagIDs: operations,
			Title:       "Guide to the first hour of an incident",
			Description: "Who does what while something is broken.",
			Body: `## First five minutes

Acknowledge the page, then open the incident channel. The person who acknowledged leads until somebody else takes over in writing.

## Rolling back

If the last deployment is younger than two hours, roll it back before looking for the cause. A rollback takes about four minutes and needs no approval.

## Telling others

Post an update every thirty minutes, even if nothing has changed. Customers are told by support, never directly from the incident channel.

## Afterwards

Write the review within three working days. It names causes and decisions, not culprits.
`,
		},
		{
			ID: demoBackupID, TypeID: quire.TypeSnippet, CategoryID: quire.CategoryText, TagIDs: operations,
			Title:       "Restore the database from a backup",
			Description: "Backups are taken every night at 02:00 UTC and kept for 35 days.",
			Body:        "```sh\nsystemctl stop shop\nrestore --from /backup/latest --to /var/lib/shop\nsystemctl start shop\n```\n\nA restore of the whole database takes about twenty minutes.\n",
		},
		{
			ID: demoHealthID, TypeID: quire.TypeSnippet, CategoryID: quire.CategoryText, TagIDs: operations,
			Title:       "Check the health of the shop",
			Description: "Run it before and after every deployment.",
			Body:        "```sh\ncurl --fail --silent https://shop.example/health\n```\n\nThe answer holds UP when orders can be placed.\n",
		},
		{
			ID: demoReviewID, TypeID: quire.TypePrompt, CategoryID: quire.CategoryText, TopicIDs: topics, TagIDs: writing,
			Title:       "Turn chat logs into an incident review",
			Description: "Gives a first draft, to be checked against the log.",
			Body:        "Write a review of the incident #[name of the incident] from the log below. List what happened in order, each line with its time in UTC. Do not guess at causes that the log does not show.\n\n#[log]\n",
		},
		{
			ID: demoReleaseID, TypeID: quire.TypePrompt, CategoryID: quire.CategoryText, TopicIDs: topics, TagIDs: writing,
			Title:       "Draft release notes from commit titles",
			Description: "For readers who use the product and do not read its code.",
			Body:        "Group the commits below into New, Changed and Fixed. One short sentence each, in #language, without internal names.\n\n#[commits]\n",
		},
	}
}
