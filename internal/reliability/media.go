package reliability

// aFetch is what F1 has no room for: who creates an elemental makes the server go where its
// address leads.
var aFetch = Control{"addresses are not followed", "httpapi/elementals.go", "\tif err := c.holdTags(in.TagIDs); err != nil {\n\t\treturn err\n\t}\n\treturn s.once(c",
	"\tif in.VideoURL != \"\" {\n\t\tif resp, err := http.Head(in.VideoURL); err == nil {\n\t\t\tresp.Body.Close()\n\t\t}\n\t}\n\tif err := c.holdTags(in.TagIDs); err != nil {\n\t\treturn err\n\t}\n\treturn s.once(c"}

// media is area F: files, pictures and URLs.
var media = []Row{
	{ID: "F1", Package: "httpapi", Test: "TestNothingIsFetched", Controls: []Control{aFetch}},
	{ID: "F1", Package: "httpapi", Test: "TestLures", Controls: []Control{aFetch}},
	{ID: "F1", Package: ".", Test: "TestNothingDials", Controls: []Control{
		// The test reads sources, so what an overlay changes is its list.
		{"what reaches out is seen", "dials_test.go", "\t\"engine/langchain\":    \"reaches the model service that the application has configured\",\n", ""},
	}},
	{ID: "F2", Package: "httpapi", Test: "TestAddresses", Controls: []Control{
		{"no user names", "rules.go", "u.User != nil || ", ""},
		{"no white space", "rules.go", "strings.ContainsFunc(s, unsafe) {", "strings.ContainsFunc(s[:0], unsafe) {"},
		{"a length", "rules.go", "if len(s) > maxURL {", "if len(s) > maxURL+1 {"},
		{"http and https only", "rules.go", `(u.Scheme != "http" && u.Scheme != "https")`, `u.Scheme == ""`},
	}},
	{ID: "F4", Package: "httpapi", Test: "TestFileNames", Controls: []Control{
		{"a name is quoted for its header", "httpapi/send_media.go", `mime.FormatMediaType(disposition, map[string]string{"filename": m.Name})`,
			`mime.FormatMediaType(disposition, nil) + "; filename=\"" + m.Name + "\""`},
		{"a name has a length", "upload.go", "len(f.Name) > maxFileName ||", "len(f.Name) > 2*maxFileName ||"},
	}},
	{ID: "F5", Package: "httpapi", Test: "TestHostileFiles", Controls: []Control{
		{"what runs is sent as bytes", "httpapi/send_media.go", "\t\tstrings.Contains(format, \"html\"),\n", ""},
		{"only images are shown", "httpapi/send_media.go", `disposition := "attachment"`, `disposition := "inline"`},
		{"a policy that lets nothing run", "httpapi/send_media.go", "\th.Set(\"Content-Security-Policy\", \"default-src 'none'; sandbox\")\n", ""},
		{"types are not guessed", "httpapi/handler.go", "\th.Set(\"X-Content-Type-Options\", \"nosniff\")\n", ""},
		{"an image ends where it ends", "internal/picture/frame.go", "if last && len(rest) > 0 {", "if last && len(rest) > 1<<20 {"},
	}},
	{ID: "F6", Package: "internal/picture", Test: "TestBombs", Controls: []Control{
		// 20 times as much is still little enough for a machine, and more than the test allows.
		{"pixels are counted before they are decoded", "internal/picture/picture.go", "case config.Height > maxPixels/config.Width:", "case config.Height > 20*maxPixels/config.Width:"},
	}},
	{ID: "F7", Package: ".", Test: "TestUploadLimits", Controls: []Control{
		{"files of one call", "upload.go", "if len(u.files) > most {", "if len(u.files) > most+1 {"},
		{"bytes of a file", "upload.go", "case len(f.Data) > l.opts.MaxMediaBytes:", "case len(f.Data) > l.opts.MaxMediaBytes+1:"},
		{"files in all", "media.go", "n+len(u.files) > maxMedia {", "n+len(u.files) > maxMedia+1 {"},
		{"not one less than allowed", "media.go", "n+len(u.files) > maxMedia {", "n+len(u.files) >= maxMedia {"},
	}},
	{ID: "F8", Package: ".", Test: "TestImportOfDamagedArchives", Controls: []Control{
		{"each frame has a checksum", "internal/archive/reader.go", "if payload[n] != '\\n' || checksum(h, payload[:n]) != sum {", "if payload[n] != '\\n' || sum == \"\" {"},
		{"nothing follows the end", "internal/archive/reader.go", "\tcase nil:\n\t\treturn Damaged(\"something follows the end of the archive\")\n", "\tcase nil:\n\t\treturn io.EOF\n"},
	}},
	{ID: "F8", Package: ".", Test: "TestImportOfSplicedArchives", Controls: []Control{
		{"an archive has an end", "internal/archive/reader.go", "return Damaged(\"the archive ends before its end: it is incomplete\")", "return err"},
	}},
	{ID: "F8", Package: ".", Test: "TestImportHoldsToTheStructure", Controls: []Control{
		{"records have an order", "importer.go", "case in.stage < rule.from || in.stage > rule.until:", "case in.stage < rule.from:"},
	}},
	{ID: "F8", Package: ".", Test: "TestImportHoldsToTheRules", Controls: []Control{
		{"ids are checked", "import_content.go", "\tcheckID(&probs, \"id\", rec.ID)\n\tif slices.Contains(reservedIDs", "\tif slices.Contains(reservedIDs"},
	}},
	{ID: "F8", Package: "internal/archive", Test: "TestLengthsAreNotBelieved", Controls: []Control{
		{"memory grows with what is there", "internal/archive/reader.go", "b.Grow(min(n, maxPart+1))", "b.Grow(n)"},
	}},
}
