package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fetchScript reads a stream as a page in a browser does: with fetch, a reader and a text
// decoder, line by line.
const fetchScript = `
const response = await fetch(process.argv[1]);
const seen = {type: response.headers.get("content-type"), text: "", sources: null, done: 0, after: 0, other: 0};
const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({
  start() { this.rest = ""; },
  transform(chunk, out) {
    const parts = (this.rest + chunk).split("\n");
    this.rest = parts.pop();
    parts.forEach(line => out.enqueue(line));
  },
}));
for await (const line of lines) {
  if (line === "" || line.startsWith(":")) continue;
  if (seen.done > 0) seen.after++;
  if (line === "data: [DONE]") { seen.done++; continue; }
  const event = JSON.parse(line.slice("data: ".length));
  if (event.event === "message") seen.text += event.data.content;
  else if (event.event === "sources") seen.sources = event.data.sources.length;
  else seen.other++;
}
console.log(JSON.stringify(seen));
`

// A page in a browser gets the whole answer through fetch, heartbeats between its pieces
// included. Node.js has the same fetch; without it the test is skipped.
func TestStreamThroughFetch(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: no fetch to read a stream with")
	}
	text := "Zoë says: \n\ndata: [DONE]\n\nevent: x \u2028 日本語 👩‍👩‍👧‍👦 "
	var pieces []string
	for i := range len(text) { // every rune is split
		pieces = append(pieces, text[i:i+1])
	}
	srv := httptest.NewServer(streamHandler(Options{HeartbeatInterval: time.Millisecond}, time.Second, script(pieces...)))
	defer srv.Close()
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "-e", fetchScript, srv.URL+"/health/stream")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := map[string]any{"type": "text/event-stream", "text": text, "sources": 0.0, "done": 1.0, "after": 0.0, "other": 0.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
