package httpapi

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// secondKey is one more key of a user.
func (f *fixture) secondKey(user string, in quire.KeyInput) (quire.Key, string) {
	f.t.Helper()
	k, secret, err := f.lib.CreateKey(f.t.Context(), user, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return k, secret
}

// TestKeyExpires: a key is good until its moment and no request longer; other keys of
// the user stay good.
func TestKeyExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngineFixture(t, nil)
		_, secret := f.secondKey("ann", quire.KeyInput{ExpiresAt: new(time.Now().Add(time.Hour))})
		validate := func(key string) answer { return f.do(key, "GET", "/v1/auth/token/validate", "") }
		validate(secret).want(200).has("response.id", `"ann"`)
		time.Sleep(time.Hour - time.Microsecond)
		validate(secret).want(200)
		f.do(secret, "GET", "/v1/kb/jobs", "").want(200)
		time.Sleep(time.Microsecond)
		if got, want := validate(secret).want(401).seen(), validate("nobody's-key-0123456789").seen(); got != want {
			t.Errorf("an expired key is told apart:\n%s\n%s", got, want)
		}
		before := f.snapshot()
		f.do(secret, "POST", "/v1/user/elemental", `{`+newElemental+`}`).want(401)
		f.do(secret, "GET", "/v1/kb/jobs", "").want(401)
		if f.snapshot() != before {
			t.Error("something changed")
		}
		time.Sleep(1000 * time.Hour)
		validate(secret).want(401)
		validate(f.ann.key).want(200)
	})
}

// TestKeyRevoked: a revoked key is useless from then on, also if it was used a moment
// ago; other keys of the user stay good.
func TestKeyRevoked(t *testing.T) {
	t.Parallel()
	rounds, after, accepted := 0, 0, 0
	onEachStore(t, func(f *fixture) {
		f.revoking()
		for _, rt := range slices.Concat(contentRoutes, engineRoutes) { // each with a key of its own that it has just taken
			if rt.open {
				continue
			}
			k, secret := f.secondKey("ann", quire.KeyInput{})
			ask := func() answer {
				return f.do(secret, rt.method, fill(rt.pattern, "5"), goodBodies[rt.method+" "+rt.pattern])
			}
			if a := ask(); a.status == 401 {
				t.Fatalf("%s %s with a good key: %s", rt.method, rt.pattern, a.body)
			}
			if err := f.lib.RevokeKey(t.Context(), "ann", k.ID); err != nil {
				t.Fatal(err)
			}
			before := f.snapshot()
			for range 2 {
				if after++; ask().status != 401 {
					accepted++
				}
			}
			if f.snapshot() != before {
				t.Errorf("%s %s with a revoked key: something changed", rt.method, rt.pattern)
			}
			rounds++
		}
	})
	if accepted != 0 {
		t.Errorf("%d of %d requests with a revoked key were accepted", accepted, after)
	}
	if t.Failed() {
		return
	}
	t.Logf("E9: %d keys revoked right after they were used, on 2 stores and each route: %d of %d requests afterwards accepted", rounds, accepted, after)
}

// revoking revokes a key, which the handler remembers as a good one, while a stream that
// it opened goes on.
func (f *fixture) revoking() {
	t := f.t
	f.h = New(f.lib, f.eng, &Options{FailedKeys: Rate{PerMinute: 6000, Burst: 1000}})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	k, secret := f.secondKey("ann", quire.KeyInput{ExpiresAt: new(time.Now().Add(time.Hour))})
	f.do(secret, "GET", "/v1/user/tags", "").want(200)
	gate := enginetest.NewGate()
	f.llm.Hold(gate)
	const chat = `{"query":"sail a boat","filters":{"tenant_id":"ann"}}`
	streamed := make(chan answer)
	go func() { streamed <- f.do(secret, "POST", "/v1/kb/chat/stream", chat) }()
	<-gate.Arrived()
	f.llm.Hold(nil)
	if err := f.lib.RevokeKey(t.Context(), "bob", k.ID); quire.CodeOf(err) != quire.CodeNotFound {
		t.Errorf("another user's key was revoked: %v", err)
	}
	f.do(secret, "GET", "/v1/user/tags", "").want(200)
	for range 2 {
		if err := f.lib.RevokeKey(t.Context(), "ann", k.ID); err != nil {
			t.Fatal(err)
		}
		f.do(secret, "GET", "/v1/user/tags", "").want(401)
		f.do(secret, "POST", "/v1/kb/chat/stream", chat).want(401)
	}
	gate.Open()
	(<-streamed).want(200) // it was let in while the key was good
	f.do(secret, "POST", "/v1/kb/chat/stream", chat).want(401)
	f.do(f.ann.key, "GET", "/v1/user/tags", "").want(200)
	if _, _, err := f.lib.CreateKey(t.Context(), "bob", quire.KeyInput{Secret: secret}); quire.CodeOf(err) != quire.CodeConflict {
		t.Errorf("a revoked key was given to another user: %v", err)
	}
}

// TestReceiptsAreOwn: on every route with an Idempotency-Key the answer of one user is
// never given to another, of the same tenant neither, nor to a key that is good no more.
func TestReceiptsAreOwn(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, rt := range contentRoutes {
		if !rt.once {
			continue
		}
		checked++
		t.Run(rt.pattern, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { receiptsAreOwn(t, rt) })
		})
	}
	if checked < 4 {
		t.Errorf("only %d routes take a key", checked)
	}
}

func receiptsAreOwn(t *testing.T, rt route) {
	f := newFixture(t, nil)
	u, err := f.lib.CreateUser(t.Context(), quire.UserInput{ID: "amy", TenantID: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	_, amy := f.secondKey(u.ID, quire.KeyInput{})
	path, body := fill(rt.pattern, f.elemental(f.ann, "A document to add to", "")), goodBodies[rt.method+" "+rt.pattern]
	send := func(key string) answer { return f.do(key, rt.method, path, body, "Idempotency-Key", "k") }

	k, revoked := f.secondKey("ann", quire.KeyInput{})
	_, expiring := f.secondKey("ann", quire.KeyInput{ExpiresAt: new(time.Now().Add(time.Hour))})
	first := send(revoked).want(201).replayed(false)
	if err := f.lib.RevokeKey(t.Context(), "ann", k.ID); err != nil {
		t.Fatal(err)
	}
	// Receipts are the user's: each of its keys that is good gets them, no other one.
	if again := send(expiring).want(201).replayed(true); again.body != first.body {
		t.Errorf("the answer again is %s", again.body)
	}
	time.Sleep(time.Hour)
	nobody := send("nobody's-key-0123456789").want(401)
	for _, key := range []string{"", revoked, expiring} {
		if a := send(key).want(401).replayed(false); a.seen() != nobody.seen() {
			t.Errorf("a 401 is told apart:\n%s\n%s", a.seen(), nobody.seen())
		}
	}
	id := firstID(first)
	for _, key := range []string{f.bob.key, amy} {
		if path != rt.pattern { // where it is Ann's elemental that is added to
			send(key).want(403).replayed(false)
			continue
		}
		a := send(key).want(201).replayed(false)
		if firstID(a) == id || strings.Contains(a.body, `"ann"`) {
			t.Errorf("the answer of Ann was given to somebody else: %s", a.body)
		}
		send(key).want(201).replayed(true)
	}

	// The answer stays the first one, whatever became of what was created.
	f.forget(rt, id)
	before := f.snapshot()
	again := send(f.ann.key).want(201).replayed(true)
	if again.body != first.body {
		t.Errorf("the answer says something new:\n%s\n%s", first.body, again.body)
	}
	if f.snapshot() != before {
		t.Error("a repetition changed something")
	}
}

// firstID is the id of what a create made, of the first one if they are many.
func firstID(a answer) string {
	a.t.Helper()
	if _, many := a.at("response").([]any); many {
		return a.str("response.0.id")
	}
	return a.str("response.id")
}

// forget deletes what a create made; it must be gone then.
func (f *fixture) forget(rt route, id string) {
	f.t.Helper()
	switch {
	case strings.Contains(rt.pattern, "/tag"):
		f.do(f.ann.key, "DELETE", "/v1/user/tag/"+id, "").want(204)
		f.do(f.ann.key, "DELETE", "/v1/user/tag/"+id, "").want(404)
	case strings.HasSuffix(rt.pattern, "/list"):
		f.do(f.ann.key, "DELETE", "/v1/user/list/"+id, "").want(204)
		f.do(f.ann.key, "GET", "/v1/list/"+id, "").want(404)
	default:
		f.do(f.ann.key, "DELETE", "/v1/elemental/"+id, "").want(204)
		f.do(f.ann.key, "GET", "/v1/elemental/"+id, "").want(404)
	}
}
