package embedded_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/internal/segment"
)

// shared is where larger sets of public data may lie.
const shared = "../../shared/data/"

// client speaks to a served Quire as its only user.
type client struct {
	t   *testing.T
	url string
	key string
	q   *embedded.Quire
}

// serve opens the default parts in a new directory and serves them.
func serve(t *testing.T) *client {
	t.Helper()
	q := open(t, t.TempDir(), nil)
	if _, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: "ada"}); err != nil {
		t.Fatal(err)
	}
	_, key, err := q.Library.CreateKey(t.Context(), "ada", quire.KeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(httpapi.New(q.Library, q.Engine, nil))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return &client{t, s.URL, key, q}
}

// post sends body as JSON and decodes the answer, whatever its status.
func (c *client) post(path string, body, answer any) int {
	c.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", c.url+path, bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("x-api-key", c.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		c.t.Fatalf("%s answers %d %.200q: %v", path, res.StatusCode, text, err)
	}
	return res.StatusCode
}

// payload is an elemental to create, ingested by itself.
type payload struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	TypeID   int             `json:"type_id"`
	Template string          `json:"template"`
	Settings map[string]bool `json:"settings"`
}

func knowledge(id, title, text string, typeID int) payload {
	return payload{ID: id, Title: title, TypeID: typeID, Template: text, Settings: map[string]bool{"is_knowledge_base": true}}
}

// createAll creates payloads in batches of 100 and returns those that were stored.
func (c *client) createAll(all []payload) []payload {
	c.t.Helper()
	var stored []payload
	for start := 0; start < len(all); start += 100 {
		batch := all[start:min(start+100, len(all))]
		var answer struct{ Response json.RawMessage }
		switch status := c.post("/v1/user/elementals", batch, &answer); status {
		case 201:
			stored = append(stored, batch...)
		case 206:
			var part struct {
				Created []struct{ Index int }
				Errors  []struct{ Index int }
			}
			if err := json.Unmarshal(answer.Response, &part); err != nil {
				c.t.Fatal(err)
			}
			if len(part.Created)+len(part.Errors) != len(batch) {
				c.t.Fatalf("%d created and %d errors of %d", len(part.Created), len(part.Errors), len(batch))
			}
			for _, it := range part.Created {
				stored = append(stored, batch[it.Index])
			}
		default:
			c.t.Fatalf("create answers %d", status)
		}
	}
	return stored
}

// settle waits until no ingest is queued or running and returns how many failed.
func (c *client) settle() int {
	c.t.Helper()
	for {
		counts := c.q.Engine.Health(c.t.Context()).Components["jobs"].Counts
		if counts["queued"]+counts["running"] == 0 {
			return counts["failed"]
		}
		time.Sleep(20 * time.Millisecond)
	}
}

type source struct {
	Elemental string `json:"snack_elemental_id"`
	Text      string `json:"text"`
}

// findsByPhrase searches for a phrase of every nth text and counts those whose
// elemental is among the first three.
func (c *client) findsByPhrase(stored []payload, nth int) (found, asked int) {
	c.t.Helper()
	rare := rareness(stored)
	for i := 0; i < len(stored); i += nth {
		phrase := rare.phrase(stored[i].Template)
		if phrase == "" {
			continue
		}
		asked++
		var answer struct {
			Items []struct {
				Payload struct {
					Elemental string `json:"snack_elemental_id"`
				}
			}
		}
		if status := c.post("/v1/kb/search", map[string]any{"query": phrase, "limit": 3, "filters": map[string]any{"tenant_id": "ada"}}, &answer); status != 200 {
			c.t.Fatalf("search answers %d", status)
		}
		for _, it := range answer.Items {
			if it.Payload.Elemental == stored[i].ID {
				found++
				break
			}
		}
	}
	return found, asked
}

// frequency counts in how many texts a word occurs.
type frequency map[string]int

func rareness(all []payload) frequency {
	f := frequency{}
	for _, p := range all {
		seen := map[string]bool{}
		for _, w := range segment.Words(p.Template) {
			if !seen[w] {
				seen[w] = true
				f[w]++
			}
		}
	}
	return f
}

// phrase returns the eight words of a text that are the rarest together.
func (f frequency) phrase(text string) string {
	words := segment.Words(text)
	best, least := "", 0.0
	for i := 0; i+8 <= len(words); i++ {
		sum := 0.0
		for _, w := range words[i : i+8] {
			sum += 1 / float64(f[w])
		}
		if sum > least {
			best, least = strings.Join(words[i:i+8], " "), sum
		}
	}
	return best
}

func TestRealPrompts(t *testing.T) {
	if testing.Short() {
		t.Skip("the real prompts run without -short")
	}
	file, err := os.Open(shared + "prompts/prompts.jsonl")
	if err != nil {
		t.Skip("the set of real prompts is not there:", err)
	}
	defer file.Close()
	var all []payload
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, knowledge(fmt.Sprintf("prompt-%d", len(all)), p.Title, p.Text, quire.TypePrompt))
	}
	c := serve(t)
	stored := c.createAll(all)
	failed := c.settle()
	found, asked := c.findsByPhrase(stored, 7)
	t.Logf("%d prompts: %d stored, %d ingests failed; %d of %d found by a phrase among the first three", len(all), len(stored), failed, found, asked)
	if len(all) != 1524 || len(stored) != 1439 || failed != 0 {
		t.Error("want 1,524 prompts, 1,439 of them stored, no failed ingest")
	}
	if found < asked*95/100 {
		t.Error("want at least 95 % found")
	}
}

func TestRealDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("the real documents run without -short")
	}
	root := shared + "markdown-docs"
	if _, err := os.Stat(root); err != nil {
		t.Skip("the set of real documents is not there:", err)
	}
	var all []payload
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		doc, err := extract.Text(name, data, nil)
		if err != nil {
			return err
		}
		title := []rune(doc.Title + " (documentation)")
		all = append(all, knowledge(fmt.Sprintf("doc-%d", len(all)), string(title[:min(100, len(title))]), doc.Text, quire.TypeDocument))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t)
	stored := c.createAll(all)
	failed := c.settle()
	found, asked := c.findsByPhrase(stored, 2)
	answered := 0
	questions := map[string]string{
		"What is the default port of the Prometheus server?":           "9090",
		"Which metric types does Prometheus have?":                     "gauge",
		"What does the rate function do with counter resets?":          "reset",
		"How do I reload the configuration without a restart?":         "SIGHUP",
		"What is the job label of a target good for?":                  "job",
		"How long does Alertmanager wait before it sends a new group?": "group_wait",
	}
	for question, word := range questions {
		var answer struct {
			Answer  string
			Sources []source
		}
		if status := c.post("/v1/kb/chat", map[string]any{"query": question, "filters": map[string]any{"tenant_id": "ada"}}, &answer); status != 200 {
			t.Fatalf("chat answers %d", status)
		}
		cited := false
		for _, s := range answer.Sources {
			cited = cited || strings.Contains(s.Text, word)
		}
		if cited && strings.Contains(answer.Answer, "[") {
			answered++
		} else {
			t.Logf("%q: no source with %q", question, word)
		}
	}
	t.Logf("%d documents: %d stored, %d ingests failed; %d of %d found by a phrase among the first three; %d of %d questions with the right source", len(all), len(stored), failed, found, asked, answered, len(questions))
	if len(all) != 138 || len(stored) != 138 || failed != 0 {
		t.Error("want 138 documents, all stored, no failed ingest")
	}
	if found < asked*90/100 || answered < len(questions)-1 {
		t.Error("want at least 90 % found by a phrase, and at most one question without its source")
	}
}
