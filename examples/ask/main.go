// Command ask answers a question from a folder of documents, with its sources. It
// needs no key and no network.
//
//	go run ./examples/ask "What happens on a send to a closed channel?"
//
// It asks the documents that come with the Go distribution, or, with -dir, any
// folder of Markdown, HTML or text. With -data it keeps the library, and the next
// run ingests only what has changed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
)

// The exit codes.
const (
	exitAnswered = 0
	exitFailure  = 1
	exitUsage    = 2
)

const usage = `Usage: ask [-dir DIR] [-data DIR] [-json] QUESTION

Answers a question from documents, with numbered sources.

  -dir DIR   the folder of Markdown, HTML and text files to ask, with the folders
             inside it; default: the documents of the Go distribution. Hidden files
             and folders and node_modules are left out, symbolic links not followed.
  -data DIR  keep the library in DIR: the next run ingests only what has changed.
             Default: nothing is kept.
  -json      print the answer as JSON

Exit code: 0 with an answer (also if there is none in the documents), 1 after a
failure, 2 if the command line is wrong.
`

// options are what the command line says.
type options struct {
	dir, data, question string
	json                bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its surroundings as arguments.
func run(ctx context.Context, args []string, stdout io.Writer, stderr *os.File) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitAnswered
	}
	if err != nil {
		fmt.Fprintf(stderr, "ask: %v\n\n%s", err, usage)
		return exitUsage
	}
	err = answer(ctx, opts, stdout, newProgress(stderr))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "ask: interrupted")
	case err != nil:
		fmt.Fprintf(stderr, "ask: %s\n", quire.Cause(err))
	default:
		return exitAnswered
	}
	return exitFailure
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.dir, "dir", "", "")
	flags.StringVar(&o.data, "data", "", "")
	flags.BoolVar(&o.json, "json", false, "")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	for _, arg := range flags.Args() {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && flags.Lookup(name) != nil {
			return options{}, fmt.Errorf("the option %s comes after the question; options come first", arg)
		}
	}
	o.question = strings.TrimSpace(strings.Join(flags.Args(), " "))
	if o.question == "" {
		return options{}, errors.New("a question is missing")
	}
	return o, nil
}

// answer brings the library up to date, asks it and prints the answer.
func answer(ctx context.Context, o options, stdout io.Writer, p *progress) (err error) {
	src, err := chooseSource(ctx, o.dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(src.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	q, err := open(ctx, o.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close(context.WithoutCancel(ctx))) }()
	f, err := openFolder(ctx, q, src)
	if err != nil {
		return err
	}
	paths, err := update(ctx, f, src.name, root.FS(), p)
	if err != nil {
		return err
	}
	r, err := q.Engine.Chat(ctx, quire.ChatRequest{
		Query:   o.question,
		Filters: quire.Filters{TenantID: f.actor.TenantID},
	})
	switch {
	case err != nil:
		return err
	case o.json:
		return printJSON(stdout, r, paths)
	}
	return printAnswer(stdout, r, paths)
}

// open opens the library of a directory, or one in memory that is gone at the end.
func open(ctx context.Context, dir string) (*embedded.Quire, error) {
	if dir != "" {
		return embedded.Open(ctx, dir, nil)
	}
	return embedded.Open(ctx, "", &embedded.Options{Store: store.NewMemory()})
}

// update makes the library hold what the files hold now, all of it ingested, and
// returns the paths of the documents by elemental id.
func update(ctx context.Context, f *folder, name string, fsys fs.FS, p *progress) (map[string]string, error) {
	report := func(path, what string) { p.printf("%s: %s", oneLine(path), what) }
	c, err := scan(ctx, fsys)
	if err != nil {
		return nil, err
	}
	p.start("Reading", len(c.files))
	s := syncer{folder: f, fsys: fsys, report: report}
	err = s.run(ctx, c, p.step)
	p.finish()
	if err != nil {
		return nil, err
	}
	p.printf("%s: %v", name, s.count)
	if what := c.unsupported(); what != "" {
		p.printf("%s: %s", name, what)
	}
	if s.count.documents() == 0 {
		return nil, quire.Errorf(quire.CodeNotFound, "there is no document to ask: the folder needs Markdown, HTML or text files")
	}
	return s.paths, ingest(ctx, f, s.paths, p, report)
}

// ingest waits until all documents are ingested.
func ingest(ctx context.Context, f *folder, paths map[string]string, p *progress, report func(path, what string)) error {
	jobs, err := unfinished(ctx, f, paths)
	if err != nil {
		return err
	}
	p.start("Ingesting", len(jobs))
	defer p.finish()
	return await(ctx, f, jobs, p, func(id, what string) { report(paths[id], what) })
}
