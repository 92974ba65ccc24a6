package eval

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// fillUser is the user that owns what Fill creates, and its tenant.
const fillUser = "eval"

// The limits of an elemental's title, in characters.
const (
	minTitle = 10
	maxTitle = 100
)

// Filled is what Fill has put into a library.
type Filled struct {
	Documents int // that were created: those with any text
	Chunks    int
	ids       map[string]string // of documents, by elemental id
}

// Names returns the id of the document of a hit. It is an [Options.Names].
func (f *Filled) Names(hit quire.SearchHit) []string {
	return []string{f.ids[hit.Chunk.ElementalID]}
}

// Fill creates the documents of the set in the Engine's library, as elementals of a user
// of its own with the tenant "eval", and waits until they are ingested. The library should
// have nothing of that tenant. progress, which may be nil, is told how many are ingested.
//
// Elementals have titles of 10 to 100 characters. What is longer goes on in the body, and
// so does a text without a title, whose beginning is its title then; what is shorter gets
// dots behind it, which no search sees; one without a letter gets the word Document before
// it. But for that, every word is there as often as in the set.
func Fill(ctx context.Context, engine *quire.Engine, set *Dataset, progress func(done, total int)) (*Filled, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	lib := engine.Library()
	user, err := lib.CreateUser(ctx, quire.UserInput{ID: fillUser, TenantID: fillUser, Name: "Evaluation"})
	if err != nil {
		return nil, err
	}
	f := &Filled{ids: make(map[string]string, len(set.Documents))}
	var batch []quire.ElementalInput
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := create(ctx, lib, user.Actor(), batch)
		f.Documents += len(batch)
		batch, size = batch[:0], 0
		return err
	}
	for i, doc := range set.Documents {
		title, body, ok := fit(doc)
		if !ok {
			continue // nothing that could be found
		}
		if size += len(body); len(batch) == lib.MaxBatch() || size > 4<<20 {
			if err := flush(); err != nil {
				return nil, err
			}
			size = len(body)
		}
		id := fmt.Sprintf("doc-%08d", i+1)
		f.ids[id] = doc.ID
		batch = append(batch, quire.ElementalInput{
			ID: id, Title: title, Body: body, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Settings: quire.Settings{KnowledgeBase: true},
		})
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return f, f.await(ctx, engine, progress)
}

// create creates elementals, all of them or none that counts.
func create(ctx context.Context, lib *quire.Library, actor quire.Actor, batch []quire.ElementalInput) error {
	items, err := lib.CreateElementals(ctx, actor, batch)
	if err != nil {
		return err
	}
	for i, item := range items {
		if item.Err != nil {
			return quire.Errorf(quire.CodeOf(item.Err), "the document with the title %.40q: %v", batch[i].Title, item.Err).WithCause(item.Err)
		}
	}
	return nil
}

// await waits for the ingests of all that was created.
func (f *Filled) await(ctx context.Context, engine *quire.Engine, progress func(done, total int)) error {
	var jobs []quire.Job
	for n := 1; len(jobs) < f.Documents; n++ {
		page, err := engine.Jobs(ctx, fillUser, "", quire.Page{Number: n, Size: quire.MaxPageSize})
		if err != nil {
			return err
		}
		if len(page.Items) == 0 {
			return quire.Errorf(quire.CodeConflict, "of %d documents only %d are being ingested: something else changes the library", f.Documents, len(jobs))
		}
		jobs = append(jobs, page.Items...)
	}
	for i := range jobs {
		job, err := engine.Wait(ctx, fillUser, jobs[len(jobs)-1-i].ID) // oldest first
		if err != nil {
			return err
		}
		if job.Status != quire.JobSucceeded {
			return quire.Errorf(quire.CodeUnavailable, "the document %.60q could not be ingested: %s", f.ids[job.ElementalID], job.Error)
		}
		f.Chunks += job.Total
		progress(i+1, len(jobs))
	}
	return nil
}

// fit makes title and body of a document; false if it has no word.
func fit(doc Document) (title, body string, ok bool) {
	title, body = oneLine(doc.Title), strings.ToValidUTF8(doc.Text, "\ufffd")
	if !strings.ContainsFunc(title, unicode.IsLetter) {
		// The beginning of the text, up to the end of a line, is its title.
		text := strings.TrimLeftFunc(title+"\n"+body, unicode.IsSpace)
		line, rest, _ := strings.Cut(text, "\n")
		title, body = oneLine(line), rest
	}
	if !strings.ContainsFunc(title+body, isWord) {
		return "", "", false
	}
	if !strings.ContainsFunc(title, unicode.IsLetter) {
		title = strings.TrimSpace("Document " + title)
	}
	if utf8.RuneCountInString(title) > maxTitle {
		runes := []rune(title)
		cut := maxTitle
		for cut > maxTitle/2 && runes[cut] != ' ' {
			cut--
		}
		title, body = strings.TrimSpace(string(runes[:cut])), strings.TrimSpace(string(runes[cut:]))+"\n\n"+body
	}
	if n := utf8.RuneCountInString(title); n < minTitle {
		title += " " + strings.Repeat("·", minTitle-n)
	}
	return title, body, true
}

// isWord reports whether a character is of a word, which numbers are too.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// oneLine returns s without line breaks, control characters and invalid bytes.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
