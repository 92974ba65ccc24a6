package reliability

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is where the project's sources begin, from here.
const root = "../.."

// read returns a file of the project.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testsOf returns the sources of the tests of a directory, joined.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestRows: each row names a test that exists and is described, and each control changes
// a place that exists.
func TestRows(t *testing.T) {
	page := read(t, "docs/reliability.md")
	ids, rows, controls := map[string]bool{}, 0, 0
	for row := range Rows() {
		if !regexp.MustCompile(`^[A-H][1-9][0-9]?$`).MatchString(row.ID) {
			t.Errorf("%q is not the id of a row", row.ID)
		}
		if tests := testsOf(t, row.Package); !strings.Contains(tests, "\nfunc "+row.Test+"(") {
			t.Errorf("%s: there is no %s in %s", row.ID, row.Test, row.Package)
		}
		if !strings.Contains(page, "| "+row.ID+" |") || !strings.Contains(page, "`"+row.Test+"`") {
			t.Errorf("%s: docs/reliability.md says nothing of %s", row.ID, row.Test)
		}
		for _, c := range row.Controls {
			if n := strings.Count(read(t, c.File), c.Old); n != 1 {
				t.Errorf("%s, control %q: its place occurs %d times in %s, want once", row.ID, c.Guard, n, c.File)
			}
			if c.New == c.Old || c.Guard == "" {
				t.Errorf("%s: a control of %s changes nothing or has no name", row.ID, c.File)
			}
			controls++
		}
		ids[row.ID] = true
		rows++
	}
	t.Logf("%d rows of %d ids, %d controls", rows, len(ids), controls)
}

// TestLongRows: where files are built with -tags long only, rows say that their tests do more.
func TestLongRows(t *testing.T) {
	rows, files := map[string]bool{}, map[string]bool{}
	for row := range Rows() {
		if row.Long || row.LongOnly {
			rows[row.Package] = true
		}
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_long_test.go") {
			var dir string
			dir, err = filepath.Rel(root, filepath.Dir(path))
			files[filepath.ToSlash(dir)] = true
		}
		return err
	})
	if diff := cmp.Diff(files, rows); diff != "" || err != nil {
		t.Errorf("packages with long tests (-files +rows), %v:\n%s", err, diff)
	}
}

// TestPage: the page has no row whose test is not in the table.
func TestPage(t *testing.T) {
	tests := map[string]bool{}
	for row := range Rows() {
		tests[row.ID+" "+row.Test] = true
	}
	for _, line := range strings.Split(read(t, "docs/reliability.md"), "\n") {
		cells := strings.Split(line, " | ")
		if id := strings.TrimPrefix(cells[0], "| "); len(cells) > 2 && regexp.MustCompile(`^[A-H][0-9]+$`).MatchString(id) {
			for _, name := range regexp.MustCompile("`(Test[A-Za-z0-9]+|Fuzz[A-Za-z0-9]+)`").FindAllStringSubmatch(line, -1) {
				if !tests[id+" "+name[1]] {
					t.Errorf("docs/reliability.md: %s names %s, which is not in the table", id, name[1])
				}
			}
		}
	}
}
