package quire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/quirelib/quire/internal/archive"
)

// ImportOptions say how an archive is taken in. The zero value is good.
type ImportOptions struct {
	// TenantID is the tenant that the content will belong to. Default: the one that was
	// exported, which must then have no users and no content here.
	TenantID string
	// KnownGuests says that who is not a user of the tenant but owned content or wrote
	// about it (see [Engine.Export]) is the same person here if there is one with the same
	// id. Without it such an archive is ErrConflict: it could put words into the mouths of
	// others.
	KnownGuests bool
	// TempDir is where the archive is kept while it is read. Default: that of the
	// operating system.
	TempDir string
}

// ImportResult counts what an import has added.
type ImportResult struct {
	TenantID   string
	Users      int
	Tags       int
	Elementals int // columns, rows and cells of tables included, here and in Lists
	Lists      int
	Media      int
	Chunks     int
	Ingests    int // that were queued, because there were no chunks that could be taken over
}

// Import adds what [Engine.Export] wrote to the library: all of it, or nothing. opts may
// be nil. Everything keeps its id, its times and its version; comments and rates get new
// ids in the same order. Users come without keys.
//
// Chunks with vectors of this engine's embedder are taken over as they are; elementals
// whose chunks come from another one, or are out of date, are queued for ingest.
//
// The archive is copied to a temporary file first, and checked to its end; nothing
// before that touches the Store. Everything in it is held to the rules that content
// made here is held to. Then one Update writes it, while other writers wait. Memory
// holds a record at a time, ids, and the passages with their vectors on their way into
// the indexes.
//
// Errors: ErrNewerSchema if a newer version wrote the archive; ErrInvalid if it is
// damaged, or a record of it breaks a rule or needs a type, category or topic that the
// catalogue does not have; ErrConflict if an id of it is taken, as after an import of
// the same archive: ids are one space for all tenants, so that another TenantID does not
// help, and an empty library does; ErrClosed if the Engine is closed before all of it is written, as soon
// as a Read of r that is under way has returned.
func (e *Engine) Import(ctx context.Context, r io.Reader, opts *ImportOptions) (ImportResult, error) {
	if err := e.open(ctx); err != nil {
		return ImportResult{}, err
	}
	if r == nil {
		return ImportResult{}, Errorf(CodeInvalid, "a reader of the archive is required")
	}
	var o ImportOptions
	if opts != nil {
		o = *opts
	}
	if o.TenantID != "" {
		var probs problems
		if checkID(&probs, "TenantID", o.TenantID); len(probs) > 0 {
			return ImportResult{}, probs.err()
		}
	}
	ctx, done := e.untilClosed(ctx)
	res, err := e.importArchive(ctx, r, o)
	return res, done(err)
}

// importArchive checks an archive and writes what is in it.
func (e *Engine) importArchive(ctx context.Context, r io.Reader, o ImportOptions) (ImportResult, error) {
	spooled, err := spool(ctx, o.TempDir, r)
	if err != nil {
		return ImportResult{}, err
	}
	defer spooled.Close()
	if ctx, err = e.lib.inspectArchive(ctx, spooled); err != nil {
		return ImportResult{}, err
	}
	var res ImportResult
	err = e.lib.commit(ctx, func(tx Tx, ch *changes) error {
		in := newImporter(e, tx, ch, o)
		if err := eachRecord(ctx, spooled, in.record); err != nil {
			return err
		}
		res = in.result
		return nil
	})
	if err != nil {
		return ImportResult{}, err
	}
	return res, nil
}

// tempFile is a file that is gone when it is closed, or before.
type tempFile struct{ *os.File }

func (f tempFile) Close() error {
	err := f.File.Close()
	os.Remove(f.Name()) // where that could not be done while it was open
	return err
}

// spool copies an archive into a temporary file that only this user can read, and
// checks all its checksums.
func spool(ctx context.Context, dir string, r io.Reader) (tempFile, error) {
	file, err := os.CreateTemp(dir, "quire-import-*")
	if err != nil {
		return tempFile{}, Errorf(CodeUnavailable, "no temporary file can be made").WithCause(err)
	}
	f := tempFile{file}
	os.Remove(f.Name()) // so that no content is left however this process ends; not everywhere possible
	err = archive.Copy(spoolWriter{f}, contextReader{ctx, r})
	if err != nil {
		f.Close()
		return tempFile{}, archiveError(err)
	}
	return f, nil
}

// spoolWriter gives the errors of the temporary file a code.
type spoolWriter struct{ io.Writer }

func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = Errorf(CodeUnavailable, "the temporary file cannot be written").WithCause(err)
	}
	return n, err
}

// contextReader ends with the context.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// archiveError gives the errors of the byte format their codes; others stay.
func archiveError(err error) error {
	damage := archive.Damaged("")
	switch {
	case errors.Is(err, archive.ErrNewer):
		return Errorf(CodeNewerSchema, "the archive was written by a newer version; update this program")
	case errors.As(err, &damage):
		return Errorf(CodeInvalid, "%s", damage)
	}
	return err
}

// record is a record of an archive with its place in it.
type record struct {
	archive.Record
	number int // from 1
	in     *archive.Reader
}

// blob reads the blob of the record, at most limit bytes of it.
func (r record) blob(limit int) ([]byte, error) { return r.in.Blob(int64(limit)) }

// eachRecord calls fn for each record of a spooled archive and once more, with a record
// of no kind, at its end. Errors of fn that are about the archive say which record it is.
func eachRecord(ctx context.Context, spooled tempFile, fn func(context.Context, record) error) error {
	if _, err := spooled.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in, err := archive.NewReader(contextReader{ctx, spooled})
	if err != nil {
		return archiveError(err)
	}
	for n := 1; ; n++ {
		rec, err := in.Next()
		if errors.Is(err, io.EOF) {
			return fn(ctx, record{})
		}
		if err != nil {
			return archiveError(err)
		}
		if err := fn(ctx, record{rec, n, in}); err != nil {
			return inRecord(rec.Kind, n, archiveError(err))
		}
	}
}

// inRecord says which record an error is about, if it is about one.
func inRecord(kind string, number int, err error) error {
	switch code := CodeOf(err); code {
	case CodeInvalid, CodeConflict, CodeTooLarge:
		return Errorf(code, "record %d of the archive (%s): %s", number, kind, err.Error()).WithCause(err)
	}
	return err
}

// maxValues is how many values a record may have, far beyond those of a large catalogue: an
// empty one takes two bytes in the archive and a hundred when it is decoded.
const maxValues = 500_000

// countValues returns about how many values a JSON text has, without decoding it: one for each
// comma and bracket outside of strings.
func countValues(data []byte) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			inside = !inside
		case inside && c == '\\':
			i++
		case !inside && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// decode reads what a record says.
func decode[T any](r record) (T, error) {
	var v T
	if n := countValues(r.Data); n > maxValues {
		return v, Errorf(CodeInvalid, "it has more than %d values", maxValues)
	}
	d := json.NewDecoder(bytes.NewReader(r.Data))
	d.DisallowUnknownFields()
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return v, Errorf(CodeInvalid, "it does not have the form of its kind").WithCause(err)
	}
	return v, nil
}

// inspectArchive decodes the images of an archive before the transaction that stores
// them: that may take long.
func (l *Library) inspectArchive(ctx context.Context, spooled tempFile) (context.Context, error) {
	found := inspections{}
	err := eachRecord(ctx, spooled, func(ctx context.Context, r record) error {
		if r.Kind != kindMedia {
			return nil
		}
		m, err := decode[mediaEntry](r)
		if err != nil || m.Kind == MediaFile {
			return err
		}
		data, err := r.blob(l.opts.MaxMediaBytes)
		if err != nil {
			return err
		}
		info, err := l.inspectImage(ctx, "", data)
		if err != nil {
			return refusedImage(err)
		}
		found.add(data, info)
		return nil
	})
	return context.WithValue(ctx, inspectionsKey{}, found), err
}

// storedChunks returns the fingerprint and dimension of the vectors that chunks must
// have to be stored as they are.
func (e *Engine) storedChunks(ctx context.Context, tx ReadTx) (fingerprint string, dimension int, err error) {
	if fingerprint, err = storedModel(ctx, tx); err != nil {
		return "", 0, err
	}
	m, err := e.mirror.modelOf(fingerprint)
	if err != nil {
		return "", 0, err
	}
	return m.fingerprint, m.length, nil
}

// check compares what the ids of an archive stand for with what they stand for here.
func (c catalogueEntry) check(cat *Catalogue, typeID, categoryID int, topicIDs []int) error {
	if err := sameName("type", typeID, c.Types, func() (string, bool) { t, ok := cat.elementalType(typeID); return t.Name, ok }); err != nil {
		return err
	}
	if err := sameName("category", categoryID, c.Categories, func() (string, bool) { t, ok := cat.category(categoryID); return t.Name, ok }); err != nil {
		return err
	}
	for _, id := range topicIDs {
		if err := sameName("topic", id, c.Topics, func() (string, bool) { t, ok := cat.topic(id); return t.Name, ok }); err != nil {
			return err
		}
	}
	return nil
}

func (c catalogueEntry) checkList(cat *Catalogue, typeID int) error {
	return sameName("list type", typeID, c.ListTypes, func() (string, bool) { t, ok := cat.listType(typeID); return t.Name, ok })
}

// sameName refuses an id of the catalogue that is unknown here or means something else.
func sameName(what string, id int, there []nameEntry, here func() (string, bool)) error {
	i := slices.IndexFunc(there, func(n nameEntry) bool { return n.ID == id })
	name, known := here()
	switch {
	case i < 0:
		return Errorf(CodeInvalid, "the %s %d is not in the catalogue of the archive", what, id)
	case !known:
		return Errorf(CodeInvalid, "the %s %d (%.100q) is not in the catalogue of this library: add it first", what, id, there[i].Name)
	case name != there[i].Name:
		return Errorf(CodeInvalid, "the %s %d is %.100q in the archive and %.100q in the catalogue of this library: make them the same first", what, id, there[i].Name, name)
	}
	return nil
}
