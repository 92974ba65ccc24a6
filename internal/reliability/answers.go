package reliability

// answers is area G: knowledge text, HTML and answers.
var answers = []Row{
	{ID: "G1", Package: "internal/markup", Test: "TestXSS", Controls: []Control{
		{"HTML of Markdown is sanitised", "internal/markup/markup.go", "return Sanitize(b.String())", "return b.String()"},
		{"so is HTML that came as such", "internal/markup/sanitize.go", "balance(follow(policy.Sanitize(fragment)))", "balance(follow(fragment))"},
	}},
	{ID: "G2", Package: ".", Test: "TestAnswers", Controls: []Control{
		{"markers without a source are dropped", "marker.go", "case ok && len(numbers) == 0:", "case ok && len(numbers) == 0 && f.sources == 0:"},
		{"numbers have an upper bound", "marker.go", "if lo < 1 || hi > sources || lo > hi {", "if lo < 1 || lo > hi {"},
		{"nothing invisible hides a marker", "marker.go", "if !f.sight.sees(r) {", "if !f.sight.sees(r) && r == 0 {"},
		{"without an answer there are no sources", "chat.go", "sources = nil\n\t\t\t\t\tbreak", "break"},
	}},
	{ID: "G2", Package: ".", Test: "TestNoAnswer", Controls: []Control{
		{"without a source the model is not asked", "chat.go", "if len(sources) > 0 {", "if len(sources) >= 0 {"},
	}},
	{ID: "G3", Package: ".", Test: "TestInjections", Controls: []Control{
		{"invisible characters are left out", "prompt.go", "neutralMarkers(visible(text))", "neutralMarkers(text)"},
		{"numbers in brackets are made harmless", "prompt.go", "neutralMarkers(visible(text))", "visible(text)"},
	}},
	{ID: "G4", Package: ".", Test: "TestBudget", Controls: []Control{
		{"a passage that does not fit is left out", "chat.go", "used+tokens <= limit {", "used <= limit {"},
		{"titles and headings count", "chat.go", " + segment.Tokens(headOf(h.Chunk.Title, h.Chunk.Heading))", ""},
		{"equal passages have an order", "clean.go", "strings.Compare(idA, idB))", "0*strings.Compare(idA, idB))"},
	}},
	{ID: "G5", Package: ".", Test: "TestRetrievalFails", Controls: []Control{
		{"no answer without retrieval", "chat.go", "\t\tif err != nil {\n\t\t\tyield(ChatEvent{}, err)\n\t\t\treturn\n\t\t}\n", "\t\tif err != nil {\n\t\t\tsources = make([]SearchHit, 1)\n\t\t}\n"},
	}},
	{ID: "G5", Package: ".", Test: "TestChatErrors", Controls: []Control{
		{"an answer that is cut off is an error", "chat.go", "\t\t\t\tyield(\"\", answerError(ctx, err, req))\n\t\t\t\treturn\n", "\t\t\t\tbreak\n"},
	}},
	{ID: "G6", Package: ".", Test: "TestListTextIsUnambiguous", Controls: []Control{
		{"further lines are indented", "knowledge_layout.go", "return breaksTo(func(br string) string { return br + indent })", "return breaksTo(func(br string) string { return br })"},
		{"texts are quoted for JSON", "knowledge_layout.go", "w.Write(quoted[1 : len(quoted)-1])", "w.WriteString(text[:min(n, len(quoted))])"},
	}},
	{ID: "G6", Package: ".", Test: "TestListMarkdownIsUnambiguous", Controls: []Control{
		{"a heading is one line", "knowledge_markdown.go", "\ttitle = breaksToReferences.Replace(title)\n", ""},
	}},
	{ID: "G7", Package: ".", Test: "TestFewPassages", Controls: []Control{
		{"no more is asked of chromem-go than it has", "engine/chromem/part.go", "min(n, p.Count())", "n"},
		{"no more sources than hits", "chat.go", "fitTokens(hits[:min(limit, len(hits))]", "fitTokens(hits[:limit]"},
	}},
	{ID: "G8", Package: ".", Test: "TestScores", Controls: []Control{
		{"scores have bounds", "clean.go", "Hit{ID: h.ID, Score: min(max(h.Score, 0), 1)}", "Hit{ID: h.ID, Score: h.Score}"},
		{"what is no number is dropped", "clean.go", "if !math.IsNaN(h.Score) {", "if !math.IsNaN(0) {"},
		{"shares have bounds", "clean.go", "h.Share = min(max(h.Share, 0), 1)", "h.Share += 0"},
		{"ties are broken by id", "clean.go", "strings.Compare(idA, idB))", "0*strings.Compare(idA, idB))"},
		{"ranks that give one score are ties", "fuse.go", "return best(hits, limit, func(h Hit) (string, float64) { return h.ID, h.Score })", "return hits"},
		{"words are cleaned", "guard.go", "return cleanWords(hits, limit), err", "return hits, err"},
	}},
	{ID: "G8", Package: ".", Test: "TestBrokenIndexes", Controls: []Control{
		{"hits are cleaned", "guard.go", "return cleanHits(hits, limit), err", "return hits, err"},
	}},
	{ID: "G9", Package: "internal/id", Test: "TestPointsAreApart", Controls: []Control{
		{"parts are kept apart", "internal/id/id.go", "\t\tname = binary.AppendUvarint(name, uint64(len(p)))\n", "\t\t_ = binary.AppendUvarint(name, uint64(len(p)))\n"},
	}},
	{ID: "G9", Package: ".", Test: "TestChunkIDs", Controls: []Control{
		{"the id of a passage is made of whose it is", "source.go", "id.Point(c.ElementalID, c.ItemID, c.Source,", "id.Point(c.Source,"},
		{"an id is there once", "elemental.go", "\tif err := freeID(ctx, tx, rec.ID); err != nil {\n\t\treturn conflict(err, \"an elemental with this id exists\")\n\t}\n", ""},
	}},
	{ID: "G10", Package: ".", Test: "TestCompactLeavesNothingOfWhatWasDeleted", Controls: []Control{
		{"full-text indexes are merged", "store/sqlite/compact.go", "for _, index := range textIndexes {", "for _, index := range textIndexes[:0] {"},
		{"the file is written anew", "store/sqlite/compact.go", "if err := s.rewrite(ctx); err != nil {", "if err := ctx.Err(); err != nil {"},
		{"the log is emptied", "store/sqlite/compact.go", "return s.emptyLog(ctx)", "return nil"},
	}},
}
