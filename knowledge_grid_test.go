package quire_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// grid is a table as a test says it: cells are by row, then column; "" is none.
type grid struct {
	body          string
	rows, columns []string
	cells         [][]string
}

// putTable stores a table under an id, past the rules for tables.
func (f *fixture) putTable(id string, number int64, g grid) {
	f.t.Helper()
	err := f.store.Update(f.t.Context(), func(tx quire.Tx) error {
		put := func(e quire.ElementalRecord) error {
			e.OwnerID, e.TenantID, e.CategoryID, e.Visibility, e.Version = "ann", "ann", quire.CategoryText, quire.Public, 1
			return tx.PutElemental(f.t.Context(), e, quire.IndexedText{})
		}
		if err := put(quire.ElementalRecord{ID: id, TypeID: quire.TypeTable, Title: "A table", Body: g.body}); err != nil {
			return err
		}
		lists := func(titles []string, orientation string, first int64) error {
			for i, title := range titles {
				l := quire.ListRecord{
					ID: first + int64(i), OwnerID: "ann", TenantID: "ann", TypeID: 1, Title: title, Visibility: quire.Public, Version: 1,
					TableID: id, TableOrientation: orientation, TableIndex: int64(i),
				}
				if err := tx.PutList(f.t.Context(), l, quire.IndexedText{}); err != nil {
					return err
				}
			}
			return nil
		}
		row, column := number*1000+1, number*1000+501
		if err := lists(g.rows, quire.TableRow, row); err != nil {
			return err
		}
		if err := lists(g.columns, quire.TableColumn, column); err != nil {
			return err
		}
		for r, cells := range g.cells {
			for c, text := range cells {
				if text == "" {
					continue
				}
				cell := quire.ElementalRecord{
					ID: fmt.Sprintf("%s-%d-%d", id, r, c), TypeID: quire.TypeCell, Body: text,
					TableID: id, RowID: row + int64(r), ColumnID: column + int64(c),
				}
				if err := put(cell); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

var menu = grid{
	rows:    []string{"Tea", "Soup: hot", "Nothing"},
	columns: []string{"Price", "Note", "Note", "Unused"},
	cells:   [][]string{{"2", "# green\n- **Price:** 3", "", ""}, {"", "```\nopen", "x", ""}, {"", "", "", ""}},
}

func TestTableKnowledge(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		f.putTable("menu", 1, menu)
		list := f.list(f.ann, quire.ListInput{Title: "A list", Items: []quire.ItemInput{{ElementalID: "menu"}}})
		for _, tt := range []struct {
			name string
			opts quire.KnowledgeOptions
			want string
		}{
			{"rows as text", quire.KnowledgeOptions{}, `Title: A list

1. Title: A table
   Body: 1. Tea
        Price: 2
        Note [2]: # green
          - **Price:** 3
     2. Soup: hot
        Note [2]: ` + "```" + `
          open
        Note [3]: x
     3. Nothing
     Empty column: Unused
`},
			{"columns as text", quire.KnowledgeOptions{GroupBy: quire.GroupByColumn}, `Title: A list

1. Title: A table
   Body: 1. Price
        Tea: 2
     2. Note
        Tea: # green
          - **Price:** 3
        "Soup: hot": ` + "```" + `
          open
     3. Note
        "Soup: hot": x
     4. Unused
     Empty row: Nothing
`},
			{"rows as Markdown", quire.KnowledgeOptions{Format: quire.FormatMarkdown}, `# A list

## A table

### Body

#### Tea

- **Price:** 2
- **Note \[2\]:**

  ##### green
  - **Price:** 3

#### Soup: hot

- **Note \[2\]:**

  ` + "````markdown\n  ```\n  open\n  ````" + `
- **Note \[3\]:** x

#### Nothing

Empty column: Unused
`},
			{"rows as JSON", quire.KnowledgeOptions{Format: quire.FormatJSON, Fields: []string{"content"}},
				`{"Title":"A list","Description":"","Items":[{"Body":"1. Tea\n   Price: 2\n   Note [2]: # green\n     - **Price:** 3\n2. Soup: hot\n   ` +
					"Note [2]: ```" + `\n     open\n   Note [3]: x\n3. Nothing\nEmpty column: Unused"}]}`},
		} {
			if diff := cmp.Diff(tt.want, f.compile(f.ann, list.ID, tt.opts)); diff != "" {
				t.Errorf("%s:\n%s", tt.name, diff)
			}
		}
	})
}

// TestTableTextIsUnambiguous parses the text of tables back, whatever they hold.
func TestTableTextIsUnambiguous(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stores[0].open(t), nil)
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b", ": ", ":", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029", " ", "  ", "   ", "1. ", "2. Title: x", "Title: ",
			"Text: ", "Empty row: ", "Empty column: ", "\"", "\\", " [1]", "[2]", "```", "# h", "- **a:** ", "\n\n", "\t", "日本",
		}), 0, 6).Draw(t, "pieces"), "")
	})
	title := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "a [1]", "a [2]"}), text)
	number := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		g := grid{
			body: text.Draw(t, "body"), rows: rapid.SliceOfN(title, 0, 12).Draw(t, "rows"), columns: rapid.SliceOfN(title, 0, 4).Draw(t, "columns"),
		}
		for range g.rows {
			g.cells = append(g.cells, rapid.SliceOfN(rapid.OneOf(rapid.Just(""), text), len(g.columns), len(g.columns)).Draw(t, "cells"))
		}
		number++
		id := fmt.Sprintf("table-%d", number)
		f.putTable(id, number, g)
		for _, by := range []quire.GroupBy{quire.GroupByRow, quire.GroupByColumn} {
			laidOut, object, err := f.ElementalKnowledge(f.t.Context(), f.ann, id, quire.KnowledgeOptions{GroupBy: by, Fields: []string{"content"}})
			if err != nil {
				t.Fatal(err)
			}
			body := object[0].Value.(string)
			if rest, ok := strings.CutPrefix(laidOut, "Body: "); ok {
				if got := dedent(strings.TrimSuffix(rest, "\n"), "  "); got != body {
					t.Fatalf("in the text the body is %q, in the object %q", got, body)
				}
			}
			if diff := cmp.Diff(blocksOf(g, by), parseTable(body)); diff != "" {
				t.Fatalf("by %s from\n%s\n%s", by, body, diff)
			}
		}
	})
}

// tableBlocks is what the text of a table says. Names of what blocks cross have the
// place of those that share their title.
type tableBlocks struct {
	Body   string
	Titles []string
	Cells  []map[tableName]string
	Empty  map[tableName]bool
}

type tableName struct {
	Title string
	Place int
}

func blocksOf(g grid, by quire.GroupBy) tableBlocks {
	outer, inner := g.rows, g.columns
	if by == quire.GroupByColumn {
		outer, inner = inner, outer
	}
	out := tableBlocks{Body: g.body, Titles: append([]string{}, outer...), Empty: make(map[tableName]bool)}
	names := make([]tableName, len(inner))
	for i, title := range inner {
		names[i].Title = title
		for k, other := range inner {
			if k != i && other == title {
				names[i].Place = i + 1
			}
		}
		out.Empty[names[i]] = true
	}
	out.Cells = make([]map[tableName]string, len(outer))
	for i := range outer {
		out.Cells[i] = make(map[tableName]string)
		for k, name := range names {
			r, c := i, k
			if by == quire.GroupByColumn {
				r, c = k, i
			}
			if text := g.cells[r][c]; text != "" {
				out.Cells[i][name] = text
				delete(out.Empty, name)
			}
		}
	}
	return out
}

var anyBreak = regexp.MustCompile("\r\n|[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]")

// dedent takes an indent off all lines but the first.
func dedent(s, indent string) string {
	var b strings.Builder
	for {
		br := anyBreak.FindStringIndex(s)
		if br == nil {
			return b.String() + s
		}
		b.WriteString(s[:br[1]])
		s = strings.TrimPrefix(s[br[1]:], indent)
	}
}

// parseTable reads the text of a table by its indents.
func parseTable(s string) tableBlocks {
	out := tableBlocks{Titles: []string{}, Cells: []map[tableName]string{}, Empty: make(map[tableName]bool)}
	for _, entry := range entries(s, "") {
		if n, title, ok := numbered(entry); ok {
			lines := entries(title, strings.Repeat(" ", n))
			out.Titles = append(out.Titles, unquoted(lines[0]))
			cells := make(map[tableName]string)
			for _, line := range lines[1:] {
				name, text := parseName(line)
				cells[name] = dedent(strings.TrimPrefix(text, ": "), strings.Repeat(" ", n+2))
			}
			out.Cells = append(out.Cells, cells)
		} else if text, ok := strings.CutPrefix(entry, "Text: "); ok {
			out.Body = dedent(text, "  ")
		} else if _, name, ok := strings.Cut(entry, ": "); ok {
			empty, _ := parseName(name)
			out.Empty[empty] = true
		}
	}
	return out
}

// entries splits where a line has exactly this indent: deeper lines go on with the one
// before them.
func entries(s, indent string) (out []string) {
	start := 0
	for _, br := range anyBreak.FindAllStringIndex(s, -1) {
		if rest, ok := strings.CutPrefix(s[br[1]:], indent); ok && !strings.HasPrefix(rest, "  ") {
			out = append(out, s[start:br[0]])
			start = br[1] + len(indent)
		}
	}
	if s == "" {
		return nil
	}
	return append(out, s[start:])
}

// numbered splits the number off an entry, and says how wide it is.
func numbered(entry string) (width int, rest string, ok bool) {
	m := regexp.MustCompile(`^\d+\. `).FindString(entry)
	return len(m), entry[len(m):], m != ""
}

func unquoted(s string) string {
	if u, err := strconv.Unquote(s); err == nil && s[0] == '"' {
		return u
	}
	return s
}

// parseName reads the name that a line begins with.
func parseName(line string) (name tableName, rest string) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
		name.Title, line = unquoted(quoted), line[len(quoted):]
		end := strings.IndexByte(line+":", ':')
		name.Place, _ = strconv.Atoi(strings.Trim(line[:end], " []"))
		return name, line[end:]
	}
	end := strings.IndexByte(line+":", ':')
	name.Title, rest = line[:end], line[end:]
	if m := regexp.MustCompile(`^(?s:(.*)) \[(\d+)\]$`).FindStringSubmatch(name.Title); m != nil {
		name.Title = m[1]
		name.Place, _ = strconv.Atoi(m[2])
	}
	return name, rest
}
