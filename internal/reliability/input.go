package reliability

// input is area B: what comes in as text and JSON.
var input = []Row{
	{ID: "B1", Package: "httpapi", Test: "TestHostileTexts", Controls: []Control{
		{"texts are stored as they came", "elemental.go", "Body: in.Body, Command: in.Command,", "Body: strings.TrimSpace(in.Body), Command: in.Command,"},
	}},
	{ID: "B2", Package: "httpapi", Test: "TestHostileSearches", Controls: []Control{
		{"words are quoted in the language of FTS5", "store/sqlite/search.go",
			"phrases[i] = `\"` + quoted.Replace(strings.Join(words, \" \")) + `\"`", "phrases[i] = strings.ToUpper(strings.Join(words, \" \"))"},
	}},
	{ID: "B3", Package: "httpapi", Test: "TestSearchesAreWords", Controls: []Control{
		{"letters are folded", "internal/segment/words.go", "\tr = foldRune(r)\n", ""},
		{"words are quoted in the language of FTS5", "store/sqlite/search.go",
			"phrases[i] = `\"` + quoted.Replace(strings.Join(words, \" \")) + `\"`", "phrases[i] = quoted.Replace(strings.Join(words, \" OR \"))"},
	}},
	{ID: "B4", Package: "httpapi", Test: "TestNoTextIsStored", Controls: []Control{
		{"an escaped NUL is refused", "httpapi/strict.go", "case r == 0:", "case r == 0 && c.pos < 0:"},
		{"UTF-8 is checked", "httpapi/strict.go", "if !utf8.Valid(data) {", "if !utf8.Valid(data[:0]) {"},
		{"halves of pairs are refused", "httpapi/strict.go", "case 0xDC00 <= r && r <= 0xDFFF:", "case 0xDC00 <= r && r < 0xDC00:"},
		{"paths are checked", "httpapi/router.go", "!utf8.ValidString(s) || strings.ContainsRune(s, 0)", "!utf8.ValidString(s)"},
		{"parameters are checked", "httpapi/params.go", "case !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0):", "case !utf8.ValidString(values[0]):"},
	}},
	{ID: "B5", Package: "httpapi", Test: "TestHostileJSON", Controls: []Control{
		{"what is no JSON is refused", "httpapi/strict.go", "if !json.Valid(data) {", "if !json.Valid(data) && data[0] != '{' {"},
		{"halves of pairs and NUL have messages of their own", "httpapi/strict.go", "return c.str()", "return syntaxError(c.data)"},
	}},
	{ID: "B6", Package: "httpapi", Test: "TestStrictBodies", Controls: []Control{
		{"a key occurs once", "httpapi/strict.go", "_, twice := o.keys[key]; twice {", "_, twice := o.keys[key]; twice && len(key) > 99 {"},
		{"the type of a body is checked", "httpapi/call.go", `if err != nil || mediaType != "application/json" {`, `if err != nil || mediaType == "" {`},
		{"depth is limited", "httpapi/strict.go", "if len(c.open) == c.limits.depth {", "if len(c.open) == 100*c.limits.depth {"},
	}},
	{ID: "B7", Package: "httpapi", Test: "TestNumbers", Controls: []Control{
		{"pages and sizes are written in digits", "httpapi/params.go", "strconv.ParseUint(s, 10, 31)", "strconv.ParseUint(s, 0, 31)"},
		{"a limit is a whole number", "httpapi/payload_engine.go", "|| n != float64(int(n)) {", "{"},
		{"a price is not negative", "rules.go", "if price != nil && *price < 0 {", "if price != nil && *price < -1 {"},
	}},
	{ID: "B7", Package: "httpapi", Test: "TestPagesOfEqualKeys", Controls: []Control{
		{"ties are broken by id", "store/sqlite/search.go", "`bm25(elemental_text, 10, 3, 1, 5), e.id`", "`bm25(elemental_text, 10, 3, 1, 5)`"},
	}},
	{ID: "B8", Package: "httpapi", Test: "TestIDs", Controls: []Control{
		{"a number has one form", "httpapi/decode.go", " || strconv.FormatInt(n, 10) != s {", " {"},
		{"an id is no fraction", "httpapi/decode.go", `case isNumber(raw) && !strings.ContainsAny(string(raw), ".eE"):`, `case isNumber(raw):`},
	}},
	{ID: "B9", Package: "httpapi", Test: "TestFileBytes", Controls: []Control{
		{"a byte is at most 255", "httpapi/payload_media.go", "return byte(n), n <= 255", "return byte(n), n <= 999"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestBodyMemory", Controls: []Control{
		{"bodies wait for memory", "httpapi/call.go", "hold(most, 2*(most-held))", "hold(most, 0*(most-held))"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestManySmallRequests", Controls: []Control{
		{"small answers are counted", "httpapi/claim.go", "	own := int64(0)\n", "	if b == &c.s.smallAnswers {\n		return nil\n	}\n	own := int64(0)\n"},
		{"what is sent is counted", "httpapi/claim.go", "	rest := int64(n)\n", "	rest := int64(0 * n)\n"},
		{"small bodies are counted", "httpapi/claim.go", "	own := int64(0)\n", "	if b == &c.s.smallBodies {\n		return nil\n	}\n	own := int64(0)\n"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestManyValues", Controls: []Control{
		{"what a body decodes to is counted", "httpapi/answer_budget.go", "	if n <= freeValues {\n", "	if n >= 0 {\n"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestManyLongNotes", Controls: []Control{
		{"what hangs on an elemental is counted", "httpapi/answer_budget.go", "return cost + (size.CellBody+size.Notes)*textCost", "return cost + size.CellBody*textCost"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestUnpagedAnswers", Controls: []Control{
		{"all that a user has is read in portions", "tag.go", "		rest = rest[:min(lightPortion, len(rest))]\n		err = l.viewAs(ctx, a, func(tx ReadTx) error {\n			sizes, err := tx.TagSizes(ctx, rest)\n			if err != nil {\n				return err\n			}\n			n = portionOf(rest, func(id int64) int64 { return sizes[id] })\n",
			"		err = l.viewAs(ctx, a, func(tx ReadTx) error {\n			n = len(rest)\n"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestSearchesDoNotWaitForEachOther", Controls: []Control{
		{"an answer is made in other memory than its page is read in", "httpapi/claim.go", "	b := c.s.answers(cost)\n", "	b := &c.s.pages\n"},
	}},
	{ID: "B10", Package: "httpapi", Test: "TestChunkedBodiesDoNotWaitForEachOther", Controls: []Control{
		{"a body of unknown length has room for all short ones at once", "httpapi/call.go", "		if most = limit; held == 0 {\n			most = min(smallBody, limit)\n		}\n", "		if most *= 8; most > smallBody {\n			most = limit\n		}\n"},
	}},
	{ID: "B11", Package: "httpapi", Test: "TestTitleLengths", Controls: []Control{
		{"characters are counted, not bytes", "rules.go", "n := utf8.RuneCountInString(title)", "n := len(title)"},
	}},
	{ID: "B12", Package: "httpapi", Test: "TestTooManyIDs", Controls: []Control{
		{"ids are counted", "rules.go", "if n > l.opts.MaxIDs {", "if n > 10*l.opts.MaxIDs {"},
	}},
	{ID: "B13", Package: "httpapi", Test: "TestCompressedBodies", Controls: []Control{
		{"what is compressed is refused", "httpapi/call.go", `if !strings.EqualFold(encoding, "identity") {`, `if encoding == "identity" {`},
	}},
	{ID: "B14", Package: "internal/conformance", Test: "TestFuzz", Long: true, Controls: []Control{
		{"a conflict has a status", "httpapi/errors.go", "\tquire.CodeConflict:        http.StatusConflict,\n", ""},
		{"a count has its name", "httpapi/wire_elemental.go", "`json:\"total_saves\"`", "`json:\"totalSaves\"`"},
		{"an error has its name", "httpapi/errors.go", "Message string           `json:\"error_message\"`", "Message string           `json:\"message\"`"},
		{"a size has a limit", "httpapi/params.go", "if err != nil || n < 1 || int(n) > limit {", "if err != nil {"},
		{"a string is a string", "httpapi/decode.go", "if raw[0] != '\"' {\n\t\tp.wrong(\"string_type\", \"must be a string\")\n", "if raw[0] != '\"' {\n"},
		{"the code is the status", "httpapi/call.go", "envelope{Code: status, Meta: c.meta(1), Response: response}", "envelope{Code: 200, Meta: c.meta(1), Response: response}"},
		{"answers name their request", "httpapi/handler.go", "\th.Set(\"X-Request-Id\", c.requestID)\n", ""},
		{"an object is an object", "httpapi/decode.go", "if raw[0] != '{' {", "if raw[0] == 'n' {"},
		{"a stream has an end", "httpapi/event_writer.go", "\treturn w.end()\n}\n\n// fail", "\treturn nil\n}\n\n// fail"},
		{"a visibility is one of two", "rules.go", "if v != Public && v != Unlisted {", "if v < Public {"},
	}},
	{ID: "B15", Package: "internal/reliability", Test: "TestFuzzing", LongOnly: true, Controls: []Control{
		{"UTF-8 is checked", "httpapi/strict.go", "if !utf8.Valid(data) {", "if !utf8.Valid(data[:0]) {"},
	}},
	{ID: "B16", Package: "httpapi", Test: "TestLongWords", Controls: []Control{
		{"a whole text is indexed", "store/sqlite/elementals.go", "e.ID, text.Title, text.Description, text.Body, text.Tags}", "e.ID, text.Title, text.Description, text.Body[:min(len(text.Body), 1000)], text.Tags}"},
	}},
}
