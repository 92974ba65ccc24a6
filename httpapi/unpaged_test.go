package httpapi

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"
)

// TestUnpagedAnswersKeepNobodyOut: two users ask for all of their long tags, again and again, and
// read nothing. Pages and searches of others do not wait for them.
func TestUnpagedAnswersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.pages.wait = 2 * time.Second
	carl := f.account("carl")
	f.describe(f.ann, 500, 0)
	f.describe(f.bob, 500, 0)
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	for _, a := range []account{f.ann, f.bob} {
		head := fmt.Sprintf("GET /v1/user/tags HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n\r\n", a.key)
		defer flood(t, srv, 8, head, nil)()
	}
	s.smallAnswers.await(t, "some are made", func() bool { return s.smallAnswers.used > 0 })
	for _, path := range []string{"/v1/user/elementals?size=1", "/v1/elementals?search=word&size=1", "/v1/lists?size=1"} {
		f.do(carl.key, "GET", path, "").want(200)
	}
}

// TestLongListsBesideAnAnswer: a user with many long lists need not wait until nobody else has
// any large answer.
func TestLongListsBesideAnAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.largeAnswers.wait = time.Second
	f.describe(f.ann, 0, 210)
	defer s.largeAnswers.take(f.bob.ID, 6<<20)() // a document that bob does not read
	f.do(f.ann.key, "GET", "/v1/user/lists", "").want(200)
}
