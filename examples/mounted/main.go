// Command mounted is an application that has Quire inside: a small wiki front page
// with its own mux, its own login and its own sessions. Quire's HTTP interface is
// mounted below /knowledge/ and believes the application's session instead of API
// keys.
//
//	go run ./examples/mounted
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8090", "host and port to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "mounted:", quire.Cause(err))
		os.Exit(1)
	}
}

// run serves the application until ctx ends.
func run(ctx context.Context, addr string) (err error) {
	q, err := embedded.Open(ctx, "", &embedded.Options{
		Store:   store.NewMemory(),
		Library: &quire.LibraryOptions{PublicURL: prefix},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close(context.WithoutCancel(ctx))) }()
	app, err := newApp(ctx, q)
	if err != nil {
		return err
	}
	srv := &http.Server{Addr: addr, Handler: app.routes(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.ListenAndServe() }()
	fmt.Printf("Listening on http://%s (users: ada, grace; no password)\n", addr)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return srv.Shutdown(shutdown)
}
