package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// What stands in a golden file for what differs from run to run.
var (
	contractTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	contractID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{10,16}\b`)
)

// steady replaces times and random ids: an id by the same name all over the file.
func (c *contract) steady(text string) string {
	text = contractTime.ReplaceAllString(text, "<time>")
	return contractID.ReplaceAllStringFunc(text, func(id string) string {
		if c.names[id] == "" {
			c.names[id] = fmt.Sprintf("<id-%d>", len(c.names)+1)
		}
		return c.names[id]
	})
}

// contractHeaders are the headers of answers that are part of the contract.
var contractHeaders = []string{
	"Allow", "Content-Disposition", "Content-Security-Policy", "Content-Type", "ETag", "Idempotent-Replayed", "Location", "Vary", "WWW-Authenticate", "list_URL",
}

// note writes an exchange down.
func (c *contract) note(title string, by account, req *http.Request, body string, a answer) {
	fmt.Fprintf(&c.out, "### %s\n> %s %s\n", c.steady(title), req.Method, c.steady(req.URL.RequestURI()))
	if by.ID != "" {
		fmt.Fprintf(&c.out, "> x-api-key: (%s)\n", by.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		if name != "X-Api-Key" {
			fmt.Fprintf(&c.out, "> %s: %s\n", name, c.steady(strings.Join(req.Header[name], " | ")))
		}
	}
	if body != "" {
		fmt.Fprintf(&c.out, "> %s\n", shortened(c.steady(body), 600))
	}
	fmt.Fprintf(&c.out, "< %d\n", a.status)
	for _, name := range contractHeaders {
		values := append(slices.Clone(a.header[http.CanonicalHeaderKey(name)]), a.header[name]...)
		if len(values) > 0 {
			fmt.Fprintf(&c.out, "< %s: %s\n", name, c.steady(values[0]))
		}
	}
	switch {
	case a.body == "":
	case c.isJSON(a):
		pretty(&c.out, []byte(c.steady(a.body)), "")
		c.out.WriteByte('\n')
	default:
		fmt.Fprintf(&c.out, "(%d bytes, SHA-256 %.6x)\n", len(a.body), sha256.Sum256([]byte(a.body)))
	}
	c.out.WriteByte('\n')
}

// shortened is a text, cut if it is long.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit/2], "") + fmt.Sprintf("... (%d bytes, SHA-256 %.6x)", len(text), sha256.Sum256([]byte(text)))
}

// pretty writes JSON with what is short on one line, the keys in their order.
func pretty(b *bytes.Buffer, raw json.RawMessage, indent string) {
	raw = bytes.TrimSpace(raw)
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		b.Write(raw)
		return
	}
	if line.Len() <= 100 || raw[0] != '{' && raw[0] != '[' {
		b.WriteString(shortened(line.String(), 2000))
		return
	}
	inner := indent + "  "
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the bracket
	b.WriteByte(raw[0])
	if kind := bytes.TrimSpace(raw[1:]); raw[0] == '[' && isNumber(json.RawMessage(kind)) {
		fmt.Fprintf(b, "%s]", shortened(line.String()[1:line.Len()-1], 60))
		return
	}
	for first := true; dec.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + inner)
		if raw[0] == '{' {
			key, _ := dec.Token()
			fmt.Fprintf(b, "%q: ", key)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			panic(err) // json.Compact has accepted it
		}
		pretty(b, value, inner)
	}
	b.WriteString("\n" + indent + map[byte]string{'{': "}", '[': "]"}[raw[0]])
}

// compare compares what was noted with the golden file.
func (c *contract) compare(path string) {
	if *update {
		if err := os.WriteFile(path, c.out.Bytes(), 0o644); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(c.out.String(), "\n")); diff != "" {
		c.t.Errorf("%s (-want +got, -update rewrites it):\n%s", path, diff)
	}
}
