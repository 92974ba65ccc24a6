package markup

import (
	"strings"

	"golang.org/x/net/html"
)

var voidElements = set("br col hr img input wbr")

// impliedEnds names, for a start tag, the open elements that end at it, as HTML has
// it: <li>a<li>b is two items.
var impliedEnds = impliedEndsTable()

func impliedEndsTable() map[string]map[string]bool {
	t := map[string]map[string]bool{
		"li": set("p li"),
		"dt": set("p dt dd"), "dd": set("p dt dd"),
		"td": set("p td th"), "th": set("p td th"),
		"tr":    set("p td th tr caption colgroup"),
		"thead": set("p td th tr caption colgroup"),
		"tbody": set("p td th tr thead tbody tfoot caption colgroup"),
		"tfoot": set("p td th tr thead tbody tfoot caption colgroup"),
	}
	for name := range set(`address article aside blockquote details div dl figcaption figure h1 h2 h3 h4 h5 h6 hr ol
		p pre section summary table ul`) {
		t[name] = set("p")
	}
	return t
}

// balance closes what is left open and drops end tags of what is not. It takes the
// output of the policy, which has neither comments nor raw text.
func balance(clean string) string {
	var b strings.Builder
	b.Grow(len(clean))
	s := stack{out: &b, count: map[string]int{}}
	z := html.NewTokenizer(strings.NewReader(clean))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: a strings.Reader has no other error
			for len(s.open) > 0 {
				s.pop()
			}
			return b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			t.Type = html.StartTagToken
			for ends := impliedEnds[t.Data]; len(s.open) > 0 && ends[s.open[len(s.open)-1]]; {
				s.pop()
			}
			b.WriteString(t.String())
			if !voidElements[t.Data] {
				s.push(t.Data)
			}
		case html.EndTagToken:
			t := z.Token()
			if s.count[t.Data] > 0 {
				for s.open[len(s.open)-1] != t.Data {
					s.pop()
				}
				s.pop()
			}
		default:
			b.Write(z.Raw())
		}
	}
}

// stack holds the open elements.
type stack struct {
	out   *strings.Builder
	open  []string
	count map[string]int // by name
}

func (s *stack) push(name string) {
	s.open = append(s.open, name)
	s.count[name]++
}

func (s *stack) pop() {
	name := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	s.count[name]--
	s.out.WriteString("</" + name + ">")
}
