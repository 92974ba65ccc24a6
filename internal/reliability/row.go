// Package reliability lists the promises about content that tests keep: for each a test
// that ends with a closing line, and the guards without which that test has to fail.
// docs/reliability.md says in words what holds, and the figures.
//
// A closing line is logged by its test and begins with the id of its row; its first number
// says how much the test did:
//
//	t.Logf("A1: %d kill -9 cycles, %d acknowledged writes lost", cycles, lost)
//
// The tests of this package hold the table against the sources. With -tags mutants they
// also take out one guard after the other, by means of go test -overlay, so that nothing
// of it is ever in a program, and want the test of the row to fail.
package reliability

import (
	"iter"
	"slices"
	"strings"
)

// Row is one thing that a test proves. Several rows may share an ID: a thing may take
// several tests.
type Row struct {
	ID       string // a letter for the area and a number, as "A1"
	Package  string // the directory of the test, from the root of the project, "." for the root
	Test     string // the name of the test function that logs the closing line
	Long     bool   // with -tags long the test does more
	LongOnly bool   // it is built with -tags long only
	Controls []Control
}

// Control is a change of the sources that takes out a guard: the test of its row has to
// fail with it.
type Control struct {
	Guard string // what is taken out, in a few words
	File  string // from the root of the project
	Old   string // occurs once in File
	New   string // takes its place; the package still compiles
}

// LongTests returns a pattern for go test -run: the tests that do more with -tags long, or are
// built with it only.
func LongTests() string { return tests(func(row Row) bool { return row.Long || row.LongOnly }) }

// Tests returns a pattern for go test -run: the tests of all rows that are built without a tag.
func Tests() string { return tests(func(row Row) bool { return !row.LongOnly }) }

func tests(of func(Row) bool) string {
	var names []string
	for row := range Rows() {
		if of(row) {
			names = append(names, row.Test)
		}
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}

// Rows iterates over all rows, by area.
func Rows() iter.Seq[Row] {
	return slices.Values(slices.Concat(durability, input, jobs, server, access, media, answers, operation))
}
