package httpapi

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// A client that asks for a long answer and does not read it is let go, whichever way
// the answer is sent; one that reads slowly gets all of it.
func TestLongAnswerStuckReader(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.h.(*server).opts.WriteTimeout = time.Second
	e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
		Title: "A very long document", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: strings.Repeat("many words ", 1<<19),
	})
	if err != nil {
		t.Fatal(err)
	}
	id := e.ID
	list := f.list(f.ann, "With it", id)
	e, err = f.lib.AddMedia(t.Context(), f.ann.Actor(), id, quire.MediaInput{Files: []quire.Upload{{Data: bytes.Repeat([]byte("x"), 12<<20)}}})
	if err != nil {
		t.Fatal(err)
	}
	file := "/file/" + formatID(e.Details.Media[0].ID)
	ended := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { ended <- struct{}{} }() // also where the handler cuts the connection
		f.h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	dial := func(path string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-api-key: "+f.ann.key+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	for _, path := range []string{"/v1/elemental/" + id, "/v1/list/" + list + "?expand_items=true", "/v1/elemental/" + id + file} {
		conn := dial(path)
		select {
		case <-ended:
		case <-time.After(2 * time.Minute):
			t.Errorf("%s waits for a reader that is stuck", path)
		}
		conn.Close()

		conn = dial(path)
		n, part := 0, make([]byte, 4<<20)
		for {
			k, err := io.ReadFull(conn, part)
			n += k
			if err != nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if n < 10<<20 || part[0] == 0 {
			t.Errorf("%s: a slow reader got %d bytes", path, n)
		}
		conn.Close()
		<-ended
	}
}
