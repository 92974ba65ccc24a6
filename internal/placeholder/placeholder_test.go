package placeholder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestList(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", MaxName)
	tests := []struct {
		name, body string
		want       []string
	}{
		{"none", "nothing here", nil},
		{"empty", "", nil},
		{"word", "Write about #topic.", []string{"#topic"}},
		{"word with all characters", "#a-b_C9 #ünïcode #名前", []string{"#a-b_C9", "#ünïcode", "#名前"}},
		{"combining marks", "#नाम #e\u0301t", []string{"#नाम", "#e\u0301t"}},
		{"name", "For #[target audience]!", []string{"#[target audience]"}},
		{"name as written", "#[ a  b ] #[a  b] #[1st: x/y?]", []string{"#[ a  b ]", "#[a  b]", "#[1st: x/y?]"}},
		{"order and duplicates", "#b #a #[c] #b #[c] #a", []string{"#b", "#a", "#[c]"}},
		{"word and name differ", "#a #[a]", []string{"#a", "#[a]"}},
		{"case matters", "#A #a", []string{"#A", "#a"}},
		{"adjacent", "#a#b#[c]#[d]#e", []string{"#a", "#b", "#[c]", "#[d]", "#e"}},
		{"punctuation around", "(#a), \"#b\"; *#c*, **#[d]**: #e/#f. #g's", []string{"#a", "#b", "#c", "#[d]", "#e", "#f", "#g"}},
		{"underscore emphasis", "_#a_ __#b__ #c_", []string{"#a", "#b", "#c_"}},

		{"starts with a digit", "#1 #2nd", nil},
		{"starts with other", "#-a #_a #.a", nil},
		{"blank names", "#[] #[  ] #[\t]", nil},
		{"name over lines", "#[a\nb]", nil},
		{"unclosed name", "#[a", nil},
		{"nested brackets", "#[a [b] c]", nil},
		{"control character", "#[a\x00b]", nil},
		{"longest name", "#[" + long + "] #" + long, []string{"#[" + long + "]", "#" + long}},
		{"too long", "#[" + long + "x] #" + long + "x", nil},
		{"space in between", "# word #\u00a0word", nil},

		{"headings", "# x\n## y\n###### z\n#\ttab", nil},
		{"heading with a placeholder", "# About #topic", []string{"#topic"}},
		{"no heading without a space", "#title\ntext", []string{"#title"}},
		{"more than one hash", "##word ###[name] ##", nil},
		{"escaped", `\#word \#[name] #\[name]`, nil},
		{"escaped backslash", `\\#word`, []string{"#word"}},

		{"glued to a word", "C#word a#b 1#c x_#d", nil},
		{"glued to a script without spaces", "请用#语言 を#b", []string{"#语言", "#b"}},
		{"glued name", "v#[version]", []string{"#[version]"}},

		{"colours", "#fff #ABC #ffff #c0ffee #ffffffff #add #facade #1234", nil},
		{"no colours", "#ff #fffff #fffffff #fffffffff #ffg #fff-x #fff_", []string{
			"#ff", "#fffff", "#fffffff", "#fffffffff", "#ffg", "#fff-x", "#fff_"}},
		{"colour as a name", "#[fff]", []string{"#[fff]"}},

		{"code span", "`#a` ``#b ` #c`` #d", []string{"#d"}},
		{"code span over lines", "`a\n#b` #c", []string{"#c"}},
		{"unclosed code span", "a ` #b", []string{"#b"}},
		{"unmatched runs", "`` #a ` #b ``` #c", []string{"#a", "#b", "#c"}},
		{"escaped backtick", "\\`#a`", []string{"#a"}},
		{"code span ends with its paragraph", "a ` b\n\n#c ` d", []string{"#c"}},
		{"code span ends with its item", "- a `\n- #b `", []string{"#b"}},
		{"code span ends with its heading", "# a `\n#b `", []string{"#b"}},
		{"code span ends with its row", "| a ` |\n| #b ` |", []string{"#b"}},

		{"fence", "```\n#a\n```\n#b", []string{"#b"}},
		{"fence with language", "```go\n#a #[b]\n```\n#c", []string{"#c"}},
		{"tilde fence", "~~~\n#a\n```\n#b\n~~~~\n#c", []string{"#c"}},
		{"longer fence", "````\n```\n#a\n```\n````\n#b", []string{"#b"}},
		{"unclosed fence", "#a\n```\n#b", []string{"#a"}},
		{"fence after a line", "text\n```\n#a\n```", nil},
		{"no fence", "```#a``` #b", []string{"#b"}},
		{"info with a backtick", "``` a`b\n#c", []string{"#c"}},
		{"fence in a quote", "> ```\n> #a\n> ```\n> #b", []string{"#b"}},
		{"fence ends with its quote", "> ```\n> #a\n\n#b", []string{"#b"}},
		{"fence in a list", "1. a\n\n   ```\n   #a\n   ```\n2. #b", []string{"#b"}},
		{"fence as an item", "- ```\n  #a\n  ```\n- #b", []string{"#b"}},
		{"fence ends with its item", "- ```\n  #a\n- #b", []string{"#b"}},
		{"CRLF", "```\r\n#a\r\n```\r\n#b\r\n", []string{"#b"}},
		{"indented code is text", "    #a", []string{"#a"}},

		{"fragment", "http://x/#frag https://a.b/c?d=e#frag HTTP://x/#a", nil},
		{"fragment without scheme", "www.x.org/#a example.com/#b localhost.local:8080/#c", nil},
		{"path", "/a/#b ./#c ../#d", nil},
		{"slash between words", "#a/#b either/#c", []string{"#a", "#b", "#c"}},
		{"in parentheses", "(http://x/#a) #b (see http://x/#c), #d", []string{"#b", "#d"}},
		{"URL in CJK text", "见http://x/#a。#b", []string{"#b"}},
		{"autolink", "<http://x/#a>#b", []string{"#b"}},
		{"name in a URL", "https://x.org/#[page]?q=#[query]", []string{"#[page]", "#[query]"}},
		{"link target", "[a](#b) [c](d#e) [f](g/#h \"t\") [i](<#j>) #k", []string{"#k"}},
		{"link target with parentheses", "[a](b_(c)#d) #e", []string{"#e"}},
		{"escapes in a link target", `[a](b\)#c) #d`, []string{"#d"}},
		{"title in the next column", "[a](#b 'c') [d](#e )", nil},
		{"no link", "[a](#b is good)", []string{"#b"}},
		{"link text", "[#a](x) [see #[b]](y)", []string{"#a", "#[b]"}},
		{"after a link", "[a](b)#c", []string{"#c"}},
		{"image", "![#a](#b)", []string{"#a"}},
		{"HTML attribute", `<a href="#a">#b</a> <use href='#c' xlink:HREF="#d"> url(#e)`, []string{"#b"}},
		{"character references", "&#123; &#x41; &#xA9; &#xyz;", []string{"#xyz"}},
		{"invalid UTF-8", "\xff#a\xff #[b\xff]", []string{"#a", "#[b\xff]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, List(tt.body)); diff != "" {
				t.Errorf("List(%q) (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

// Of millions of placeholders the first ones are listed.
func TestListOfMany(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range MaxListed + 10 {
		fmt.Fprintf(&b, "#word%d ", i)
	}
	list := List(b.String())
	if len(list) != MaxListed || list[MaxListed-1] != fmt.Sprintf("#word%d", MaxListed-1) {
		t.Errorf("%d placeholders are listed, the last %q", len(list), list[len(list)-1])
	}
}
