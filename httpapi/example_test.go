package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/store"
)

// A program that has its own mux and its own users mounts the content routes under a
// prefix.
func ExampleNew() {
	lib, err := quire.NewLibrary(context.Background(), store.NewMemory(), nil)
	if err != nil {
		log.Fatal(err)
	}
	api := httpapi.New(lib, nil, &httpapi.Options{
		Prefix: "/library",
		Authenticate: func(r *http.Request) (quire.User, error) {
			name := r.Header.Get("X-Session-User") // in earnest: look the session up
			if name == "" {
				return quire.User{}, quire.ErrUnauthenticated
			}
			return quire.User{ID: name}, nil
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/library/", api)

	for _, user := range []string{"ann", ""} {
		req := httptest.NewRequest("POST", "/library/v1/user/list", strings.NewReader(`{"title":"Reading list"}`))
		if user != "" {
			req.Header.Set("X-Session-User", user)
		}
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, req)
		fmt.Println(rec.Code, strings.Contains(rec.Body.String(), `"title":"Reading list"`))
	}
	// Output:
	// 201 true
	// 401 false
}
