// Command server serves a whole Quire over HTTP: the content interface and the
// knowledge engine.
//
//	go run ./examples/server -addr 127.0.0.1:8080 -data quire-data
//
// On the first start it makes a user and prints its id and API key, or it takes
// users from the environment variable QUIRE_USERS. SIGINT and SIGTERM stop it;
// requests that run are finished first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/httpapi"
)

// The exit codes.
const (
	exitStopped = 0
	exitFailure = 1
	exitUsage   = 2
)

const (
	headerTimeout = 10 * time.Second // for the header of a request
	readTimeout   = 5 * time.Minute  // for all of it: 64 MiB over a slow line
	idleTimeout   = 2 * time.Minute  // between the requests of a connection
	stopTimeout   = 10 * time.Second // for requests and ingests that still run
)

const usage = `Usage: server [-addr ADDRESS] [-data DIR] [-demo]

Serves a Quire over HTTP.

  -addr ADDRESS  host and port to listen on; default 127.0.0.1:8080
  -data DIR      where everything is kept; default quire-data
  -demo          fill a new library with a few prompts, snippets and a document

QUIRE_USERS names the users and their API keys: id=key pairs separated by commas,
each key at least 16 characters. Without it the first start makes a user and
prints its key.
`

// options are what the command line and the environment say.
type options struct {
	addr, data string
	demo       bool
	users      []credentials // empty: the first start makes one
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv("QUIRE_USERS"), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its surroundings as arguments; it serves until ctx ends.
func run(ctx context.Context, args []string, users string, stdout, stderr io.Writer) int {
	opts, err := parse(args, users)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitStopped
	case err != nil:
		fmt.Fprintf(stderr, "server: %v\n\n%s", err, usage)
		return exitUsage
	}
	if err := serve(ctx, opts, stdout, stderr); err != nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "server: %s\n", quire.Cause(err))
		return exitFailure
	}
	return exitStopped
}

func parse(args []string, users string) (options, error) {
	var o options
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8080", "")
	fs.StringVar(&o.data, "data", "quire-data", "")
	fs.BoolVar(&o.demo, "demo", false, "")
	if err := fs.Parse(args); err != nil {
		return options{}, err
	}
	if fs.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	var err error
	o.users, err = parseUsers(users)
	return o, err
}

// serve opens the library, serves it until ctx ends, and closes it.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	// First, so that a busy port leaves no library and no key behind.
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return err
	}
	defer ln.Close()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	q, err := embedded.Open(ctx, o.data, &embedded.Options{Logger: log})
	if err != nil {
		return err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, q.Close(stop))
	}()
	owner, err := ensureUsers(ctx, q.Library, o.users, stdout)
	if err != nil {
		return err
	}
	if o.demo {
		if err := fillDemo(ctx, q.Library, owner.Actor()); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "Listening on http://%v\n", ln.Addr())
	return serveHTTP(ctx, ln, httpapi.New(q.Library, q.Engine, &httpapi.Options{Logger: log, Stopping: ctx.Done()}), log)
}

// serveHTTP serves h on ln until ctx ends, then lets running requests finish for a
// while.
func serveHTTP(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		// No WriteTimeout: it would cut answers that are streamed.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := srv.Shutdown(stop); err != nil {
		srv.Close() // what is still running after that long is cut off
	}
	<-failed // Serve has returned
	return nil
}
