package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const killKey = "owner-key-0123456789"

// create is a request that must take effect once.
type create struct {
	path, body, key string
	creates         int // elementals
	answered        string
}

// send sends the request; answered stays "" if the server dies in between. It returns
// whether the answer was a repetition.
func (c *create) send(t *testing.T, url string) (replayed bool, err error) {
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+c.path, strings.NewReader(c.body))
	if err != nil {
		return false, err
	}
	req.Header.Set("x-api-key", killKey)
	req.Header.Set("Idempotency-Key", c.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return false, err
	}
	if resp.StatusCode != http.StatusCreated {
		t.Errorf("%s: %d %s", c.key, resp.StatusCode, data)
	}
	if c.answered != "" && c.answered != string(data) {
		t.Errorf("%s: answered %s, then %s", c.key, c.answered, data)
	}
	c.answered = string(data)
	return resp.Header.Get("Idempotent-Replayed") == "true", nil
}

// createUntilKilled sends new requests from several clients and kills the server in
// the middle. It returns all requests that were begun.
func createUntilKilled(t *testing.T, r *running, round int) []*create {
	t.Helper()
	var mu sync.Mutex
	var begun []*create
	first := sync.OnceFunc(func() { // from here on it may die at any moment
		time.AfterFunc(time.Duration(rand.IntN(200_000))*time.Microsecond, func() { r.cmd.Process.Kill() })
	})
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("%d-%d-%d", round, client, i)
				one := `{"title":"Killed ` + name + ` first","type_id":3,"category_id":18,"template":"x","settings":{"is_knowledge_base":true}}`
				c := &create{"/v1/user/elemental", one, name, 1, ""}
				if i%3 == 2 {
					c.path, c.body, c.creates = "/v1/user/elementals", "["+one+","+strings.Replace(one, "first", "second", 1)+"]", 2
				}
				mu.Lock()
				begun = append(begun, c)
				mu.Unlock()
				if _, err := c.send(t, r.url); err != nil {
					return
				}
				first()
			}
		})
	}
	clients.Wait()
	io.Copy(io.Discard, r.stdout)
	r.cmd.Wait() // reports the kill
	return begun
}

// TestOnceAcrossKills kills the server again and again while clients create things. All
// requests are sent again afterwards: each has taken effect once, and whatever was
// answered before is answered again.
func TestOnceAcrossKills(t *testing.T) {
	t.Parallel()
	kills := 6
	if testing.Short() {
		kills = 2
	}
	data := filepath.Join(t.TempDir(), "data")
	serve := func() *running { return start(t, "owner="+killKey, "-data", data) }
	var begun []*create
	want, answered, repeated := 0, 0, 0
	for round := range kills {
		begun = createUntilKilled(t, serve(), round)
		r := serve()
		for _, c := range begun {
			known := c.answered != ""
			replayed, err := c.send(t, r.url)
			if err != nil {
				t.Fatal(err)
			}
			if known && !replayed {
				t.Errorf("%s was answered before the kill and is forgotten", c.key)
			}
			want += c.creates
			if known {
				answered++
			} else if replayed {
				repeated++ // committed, but not answered
			}
		}
		found := call(t, http.StatusOK, killKey, "GET", r.url+"/v1/elementals?search=killed", "")
		if n := at(found, "meta", "total"); n != float64(want) {
			t.Errorf("round %d: %v elementals, want %d", round, n, want)
		}
		r.cmd.Process.Kill()
		io.Copy(io.Discard, r.stdout)
		r.cmd.Wait() // reports the kill
	}
	t.Logf("%d kills: %d elementals, each created once; %d requests were answered before a kill, %d more had taken effect", kills, want, answered, repeated)
	if answered == 0 {
		t.Error("no request was answered before a kill")
	}
}
