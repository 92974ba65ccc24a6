package quire

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// File names a file for an [Extractor]. Both fields are hints: neither has to be true.
type File struct {
	Name        string // as given by who attached it; a label, never a path
	ContentType string // as found from the first bytes; "" if unknown
}

// Extractor turns an attached file into text to ingest. It must be safe for concurrent
// use.
type Extractor interface {
	// Extract returns the text of a file: UTF-8 with LF line ends, never blank, Markdown
	// where the format has structure; a NUL in it is ingested as U+FFFD. data is neither changed nor kept. The same data
	// gives the same text: offsets of chunks count in it. ErrInvalid: the file is empty,
	// unreadable or of a kind that is not read; the message says why, is safe to show and
	// does not repeat the name. ErrTooLarge: it, or its text, is over a limit. A cancelled
	// ctx returns its error. Any other error is worth another attempt. ctx ends after a minute,
	// which then is a problem of the file; one that does not heed ctx cannot be stopped, and
	// holds its worker for as long.
	Extract(ctx context.Context, file File, data []byte) (string, error)
}

// extractTimeout is how long reading one file may take.
const extractTimeout = time.Minute

// maxProblems is how many problems a job keeps.
const maxProblems = 100

// sourceFile is the kind of source text that comes from attached files.
const sourceFile = "file"

// textOf returns the text of a source. That of a file is extracted; ok is false if there
// is none: because of a problem, which is noted, because of one that may pass, which a.later
// is then, or because the file has been deleted.
func (a *attempt) textOf(ctx context.Context, s source) (text string, ok bool, err error) {
	if s.file.ID == 0 {
		return sourceText(s.rec), true, nil
	}
	var data []byte
	err = a.engine.lib.store.View(ctx, func(tx ReadTx) (err error) {
		data, err = tx.MediaData(ctx, s.file.ID)
		return err
	})
	if CodeOf(err) == CodeNotFound {
		return "", false, nil // with it went the version that was read: the commit will see that
	}
	if err != nil {
		return "", false, err
	}
	text, err = extract(ctx, a.engine.opts.Extractor, s.file, data)
	if err == nil {
		return text, true, nil
	}
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	lasting := CodeOf(err) == CodeInvalid || CodeOf(err) == CodeTooLarge
	if !lasting && a.job.Attempts < a.engine.opts.MaxAttempts {
		a.later = err
		return "", false, nil
	}
	a.engine.log.Warn("an attached file could not be read", "job", a.job.ID, "file", s.itemID(), "error", Cause(err))
	if len(a.problems) < maxProblems {
		a.problems = append(a.problems, JobProblem{ItemID: s.itemID(), Reason: shown(err)})
	}
	return "", false, nil
}

// extract runs an Extractor and holds it to its contract. A panic of it concerns its
// file and not the rest of the ingest.
func extract(ctx context.Context, by Extractor, m Media, data []byte) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", panicked(CodeInvalid, "cannot be read: its reader failed unexpectedly", p)
		}
	}()
	if len(data) == 0 {
		return "", Errorf(CodeInvalid, "is empty")
	}
	own, cancel := context.WithTimeout(ctx, extractTimeout)
	defer cancel()
	text, err = by.Extract(own, File{Name: m.Name, ContentType: m.MIMEType}, data)
	switch e := (*Error)(nil); {
	case err != nil && ctx.Err() == nil && own.Err() != nil:
		return "", Errorf(CodeInvalid, "takes longer than %v to read", extractTimeout).WithCause(err)
	case err != nil && ctx.Err() == nil && !errors.As(err, &e):
		return "", Errorf(CodeUnavailable, "cannot be read at the moment").WithCause(err)
	case err != nil:
		return "", err
	case strings.TrimSpace(text) == "":
		return "", Errorf(CodeInvalid, "holds no text")
	case !utf8.ValidString(text):
		return "", Errorf(CodeInvalid, "its text is not valid UTF-8")
	}
	// No text here holds NUL: such a passage could not be imported again.
	return strings.ReplaceAll(text, "\x00", "\uFFFD"), nil
}
