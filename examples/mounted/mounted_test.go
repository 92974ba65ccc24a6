package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
)

// newServer starts the application with all its knowledge ingested.
func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	ctx := t.Context()
	q, err := embedded.Open(ctx, "", &embedded.Options{Store: store.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	app, err := newApp(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := q.Engine.Jobs(ctx, team, "", quire.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs.Items {
		if _, err := q.Engine.Wait(ctx, team, j.ID); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(app.routes())
	t.Cleanup(func() {
		srv.Close()
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// browser is a client that keeps cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// want does a request that must have that status and returns the body.
func want(t *testing.T, status int) func(resp *http.Response, err error) string {
	return func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != status {
			t.Fatalf("%s: %d, want %d: %s", resp.Request.URL, resp.StatusCode, status, body)
		}
		return string(body)
	}
}

func TestMounted(t *testing.T) {
	t.Parallel()
	srv := newServer(t)
	const question = `{"query":"Who repairs the build?","filters":{"tenant_id":"wiki"}}`

	stranger := browser(t)
	if page := want(t, 200)(stranger.Get(srv.URL + "/")); !strings.Contains(page, "Log in") {
		t.Errorf("no login in %s", page)
	}
	want(t, 401)(stranger.Get(srv.URL + "/knowledge/v1/user/tags"))
	want(t, 401)(stranger.PostForm(srv.URL+"/login", url.Values{"user": {"mallory"}}))
	want(t, 404)(stranger.Get(srv.URL + "/v1/user/tags")) // only below the prefix

	grace := browser(t)
	if page := want(t, 200)(grace.PostForm(srv.URL+"/login", url.Values{"user": {"grace"}})); !strings.Contains(page, "Hello grace") {
		t.Errorf("not logged in: %s", page)
	}
	want(t, 200)(grace.Get(srv.URL + "/knowledge/v1/user/tags"))
	// What ada wrote belongs to the team of both.
	if answer := want(t, 200)(grace.Post(srv.URL+"/knowledge/v1/kb/chat", "application/json", strings.NewReader(question))); !strings.Contains(answer, "before lunch") {
		t.Errorf("the interface answered %s", answer)
	}
	if page := want(t, 200)(grace.Get(srv.URL + "/?q=Who+repairs+the+build")); !strings.Contains(page, "before lunch") {
		t.Errorf("the page answered %s", page)
	}
	other := strings.Replace(question, "wiki", "ada", 1)
	want(t, 403)(grace.Post(srv.URL+"/knowledge/v1/kb/chat", "application/json", strings.NewReader(other)))
}

func TestOtherSites(t *testing.T) {
	t.Parallel()
	srv := newServer(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+"/login", strings.NewReader("user=ada"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	want(t, 403)(http.DefaultClient.Do(req))
}
