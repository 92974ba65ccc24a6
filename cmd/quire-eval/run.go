package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/engine/rerank"
	"github.com/quirelib/quire/eval"
)

// run measures all settings and prints the report.
func (s *settings) run(ctx context.Context) error {
	set, err := s.read()
	if err != nil {
		return err
	}
	set = set.Sample(s.n)
	if s.library == "" && len(set.Documents) == 0 {
		return errors.New("the questions have no passages: name the documents with -docs, -data or -library")
	}
	var report *eval.Report
	for i, e := range s.embedders {
		one, err := s.measure(ctx, set, e, i == 0)
		if err != nil {
			return err
		}
		report = joined(report, one)
	}
	return s.print(report)
}

// joined returns a report with the results of another one of the same set; the first may be
// nil.
func joined(r, other *eval.Report) *eval.Report {
	if r == nil {
		return other
	}
	r.Results = append(r.Results, other.Results...)
	r.Unfound = slices.DeleteFunc(r.Unfound, func(name string) bool { return !slices.Contains(other.Unfound, name) })
	return r
}

// read reads what is measured with.
func (s *settings) read() (*eval.Dataset, error) {
	if s.questions == "" {
		return eval.ReadBEIR(os.DirFS(s.data), &eval.BEIROptions{
			Name: filepath.Base(s.data), Queries: filepath.ToSlash(s.queries), Qrels: filepath.ToSlash(s.qrels),
		})
	}
	f, err := os.Open(s.questions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	set, err := eval.ReadQuestions(f, filepath.Base(s.questions))
	if err != nil {
		return nil, err
	}
	if len(set.Documents) > 0 && (s.docs != "" || s.data != "" || s.library != "") {
		return nil, errors.New("the questions have passages, which are all there is to search in: leave out -docs, -data and -library, or name documents with \"source\" instead of \"passage\"")
	}
	var docs []eval.Document
	switch {
	case s.docs != "":
		if docs, err = eval.ReadFolder(os.DirFS(s.docs), s.document); err != nil {
			err = fmt.Errorf("-docs %s: %w", s.docs, err)
		}
	case s.data != "":
		docs, err = eval.ReadCorpus(os.DirFS(s.data))
	}
	if docs != nil {
		set.Documents = docs
	}
	return set, err
}

// document makes a document of a file, nothing of one that is of another kind or blank. One that
// is not what its name says is named and left out.
func (s *settings) document(path string, data []byte) (title, text string, err error) {
	if !extract.Supported(path) || len(bytes.TrimSpace(data)) == 0 {
		return "", "", nil
	}
	doc, err := extract.Text(path, data, nil)
	if err != nil {
		fmt.Fprintf(s.stderr, "%s is left out: it %v\n", path, err)
	}
	return doc.Title, doc.Text, nil
}

// measure measures the settings that have an Embedder. Full text alone is the same with
// each of them, so that it is measured with the first one only.
func (s *settings) measure(ctx context.Context, set *eval.Dataset, e embedder, first bool) (report *eval.Report, err error) {
	dir := s.library
	if dir == "" {
		if dir, err = os.MkdirTemp("", "quire-eval-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	var filled *eval.Filled
	for i, weight := range s.weights {
		modes := slices.DeleteFunc(slices.Clone(s.modes), func(m quire.SearchMode) bool {
			return m == quire.SearchText && !first || m != quire.SearchHybrid && i > 0
		})
		if len(modes) == 0 {
			continue
		}
		one, err := s.measureOpen(ctx, dir, set, e, weight, modes, &filled)
		if s.library != "" && errors.Is(err, quire.ErrNotFound) {
			err = s.nameTenants(ctx, err)
		}
		if err != nil {
			return nil, err
		}
		report = joined(report, one)
	}
	if report == nil {
		report = &eval.Report{}
	}
	return report, nil
}

// measureOpen opens the library of a directory, fills it with the documents of the set if
// that is not done yet, and measures.
func (s *settings) measureOpen(ctx context.Context, dir string, set *eval.Dataset, e embedder, weight float64, modes []quire.SearchMode, filled **eval.Filled) (_ *eval.Report, err error) {
	opts := &quire.EngineOptions{TextWeight: weight}
	if s.rerank {
		opts.Reranker = rerank.New()
	}
	if s.library != "" { // Open would make a new library
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
	}
	q, err := embedded.Open(ctx, dir, &embedded.Options{
		Embedder: e.Embedder, Engine: opts, LLM: engine.NewExtractive(&engine.ExtractiveOptions{Sentences: s.sentences}),
	})
	if mismatch := (*quire.EmbedderMismatch)(nil); errors.As(err, &mismatch) {
		return nil, fmt.Errorf("%w; name with -embedder what it is embedded with", err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, q.Close(context.WithoutCancel(ctx))) }()
	o := &eval.Options{
		Modes: modes, Limit: s.limit, Answers: s.answers, Sources: s.sources, Progress: s.progress("asked"),
		Filters: quire.Filters{TenantID: s.tenant},
		Setting: func(m quire.SearchMode) string { return s.name(m, e, weight) },
	}
	if s.library == "" {
		if *filled == nil {
			if *filled, err = eval.Fill(ctx, q.Engine, set, s.progress("ingested")); err != nil {
				return nil, err
			}
		}
		o.Names = (*filled).Names
	}
	return eval.Run(ctx, q.Engine, set, o)
}

// name names a setting by its mode and what else is measured in more than one way.
func (s *settings) name(m quire.SearchMode, e embedder, weight float64) string {
	name := string(m)
	if len(s.embedders) > 1 && m != quire.SearchText {
		name += " " + e.name
	}
	if len(s.weights) > 1 && m == quire.SearchHybrid {
		name += fmt.Sprintf(" %v", weight)
	}
	return name
}

// isTerminal reports whether what is written can be overwritten.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progress returns what says how far something is, about once in a hundredth, on a
// terminal.
func (s *settings) progress(what string) func(done, total int) {
	if s.quiet || !isTerminal(s.stderr) {
		return nil
	}
	return func(done, total int) {
		if done == total || done%max(1, total/100) == 0 {
			fmt.Fprintf(s.stderr, "\r%s %d of %d ", what, done, total)
		}
		if done == total {
			fmt.Fprint(s.stderr, "\r\x1b[K")
		}
	}
}

// print prints the report.
func (s *settings) print(report *eval.Report) error {
	if s.json {
		return report.WriteJSON(s.stdout, s.against)
	}
	if err := report.WriteTable(s.stdout, s.against); err != nil {
		return err
	}
	if err := s.printDifferences(report); err != nil || s.failed == 0 {
		return err
	}
	return report.WriteFailures(s.stdout, s.failed)
}

// printDifferences prints the queries that differ most between the settings.
func (s *settings) printDifferences(report *eval.Report) error {
	if s.perQuery == 0 {
		return nil
	}
	metric := s.metric
	if metric == "" {
		metric = report.Metrics[0]
	}
	for _, result := range report.Results {
		if result.Setting == s.against {
			continue
		}
		c, err := report.Compare(s.against, result.Setting, metric)
		if err != nil {
			return fmt.Errorf("-per-query: %w", err)
		}
		if err := c.Write(s.stdout, s.perQuery); err != nil {
			return err
		}
	}
	return nil
}
