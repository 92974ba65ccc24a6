package segment

import (
	"strings"
	"testing"
)

func TestWithoutTargets(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":        "",
		"no link": "no link",
		"see [the guide](https://x.org/a_(b)/c) and [more](/d \"Title (1)\").": "see [the guide] and [more].",
		"![a picture](img/a.png 'Big')":                                        "![a picture]",
		"[![in](a.png)](b.html) end":                                           "[![in]] end",
		"[a][ref] and [b]: x":                                                  "[a][ref] and [b]: x",
		"`f[i](x)` and [c](d)":                                                 "`f[i](x)` and [c]",
		"``a ` [b](c)`` [d](e)":                                                "``a ` [b](c)`` [d]",
		"an open ` mark [a](b)":                                                "an open ` mark [a]",
		"a[i](x, y) stays":                                                     "a[i](x, y) stays",
		"[open](never":                                                         "[open](never",
		"[two](lines\nlong)":                                                   "[two](lines\nlong)",
		"```go\nf[i](x)\n```\n\n[a](b)":                                        "```go\nf[i](x)\n```\n\n[a]",
		"[empty]()":                                                            "[empty]",
		"[日本](語)":                                                              "[日本]",
		"[long](" + strings.Repeat("x", 3000) + ")":                            "[long](" + strings.Repeat("x", 3000) + ")",
	} {
		if got := WithoutTargets(in); got != want {
			t.Errorf("%.60q: %.60q, want %.60q", in, got, want)
		}
	}
}

// Nothing is added, and long texts take no time that grows with their square.
func FuzzWithoutTargets(f *testing.F) {
	f.Add("[a](b) `c](d)` ![e](f \"g\")")
	f.Add(strings.Repeat("](", 1000))
	f.Add(strings.Repeat("`", 1000) + "[")
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, r := range []byte(WithoutTargets(text)) {
			i := strings.IndexByte(rest, r)
			if i < 0 {
				t.Fatalf("%q became %q", text, WithoutTargets(text))
			}
			rest = rest[i+1:]
		}
	})
}
