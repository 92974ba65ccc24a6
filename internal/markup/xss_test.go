package markup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const shared = "../../../shared/data"

// ownPayloads are used in any case, and alone when shared/data is absent.
var ownPayloads = []string{
	"<script>alert(1)</script>", "<SCRIPT SRC=//x></SCRIPT>", "<scr<script>ipt>alert(1)</script>", "<script\n>alert(1)</script\n>",
	"<img src=x onerror=alert(1)>", "<img/src=x/onerror=alert(1)>", "<img src=`x` onerror=alert(1)//", "<svg onload=alert(1)>",
	"<svg><script>alert(1)</script></svg>", "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
	"<iframe src=javascript:alert(1)></iframe>", "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
	"<object data=javascript:alert(1)></object>", "<embed src=javascript:alert(1)>", "<a href=javascript:alert(1)>x</a>",
	"<a href='java\tscript:alert(1)'>x</a>", "<a href='&#106;avascript:alert(1)'>x</a>", "<a href='\x01javascript:alert(1)'>x</a>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java&Tab;script:alert(1))", "[x](data:text/html;base64,PHNjcmlwdD4=)",
	"[x](vbscript:msgbox)", "![x](javascript:alert(1))", "![x](data:image/svg+xml;base64,PHN2Zz4=)", "<javascript:alert(1)>",
	"[x]\n\n[x]: javascript:alert(1)", "[x](<javascript:alert(1)>)", "`<img src=x onerror=alert(1)>` <img src=x onerror=alert(1)>",
	"```\n</code></pre><script>alert(1)</script>\n```", "```\"onmouseover=alert(1)\nx\n```", "[x](/ \"\\\" onclick=alert(1) \")",
	"![\\\" onerror=alert(1) x=\\\"](/y)", "<div style='background:url(javascript:alert(1))'>", "<style>@import 'javascript:alert(1)'</style>",
	"<link rel=stylesheet href=javascript:alert(1)>", "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>", "<base href=javascript:alert(1)//>",
	"<form action=javascript:alert(1)><button>x</button></form>", "<button formaction=javascript:alert(1)>x</button>",
	"<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<!--><script>alert(1)</script-->", "<![CDATA[<script>alert(1)</script>]]>",
	"<textarea></textarea><script>alert(1)</script>", "<xmp><img src=x onerror=alert(1)></xmp>", "<template><script>alert(1)</script></template>",
	"<topic onclick=alert(1)><img src=x onerror=alert(1)></topic>", "|a|\n|-|\n|<img src=x onerror=alert(1)>|", "- [ ] <img src=x onerror=alert(1)>",
}

// payloads returns the inputs that attack, and the number that came from shared/data.
func payloads(t testing.TB) ([]string, int) {
	t.Helper()
	all := slices.Clone(ownPayloads)
	var xss []struct{ Payload string }
	if !readShared(t, "xss/xss_payloads.json", &xss) {
		return all, 0
	}
	for _, p := range xss {
		all = append(all, p.Payload)
	}
	var naughty []string
	readShared(t, "naughty/blns.json", &naughty)
	return append(all, naughty...), len(xss) + len(naughty)
}

// readShared reads a JSON file of shared/data, and reports false if it is absent.
func readShared(t testing.TB, name string, into any) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

var badElements = set(`script style iframe object embed applet frame frameset link meta base form button textarea select svg math
	template noscript xmp plaintext title audio video source portal`)

var urlAttributes = set(`href src action formaction xlink:href cite poster background data srcset longdesc dynsrc lowsrc classid codebase
	manifest icon usemap profile ping`)

var imageURL = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp)[;,]`)

// isDangerousURL judges a URL the way a browser does: white space and control
// characters do not count.
func isDangerousURL(raw string, image bool) bool {
	u := strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || r == 0xa0 {
			return -1
		}
		return r
	}, raw))
	if strings.HasPrefix(u, "data:") {
		return !image || !imageURL.MatchString(u)
	}
	return strings.HasPrefix(u, "javascript:") || strings.HasPrefix(u, "vbscript:")
}

// dangers parses HTML as a browser does and returns what could run a script.
func dangers(t testing.TB, fragment string) []string {
	t.Helper()
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(fragment), body)
	if err != nil {
		t.Fatalf("%.80q does not parse: %v", fragment, err)
	}
	var found []string
	for _, root := range nodes {
		found = append(found, dangersOf(root)...)
		for n := range root.Descendants() {
			found = append(found, dangersOf(n)...)
		}
	}
	return found
}

func dangersOf(n *html.Node) []string {
	if n.Type != html.ElementNode {
		return nil
	}
	var found []string
	if badElements[n.Data] {
		found = append(found, "<"+n.Data+">")
	}
	for _, a := range n.Attr {
		key := strings.TrimPrefix(a.Namespace+":"+a.Key, ":")
		switch {
		case strings.HasPrefix(key, "on"), key == "style", key == "srcdoc":
			found = append(found, key+"="+a.Val)
		case urlAttributes[key] && isDangerousURL(a.Val, n.Data == "img" && key == "src"):
			found = append(found, key+"="+a.Val)
		}
	}
	return found
}

func TestXSS(t *testing.T) {
	t.Parallel()
	inputs, fromShared := payloads(t)
	unsafe := goldmark.New(goldmark.WithRendererOptions(renderer.WithUnsafe()))
	control, ways := 0, 0
	for _, p := range inputs {
		shown := []string{HTML(p), Sanitize(p), HTML("a " + p), HTML("- " + strings.ReplaceAll(p, "\n", "\n  ")), HTML("> | x |\n> |-|\n> |" + p)}
		ways = len(shown)
		for _, html := range shown {
			if found := dangers(t, html); len(found) > 0 {
				t.Errorf("%q\ngives %q\nwith %q", p, html, found)
			}
		}
		check(t, Document(p))
		// Without the sanitiser, the same check finds a lot.
		var b bytes.Buffer
		if err := unsafe.Convert([]byte(p), &b); err != nil {
			t.Fatal(err)
		}
		if len(dangers(t, b.String())) > 0 {
			control++
		}
	}
	if fromShared > 0 && control < 300 || control < len(ownPayloads)/2 {
		t.Errorf("without the sanitiser only %d inputs are dangerous: the check is blind", control)
	}
	if t.Failed() {
		return
	}
	t.Logf("G1: %d attacks, %d of them shared, rendered in %d ways each: 0 dangerous; without the sanitiser %d are", len(inputs), fromShared, ways, control)
}

// A plain text of text is the text, as long as it has nothing that Markdown knows.
func TestNaughtyPlain(t *testing.T) {
	t.Parallel()
	inputs, _ := payloads(t)
	same := 0
	for _, s := range inputs {
		if strings.ContainsAny(s, "<>&\\`*_~[]!#|-+=:.@\x00\r\n\t\v\f\u0085\ufeff") || strings.Contains(s, "  ") || strings.TrimSpace(s) == "" || s[0] >= '0' && s[0] <= '9' {
			continue
		}
		if got, want := Plain(s), strings.TrimSpace(s); got != want {
			t.Errorf("Plain(%q) = %q", s, got)
		}
		same++
	}
	t.Logf("%d inputs without markup", same)
}

func FuzzHTML(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		got := HTML(s)
		if strings.Count(got, "<") > 400 {
			t.Skip("golang.org/x/net/html refuses more than 512 levels; this might have them")
		}
		if found := dangers(t, got); len(found) > 0 {
			t.Fatalf("%q has %q", got, found)
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("sanitised again\n%q\nis\n%q", got, again)
		}
	})
}

func FuzzPlain(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		if got := Plain(s); got != strings.TrimSpace(got) || strings.Contains(got, "\x00") {
			t.Fatalf("%q", got)
		}
	})
}

func FuzzDocument(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) { check(t, Document(s)) })
}

func addSeeds(f *testing.F) {
	for _, s := range ownPayloads {
		f.Add(s)
	}
	for _, r := range renderings {
		f.Add(r.markdown)
	}
}
