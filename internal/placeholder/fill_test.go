package placeholder

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// Fill is body with values in the place of its placeholders.
func Fill(body string, values map[string]string) string {
	var b strings.Builder
	for part := range Parts(body, func(written string) (string, bool) {
		v, ok := values[written]
		return v, ok
	}) {
		b.WriteString(part)
	}
	return b.String()
}

func TestFill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		values     map[string]string
		want       string
	}{
		{"both forms", "#a and #[b c]", map[string]string{"#a": "1", "#[b c]": "2"}, "1 and 2"},
		{"all places", "#a #a, #a", map[string]string{"#a": "x"}, "x x, x"},
		{"without a value", "#a #b", map[string]string{"#b": "x"}, "#a x"},
		{"nil", "#a", nil, "#a"},
		{"unknown key", "#a", map[string]string{"#c": "x"}, "#a"},
		{"keys without the hash are others", "#a", map[string]string{"a": "x"}, "#a"},
		{"empty value", "<#a>", map[string]string{"#a": ""}, "<>"},
		{"a value is not scanned", "#a #b", map[string]string{"#a": "#b", "#b": "#a"}, "#b #a"},
		{"value and text make no new one", "#a[b]", map[string]string{"#a": "#", "#[b]": "x"}, "#[b]"},
		{"no prefix match", "#ab #a", map[string]string{"#a": "x"}, "#ab x"},
		{"code stays", "`#a` #a\n```\n#a\n```", map[string]string{"#a": "x"}, "`#a` x\n```\n#a\n```"},
		{"regexp characters", "#a", map[string]string{"#a": "$1 \\1 %s"}, "$1 \\1 %s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Fill(tt.body, tt.values); got != tt.want {
				t.Errorf("Fill(%q) = %q, want %q", tt.body, got, tt.want)
			}
		})
	}
}

// bodies draws Markdown from pieces that matter to placeholders.
func bodies(pieces ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
	})
}

// identity maps every placeholder of body to itself.
func identity(body string) map[string]string {
	values := map[string]string{}
	for _, p := range List(body) {
		values[p] = p
	}
	return values
}

func TestProperties(t *testing.T) {
	t.Parallel()
	gen := bodies("#a", "#b", "#[c d]", "#[", "]", "](", "[", ")", "(", "`", "``", "```", "~~~", "\n", "\n\n", " ", " ", "\\",
		"# ", "#", "> ", "- ", "_", "http://x", "/", ".", "x", "é", "名", "&", ";", "\"", "href=", "#fff", "\t", "<", ">")
	rapid.Check(t, func(t *rapid.T) {
		body := gen.Draw(t, "body")
		list := List(body)
		if got := Fill(body, identity(body)); got != body {
			t.Fatalf("filling with identity values gives %q", got)
		}
		values := map[string]string{}
		for _, p := range list {
			values[p] = "\x01" + p + "\x02"
		}
		filled := Fill(body, values)
		for _, p := range list {
			if !strings.Contains(filled, values[p]) {
				t.Fatalf("%q is listed but was not filled in: %q", p, filled)
			}
		}
		if plain := strings.NewReplacer("\x01", "", "\x02", "").Replace(filled); plain != body {
			t.Fatalf("filling changed more than the placeholders: %q", plain)
		}
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(list) {
			t.Fatalf("duplicates in %q", list)
		}
	})
}

// After everything was filled with plain words, separated from what is around them,
// nothing is left to fill.
func TestFillLeavesNothing(t *testing.T) {
	t.Parallel()
	gen := bodies("#a", "#b-c", "#[d e]", "#f ", " ", "word", ". ", "\n", "\n\n", "`", "```\n", "- ", "> ", "# ", "(", ")", "*")
	rapid.Check(t, func(t *rapid.T) {
		body := gen.Draw(t, "body")
		values := map[string]string{}
		for _, p := range List(body) {
			values[p] = "value"
		}
		if left := List(Fill(body, values)); len(left) > 0 {
			for _, p := range left {
				if _, ok := values[p]; ok {
					t.Fatalf("%q is left", p)
				}
			}
		}
	})
}

// goldmark, a full CommonMark parser, agrees about what is code. The pieces hold
// neither containers nor indentation, where this package approximates.
func TestCodeAgreesWithGoldmark(t *testing.T) {
	t.Parallel()
	gen := bodies("#a", "#b", " ", "x", "`", "``", "\\`", "\n", "\n\n", "\n```\n", "\n````\n", "\n~~~\n", "\n``` info\n", "\n# ", "\n* x")
	parser := goldmark.DefaultParser()
	cases, inCode := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		body := gen.Draw(t, "body")
		source := []byte(body)
		code := make([]bool, len(source)+1)
		mark := func(s text.Segment) {
			for i := s.Start; i < s.Stop; i++ {
				code[i] = true
			}
		}
		_ = ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.FencedCodeBlock:
				if n.Info != nil {
					mark(n.Info.Segment)
				}
				for i := range n.Lines().Len() {
					mark(n.Lines().At(i))
				}
			case *ast.CodeSpan:
				for c := n.FirstChild(); c != nil; c = c.NextSibling() {
					mark(c.(*ast.Text).Segment)
				}
			}
			return ast.WalkContinue, nil
		})
		found := map[int]bool{}
		for s := range scan(body) {
			found[s.start] = true
			if code[s.start] {
				t.Fatalf("%q at %d is in code", body[s.start:s.end], s.start)
			}
		}
		for i := range source {
			if source[i] == '#' && code[i] {
				inCode++
			}
			// A '#' and a letter outside of code, with a space before it, is one.
			if source[i] == '#' && i+1 < len(source) && source[i+1] >= 'a' && i > 0 && source[i-1] == ' ' && !code[i] && !found[i] {
				t.Fatalf("the placeholder at %d is missing", i)
			}
		}
		cases++
	})
	t.Logf("%d documents, %d hashes in code", cases, inCode)
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../shared/data/prompts/prompts.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("shared/data is absent; the other tests cover the rules")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bodies, found := 0, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var p struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list := List(p.Text)
		for _, w := range list {
			if !strings.HasPrefix(w, "#") || !strings.Contains(p.Text, w) {
				t.Errorf("%q is not in the body", w)
			}
		}
		if got := Fill(p.Text, identity(p.Text)); got != p.Text {
			t.Errorf("identity values changed the body %.60q", p.Text)
		}
		bodies, found = bodies+1, found+len(list)
	}
	t.Logf("%d bodies, %d placeholders", bodies, found)
}

// Hostile inputs of 1 MB. A function that is not linear hangs here until the test
// times out.
func TestHostile(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, piece := range []string{"#", "#[", "#[a", "`", "` ``", "](", "](a", "](#a", "(", "[a](b \"", "_#", "_#a", "#a", "a.", "a/",
		"http://", "http://x/#a", "> ", "- ", "\\", "\n", "```\n", "> ```\n", "&#x", "é#", "#_", "#fff", "href=\"#", "](   ", "1. "} {
		body := strings.Repeat(piece, size/len(piece))
		if got := Fill(body, identity(body)); got != body {
			t.Errorf("%q repeated: identity values changed it", piece)
		}
	}
	var runs strings.Builder // of backticks, each of another length
	for n := 1; runs.Len() < size; n++ {
		runs.WriteString(strings.Repeat("`", n) + "#a ")
	}
	if got := List(runs.String()); len(got) != 1 {
		t.Errorf("backtick runs that nothing closes: got %q", got)
	}
	if got := List("[a](" + strings.Repeat("a](", 1000) + strings.Repeat(" ", size)); got != nil {
		t.Errorf("unclosed links before spaces: got %q", got)
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range []string{"#a #[b c]", "`#a`\n```\n#b", "[x](#a) http://x/#b", "_#a_ \\#b ##c #fff", "> ```\n> #a\n- `#[d", "&#xA9;", "名#名"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		list := List(body)
		values := identity(body)
		if got := Fill(body, values); got != body {
			t.Fatalf("identity values: %q", got)
		}
		for i, p := range list {
			if slices.Index(list, p) != i {
				t.Fatalf("duplicate %q", p)
			}
			// Alone, every placeholder is one: no context made it.
			if diff := cmp.Diff([]string{p}, List(p)); diff != "" {
				t.Fatalf("%q alone: %s", p, diff)
			}
		}
	})
}
