package reliability

// operation is area H: logs, secrets and health.
var operation = []Row{
	{ID: "H1", Package: "httpapi", Test: "TestLogLines", Controls: []Control{
		{"control characters are replaced", "said.go", "r == '\\t' || unicode.IsGraphic(r)", "r == '\\t' || r >= 0 || unicode.IsGraphic(r)"},
		{"causes are cut", "said.go", "const maxCause = 16 << 10", "const maxCause = 16 << 20"},
		{"addresses are printable", "httpapi/failed_keys.go", "\"address\", printable(address), ", "\"address\", address, \"also\", printable(address), "},
		{"ids of requests are made of few characters", "httpapi/handler.go", "len(ids) == 1 && saneID(ids[0])", "len(ids) == 1 && (ids[0] == \"\" || !saneID(\"\"))"},
	}},
	{ID: "H2", Package: "httpapi", Test: "TestSecrets", Controls: []Control{
		{"keys are left out of what services say", "said.go", "for _, form := range credentials {", "for _, form := range credentials[:0] {"},
		{"texts are left out of it", "said.go", "&said{withoutTexts(Cause(err), given), err}", "&said{withoutTexts(Cause(err), given[:0]), err}"},
		{"of a wrong key only a part of its hash is logged", "httpapi/failed_keys.go", "hex.EncodeToString(key[:4])", "hex.EncodeToString(key[:4])+secret"},
		{"what services say is not shown", "embed.go", "\"the %s does not answer\", model)", "\"the %s does not answer: %v\", model, err)"},
	}},
	{ID: "H3", Package: "httpapi", Test: "TestHealthUnderLoad", Controls: []Control{
		{"the health asks no model", "health.go", "\terr := e.lib.store.View(ctx, func(tx ReadTx) error {\n\t\t_, err := tx.NextJob(ctx)", "\tif _, err := e.mirror.current().ask(ctx, []string{probeText}); err != nil {\n\t\treturn err\n\t}\n\terr := e.lib.store.View(ctx, func(tx ReadTx) error {\n\t\t_, err := tx.NextJob(ctx)"},
		{"its details need a key", "httpapi/routes.go", "pattern: \"/health/detailed\", handle", "pattern: \"/health/detailed\", open: true, handle"},
	}},
	{ID: "H4", Package: "httpapi", Test: "TestFaultTexts", Controls: []Control{
		{"what is not known is answered without its text", "httpapi/errors.go", "\tif !known {\n\t\treturn problem500\n", "\tif !known {\n\t\treturn &problem{status: 500, message: quire.Cause(err)}\n"},
		{"causes are for the log", "httpapi/errors.go", "message: e.Message, fields", "message: quire.Cause(err), fields"},
		{"so are panics", "httpapi/handler.go", "\tc.answerError(problem500)\n", "\tc.answerError(&problem{status: 500, message: fmt.Sprint(p)})\n"},
	}},
	{ID: "H5", Package: "examples/server", Test: "TestSoak", LongOnly: true, Controls: []Control{
		{"jobs that have ended go", "job_drop.go", "if !j.Status.Final() || !may(j) {", "if j.ID != \"\" {"},
	}},
}
