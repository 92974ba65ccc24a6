package eval

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Dataset is what is measured with: documents, and queries of which it is known what
// answers them.
type Dataset struct {
	Name string
	// Documents are to be searched; none if the library that is measured has them already.
	Documents []Document
	Queries   []Query
}

// Document is a text to be found.
type Document struct {
	ID    string // what Query.Relevant calls it; not empty
	Title string // may be empty
	Text  string // Markdown or plain text; may be empty
}

// Query is a question with what is known about its answer.
type Query struct {
	ID   string
	Text string
	// Relevant grades the documents that answer it by their ids: 1 or more, and the more
	// the better. Documents that are not in it count as 0.
	Relevant map[string]int
	// Sections answer it, in place of Relevant: then it is not documents that are to be
	// found but passages.
	Sections []Section
	// Answers are the texts of which an answer should hold one, in any spelling that
	// [Normalise] makes the same. None: answers to it are not judged.
	Answers []string
}

// Section is what stands in a document directly under a heading: not under those below it.
type Section struct {
	Document string // its id
	Heading  string // "" is before the first heading; marks of code and emphasis do not count
}

// Sample returns a copy of the set with n of its queries, evenly spaced over their order:
// the first one, and then every len/n-th. All of them if n is 0 or not less than there are.
func (d *Dataset) Sample(n int) *Dataset {
	c := *d
	if n <= 0 || n >= len(d.Queries) {
		return &c
	}
	c.Queries = make([]Query, n)
	for i := range n {
		c.Queries[i] = d.Queries[i*len(d.Queries)/n]
	}
	return &c
}

// judged reports whether it is known what is to be found.
func (q *Query) judged() bool { return len(q.Relevant)+len(q.Sections) > 0 }

// grades are those of what is relevant, the best first. All sections have the grade 1.
func (q *Query) grades() []int {
	if len(q.Sections) > 0 {
		return slices.Repeat([]int{1}, len(q.Sections))
	}
	return slices.SortedFunc(maps.Values(q.Relevant), func(a, b int) int { return cmp.Compare(b, a) })
}

// Unfindable returns how many judgements name a document that the set does not have. They
// count as not found, as in trec_eval. 0 if the set has no documents at all.
func (d *Dataset) Unfindable() int {
	if len(d.Documents) == 0 {
		return 0
	}
	known := make(map[string]bool, len(d.Documents))
	for _, doc := range d.Documents {
		known[doc.ID] = true
	}
	n := 0
	for _, q := range d.Queries {
		for id := range q.Relevant {
			if !known[id] {
				n++
			}
		}
		for _, s := range q.Sections {
			if !known[s.Document] {
				n++
			}
		}
	}
	return n
}

// addPassage returns the id of the document with that text, which is added to the set if
// it is not there yet. seen is what was added so far, by text.
func (d *Dataset) addPassage(title, text string, seen map[string]string) string {
	key := title + "\x00" + text
	id, ok := seen[key]
	if !ok {
		id = "passage-" + strconv.Itoa(len(seen)+1)
		seen[key] = id
		d.Documents = append(d.Documents, Document{ID: id, Title: strings.TrimSpace(title), Text: text})
	}
	return id
}
