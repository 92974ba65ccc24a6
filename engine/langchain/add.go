package langchain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// The bounds of a title, in characters.
const (
	minTitle = 10
	maxTitle = 100
)

// AddDocuments implements vectorstores.VectorStore: each document becomes an elemental of
// the user and is ingested. It returns the ids of the elementals when all can be found.
// PageContent must not be blank; the metadata "id" names the elemental, "title" is its
// title, by default the first line of the text. Other metadata is ErrInvalid unless
// StoreOptions.DropMetadata is set.
//
// Of the options WithDeduplicater leaves out documents for which it returns true;
// WithNameSpace, WithFilters and WithEmbedder are as for SimilaritySearch, but filters
// are of no use here.
//
// A blank document or one with other metadata stops all of them before anything is added.
// If something else fails, or an ingest does, the ids of what was added come with the
// error; it is ingested all the same, if that does not fail.
func (s *Store) AddDocuments(ctx context.Context, docs []schema.Document, options ...vectorstores.Option) ([]string, error) {
	opts, err := s.options(options)
	if err != nil {
		return nil, err
	}
	if s.opts.Library == nil {
		return nil, quire.Errorf(quire.CodeInvalid, "StoreOptions.Library: is needed to add documents")
	}
	var inputs []quire.ElementalInput
	for i, doc := range docs {
		if opts.Deduplicater != nil && opts.Deduplicater(ctx, doc) {
			continue
		}
		in, err := s.input(doc)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		inputs = append(inputs, in)
	}
	var ids []string
	for _, in := range inputs {
		e, err := s.opts.Library.CreateElemental(ctx, s.actor, in)
		if err != nil {
			return ids, err
		}
		ids = append(ids, e.ID)
	}
	return ids, s.ingest(ctx, ids)
}

// input makes an elemental of a document.
func (s *Store) input(doc schema.Document) (quire.ElementalInput, error) {
	in := s.opts.Input
	if in.TypeID == 0 {
		in.TypeID = quire.TypeDocument
	}
	if in.CategoryID == 0 {
		in.CategoryID = quire.CategoryText
	}
	if strings.TrimSpace(doc.PageContent) == "" {
		return in, quire.Errorf(quire.CodeInvalid, "PageContent: must not be blank")
	}
	in.ID, in.Title, in.Body = "", firstLine(doc.PageContent), doc.PageContent
	// The content and its ingest are written together: a crash leaves both or none.
	in.Settings.KnowledgeBase = true
	for key, value := range doc.Metadata {
		text, ok := value.(string)
		switch {
		case key == "id" && ok:
			in.ID = text
		case key == "title" && ok:
			in.Title = text
		case key == "id" || key == "title":
			return in, quire.Errorf(quire.CodeInvalid, "metadata %s: must be a string, not %T", key, value)
		case !s.opts.DropMetadata:
			return in, quire.Errorf(quire.CodeInvalid, "metadata %q is not kept by a Library; StoreOptions.DropMetadata leaves it out", key)
		}
	}
	in.Title = titled(in.Title)
	return in, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "# "))
}

// titled makes a title that a Library takes: not too short, not too long.
func titled(title string) string {
	title = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, title))
	if utf8.RuneCountInString(title) < minTitle || !strings.ContainsFunc(title, unicode.IsLetter) {
		title = strings.TrimSpace("Document: " + title)
	}
	if utf8.RuneCountInString(title) < minTitle {
		title = "Document without title"
	}
	if runes := []rune(title); len(runes) > maxTitle {
		title = strings.TrimSpace(string(runes[:maxTitle-1])) + "…"
	}
	return title
}

// ingest waits until elementals can be found.
func (s *Store) ingest(ctx context.Context, ids []string) error {
	var failed []error
	for _, id := range ids {
		job, err := s.engine.Ingest(ctx, s.actor.TenantID, quire.IngestRequest{ElementalID: id})
		if err == nil {
			job, err = s.engine.Wait(ctx, s.actor.TenantID, job.ID)
		}
		if err != nil {
			return err
		}
		if job.Status != quire.JobSucceeded {
			failed = append(failed, quire.Errorf(quire.CodeUnavailable, "the ingest of %s did not succeed: %s", id, job.Error))
		}
	}
	return errors.Join(failed...)
}
