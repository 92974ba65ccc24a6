package eval

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

// BEIROptions say which files of a BEIR folder are read. The zero value is good.
type BEIROptions struct {
	// Name of the set. Default "".
	Name string
	// Queries is the file of the queries. Default queries.jsonl.
	Queries string
	// Qrels is the file of the judgements. Default qrels/test.tsv.
	Qrels string
}

// ReadBEIR reads a set in the layout of BEIR (Thakur and others, "BEIR: A Heterogeneous
// Benchmark for Zero-shot Evaluation of Information Retrieval Models", NeurIPS 2021):
//
//   - corpus.jsonl, a document a line: {"_id": "d1", "title": "..", "text": ".."};
//   - queries.jsonl, a query a line: {"_id": "q1", "text": ".."};
//   - qrels/test.tsv, a judgement a line: query id, document id and grade with tabs between,
//     or the four columns of TREC, of which the second means nothing. A first line whose
//     grade is no number is a heading.
//
// Grades below 1 are not relevant. Queries without a relevant document are left out, as
// trec_eval does, and so are judgements of queries that are not there. opts may be nil.
//
// A file that is missing is ErrNotFound, one that breaks the layout ErrInvalid, one that is
// too large ErrTooLarge, with the number of the line. Limits: lines of 16 MiB, 20 million of
// them, ids of 512 bytes, grades of -1000 to 1000.
func ReadBEIR(fsys fs.FS, opts *BEIROptions) (*Dataset, error) {
	o := BEIROptions{}
	if opts != nil {
		o = *opts
	}
	if o.Queries == "" {
		o.Queries = "queries.jsonl"
	}
	if o.Qrels == "" {
		o.Qrels = "qrels/test.tsv"
	}
	docs, err := ReadCorpus(fsys)
	if err != nil {
		return nil, err
	}
	set := &Dataset{Name: o.Name, Documents: docs}
	relevant := make(map[string]map[string]int)
	if err := eachLineOf(fsys, o.Qrels, qrelsLine(relevant)); err != nil {
		return nil, err
	}
	if err := eachLineOf(fsys, o.Queries, set.queryLine(relevant)); err != nil {
		return nil, err
	}
	if len(set.Queries) == 0 {
		return nil, quire.Errorf(quire.CodeInvalid, "no query of %s has a relevant document in %s", o.Queries, o.Qrels)
	}
	return set, nil
}

// ReadCorpus reads the documents of a BEIR folder alone, for questions from elsewhere.
func ReadCorpus(fsys fs.FS) ([]Document, error) {
	var docs []Document
	err := eachLineOf(fsys, "corpus.jsonl", corpusLine(&docs))
	return docs, err
}

// eachLineOf is eachLine for a file of a folder.
func eachLineOf(fsys fs.FS, name string, do func(line []byte) error) error {
	f, err := fsys.Open(name)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		return quire.Errorf(quire.CodeInvalid, "%q is not the name of a file inside the folder", name)
	case errors.Is(err, fs.ErrNotExist):
		return quire.Errorf(quire.CodeNotFound, "there is no file %s in the folder", name).WithCause(err)
	case err != nil:
		return quire.Errorf(quire.CodeUnavailable, "%s cannot be opened", name).WithCause(err)
	}
	defer f.Close()
	return eachLine(f, name, do)
}

// corpusLine returns what reads a line of corpus.jsonl into docs.
func corpusLine(docs *[]Document) func([]byte) error {
	seen := make(map[string]bool)
	return func(line []byte) error {
		var doc struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		if err := parse(line, &doc); err != nil {
			return err
		}
		if err := checkID("_id", doc.ID); err != nil {
			return err
		}
		if seen[doc.ID] {
			return quire.Errorf(quire.CodeInvalid, "the id %q is there twice", doc.ID)
		}
		seen[doc.ID] = true
		*docs = append(*docs, Document(doc))
		return nil
	}
}

// qrelsLine returns what reads a line of judgements into relevant.
func qrelsLine(relevant map[string]map[string]int) func([]byte) error {
	first, grades := true, make(map[[2]string]int)
	return func(line []byte) error {
		fields := strings.Fields(string(line))
		if bytes.ContainsRune(line, '\t') {
			fields = strings.Split(string(line), "\t")
		}
		if len(fields) == 4 { // TREC's, whose second one means nothing
			fields = append(fields[:1:1], fields[2:]...)
		}
		if len(fields) != 3 {
			return quire.Errorf(quire.CodeInvalid, "has %d columns, but must have 3 (query, document, grade) or TREC's 4", len(fields))
		}
		heading := first
		first = false
		grade, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			if _, number := strconv.ParseFloat(strings.TrimSpace(fields[2]), 64); heading && number != nil {
				return nil
			}
			return quire.Errorf(quire.CodeInvalid, "the grade %.20q is not a whole number", fields[2])
		}
		query, doc := strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1])
		if err := errors.Join(checkID("query-id", query), checkID("corpus-id", doc), checkGrade(grade)); err != nil {
			return err
		}
		pair := [2]string{query, doc}
		if old, twice := grades[pair]; twice && old != grade {
			return quire.Errorf(quire.CodeInvalid, "query %q grades the document %q twice, as %d and %d", query, doc, old, grade)
		}
		grades[pair] = grade
		if grade < 1 {
			return nil
		}
		if relevant[query] == nil {
			relevant[query] = make(map[string]int)
		}
		relevant[query][doc] = grade
		return nil
	}
}

// queryLine returns what reads a line of queries.jsonl.
func (d *Dataset) queryLine(relevant map[string]map[string]int) func([]byte) error {
	seen := make(map[string]bool)
	return func(line []byte) error {
		var query struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
		}
		if err := parse(line, &query); err != nil {
			return err
		}
		if err := checkID("_id", query.ID); err != nil {
			return err
		}
		switch {
		case seen[query.ID]:
			return quire.Errorf(quire.CodeInvalid, "the id %q is there twice", query.ID)
		case strings.TrimSpace(query.Text) == "":
			return quire.Errorf(quire.CodeInvalid, "\"text\" is missing or blank")
		}
		seen[query.ID] = true
		if len(relevant[query.ID]) > 0 {
			d.Queries = append(d.Queries, Query{ID: query.ID, Text: query.Text, Relevant: relevant[query.ID]})
		}
		return nil
	}
}
