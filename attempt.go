package quire

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/id"
	"github.com/quirelib/quire/internal/segment"
)

// attempt is one run of an ingest job.
type attempt struct {
	engine   *Engine
	job      Job // as claimed
	progress progress
	model    *model // that makes the vectors
	// vectors by the hash of their text: those of the stored chunks, those of drafts that
	// an earlier attempt has left, and those made in this attempt, so that starting over
	// costs only what is new.
	vectors  map[string][]float32
	problems []JobProblem // with files, since the attempt last began
	later    error        // a problem with a file that is worth another attempt
	// unanswered means that the last call of the embedder failed.
	unanswered bool
}

// piece is a passage on its way to become a chunk.
type piece struct {
	Span
	itemID  string // whose text it is from: the elemental, a cell or a file of it
	ordinal int    // among the pieces of that text
	text    string // what the chunk shows
	input   string // what is embedded
	hash    string // of input
}

// safely runs the attempt; a panic is its failure and not the end of the process.
func (a *attempt) safely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(CodeInternal, "the ingest failed unexpectedly", p)
		}
	}()
	return a.run(ctx)
}

// nobodyThere reports whether an attempt failed because the embedder does not answer
// anything: then another attempt may be all that is needed, however many there were.
func (a *attempt) nobodyThere(ctx context.Context, failure error) bool {
	return a.unanswered && CodeOf(failure) == CodeUnavailable && a.model.probe(ctx)
}

// maxRestarts is how often an attempt begins again because its elemental changed;
// then it lets other jobs have their turn.
const maxRestarts = 4

// run ingests the elemental as it is, beginning again when it changes meanwhile:
// the newest version is what stays.
func (a *attempt) run(ctx context.Context) error {
	for range maxRestarts {
		a.follow(a.engine.mirror.current())
		a.progress.set(stageExtract, 0, 0)
		sources, err := a.read(ctx)
		if err != nil {
			return err
		}
		pieces, err := a.cut(ctx, sources)
		if err != nil {
			return err
		}
		if err := a.embed(ctx, pieces); err != nil {
			return err
		}
		a.progress.set(stageCommit, len(pieces), len(pieces))
		overtaken, err := a.commit(ctx, sources[0].rec, pieces)
		if err != nil || !overtaken {
			return err
		}
	}
	return errOvertaken
}

// follow makes m the attempt's Embedder. Vectors of another one are of no use any more.
func (a *attempt) follow(m *model) {
	if a.model != m {
		a.model = m
		clear(a.vectors)
	}
}

// read returns the sources of the elemental, its own text first, and remembers the
// vectors it already has. Files are no sources without an Extractor.
func (a *attempt) read(ctx context.Context) (sources []source, err error) {
	err = a.engine.lib.store.View(ctx, func(tx ReadTx) error {
		rec, err := tenantElemental(ctx, tx, a.job.TenantID, a.job.ElementalID)
		if err != nil {
			return err
		}
		if sources, err = a.engine.lib.sources(ctx, tx, rec); err != nil {
			return err
		}
		if a.engine.opts.Extractor == nil {
			sources = slices.DeleteFunc(sources, func(s source) bool { return s.file.ID != 0 })
		}
		chunks, err := tx.ChunksOf(ctx, rec.ID)
		for _, c := range chunks {
			if c.Fingerprint == a.model.fingerprint {
				a.vectors[c.Hash] = c.Vector
			}
		}
		if err != nil {
			return err
		}
		drafts, err := tx.Drafts(ctx, rec.ID, a.model.fingerprint)
		for hash, vector := range drafts {
			if len(vector) == a.model.length { // else left when the Embedder made others
				a.vectors[hash] = vector
			}
		}
		return err
	})
	if CodeOf(err) == CodeNotFound {
		return nil, errGone
	}
	return sources, err
}

// cut splits the source texts of an elemental, one after the other: of files, only one is
// in memory at a time.
func (a *attempt) cut(ctx context.Context, sources []source) ([]piece, error) {
	a.problems, a.later = nil, nil
	var pieces []piece
	for _, s := range sources {
		text, ok, err := a.textOf(ctx, s)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		limit := a.engine.opts.MaxChunks
		of, err := cutSource(a.engine.opts.Chunker, s, text, limit)
		if err != nil {
			return nil, err
		}
		if pieces = append(pieces, of...); len(pieces) > limit {
			return nil, tooManyChunks(limit)
		}
	}
	return pieces, a.later
}

func tooManyChunks(limit int) error {
	return Errorf(CodeInvalid, "the text makes more than %d passages, which is what one elemental may have", limit)
}

// cutSource cuts a text into up to limit pieces.
func cutSource(chunker Chunker, from source, text string, limit int) ([]piece, error) {
	spans, err := cutText(chunker, text)
	if err != nil {
		return nil, err
	}
	if len(spans) > limit {
		return nil, tooManyChunks(limit)
	}
	pieces := make([]piece, len(spans))
	covered := 0 // up to here is in a passage, or white space
	for i, s := range spans {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End || i > 0 && s.Start < spans[i-1].Start {
			return nil, Errorf(CodeInvalid, "the chunker returned a passage that is empty, out of order or outside of the text")
		}
		if s.Start > covered && strings.TrimSpace(text[covered:s.Start]) != "" {
			return nil, errChunkerGap
		}
		if !sound(text, s) {
			return nil, errChunkerCut
		}
		covered = max(covered, s.End)
		p := piece{Span: s, itemID: from.itemID(), ordinal: i, text: text[s.Start:s.End]}
		p.input = embedText(from.meta.title, s.Heading, p.text)
		p.hash = hashText(p.input)
		pieces[i] = p
	}
	if strings.TrimSpace(text[covered:]) != "" {
		return nil, errChunkerGap
	}
	return pieces, nil
}

// errChunkerCut: a passage that is cut inside of a character is no text, and cannot be
// shown as it is.
var errChunkerCut = Errorf(CodeInvalid, "the chunker cut a passage inside of a character, or gave it headings that are no text: at most %d, each of at most %d bytes", maxHeadings, maxHeading)

// sound reports whether a span of a text is a text again, under headings that are.
func sound(text string, s Span) bool {
	return utf8.RuneStart(text[s.Start]) && (s.End == len(text) || utf8.RuneStart(text[s.End])) &&
		checkChunkTexts(s.Heading, "", false) == nil
}

// errChunkerGap: what is in no passage would be lost without a word.
var errChunkerGap = Errorf(CodeInvalid, "the chunker left a part of the text out; together its passages must cover all that is not white space")

// embedText puts what a passage is about in front of it, unless it says so itself:
// a passage in the middle of a text is found by the words of its title and
// headings too. The targets of links, which nobody reads, are left out.
func embedText(title string, heading []string, text string) string {
	var parts []string
	for _, head := range append([]string{title}, heading...) {
		if strings.TrimSpace(head) != "" && !strings.Contains(text, head) && !slices.Contains(parts, head) {
			parts = append(parts, head)
		}
	}
	return strings.Join(append(parts, segment.WithoutTargets(text)), "\n")
}

// embed sees to it that every piece has its vector in a.vectors.
func (a *attempt) embed(ctx context.Context, pieces []piece) error {
	var missing []piece
	seen := make(map[string]bool)
	for _, p := range pieces {
		if a.vectors[p.hash] == nil && !seen[p.hash] {
			seen[p.hash] = true
			missing = append(missing, p)
		}
	}
	done := len(pieces) - len(missing)
	for len(missing) > 0 {
		batch := missing[:min(len(missing), a.model.pace.next(a.engine.opts.BatchSize))]
		missing = missing[len(batch):]
		a.progress.set(stageEmbed, done, len(pieces))
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = p.input
		}
		vectors, err := a.model.embedBatch(ctx, texts)
		a.unanswered = err != nil
		if err != nil {
			return err
		}
		drafts := make(map[string][]float32, len(batch))
		for i, p := range batch {
			drafts[p.hash] = vectors[i]
		}
		maps.Copy(a.vectors, drafts)
		if err := a.keep(ctx, drafts); err != nil {
			return err
		}
		done += len(batch)
	}
	return nil
}

// keep makes the vectors of a batch durable: whatever ends this attempt, the next one
// need not pay for them again.
func (a *attempt) keep(ctx context.Context, drafts map[string][]float32) error {
	return a.engine.lib.update(ctx, func(tx Tx) error {
		_, mine, err := own(ctx, tx, a.job)
		if err != nil {
			return err
		}
		if !mine {
			return errLost
		}
		return tx.PutDrafts(ctx, a.job.ElementalID, a.model.fingerprint, drafts)
	})
}

// commit replaces the elemental's chunks and ends the job, unless the elemental or the
// Embedder has changed since it was read: then it changes nothing and reports overtaken.
func (a *attempt) commit(ctx context.Context, read ElementalRecord, pieces []piece) (overtaken bool, err error) {
	err = a.engine.lib.commit(ctx, func(tx Tx, ch *changes) error {
		j, mine, err := own(ctx, tx, a.job)
		if err != nil {
			return err
		}
		if !mine {
			return errLost
		}
		rec, err := tenantElemental(ctx, tx, j.TenantID, j.ElementalID)
		if CodeOf(err) == CodeNotFound {
			return errGone
		}
		if err != nil {
			return err
		}
		current, err := storedModel(ctx, tx)
		if err != nil {
			return err
		}
		if rec.Version != read.Version || current != a.model.fingerprint {
			overtaken = true
			return nil
		}
		// Tags may have been renamed without a new version: ask again.
		metas, err := ch.lib.chunkMetas(ctx, tx, rec)
		if err != nil {
			return err
		}
		chunks, ok := a.chunks(rec, metas, pieces)
		if !ok {
			overtaken = true
			return nil
		}
		if err := ch.replace(ctx, tx, rec.TenantID, rec.ID, chunks); err != nil {
			return err
		}
		j.Done, j.Total, j.Problems = len(pieces), len(pieces), a.problems
		return ch.putJob(ctx, tx, j.ended(JobSucceeded, ""))
	})
	return overtaken, err
}

// chunks makes the chunks of an elemental from its pieces, unless what one is of is gone.
func (a *attempt) chunks(rec ElementalRecord, metas map[string]chunkMeta, pieces []piece) (chunks []Chunk, ok bool) {
	chunks = make([]Chunk, len(pieces))
	for i, p := range pieces {
		meta, ok := metas[p.itemID]
		if !ok {
			return nil, false
		}
		c := &chunks[i]
		*c = Chunk{
			ID:       id.Point(rec.ID, p.itemID, meta.source, strconv.Itoa(p.ordinal)),
			TenantID: rec.TenantID, ElementalID: rec.ID, ColumnID: meta.columnID, ItemID: p.itemID,
			Heading: slices.Clone(p.Heading), Text: p.text, Start: p.Start, End: p.End, Ordinal: p.ordinal,
			Hash: p.hash, Fingerprint: a.model.fingerprint, Vector: a.vectors[p.hash],
		}
		meta.apply(c)
	}
	return chunks, true
}
