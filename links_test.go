package quire_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks: what the pages of the project link to in it is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(append(pages, more...), "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	checked := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(readText(t, page), ""), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	if t.Logf("%d links of %d pages", checked, len(pages)); checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// TestLinkedTests: a link that is named after a test leads to the file that has it.
func TestLinkedTests(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\[(Test[A-Za-z0-9]+)\]\(([^)]+_test\.go)\)`)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, page := range append(pages, "README.md") {
		for _, m := range link.FindAllStringSubmatch(readText(t, page), -1) {
			checked++
			if source := readText(t, filepath.Join(filepath.Dir(page), m[2])); !strings.Contains(source, "\nfunc "+m[1]+"(") {
				t.Errorf("%s: %s is not in %s", page, m[1], m[2])
			}
		}
	}
	if t.Logf("%d links to tests", checked); checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}
