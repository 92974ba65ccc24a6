package quire

import (
	"cmp"
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// importedChunks are the chunks of one elemental, as far as they are read.
type importedChunks struct {
	head   knowledgeEntry
	rec    ElementalRecord
	metas  map[string]chunkMeta
	texts  map[string]string
	seen   map[string]bool // ids
	taken  bool            // the vectors are of this engine's embedder
	chunks []Chunk
	read   int
}

// The limits on what a chunk holds besides its vector. Those of texts are generous: the default
// Chunker makes passages of 512 tokens, under at most six headings of 200 bytes.
const (
	maxFingerprint = 1_000
	maxDimension   = 1 << 16
	maxHeadings    = 100
	maxHeading     = 1_000   // bytes
	maxPassage     = 1 << 20 // bytes
	hashLength     = 64      // hex digits
	unitTolerance  = 1e-4
)

func (in *importer) knowledge(ctx context.Context, r record) error {
	head, err := decode[knowledgeEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if checkText(&probs, "fingerprint", head.Fingerprint, maxFingerprint); head.Fingerprint == "" {
		probs.add("fingerprint", "must not be empty")
	}
	if head.Dimension < 1 || head.Dimension > maxDimension {
		probs.add("dimension", "must be between 1 and %d", maxDimension)
	}
	if limit := in.eng.opts.MaxChunks; head.Chunks < 1 || head.Chunks > limit {
		probs.add("chunks", "must be between 1 and %d", limit)
	}
	if e, ok := in.elementals[head.ElementalID]; !ok || e.typeID == TypeCell {
		probs.add("elemental_id", "must be an elemental of the archive that is no cell")
	}
	if err := probs.err(); err != nil {
		return err
	}
	if in.chunked[head.ElementalID] {
		return Errorf(CodeInvalid, "the chunks of this elemental are in the archive already")
	}
	in.chunked[head.ElementalID] = true
	set := &importedChunks{head: head, seen: map[string]bool{}}
	if set.rec, err = in.tx.Elemental(ctx, head.ElementalID); err != nil {
		return err
	}
	if set.metas, set.texts, err = in.lib.chunkSources(ctx, in.tx, set.rec); err != nil {
		return err
	}
	fingerprint, dimension, err := in.eng.storedChunks(ctx, in.tx)
	if err != nil {
		return err
	}
	set.taken = head.Fingerprint == fingerprint
	if set.taken && head.Dimension != dimension {
		return Errorf(CodeInvalid, "dimension: the vectors of this embedder have %d numbers", dimension)
	}
	in.chunks = set
	return nil
}

func (in *importer) chunk(ctx context.Context, r record) error {
	set := in.chunks
	if set == nil {
		return Errorf(CodeInvalid, "it is not where such a record belongs")
	}
	e, err := decode[chunkEntry](r)
	if err != nil {
		return err
	}
	blob, err := r.blob(4 * set.head.Dimension)
	if err != nil {
		return err
	}
	c, err := set.make(e, blob)
	if err != nil {
		return err
	}
	if set.taken {
		set.chunks = append(set.chunks, c)
	}
	if set.read++; set.read < set.head.Chunks {
		return nil
	}
	in.chunks = nil
	if !set.taken {
		in.queue(set.rec.ID)
		return nil
	}
	in.result.Chunks += len(set.chunks)
	if err := in.ch.replace(ctx, in.tx, set.rec.TenantID, set.rec.ID, set.chunks); err != nil {
		return err
	}
	return nil
}

// make checks a chunk and makes it whole.
func (set *importedChunks) make(e chunkEntry, blob []byte) (Chunk, error) {
	if e.ItemID == "" {
		e.ItemID = set.rec.ID
	}
	meta, ok := set.metas[e.ItemID]
	if !ok {
		return Chunk{}, Errorf(CodeInvalid, "item_id: must be the elemental, or a cell or file of it")
	}
	text, err := set.passage(e)
	if err != nil {
		return Chunk{}, err
	}
	var probs problems
	checkCount(&probs, "ordinal", int64(e.Ordinal), 0)
	if _, err := hex.DecodeString(e.Hash); err != nil || len(e.Hash) != hashLength || e.Hash != strings.ToLower(e.Hash) {
		probs.add("hash", "must be %d lower-case hex digits", hashLength)
	}
	if err := cmp.Or(probs.err(), checkChunkTexts(e.Heading, text, meta.source == sourceFile)); err != nil {
		return Chunk{}, err
	}
	vector, err := unitVector(blob, set.head.Dimension)
	if err != nil {
		return Chunk{}, err
	}
	c := Chunk{
		ID:       id.Point(set.rec.ID, e.ItemID, meta.source, strconv.Itoa(e.Ordinal)),
		TenantID: set.rec.TenantID, ElementalID: set.rec.ID, ColumnID: meta.columnID, ItemID: e.ItemID,
		Heading: e.Heading, Text: text, Start: e.Start, End: e.End, Ordinal: e.Ordinal,
		Hash: e.Hash, Fingerprint: set.head.Fingerprint, Vector: vector,
	}
	meta.apply(&c)
	if set.seen[c.ID] {
		return Chunk{}, Errorf(CodeInvalid, "ordinal: must be one that no other chunk of the item has")
	}
	set.seen[c.ID] = true
	return c, nil
}

// passage is the text of a chunk: a part of its source text, or of a file what the
// archive says that it is.
func (set *importedChunks) passage(e chunkEntry) (string, error) {
	text, stored := set.texts[e.ItemID]
	switch {
	case e.Start < 0 || e.Start >= e.End || stored && e.End > len(text):
		return "", Errorf(CodeInvalid, "start and end: must be a part of the source text that is not empty")
	case stored && e.Text != "":
		return "", Errorf(CodeInvalid, "text: only chunks of files have one")
	case stored:
		return text[e.Start:e.End], nil
	case len(e.Text) != e.End-e.Start:
		return "", Errorf(CodeInvalid, "text: must be as long as the span")
	}
	return e.Text, nil
}

// checkChunkTexts checks the headings of a chunk and its text, which is shown with each hit.
// What the text of others than files consists of is not checked: it is part of one that was.
func checkChunkTexts(heading []string, text string, ofFile bool) error {
	var probs problems
	if len(heading) > maxHeadings {
		probs.add("heading", "must have at most %d entries", maxHeadings)
	}
	for _, h := range heading {
		if checkText(&probs, "heading", h, len(h)); len(h) > maxHeading {
			probs.add("heading", "must have at most %d bytes", maxHeading)
		}
	}
	switch {
	case len(text) > maxPassage:
		probs.add("text", "must have at most %d bytes", maxPassage)
	case ofFile:
		checkText(&probs, "text", text, len(text))
	}
	return probs.err()
}

// unitVector reads a vector that must have that many numbers and unit length.
func unitVector(blob []byte, dimension int) ([]float32, error) {
	if len(blob) != 4*dimension {
		return nil, Errorf(CodeInvalid, "its vector must have %d numbers", dimension)
	}
	v := unpackVector(blob)
	if !isUnit(v) {
		return nil, Errorf(CodeInvalid, "its vector must be finite and of unit length")
	}
	return v, nil
}

func (in *importer) toIngest(_ context.Context, r record) error {
	e, err := decode[ingestEntry](r)
	if err != nil {
		return err
	}
	known, ok := in.elementals[e.ElementalID]
	switch {
	case !ok || known.typeID == TypeCell:
		return Errorf(CodeInvalid, "elemental_id: must be an elemental of the archive that is no cell")
	case in.asked[e.ElementalID]:
		return Errorf(CodeInvalid, "the elemental is to be ingested already")
	}
	in.asked[e.ElementalID] = true
	in.queue(e.ElementalID)
	return nil
}

// queue notes that an elemental is to be ingested.
func (in *importer) queue(elementalID string) {
	if !in.queued[elementalID] {
		in.queued[elementalID] = true
		in.ingest = append(in.ingest, elementalID)
	}
}
