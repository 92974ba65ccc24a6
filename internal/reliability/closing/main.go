// Command closing reads what go test -json prints and prints what a reader wants of it:
// a line for each package, all output of tests that failed, and at the end the closing
// lines of the rows of internal/reliability. It fails if a test failed, and if a package
// passed without the closing line of one of its rows, unless that was skipped, as it may be
// where a machine refuses what it needs: then it prints why.
//
//	go test -json ./... | go run ./internal/reliability/closing
//	go test -json -tags long -run "$(go run ./internal/reliability/closing -longtests)" ./... | go run ./internal/reliability/closing -long
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire/internal/reliability"
)

// module is the path that the packages of the project begin with.
const module = "github.com/quirelib/quire"

func main() {
	long := flag.Bool("long", false, "only those ran that do more with -tags long: the rows of these are wanted")
	longTests := flag.Bool("longtests", false, "print a pattern of these, and end")
	tests := flag.Bool("tests", false, "print a pattern of the tests of all rows that need no tag, and end")
	flag.Parse()
	switch {
	case *longTests:
		fmt.Println(reliability.LongTests())
		return
	case *tests:
		fmt.Println(reliability.Tests())
		return
	}
	r := newReport(*long)
	if err := r.read(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "closing:", err)
		os.Exit(1)
	}
	if !r.print(os.Stdout) {
		os.Exit(1)
	}
}

// event is one line of go test -json (see go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// report gathers what the tests of some packages did.
type report struct {
	long    bool
	outputs map[string][]string // of tests and packages that have not passed yet
	lines   map[string]string   // closing lines by id, package and test
	passed  map[string]bool     // packages
	skipped map[string]bool     // tests, which have printed why
	failed  bool
	seconds float64 // of the tests that logged closing lines
}

func newReport(long bool) *report {
	return &report{long: long, outputs: map[string][]string{}, lines: map[string]string{}, passed: map[string]bool{}, skipped: map[string]bool{}}
}

// closingLine is a log line of a test that begins with the id of a row.
var closingLine = regexp.MustCompile(`^\s+[\w.-]+\.go:\d+: ([A-H]\d{1,2}): (.*)`)

// read takes in all events and prints the output of what fails as soon as it has failed.
// What is no event, as a message of the go command, is printed as it is.
func (r *report) read(from io.Reader, to io.Writer) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case strings.TrimSpace(line) == "":
		case json.Unmarshal([]byte(line), &e) != nil:
			fmt.Fprint(to, line)
		default:
			r.take(e, to)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event, to io.Writer) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		r.outputs[name] = append(r.outputs[name], e.Output)
		if m := closingLine.FindStringSubmatch(e.Output); m != nil {
			r.lines[m[1]+" "+name] = m[1] + ": " + m[2]
		}
	case "build-output":
		fmt.Fprint(to, e.Output)
	case "build-fail":
		r.failed = true
	case "pass", "skip":
		if e.Action == "skip" && e.Test != "" {
			r.skipped[name] = true
			fmt.Fprint(to, strings.Join(r.outputs[name], ""))
		}
		if e.Test == "" {
			r.passed[e.Package] = true
			fmt.Fprintf(to, "ok   %s %.1f s\n", e.Package, e.Elapsed)
		} else if r.closes(name) {
			r.seconds += e.Elapsed
		}
		delete(r.outputs, name)
	case "fail":
		r.failed = true
		fmt.Fprint(to, strings.Join(r.outputs[name], ""))
		if e.Test == "" {
			fmt.Fprintf(to, "FAIL %s %.1f s\n", e.Package, e.Elapsed)
		}
		delete(r.outputs, name)
	}
}

// closes says whether a test logged a closing line.
func (r *report) closes(name string) bool {
	for key := range r.lines {
		if strings.HasSuffix(key, " "+name) {
			return true
		}
	}
	return false
}

// print prints the closing lines by id, and says whether all is well.
func (r *report) print(to io.Writer) bool {
	fmt.Fprintln(to)
	for _, key := range slices.SortedFunc(maps.Keys(r.lines), byID) {
		fmt.Fprintln(to, r.lines[key])
	}
	missing := r.missing()
	for _, row := range missing {
		fmt.Fprintf(to, "FAIL %s: %s of %s passed without its closing line\n", row.ID, row.Test, row.Package)
	}
	fmt.Fprintf(to, "%d closing lines, from tests of %.0f s together\n", len(r.lines), r.seconds)
	return !r.failed && len(missing) == 0
}

// missing returns the rows whose package passed without their line.
func (r *report) missing() []reliability.Row {
	var rows []reliability.Row
	for row := range reliability.Rows() {
		path := module
		if row.Package != "." {
			path += "/" + row.Package
		}
		wanted := !row.LongOnly
		if r.long {
			wanted = row.Long || row.LongOnly
		}
		if wanted && r.passed[path] && r.lines[row.ID+" "+path+" "+row.Test] == "" && !r.skipped[path+" "+row.Test] {
			rows = append(rows, row)
		}
	}
	return rows
}

// byID orders closing lines: areas by letter, then by number, then by test.
func byID(a, b string) int {
	if a[0] != b[0] {
		return int(a[0]) - int(b[0])
	}
	number := func(key string) int {
		id, _, _ := strings.Cut(key, " ")
		n, _ := strconv.Atoi(id[1:])
		return n
	}
	if d := number(a) - number(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
