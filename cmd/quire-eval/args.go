package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/static"
)

const usage = `quire-eval measures how well Quire finds and answers, and with which setting.

What to measure on, one of:

  -data DIR                     a folder in the layout of BEIR: corpus.jsonl, queries.jsonl,
                                qrels/test.tsv; -queries and -qrels name other files in it
  -questions FILE -docs DIR     questions, and a folder of Markdown, HTML and text files
  -questions FILE -data DIR     questions, and the corpus.jsonl of a folder
  -questions FILE               questions with the passages that answer them
  -questions FILE -library DIR -tenant ID
                                questions, and a library of your own: the directory that
                                embedded.Open was given. Nothing else may have it open.
                                Its content stays as it is; ingests that wait there are done.
                                A tenant without passages is refused, and those with some named.

A file of questions has a JSON object a line:

  {"question": "..", "relevant": ["guide.md"]}
  {"question": "..", "sections": [{"document": "guide.md", "heading": "Installing"}]}
  {"question": "..", "answers": ["7 days", "a week"], "source": "guide.md"}
  {"question": "..", "answers": ["7 days"], "passage": "the text that says so"}

Documents are called by their path in -docs, by their _id in -data, and in -library by the
id or title of the elemental, or the name of the attached file. "heading" is the one right
above the passage, "" being before the first; marks of code and emphasis in it do not count.

It prints the mean of each metric with each setting, and how the settings differ from one of
them: with how many queries they are better and worse, and how likely such a difference is
by chance (p, by a paired randomisation test; above 0.05 it is better not to be relied on).

Examples:

  quire-eval -data scifact
  quire-eval -data squad-dev -questions squad-dev/qa.jsonl -n 2000 -answers -sources 3 -sentences 3
  quire-eval -questions mine.jsonl -library ./data -tenant ada -per-query 10
  quire-eval -questions mine.jsonl -docs ./docs -modes hybrid -answers -failed 10
  quire-eval -data scifact -embedder static,hashing -weight 0.5,0.7,0.9

Flags:
`

// settings are what the flags say.
type settings struct {
	data, queries, qrels, questions, docs, library, tenant string

	modes     []quire.SearchMode
	embedders []embedder
	weights   []float64
	rerank    bool
	limit     int
	n         int

	answers            bool
	sources, sentences int

	against  string
	metric   string
	perQuery int
	failed   int
	json     bool
	quiet    bool

	stdout, stderr io.Writer
}

// embedder is an Embedder as a flag names it.
type embedder struct {
	name string
	quire.Embedder
}

// parseArgs reads the flags and checks them.
func parseArgs(args []string, stdout, stderr io.Writer) (*settings, error) {
	s := &settings{stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet("quire-eval", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.data, "data", "", "`folder` in the layout of BEIR")
	flags.StringVar(&s.queries, "queries", "queries.jsonl", "`file` of queries in -data")
	flags.StringVar(&s.qrels, "qrels", "qrels/test.tsv", "`file` of judgements in -data")
	flags.StringVar(&s.questions, "questions", "", "`file` of questions")
	flags.StringVar(&s.docs, "docs", "", "`folder` of Markdown, HTML and text files")
	flags.StringVar(&s.library, "library", "", "`directory` of a library of your own")
	flags.StringVar(&s.tenant, "tenant", "", "`id` of the tenant in -library; of a user without one it is the user's id")
	modes := flags.String("modes", "vector,text,hybrid", "`modes` of search to measure")
	embedders := flags.String("embedder", "static", "`embedders` to measure: static or hashing, with a dimension such as static:1024 if not the default")
	weights := flags.String("weight", "0.7", "`weights` of full text in hybrid searches to measure, between 0 and 1")
	flags.BoolVar(&s.rerank, "rerank", true, "rerank hybrid searches, as is the default of the library")
	flags.IntVar(&s.limit, "limit", 100, "how many passages a search gives, 1 to 100; metrics that look at more are left out")
	flags.IntVar(&s.n, "n", 0, "how many queries, evenly spaced over the file; 0 for all")
	flags.BoolVar(&s.answers, "answers", false, "also ask the questions that have answers: Answer is the share whose answer holds one, Answered the share that got any")
	flags.IntVar(&s.sources, "sources", 0, "how many passages an answer may use; 0 for the default")
	flags.IntVar(&s.sentences, "sentences", 0, "how many sentences an answer has; 0 for the default")
	flags.StringVar(&s.against, "against", "text", "the `setting` that the others are compared with")
	flags.IntVar(&s.perQuery, "per-query", 0, "print so many of the queries that differ most, worst and best first")
	flags.IntVar(&s.failed, "failed", 0, "print so many of the queries of each setting that found nothing relevant in the first 10, or whose answer is wrong: what was wanted and what came")
	flags.StringVar(&s.metric, "metric", "", "`metric` of -per-query; default the first one")
	flags.BoolVar(&s.json, "json", false, "print JSON, with the figures of every query")
	flags.BoolVar(&s.quiet, "q", false, "do not say how far it is")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	return s, errors.Join(s.checkData(), s.parseModes(*modes), s.parseEmbedders(*embedders), s.parseWeights(*weights), s.checkNumbers())
}

// checkData reports what does not go together.
func (s *settings) checkData() error {
	switch {
	case s.data == "" && s.questions == "":
		return errors.New("nothing to measure on: give -data or -questions")
	case s.questions == "" && (s.docs != "" || s.library != ""):
		return errors.New("-docs and -library need -questions beside them")
	case s.data != "" && s.docs != "", s.data != "" && s.library != "", s.docs != "" && s.library != "":
		return errors.New("only one of -data, -docs and -library can hold the documents")
	case s.library != "" && s.tenant == "":
		return errors.New("-library needs -tenant beside it")
	case s.library == "" && s.tenant != "":
		return errors.New("-tenant goes with -library")
	}
	return nil
}

func (s *settings) parseModes(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		mode := quire.SearchMode(strings.TrimSpace(name))
		if !slices.Contains([]quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid}, mode) {
			return fmt.Errorf("-modes: there is no mode %q, but vector, text and hybrid", name)
		}
		if !slices.Contains(s.modes, mode) {
			s.modes = append(s.modes, mode)
		}
	}
	return nil
}

func (s *settings) parseEmbedders(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		e, err := newEmbedder(name)
		if err != nil {
			return fmt.Errorf("-embedder %s: %w", name, err)
		}
		s.embedders = append(s.embedders, embedder{name, e})
	}
	if s.library != "" && len(s.embedders) > 1 {
		return errors.New("-library is embedded with one embedder, and only that one can be measured")
	}
	return nil
}

// newEmbedder makes the Embedder of a name such as static or hashing:1024.
func newEmbedder(name string) (quire.Embedder, error) {
	kind, number, sized := strings.Cut(name, ":")
	dimension := 0
	if sized {
		var err error
		if dimension, err = strconv.Atoi(number); err != nil || dimension == 0 {
			return nil, fmt.Errorf("the dimension %q is no whole number above 0", number)
		}
	}
	switch {
	case kind == "static" && sized:
		return static.NewDimension(dimension)
	case kind == "static":
		return static.New()
	case kind == "hashing":
		return engine.NewHashing(&engine.HashingOptions{Dimension: dimension})
	}
	return nil, errors.New("there is no such embedder, but static and hashing")
}

func (s *settings) parseWeights(list string) error {
	for text := range strings.SplitSeq(list, ",") {
		w, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(w > 0 && w < 1) {
			return fmt.Errorf("-weight: %q is not between 0 and 1", text)
		}
		s.weights = append(s.weights, w)
	}
	return nil
}

func (s *settings) checkNumbers() error {
	switch {
	case s.limit < 1 || s.limit > 100:
		return fmt.Errorf("-limit is %d, but must be 1 to 100", s.limit)
	case s.n < 0, s.perQuery < 0, s.failed < 0, s.sentences < 0:
		return errors.New("-n, -per-query, -failed and -sentences must not be negative")
	case s.json && s.failed > 0:
		return errors.New("-json prints the figures of every query, and -failed is for reading: leave one of them out")
	case s.sources < 0 || s.sources > 100:
		return fmt.Errorf("-sources is %d, but must be 1 to 100, or 0 for the default", s.sources)
	}
	return nil
}
