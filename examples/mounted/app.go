package main

import (
	"context"
	"crypto/rand"
	"errors"
	"html/template"
	"net/http"
	"sync"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/httpapi"
)

const (
	prefix  = "/knowledge" // where Quire is mounted
	session = "session"    // the name of the cookie
	team    = "wiki"       // the tenant of all users: they share what they know
)

// An app is the application around Quire.
type app struct {
	q *embedded.Quire

	mu       sync.Mutex
	sessions map[string]quire.User // by the value of the cookie
}

// newApp makes the application with its users and a first page of knowledge.
func newApp(ctx context.Context, q *embedded.Quire) (*app, error) {
	for _, id := range []string{"ada", "grace"} {
		if _, err := q.Library.CreateUser(ctx, quire.UserInput{ID: id, TenantID: team, Name: id}); err != nil {
			return nil, err
		}
	}
	_, err := q.Library.CreateElemental(ctx, quire.Actor{UserID: "ada", TenantID: team}, quire.ElementalInput{
		Title:      "How we work together",
		TypeID:     quire.TypeDocument,
		CategoryID: quire.CategoryText,
		Body:       "The kitchen is cleaned on Fridays. Whoever breaks the build repairs it before lunch.",
		Settings:   quire.Settings{KnowledgeBase: true},
	})
	return &app{q: q, sessions: map[string]quire.User{}}, err
}

// routes is the application's own mux, with Quire under its prefix.
func (a *app) routes() http.Handler {
	api := httpapi.New(a.q.Library, a.q.Engine, &httpapi.Options{Prefix: prefix, Authenticate: a.user})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.front)
	mux.HandleFunc("POST /login", a.login)
	mux.Handle(prefix+"/", api)
	// Browsers name the site that a request comes from; one from another site must not
	// act with the user's session.
	return http.NewCrossOriginProtection().Handler(mux)
}

// user tells Quire whose request it is: that of the session.
func (a *app) user(r *http.Request) (quire.User, error) {
	c, err := r.Cookie(session)
	if err != nil {
		return quire.User{}, quire.ErrUnauthenticated
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	u, ok := a.sessions[c.Value]
	if !ok {
		return quire.User{}, quire.ErrUnauthenticated
	}
	return u, nil
}

// login begins a session. A real application asks for a password first.
func (a *app) login(w http.ResponseWriter, r *http.Request) {
	u, err := a.q.Library.User(r.Context(), r.FormValue("user"))
	switch {
	case errors.Is(err, quire.ErrNotFound):
		http.Error(w, "unknown user", http.StatusUnauthorized)
		return
	case err != nil:
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	token := rand.Text()
	a.mu.Lock()
	a.sessions[token] = u
	a.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: session, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// frontPage shows the login, or a question with its answer.
var frontPage = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Wiki</title>
{{if .User}}
<p>Hello {{.User}}. The knowledge interface is below <code>/knowledge/v1/</code>.</p>
<form><label>Question <input name="q" value="{{.Question}}"></label> <button>Ask</button></form>
{{if .Question}}<p>{{.Answer.Answer}}</p>
<ol>{{range .Answer.Sources}}<li>{{.Chunk.Title}}</li>{{end}}</ol>{{end}}
{{else}}
<form method="post" action="/login"><label>User <input name="user"></label> <button>Log in</button></form>
{{end}}
</html>
`))

// front is a page of the application that asks the Engine directly, without HTTP.
func (a *app) front(w http.ResponseWriter, r *http.Request) {
	var page struct {
		User, Question string
		Answer         quire.ChatResponse
	}
	if u, err := a.user(r); err == nil {
		page.User, page.Question = u.Name, r.FormValue("q")
		if page.Question != "" {
			page.Answer, err = a.q.Engine.Chat(r.Context(), quire.ChatRequest{
				Query:   page.Question,
				Filters: quire.Filters{TenantID: u.TenantID},
			})
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	frontPage.Execute(w, page) // an error is a client that has left
}
