package segment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // kind, level and text
	}{
		{"empty", "", nil},
		{"paragraphs", "a\nb\n\nc\r\n\r\nd\re", []string{"P a\nb", "P c", "P d\re"}},
		{"headings", "# A\n##\tB #\n#C\n####### D\n   ### E\n", []string{"H1 # A", "H2 ##\tB #", "P #C\n####### D", "H3    ### E"}},
		{"underlined headings", "A\n===\nB\nb\n--\n\n---\n===\n", []string{"H1 A\n===", "H2 B\nb\n--", "R ---", "P ==="}},
		{"no headings inside", "> # A\n\n- # B\n\n  # C\n", []string{"P > # A", "I - # B", "P   # C"}},
		{"list ends", "- a\n  b\n\n  c\n\nd\n\n# E\n", []string{"I - a\n  b", "P   c", "P d", "H1 # E"}},
		{"rules", "a\n***\n- - -\n___\n**\n", []string{"P a", "R ***", "R - - -", "R ___", "P **"}},
		{"fences", "```go\n# a\n\n``` x\n````\nb\n~~~\n```\n~~~~\n", []string{"C ```go\n# a\n\n``` x\n````", "P b", "C ~~~\n```\n~~~~"}},
		{"open fence", "```\na\n\nb", []string{"C ```\na\n\nb"}},
		{"no fence", "``` `\na\n\n    ```\n", []string{"P ``` `\na", "C     ```"}},
		{"fence in a list", "- a\n\n    ```\n    # b\n    ```\n- ```\n  c\n  ```\n", []string{"I - a", "C     ```\n    # b\n    ```", "C - ```\n  c\n  ```"}},
		{"fence in a quotation", "> ```\n> a\n>\n> b\nc\n", []string{"C > ```\n> a\n>\n> b", "P c"}},
		{"quotation marks in a fence", "```\n> a\n```\n", []string{"C ```\n> a\n```"}},
		{"quotations", "> a\n>\n> b\n\n>\n> > c\nlazy\n", []string{"P > a\n>", "P > b", "P >", "P > > c\nlazy"}},
		{"indented code", "a\n    b\n\n    c\n\n    d\ne\n", []string{"P a\n    b", "C     c\n\n    d", "P e"}},
		{"items", "- a\n* b\n+ c\n1. d\n22) e\n-f\n1.g\n", []string{"I - a", "I * b", "I + c", "I 1. d", "I 22) e\n-f\n1.g"}},
		{"items in a paragraph", "a\n1986. b\n- c\n\nd\n1. e\n", []string{"P a\n1986. b", "I - c", "P d", "I 1. e"}},
		{"nested items", "- a\n    - b\n        - c\n", []string{"I - a", "I     - b", "I         - c"}},
		{"table", "x\na|b\n-|-\n1|2\n\ny\n", []string{"P x", "T a|b\n-|-\n1|2", "P y"}},
		{"table, CRLF", "x\r\n|a|\r\n|-|\r\n|1|\r\n", []string{"P x", "T |a|\r\n|-|\r\n|1|"}},
		{"table ends", "|a|\n|-|\n|1|\n# H\n", []string{"T |a|\n|-|\n|1|", "H1 # H"}},
		{"no table", "a\n|-|\n", []string{"P a\n|-|"}},
		{"raw HTML", "<pre>\n# a\n\nb</PRE>\nc\n\n<!-- d -->\ne\n<precious>\n", []string{"C <pre>\n# a\n\nb</PRE>", "P c", "C <!-- d -->", "P e\n<precious>"}},
		{"front matter", "---\ntitle: x\n\n# y\n---\n# Z\n", []string{"F ---\ntitle: x\n\n# y\n---", "H1 # Z"}},
		{"no front matter", "---\nA\n---\n", []string{"R ---", "H2 A\n---"}},
		{"open front matter", "---\na: b\n", []string{"R ---", "P a: b"}},
		{"Unicode white space", "a\n\u3000\u00a0\nb", []string{"P a", "P b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, b := range Blocks(tt.text) {
				kind := "PHICTRF"[b.Kind : b.Kind+1]
				if b.Kind == Heading {
					kind = fmt.Sprint(kind, b.Level)
				}
				got = append(got, kind+" "+tt.text[b.Start:b.End])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"prose", "Plain  text,\n as it is.", "Plain text, as it is."},
		{"heading", "## The `go` *command* ##", "The go command"},
		{"heading that ends in a mark", "# About C#", "About C#"},
		{"heading with an anchor", "# Title {#title}", "Title"},
		{"underlined heading", "Title\n=====", "Title"},
		{"item", "1. - > text", "> text"},
		{"quotation", "> a\n> > b", "a b"},
		{"emphasis", "**a** *b* __c__ _d_ ***e*** ~~f~~ g**h**i", "a b c d e f ghi"},
		{"no emphasis", "2 * 3 * 4, snake_case_name, *open, **T, a ~ b", "2 * 3 * 4, snake_case_name, *open, **T, a ~ b"},
		{"code", "`a*b*` ``c ` d`` `open", "a*b* c ` d `open"},
		{"escapes", `\*a\* \[b\] \\ c\d`, `*a* [b] \ c\d`},
		{"links", `[a](http://x "t") ![b](y(1).png) [c][d] [e] [^1] <https://z>`, "a b c [e] <https://z>"},
		{"across lines", "*a\nb* [c\nd](e) `f`\n`g`", "a b c d f g"},
		{"escaped number as a link", `<sup>[\[1\]](/docs)</sup>`, "[1]"},
		{"link in a link", "[![a](b)](c) [`d`](e)", "a d"},
		{"tags", `<a name="x"></a>T<br/> of List<T> <T>`, "T of List<T> <T>"},
		{"table row", "| a | `b` |", "a | b"},
		{"table", "| a |\n|---|\n| 1 |", "a 1"},
		{"unbalanced", "] [ ]( ) [[a](b", "] [[a](b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Plain(tt.text); got != tt.want {
				t.Errorf("Plain(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed)
	}
	f.Add("[![a](b)](c) **d** `e` \\* <br> {#x}")
	f.Fuzz(func(t *testing.T, text string) {
		got := Plain(text)
		if strings.ContainsAny(got, "\r\n\t") {
			t.Errorf("Plain(%q) = %q holds a line break or tab", text, got)
		}
		// It only removes: what is left is a subsequence of the text.
		at := 0
		for i := range len(got) {
			if got[i] == ' ' {
				continue
			}
			j := strings.IndexByte(text[at:], got[i])
			if j < 0 {
				t.Fatalf("Plain(%q) = %q adds something", text, got)
			}
			at += j + 1
		}
	})
}
