package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// A folder is the part of a library that holds the documents of one source: a
// user of its own, so that several sources in one library stay apart, and a list
// of the documents.
type folder struct {
	q     *embedded.Quire
	key   string // of the source
	actor quire.Actor
	list  int64
}

// openFolder finds the user and the list of a source, or makes them.
func openFolder(ctx context.Context, q *embedded.Quire, src source) (*folder, error) {
	id := "folder-" + hash(src.key)
	user, err := q.Library.User(ctx, id)
	if errors.Is(err, quire.ErrNotFound) {
		user, err = q.Library.CreateUser(ctx, quire.UserInput{ID: id, Name: "ask"})
	}
	if err != nil {
		return nil, err
	}
	f := &folder{q: q, key: src.key, actor: user.Actor()}
	lists, err := q.Library.UserLists(ctx, f.actor, nil)
	if err != nil {
		return nil, err
	}
	if len(lists.Items) > 0 {
		f.list = lists.Items[0].ID
		return f, nil
	}
	l, err := q.Library.CreateList(ctx, f.actor, quire.ListInput{Title: "Documents", Visibility: quire.Unlisted})
	f.list = l.ID
	return f, err
}

// elementalID is the id of the document at a path: the same in every run.
func (f *folder) elementalID(p string) string { return hash(f.key + "\x00" + p) }

// known is what the library holds of a document.
type known struct {
	digest string
	path   string // "" if it could not be kept
}

// stored returns all documents in the library, by elemental id.
func (f *folder) stored(ctx context.Context) (map[string]known, error) {
	docs := map[string]known{}
	for e, err := range f.q.Library.AllListItems(ctx, f.actor, f.list, true) {
		if err != nil {
			return nil, err
		}
		docs[e.ID] = known{digest: digest(e.Title, e.Body), path: e.Command}
	}
	return docs, nil
}

// maxCommand is how long the Library lets a command be, in characters.
const maxCommand = 1000

// keptPath is the path as it is kept with the document: as its command, which is
// neither searched nor ingested.
func keptPath(p string) string {
	if !utf8.ValidString(p) || utf8.RuneCountInString(p) > maxCommand {
		return ""
	}
	return p
}

// add stores new documents and returns the error of each.
func (f *folder) add(ctx context.Context, docs []document) ([]error, error) {
	ins := make([]quire.ElementalInput, len(docs))
	for i, d := range docs {
		ins[i] = quire.ElementalInput{
			ID:         f.elementalID(d.path),
			Title:      d.title,
			TypeID:     quire.TypeDocument,
			CategoryID: quire.CategoryText,
			Body:       d.body,
			Command:    keptPath(d.path),
			Visibility: quire.Unlisted,
			Lists:      []int64{f.list},
			Settings:   quire.Settings{KnowledgeBase: true}, // ingested by itself, now and after every change
		}
	}
	items, err := f.q.Library.CreateElementals(ctx, f.actor, ins)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(items))
	for i, it := range items {
		errs[i] = it.Err
	}
	return errs, nil
}

func (f *folder) change(ctx context.Context, d document) error {
	_, err := f.q.Library.UpdateElemental(ctx, f.actor, f.elementalID(d.path), quire.ElementalPatch{Title: &d.title, Body: &d.body})
	return err
}

func (f *folder) remove(ctx context.Context, id string) error {
	return f.q.Library.DeleteElemental(ctx, f.actor, id)
}

// digest tells whether a document is as it was.
func digest(title, body string) string { return hash(title + "\x00" + body) }

// hash names any string by 32 hex digits.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
