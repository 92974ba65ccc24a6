package sqlite

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// tracedQuery is a query that ran, with one set of its arguments.
type tracedQuery struct {
	query string
	args  []any
}

// whole are the queries that are about all rows of a table, or all that are
// active: they may walk through an index from end to end. Every other query must
// find its rows.
var whole = []*regexp.Regexp{
	regexp.MustCompile(`FROM chunks c ORDER BY c\.elemental_id`), // AllChunks, AllVectors
	regexp.MustCompile(`SELECT count\(\*\) FROM chunks c$`),      // CountChunks
	regexp.MustCompile(`FROM jobs j GROUP BY j\.status`),         // CountJobs
	regexp.MustCompile(`SELECT min\(at\) FROM`),                  // NextJob: active jobs
}

// everyRow are the statements that are to change all rows of a table.
var everyRow = []*regexp.Regexp{
	regexp.MustCompile(`^UPDATE chunks SET \(fingerprint, vector\)`), // AdoptVectors
	regexp.MustCompile(`^DELETE FROM vectors`),                       // DeleteVectors
}

// unsorted are the queries for the newest of many rows: an index has to have them in
// order, by what they are about, so that no more of them are read than asked for.
var unsorted = []*regexp.Regexp{
	regexp.MustCompile(`INDEXED BY elementals_newest WHERE .* ORDER BY e\.created_at DESC, e\.id LIMIT`),         // NewestElementals
	regexp.MustCompile(`INDEXED BY elementals_newest_of_type WHERE .* ORDER BY e\.created_at DESC, e\.id LIMIT`), // of a type
	regexp.MustCompile(`FROM comments c .* ORDER BY c\.id DESC LIMIT`),                                           // Comments
	regexp.MustCompile(`FROM rates r .* ORDER BY r\.id DESC LIMIT`),                                              // Rates
	regexp.MustCompile(`FROM marks m .* ORDER BY m\.created_at DESC, m\.user_id LIMIT`),                          // LastMarks
}

// sizes are the queries for how long texts are: rows that are sorted for a GROUP BY are copied,
// with their texts.
var sizes = regexp.MustCompile(`^SELECT \w+\.id, octet_length`)

// TestQueryPlans runs every method and then asks SQLite how it finds the rows of
// each query that ran: never by reading a whole table.
func TestQueryPlans(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	traced := map[string]tracedQuery{}
	s.trace = func(query string, args []any) { traced[query] = tracedQuery{query, slices.Clone(args)} }
	if err := s.Update(t.Context(), func(tx quire.Tx) error { return runEverything(t.Context(), tx) }); err != nil {
		t.Fatal(quire.Cause(err))
	}
	s.trace = nil
	for _, q := range traced {
		checkPlan(t, s, q)
	}
	for _, re := range append(unsorted, sizes) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(traced)), func(q string) bool { return re.MatchString(strings.Join(strings.Fields(q), " ")) }) {
			t.Errorf("no query matches %s", re)
		}
	}
	t.Logf("checked the plans of %d queries", len(traced))
	if len(traced) < 90 {
		t.Errorf("only %d queries ran", len(traced))
	}
}

func checkPlan(t *testing.T, s *Store, q tracedQuery) {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+q.query, q.args...)
	if err != nil {
		t.Errorf("%s: %v", q.query, err)
		return
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	line := strings.Join(strings.Fields(q.query), " ")
	mayWalk := slices.ContainsFunc(whole, func(re *regexp.Regexp) bool { return re.MatchString(line) })
	noSort := slices.ContainsFunc(unsorted, func(re *regexp.Regexp) bool { return re.MatchString(line) })
	if slices.ContainsFunc(everyRow, func(re *regexp.Regexp) bool { return re.MatchString(line) }) {
		plan = slices.DeleteFunc(plan, func(step string) bool { return step == "SCAN chunks" || step == "SCAN vectors" })
	}
	isSize := sizes.MatchString(line)
	for _, step := range plan {
		if badStep(step, mayWalk) || isSize && strings.Contains(step, "FOR GROUP BY") || noSort && (strings.Contains(step, "USE TEMP B-TREE") || strings.Contains(step, "PRIMARY KEY (rowid<?)")) {
			t.Errorf("%s\n\t%s", line, strings.Join(plan, "\n\t"))
			return
		}
	}
}

// badStep reports whether a step of a plan reads a table from end to end, or
// walks through an index if it may not.
func badStep(step string, mayWalk bool) bool {
	switch {
	case strings.Contains(step, "AUTOMATIC"): // an index made for this one run
		return true
	case !strings.HasPrefix(step, "SCAN "), strings.Contains(step, "VIRTUAL TABLE INDEX"), step == "SCAN CONSTANT ROW":
		return false
	case step == "SCAN thread", step == "SCAN tenants", // what a recursive query has found so far
		step == "SCAN p", // the page that was found
		step == "SCAN n", // the receipts of one user
		step == "SCAN g": // the tags of one row
		return false
	case regexp.MustCompile(`^SCAN \(?(subquery|SUBQUERY)`).MatchString(step):
		return false
	case strings.Contains(step, " INDEX "):
		return !mayWalk
	}
	return true
}

// runEverything calls every method of a transaction, in all the variants that
// have queries of their own.
func runEverything(ctx context.Context, tx quire.Tx) error {
	now := time.Unix(1_700_000_000, 0).UTC()
	viewers := []quire.Viewer{{OwnerID: "u"}, {OwnerID: "u", OthersToo: true}, {OwnerID: "u", ListsPlain: true}, {OwnerID: "u", OthersToo: true, ListsPlain: true}}
	text := quire.TextQuery{Phrases: [][]string{{"one", "two"}, {"three"}}, Prefix: true}
	var errs []error
	do := func(err error) { errs = append(errs, err) }
	do(tx.PutMeta(ctx, "m", nil))
	do(tx.PutUser(ctx, quire.User{ID: "u"}))
	do(tx.PutKey(ctx, quire.Key{ID: "k", UserID: "u", Hash: "h"}))
	do(tx.PutTag(ctx, quire.Tag{ID: 1, OwnerID: "u"}))
	do(tx.PutElemental(ctx, quire.ElementalRecord{ID: "e", OwnerID: "u", TagIDs: []int64{1}}, quire.IndexedText{Title: "one two three"}))
	do(tx.PutList(ctx, quire.ListRecord{ID: 1, OwnerID: "u", TagIDs: []int64{1}}, quire.IndexedText{Title: "one two three"}))
	do(tx.PutItem(ctx, quire.ListItem{ListID: 1, ElementalID: "e"}))
	do(tx.PutJob(ctx, quire.Job{ID: "j", TenantID: "u", ElementalID: "e", Status: quire.JobQueued}))
	do(tx.ReplaceChunks(ctx, "e", []quire.Chunk{{ID: "c", TenantID: "u", ElementalID: "e", TagIDs: []string{"1"}}}))

	do(engageEverything(ctx, tx))

	do2(do)(tx.Meta(ctx, "m"))
	do2(do)(tx.User(ctx, "u"))
	do2(do)(tx.Users(ctx, []string{"u"}))
	do2(do)(tx.KeyByHash(ctx, "h"))
	do2(do)(tx.UserKey(ctx, "h"))
	do2(do)(tx.KeysOf(ctx, "u"))
	do2(do)(tx.Tag(ctx, 1))
	do2(do)(tx.Tags(ctx, []int64{1}))
	do2(do)(tx.TagSizes(ctx, []int64{1}))
	do2(do)(tx.TagsOf(ctx, "u"))
	do2(do)(tx.TagIDsOf(ctx, "u"))
	do2(do)(tx.TenantsOf(ctx, "u", 2))
	do2(do)(tx.OwnersIn(ctx, "u", 2))
	do2(do)(tx.OrphanJobs(ctx, now, 1))
	do3(do)(tx.Tagged(ctx, 1))
	do2(do)(tx.Elemental(ctx, "e"))
	do2(do)(tx.Elementals(ctx, []string{"e"}))
	do2(do)(tx.ElementalsWithoutBody(ctx, []string{"e"}))
	do2(do)(tx.ElementalSizes(ctx, []string{"e"}))
	do2(do)(tx.ElementalByTitle(ctx, "u", 0, ""))
	for _, q := range []quire.ElementalQuery{{}, {TypeID: 3}, {TagID: 1}, {TypeID: 3, TagID: 1}} {
		q.OwnerID, q.Limit = "u", 1
		do3(do)(tx.NewestElementals(ctx, q))
	}
	for _, err := range tx.ElementalsOf(ctx, "u") {
		do(err)
	}
	do2(do)(tx.Tenants(ctx))
	for _, err := range tx.TenantUsers(ctx, "u") {
		do(err)
	}
	for _, err := range tx.TenantElementals(ctx, "u") {
		do(err)
	}
	for _, err := range tx.TenantLists(ctx, "u") {
		do(err)
	}
	do2(do)(tx.Cells(ctx, "t"))
	do2(do)(tx.CellTexts(ctx, "t"))
	do(tx.ShowTable(ctx, "t", quire.Public, now))
	do(tx.ClearTable(ctx, "t"))
	do2(do)(tx.TableLists(ctx, "t"))
	do2(do)(tx.List(ctx, 1))
	do2(do)(tx.Lists(ctx, []int64{1}))
	do2(do)(tx.ListSizes(ctx, []int64{1}))
	for _, v := range viewers {
		do3(do)(tx.SearchElementals(ctx, quire.ElementalSearch{Text: text, Viewer: v, Limit: 1}))
		do3(do)(tx.SearchElementals(ctx, quire.ElementalSearch{Text: text, Viewer: v, TypeIDs: []int{0}, Limit: 1}))
		do3(do)(tx.SearchElementals(ctx, quire.ElementalSearch{Text: text, Viewer: v, WithoutBody: true, Limit: 1}))
		do3(do)(tx.SearchLists(ctx, quire.ListSearch{Text: &text, Viewer: v, Limit: 1}))
		do3(do)(tx.SearchLists(ctx, quire.ListSearch{Viewer: v, Limit: 1}))
	}
	for _, order := range []quire.ItemOrder{quire.OrderIndex, quire.OrderCreatedAt, quire.OrderUpdatedAt, quire.OrderTitle} {
		for _, desc := range []bool{false, true} {
			for _, bodiless := range []bool{false, true} {
				do3(do)(tx.ListItems(ctx, quire.ItemQuery{ListID: 1, Viewer: viewers[0], Order: order, Desc: desc, WithoutBody: bodiless, Limit: 1}))
			}
		}
	}
	do2(do)(tx.CountItems(ctx, []int64{1}, viewers[0]))
	do2(do)(tx.Items(ctx, 1))
	do2(do)(tx.Job(ctx, "u", "j"))
	do3(do)(tx.Jobs(ctx, quire.JobQuery{TenantID: "u", Limit: 1}))
	do3(do)(tx.Jobs(ctx, quire.JobQuery{TenantID: "u", ElementalID: "e", Limit: 1}))
	do2(do)(tx.ActiveJobs(ctx, "u", ""))
	do2(do)(tx.ActiveJobs(ctx, "u", "e"))
	do2(do)(tx.CountJobs(ctx))
	do2(do)(tx.NextJob(ctx))
	do2(do)(tx.ClaimJob(ctx, now, "w", now))
	do2(do)(tx.Chunks(ctx, []string{"c"}))
	do2(do)(tx.ChunksOf(ctx, "e"))
	for _, err := range tx.AllChunks(ctx) {
		do(err)
	}
	for _, err := range tx.AllVectors(ctx) {
		do(err)
	}
	for _, f := range []quire.Filters{
		{}, {ElementalID: "e"}, {UserID: "u", Source: "s", TypeName: "t", CategoryName: "c"},
		{TagIDs: []string{"1"}}, {TagNames: []string{"x"}}, {TagIDs: []string{"1"}, TagNames: []string{"x"}, ElementalID: "e"},
	} {
		f.TenantID = "u"
		do2(do)(tx.MatchChunks(ctx, f))
	}
	do2(do)(tx.CountChunks(ctx))
	do2(do)(tx.PlainChunks(ctx, "", 1))
	do(tx.PutVectors(ctx, "f", map[string][]float32{"h": {1}}))
	do2(do)(tx.MissingVectors(ctx, "f", []string{"h"}))
	do2(do)(tx.VectorLengths(ctx, "f"))
	do2(do)(tx.AdoptVectors(ctx, "f"))
	do(tx.DeleteVectors(ctx, "f"))
	do(tx.DeleteVectors(ctx))
	do(tx.PutDrafts(ctx, "e", "f", map[string][]float32{"h": {1}}))
	do2(do)(tx.Drafts(ctx, "e", "f"))
	do(tx.DeleteDrafts(ctx, "e"))

	do(tx.DeleteItem(ctx, 1, "e"))
	do(tx.DeleteTag(ctx, 1))
	do(tx.DeleteElemental(ctx, "e"))
	do(tx.DeleteList(ctx, 1))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// engageEverything calls the methods of media, engagement and receipts.
func engageEverything(ctx context.Context, tx quire.Tx) error {
	var errs []error
	do := func(err error) { errs = append(errs, err) }
	c, err := tx.PutComment(ctx, quire.Comment{ElementalID: "e"})
	do(err)
	do2(do)(tx.PutComment(ctx, quire.Comment{ID: c.ID, ElementalID: "e"}))
	do2(do)(tx.PutComment(ctx, quire.Comment{ParentID: c.ID, ElementalID: "e"}))
	do2(do)(tx.Comment(ctx, c.ID))
	do2(do)(tx.Comments(ctx, "e", 0, 10))
	do2(do)(tx.DeleteComment(ctx, c.ID))
	for i, s := range []quire.Subject{{ElementalID: "e"}, {ListID: 1}} {
		id, owner := int64(i+1), quire.MediaOwner(s)
		do(tx.PutMedia(ctx, quire.Media{ID: id, Owner: owner}, nil))
		do2(do)(tx.Media(ctx, id))
		do2(do)(tx.MediaData(ctx, id))
		do2(do)(tx.MediaOf(ctx, []quire.MediaOwner{owner}))
		do(tx.DeleteMedia(ctx, id))
		do(tx.PutCounters(ctx, s, quire.Counters{}))
		do2(do)(tx.PutMark(ctx, quire.Mark{Subject: s, UserID: "u"}))
		do2(do)(tx.Marks(ctx, "u", []quire.Subject{s}))
		do2(do)(tx.LastMarks(ctx, s, "", 1))
		do2(do)(tx.DeleteMark(ctx, s, "u", ""))
		for range 2 {
			do3(do)(tx.PutRate(ctx, quire.Rate{Subject: s, UserID: "u"}))
		}
		do2(do)(tx.Rates(ctx, s, 0, 10))
	}
	do(tx.PutReceipt(ctx, quire.Receipt{UserID: "u"}))
	do2(do)(tx.Receipt(ctx, "u", "", ""))
	do2(do)(tx.ReceiptSize(ctx, "u", "", ""))
	do(tx.TrimReceipts(ctx, "u", 0))
	do(tx.DeleteJob(ctx, "t", "none"))
	do(tx.DeleteReceipts(ctx, time.Unix(1, 0)))
	return errors.Join(errs...)
}

// do2 and do3 pass the error of a call on, whatever else it returns.
func do2(do func(error)) func(any, error)      { return func(_ any, err error) { do(err) } }
func do3(do func(error)) func(any, any, error) { return func(_, _ any, err error) { do(err) } }
