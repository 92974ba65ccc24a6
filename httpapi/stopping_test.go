package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire/engine/enginetest"
)

// TestStoppingEndsChats: chats whose LLM is slow keep Shutdown from nothing. They end as a whole
// with 503, one that the LLM has begun to answer too, and a new one does not reach it.
func TestStoppingEndsChats(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	f := newEngineFixture(t, &Options{Stopping: stopping})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	gate := enginetest.NewGate()
	gate.Pass(1)
	f.llm.Script("so far", " and further")
	f.llm.Hold(gate)
	srv := httptest.NewUnstartedServer(f.h)
	srv.Config.RegisterOnShutdown(func() { close(stopping) })
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(gate.Open) // Close waits for the chats, if Shutdown did not end them

	const chats = 3
	answers := make(chan answer, chats)
	for range chats {
		go func() { answers <- f.chatOver(srv) }()
	}
	for range chats + 1 { // each generation comes once, and the one that passes a second time
		<-gate.Arrived()
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Config.Shutdown(ctx); err != nil {
		t.Fatalf("Shutdown: %v", err)
	}
	ended := time.Since(began)
	for range chats {
		a := <-answers
		if a.status != 503 || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
			t.Errorf("a chat that ran: %d %s", a.status, a.body)
			continue
		}
		a.detail(503, errStopping.message)
	}
	asked := len(f.llm.Requests())
	for _, path := range []string{"/v1/kb/chat", "/v1/kb/chat/stream"} {
		f.do(f.ann.key, "POST", path, chatBody).detail(503, errStopping.message)
	}
	if n := len(f.llm.Requests()); n != asked {
		t.Errorf("%d new chats reached the LLM", n-asked)
	}
	f.do(f.ann.key, "POST", "/v1/kb/search", chatBody).want(200) // which is soon done
	if t.Failed() {
		return
	}
	t.Logf("D10: Shutdown ended %d chats with 503 after %.1f s", chats, ended.Seconds())
}

// chatOver asks over the network.
func (f *fixture) chatOver(srv *httptest.Server) answer {
	f.t.Helper()
	req, err := http.NewRequest("POST", srv.URL+"/v1/kb/chat", strings.NewReader(chatBody))
	if err != nil {
		f.t.Error(err)
		return answer{}
	}
	req.Header.Set("X-Api-Key", f.ann.key)
	resp, err := srv.Client().Do(req)
	if err != nil {
		f.t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := io.Copy(&body, resp.Body); err != nil {
		f.t.Errorf("the answer is cut: %v", err)
	}
	return answer{f.t, resp.StatusCode, resp.Header, body.String()}
}
