// Command closing reads what go test -json prints and prints what a reader wants of it:
// a line for each package, all output of tests that failed, and at the end the closing
// lines of the rows of internal/reliability, with their tests. It fails, and says why, if
// nothing ran, if a test failed, and if a row proved nothing: its package passed without
// its closing line, or that has no number or begins with a count of nothing. A row whose test was
// skipped, as where there is no strace, is named with the reason; without one it fails too.
//
//	go test -json ./... | go run ./internal/reliability/closing
//	go test -json -tags long -run "$(go run ./internal/reliability/closing -longtests)" ./... | go run ./internal/reliability/closing -long
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
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

// logged says whether a closing line is of the test of the event.
func (e event) logged(c closing) bool { return c.pkg == e.Package && c.test == e.Test }

// report gathers what the tests of some packages did.
type report struct {
	long    bool
	events  int
	outputs map[string][]string // of tests and packages that have not passed yet
	lines   []closing
	passed  map[string]bool   // packages
	skipped map[string]string // tests by package and name, with why
	failed  bool
	seconds float64 // of the tests that logged closing lines
}

// closing is a closing line. A test may log several for one id.
type closing struct{ id, pkg, test, text string }

func newReport(long bool) *report {
	return &report{long: long, outputs: map[string][]string{}, passed: map[string]bool{}, skipped: map[string]string{}}
}

// logLine is a line that a test logs, closingLine one that begins with the id of a row.
var (
	logLine     = regexp.MustCompile(`^\s+[\w.-]+\.go:\d+: (.*)`)
	closingLine = regexp.MustCompile(`^([A-H]\d{1,2}): (.*)`)
)

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
	if e.Action != "" {
		r.events++
	}
	switch e.Action {
	case "output":
		r.outputs[name] = append(r.outputs[name], e.Output)
		if m := closingLine.FindStringSubmatch(logged(e.Output)); m != nil {
			r.lines = append(r.lines, closing{m[1], e.Package, e.Test, m[2]})
		}
	case "build-output":
		fmt.Fprint(to, e.Output)
	case "build-fail":
		r.failed = true
	case "pass", "skip":
		if e.Action == "skip" && e.Test != "" {
			r.skipped[name] = reason(r.outputs[name])
			r.lines = slices.DeleteFunc(r.lines, e.logged) // why it is skipped may begin with the id
			fmt.Fprint(to, strings.Join(r.outputs[name], ""))
		}
		if e.Test == "" {
			r.passed[e.Package] = true
			fmt.Fprintf(to, "ok   %s %.1f s\n", e.Package, e.Elapsed)
		} else if slices.ContainsFunc(r.lines, e.logged) {
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

// logged returns what a test logged with a line of its output, "" if that is no such line.
func logged(line string) string {
	if m := logLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// noReason stands for the reason of a test that was skipped without one.
const noReason = "it does not say why"

// reason is the last that a skipped test logged.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if text := logged(line); text != "" {
			return text
		}
	}
	return noReason
}

// print prints the closing lines by id and what is wrong, and says whether all is well.
func (r *report) print(to io.Writer) bool {
	fmt.Fprintln(to)
	slices.SortStableFunc(r.lines, byID)
	for _, c := range r.lines {
		fmt.Fprintf(to, "%s %s: %s\n", c.id, c.test, c.text)
	}
	for _, why := range r.rows(r.unprovable) {
		fmt.Fprintln(to, "NOT PROVED HERE", why)
	}
	wrong := r.wrong()
	for _, why := range wrong {
		fmt.Fprintln(to, "FAIL", why)
	}
	fmt.Fprintf(to, "%d closing lines, from tests of %.0f s together\n", len(r.lines), r.seconds)
	return !r.failed && len(wrong) == 0
}

// number is the first one in a closing line: how much the test did.
var number = regexp.MustCompile(`\d+(\.\d+)?`)

// wrong says what is wrong beside tests that failed.
func (r *report) wrong() []string {
	if r.events == 0 {
		return []string{"nothing ran: there is no event of go test -json"}
	}
	all := r.rows(r.unproved)
	for _, c := range r.lines {
		switch n, err := strconv.ParseFloat(number.FindString(c.text), 64); {
		case err != nil:
			all = append(all, fmt.Sprintf("%s: %s does not say how much it did: there is no number in its closing line", c.id, c.test))
		case n == 0:
			all = append(all, fmt.Sprintf("%s: %s did nothing: its closing line begins with 0", c.id, c.test))
		}
	}
	return all
}

// rows returns what a function says of rows, without those of which it says nothing.
func (r *report) rows(of func(reliability.Row) string) []string {
	var all []string
	for row := range reliability.Rows() {
		if says := of(row); says != "" {
			all = append(all, fmt.Sprintf("%s: %s of %s %s", row.ID, row.Test, row.Package, says))
		}
	}
	return all
}

// unprovable says why the test of a row was skipped, "" if it was not, or without a reason.
func (r *report) unprovable(row reliability.Row) string {
	if why, skipped := r.skipped[path(row)+" "+row.Test]; skipped && why != noReason && r.wants(row) {
		return "was skipped: " + why
	}
	return ""
}

// unproved says why nothing proved a row, "" if its test did, or could not.
func (r *report) unproved(row reliability.Row) string {
	why, skipped := r.skipped[path(row)+" "+row.Test]
	switch {
	case !r.wants(row) || skipped && why != noReason:
		return ""
	case skipped:
		return "was skipped: " + why
	case !slices.ContainsFunc(r.lines, func(c closing) bool { return c.id == row.ID && c.pkg == path(row) && c.test == row.Test }):
		return "passed without its closing line"
	}
	return ""
}

// wants reports whether a row is to be proved by what ran: its package passed.
func (r *report) wants(row reliability.Row) bool {
	wanted := !row.LongOnly
	if r.long {
		wanted = row.Long || row.LongOnly
	}
	return wanted && r.passed[path(row)]
}

// path is that of the package of a row.
func path(row reliability.Row) string {
	if row.Package == "." {
		return module
	}
	return module + "/" + row.Package
}

// byID orders closing lines: areas by letter, then by number, then by test. Those of one test
// stay in the order in which it logged them.
func byID(a, b closing) int {
	number := func(c closing) int {
		n, _ := strconv.Atoi(c.id[1:])
		return n
	}
	return cmp.Or(cmp.Compare(a.id[0], b.id[0]), cmp.Compare(number(a), number(b)),
		strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
}
