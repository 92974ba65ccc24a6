package reliability

// server is area D: the HTTP server and its streams.
var server = []Row{
	{ID: "D1", Package: "httpapi", Test: "TestSlowClients", Controls: []Control{
		{"bodies have deadlines", "httpapi/handler.go", "\tc.slow = s.limitBody(w, r)\n", ""},
		{"answers have deadlines", "httpapi/call.go", "\t_ = http.NewResponseController(c.w).SetWriteDeadline(c.writeDeadline())\n\tn, err", "\tn, err"},
		{"what net/http writes after the handler has one", "httpapi/handler.go", "\tdefer c.limitEnd()\n", ""},
	}},
	{ID: "D1", Package: "httpapi", Test: "TestSteadyReadersGetAll", Controls: []Control{
		{"what buffers hold back has longer", "httpapi/call.go", "longTimes    = 3", "longTimes    = 1"},
	}},
	{ID: "D2", Package: "httpapi", Test: "TestStreamOutlivesServerTimeouts", Controls: []Control{
		{"a stream takes the server's deadline over", "httpapi/event_writer.go", "\t_ = w.rc.SetWriteDeadline(time.Time{})\n\treturn w\n", "\treturn w\n"},
		{"a deadline ends with its event", "httpapi/event_writer.go", "\t_ = w.rc.SetWriteDeadline(time.Time{})\n\treturn nil\n", "\treturn nil\n"},
	}},
	{ID: "D2", Package: "httpapi", Test: "TestStreamStuckReader", Controls: []Control{
		{"each event has a deadline", "httpapi/event_writer.go", "\t_ = w.rc.SetWriteDeadline(time.Now().Add(w.timeout))\n", ""},
	}},
	{ID: "D3", Package: "httpapi", Test: "TestStreamClientGone", Controls: []Control{
		{"the call to the model ends with the request", "httpapi/stream.go", "generate(ctx, open(ctx))", "generate(ctx, open(context.WithoutCancel(ctx)))"},
	}},
	{ID: "D4", Package: "httpapi", Test: "TestStreamText", Controls: []Control{
		{"half a rune waits for its end", "httpapi/event_writer.go", "whole, w.rest = wholeRunes(w.rest + piece); whole", "whole = piece; whole"},
	}},
	{ID: "D5", Package: "httpapi", Test: "TestStreamFailures", Controls: []Control{
		{"a late error is an event", "httpapi/stream.go", "return out.fail(c.report(err).message)", "return out.end()"},
		{"the end comes after an error", "httpapi/event_writer.go", "if err := w.event(\"error\", detailJSON{Detail: message}); err != nil {\n\t\treturn err\n\t}\n\treturn w.end()", "return w.event(\"error\", detailJSON{Detail: message})"},
	}},
	{ID: "D6", Package: "httpapi", Test: "TestCreateManyAtEachPlace", Controls: []Control{
		{"a fault of the Store undoes all", "elemental.go", "into)\n\t\t\tif err != nil && !ruleBroken(err) {", "into)\n\t\t\tif err != nil && ruleBroken(nil) {"},
	}},
	{ID: "D7", Package: "httpapi", Test: "TestEveryRouteAstray", Controls: []Control{
		{"a path fits to its end", "httpapi/router.go", "if len(segments) != len(r.segments) {", "if len(segments) < len(r.segments) {"},
		{"a 405 says what is allowed", "httpapi/errors.go", "\t\th.Set(\"Allow\", p.allow)\n", ""},
		{"a 405 says all that is allowed", "httpapi/router.go", "\t\tallowed = append(allowed, row.method)\n", "\t\tallowed = []string{row.method}\n"},
	}},
	{ID: "D8", Package: "httpapi", Test: "TestFaults", Controls: []Control{
		{"a panic is answered", "httpapi/handler.go", "\t\t\tc.panicked(p, debug.Stack())\n", "\t\t\t_ = debug.Stack()\n"},
		{"an answer is encoded before its status is sent", "httpapi/call.go", "\tif err := enc.Encode(body); err != nil {\n\t\treturn err\n\t}\n\th := c.w.Header()", "\t_ = enc.Encode(body)\n\th := c.w.Header()"},
	}},
	{ID: "D8", Package: "httpapi", Test: "TestStreamPanic", Controls: []Control{
		{"a panic in the goroutine of a generation is caught", "httpapi/stream.go", "if p := recover(); p != nil {", "if p := any(nil); p != nil {"},
	}},
	{ID: "D9", Package: "httpapi", Test: "TestURLHeader", Controls: []Control{
		{"the header keeps its spelling", "httpapi/lists.go", "c.w.Header()[\"list_URL\"] = []string{l.URL}", "c.w.Header().Set(\"list_URL\", l.URL)"},
		{"addresses begin with what is configured", "httpapi/lists.go", "c.w.Header().Set(\"Location\", l.URL)", "c.w.Header().Set(\"Location\", \"https://\"+c.r.Host+c.r.URL.Path)"},
	}},
	{ID: "D10", Package: "httpapi", Test: "TestLoad", Long: true, Controls: []Control{
		{"streams end when the server stops", "httpapi/stream.go", "case <-s.opts.Stopping:", "case <-(chan struct{})(nil):"},
	}},
	{ID: "D10", Package: "httpapi", Test: "TestStoppingEndsChats", Controls: []Control{
		{"chats end when the server stops", "httpapi/stopping.go", "cancel(errStopping)", "_ = errStopping"},
	}},
	{ID: "D11", Package: "httpapi", Test: "TestRateOverHTTP", Controls: []Control{
		{"each key has a limit of its own", "httpapi/rate.go", "who += \"\\x00\" + c.r.Header.Get(\"X-Api-Key\")", "who += \"\\x00\""},
	}},
}
