package quire

import "context"

// importer writes the records of an archive, inside of one Update that is rolled back
// when one of them breaks a rule.
type importer struct {
	eng    *Engine
	lib    *Library
	tx     Tx
	ch     *changes
	opts   ImportOptions
	result ImportResult

	stage     stage
	catalogue catalogueEntry
	people    map[string]bool // users and guests
	tags      map[int64]string
	// elementals are those of the archive, with their types and owners; lists likewise.
	elementals map[string]imported
	lists      map[int64]imported
	tables     []string
	cells      map[string]int  // how many there are of each table
	tableLists map[string]bool // tables that lists name

	about   *importedSubject // what the records are about that follow
	chunks  *importedChunks  // that are being read
	chunked map[string]bool  // elementals whose chunks were read
	asked   map[string]bool  // elementals that the archive wants to be ingested
	queued  map[string]bool  // elementals that are to be ingested
	ingest  []string         // the same, in order
}

// imported is what is remembered of an elemental or list.
type imported struct {
	ownerID string
	typeID  int
	known   bool // it is in the knowledge base
}

// stage is how far an archive has come: its parts have a fixed order.
type stage int

const (
	atStart stage = iota
	atTenant
	atPeople // users; guests and tags come up to the last list
	atElementals
	atLists
	atKnowledge
)

func newImporter(e *Engine, tx Tx, ch *changes, opts ImportOptions) *importer {
	return &importer{
		eng: e, lib: e.lib, tx: tx, ch: ch, opts: opts,
		people: map[string]bool{}, tags: map[int64]string{}, elementals: map[string]imported{}, lists: map[int64]imported{},
		cells: map[string]int{}, tableLists: map[string]bool{}, chunked: map[string]bool{}, asked: map[string]bool{}, queued: map[string]bool{},
	}
}

// recordRules say in which stages a kind of record may come, which one it leads to, if
// another one, and what is done with it.
var recordRules = map[string]struct {
	from, until, to stage
	take            func(*importer, context.Context, record) error
}{
	kindTenant:    {atStart, atStart, atTenant, (*importer).tenant},
	kindCatalogue: {atTenant, atTenant, atPeople, (*importer).theCatalogue},
	kindUser:      {atPeople, atPeople, 0, (*importer).user},
	kindGuest:     {atPeople, atLists, 0, (*importer).guest},
	kindTag:       {atPeople, atLists, 0, (*importer).tag},
	kindElemental: {atPeople, atElementals, atElementals, (*importer).elemental},
	kindList:      {atPeople, atLists, atLists, (*importer).list},
	kindMedia:     {atElementals, atLists, 0, (*importer).media},
	kindComment:   {atElementals, atElementals, 0, (*importer).comment},
	kindRate:      {atElementals, atLists, 0, (*importer).rate},
	kindMark:      {atElementals, atLists, 0, (*importer).mark},
	kindItem:      {atLists, atLists, 0, (*importer).item},
	kindKnowledge: {atElementals, atKnowledge, atKnowledge, (*importer).knowledge},
	kindChunk:     {atKnowledge, atKnowledge, 0, (*importer).chunk},
	kindIngest:    {atElementals, atKnowledge, atKnowledge, (*importer).toIngest},
}

// record takes the next record; one without a kind ends the archive.
func (in *importer) record(ctx context.Context, r record) error {
	if in.chunks != nil && r.Kind != kindChunk {
		return Errorf(CodeInvalid, "a chunk is missing before it")
	}
	switch r.Kind {
	case "", kindElemental, kindList, kindKnowledge, kindIngest:
		if err := in.endSubject(ctx); err != nil {
			return err
		}
	}
	if r.Kind == "" {
		return in.finish(ctx)
	}
	rule, known := recordRules[r.Kind]
	switch {
	case !known:
		return Errorf(CodeInvalid, "there is no such kind of records")
	case in.stage < rule.from || in.stage > rule.until:
		return Errorf(CodeInvalid, "it is not where such a record belongs")
	}
	in.stage = max(in.stage, rule.to)
	return rule.take(in, ctx, r)
}
