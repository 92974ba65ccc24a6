package quire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// findable are bodies by the name of their document. Each has words around what is
// to be found.
var findable = map[string]string{
	"agents":      "We build multi-agent systems that negotiate.",
	"node":        "Runs on node.js since version 18, on Ubuntu 20.04.3 too.",
	"kernel":      "Needs a kernel of V17.04.1 at least.",
	"cpp":         "Rewritten in C++, then in C#, never in plain C; see .NET for the rest (C++17 only).",
	"straight":    "They don't know, and she can't tell.",
	"curly":       "They won’t know, and it’s late.",
	"accents":     "Der Café-Besitzer in Zürich sagte: naïve Fiancée, Ångström, señor, Đà Nẵng, Łódź.",
	"plain":       "The cafeteria of zurich had a naive resume and a senor from Lodz.",
	"combining":   "Written apart: Cafe\u0301 Noe\u0308l",
	"german":      "Die Straße war groß, die STRASSE nicht.",
	"turkish":     "İstanbul ve ışık",
	"greek":       "Ο Σίσυφος και ο ΛΌΓΟΣ",
	"russian":     "Ёлка и ещё йод в лесу",
	"chinese":     "我们今天讨论机器学习和自然语言处理的方法。",
	"traditional": "這是一個關於人工智慧的長篇文章。",
	"japanese":    "昨日は東京タワーへ行って、カタカナとひらがなを学びました。",
	"halfwidth":   "ﾊﾝｶｸ ｶﾀｶﾅ と ＦＵＬＬｗｉｄｔｈ",
	"korean":      "저는 한국어를 배우고 있습니다. 인공지능은 재미있어요.",
	"thai":        "ผมกำลังเรียนภาษาไทยที่มหาวิทยาลัยในกรุงเทพ",
	"glued":       "使用GPT4模型和API接口调用Python函数",
	"arabic":      "مُحَمَّد كتب الرسالة",
	"hebrew":      "שָׁלוֹם עולם",
	"hindi":       "मैं हिन्दी सीख रहा हूँ",
	"snake":       "call foo_bar_baz() with camelCase and kebab-case-name, e-mail a@example.org",
	"emoji":       "rocket🚀launch and 👩‍💻 coding",
	"soft":        "co\u00adoperate with zero\u200bwidth",
	"numbers":     "Costs 1,234.56 EUR or 7e3, at ½ price, x² + y³, ① first",
}

// found are queries with the documents that they find.
var found = []struct{ query, want string }{
	{"multi-agent", "agents"}, {"multi agent", "agents"}, {"Multi-Agent systems", "agents"}, {"agent", "agents"}, {"agent-multi", ""},
	{"node.js", "node"}, {"Node.JS", "node"}, {"node", "node"}, {"js", "node"}, {"20.04", "node"}, {"20.04.3", "node"}, {"20.4", ""}, {"04.20", ""}, {"ubuntu 20", "node"},
	{"C++", "cpp"}, {"c++", "cpp"}, {"C#", "cpp"}, {".NET", "cpp"}, {".net", "cpp"}, {"net", "cpp"}, {"rest c+", "cpp"}, {"c+", "cpp"}, {"17.04.1", "kernel"}, {"v17.04", "kernel"}, {"v17", "kernel"}, {"17.4", ""}, {"(C++17", "cpp"}, {"C++,", "cpp"},
	{"don't", "straight"}, {"don’t", "straight"}, {"DON'T", "straight"}, {"can’t tell", "straight"}, {"won't", "curly"}, {"won’t", "curly"}, {"it's", "curly"},
	{"cafe", "accents combining plain"}, {"café", "accents combining plain"}, {"CAFÉ", "accents combining plain"}, {"cafe\u0301", "accents combining plain"}, {"café ", "accents combining"},
	{"zürich", "accents plain"}, {"Zurich", "accents plain"}, {"naïve", "accents plain"}, {"naive", "accents plain"}, {"senor", "accents plain"}, {"señor", "accents plain"},
	{"fiancee", "accents"}, {"angstrom", "accents"}, {"da nang", "accents"}, {"đà nẵng", "accents"}, {"lodz", "accents plain"}, {"łódź", "accents plain"}, {"noel", "combining"}, {"noël", "combining"},
	{"straße", "german"}, {"strasse", "german"}, {"gross", "german"}, {"groß", "german"}, {"istanbul", "turkish"}, {"İSTANBUL", "turkish"}, {"ışık", "turkish"},
	{"σίσυφος", "greek"}, {"ΣΙΣΥΦΟΣ", "greek"}, {"λογος", "greek"}, {"ёлка", "russian"}, {"елка", "russian"}, {"ЕЩЕ", "russian"}, {"йод", "russian"},
	{"机器学习", "chinese"}, {"自然语言", "chinese"}, {"学习", "chinese"}, {"处", "chinese"}, {"法", "chinese"}, {"习学", ""}, {"机器 方法", "chinese"}, {"人工智慧", "traditional"}, {"智", "traditional"},
	{"東京", "japanese"}, {"タワー", "japanese"}, {"東京タワー", "japanese"}, {"ひらがな", "japanese"}, {"タ", "halfwidth japanese"}, {"カタカナ", "halfwidth japanese"}, {"ｶﾀｶﾅ", "halfwidth japanese"},
	{"fullwidth", "halfwidth"}, {"ＦＵＬＬ", "halfwidth"}, {"ハンカク", "halfwidth"},
	{"한국어", "korean"}, {"한국", "korean"}, {"배우고", "korean"}, {"인공지능", "korean"}, {"지능", "korean"}, {"한", "korean"}, {"\u1112\u1161\u11ab국어", "korean"},
	{"ภาษาไทย", "thai"}, {"ไทย", "thai"}, {"มหาวิทยาลัย", "thai"}, {"กรุงเทพ", "thai"}, {"เรียน", "thai"}, {"ไทยภาษา", ""},
	{"GPT4", "glued"}, {"gpt", "glued"}, {"API", "glued"}, {"python", "glued"}, {"模型", "glued"}, {"GPT4模型", "glued"}, {"接口", "glued"}, {"pyth", "glued"}, {"函数", "glued"}, {"用", "glued"},
	{"محمد", "arabic"}, {"مُحَمَّد", "arabic"}, {"שלום", "hebrew"}, {"שָׁלוֹם", "hebrew"}, {"हिन्दी", "hindi"},
	{"foo_bar_baz", "snake"}, {"bar_baz()", "snake"}, {"foo", "snake"}, {"camelcase", "snake"}, {"kebab-case", "snake"}, {"a@example.org", "snake"}, {"example.org", "snake"},
	{"rocket", "emoji"}, {"launch", "emoji"}, {"rocket🚀launch", "emoji"}, {"🚀", ""}, {"🚀 rocket", "emoji"}, {"cooperate", "soft"}, {"width", "soft"}, {"zero width", "soft"}, {"coop", "soft"},
	{"1,234.56", "numbers"}, {"1,234", "numbers"}, {"234", "numbers"}, {"7e3", "numbers"}, {"½", "numbers"}, {"x²", "numbers"}, {"x2", "numbers"},
	{"negot", "agents"}, {"negot that", ""}, {"that negot", "agents"}, {"systems multi-agent neg", "agents"}, {"systems negotiate unknownword", ""},
	{"!!!", ""}, {"\"", ""}, {"…", ""}, {"agent*", "agents"}, {"\"multi-agent\"", "agents"}, {"agent AND node", ""}, {"agent -node", ""}, {"title:agent", ""}, {"NEAR(multi agent)", ""},
}

// TestFindInContent finds words as people type them in text as people write it.
func TestFindInContent(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		for name, body := range findable {
			f.create(f.ann, document(name+" -- the document", body))
		}
		for _, c := range found {
			got := []string{}
			for _, title := range f.find(f.bob, c.query) {
				name, _, _ := strings.Cut(title, " ")
				got = append(got, name)
			}
			slices.Sort(got)
			if want := strings.Fields(c.want); !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", c.query, got, want)
			}
		}
		t.Logf("%d queries over %d documents", len(found), len(findable))
	})
}

// TestFoundInOrder: a match in the title counts most, then tags, description, body,
// of elementals and of lists, and the owner's Unlisted ones are for the owner.
func TestFoundInOrder(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		tag := func(a quire.Actor, title string) []int64 {
			tag, err := f.CreateTag(ctx, a, quire.TagInput{Title: title, Color: "#fff", ElementalTypeID: quire.TypeDocument})
			if err != nil {
				t.Fatal(err)
			}
			return []int64{tag.ID}
		}
		wanted, other := tag(f.ann, "wanted"), tag(f.ann, "something")
		for range 8 { // so that the word is rare
			f.create(f.ann, quire.ElementalInput{Title: "something of no use", Description: "something", Body: "something", TypeID: 3, CategoryID: 18, TagIDs: other})
		}
		var want []string
		for _, in := range []quire.ElementalInput{
			{Title: "1 wanted in the title", Description: "something", Body: "something", TagIDs: other},
			{Title: "2 something in a tag", Description: "something", Body: "something", TagIDs: wanted},
			{Title: "3 something in the description", Description: "wanted", Body: "something", TagIDs: other},
			{Title: "4 something in the body", Description: "something", Body: "wanted", TagIDs: other},
		} {
			in.TypeID, in.CategoryID = quire.TypeDocument, quire.CategoryText
			want = append(want, f.create(f.ann, in).Title)
			f.list(f.ann, quire.ListInput{Title: in.Title, Description: in.Description, TagIDs: in.TagIDs})
		}
		for _, query := range []string{"wanted", "want", "WANTED"} {
			for _, a := range []quire.Actor{f.ann, f.bob} {
				if diff := cmp.Diff(want, f.find(a, query)); diff != "" {
					t.Errorf("%q for %s (-want +got):\n%s", query, a.UserID, diff)
				}
				lists, err := f.SearchLists(ctx, a, quire.SearchInput{Text: query, Page: quire.Page{Size: 100}})
				var got []string
				for _, l := range lists.Items {
					got = append(got, l.Title)
				}
				if diff := cmp.Diff(want[:3], got); err != nil || lists.Total != 3 || diff != "" {
					t.Errorf("%q finds %d lists for %s, %v (-want +got):\n%s", query, lists.Total, a.UserID, err, diff)
				}
			}
		}
		for i, title := range want {
			hidden := f.find(f.ann, title)
			if len(hidden) != 1 {
				t.Fatalf("%q finds %q", title, hidden)
			}
			found, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: title})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.UpdateElemental(ctx, f.ann, found.Items[0].ID, quire.ElementalPatch{Visibility: ptr(quire.Unlisted)}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[i+1:], append([]string{}, f.find(f.bob, "wanted")...)); diff != "" {
				t.Errorf("with %d hidden (-want +got):\n%s", i+1, diff)
			}
			if got := f.find(f.ann, "wanted"); !slices.Equal(got, want) {
				t.Errorf("with %d hidden the owner finds %q", i+1, got)
			}
		}
	})
}

// TestSearchesAnything searches for whatever there is: a result or invalid input, never
// another error, and what is found is told the same way twice.
func TestSearchesAnything(t *testing.T) {
	t.Parallel()
	pieces := []string{
		`"`, `""`, "'", "*", "^", "(", ")", "{", "}", ":", "-", "+", "AND", "OR", "NOT", "NEAR", "NEAR(", ", 5)", "title", "rowid", "\\", "%", "_", ";", "--", "/*",
		"\x00", "\xff", "\xed\xa0\x80", "\xf0\x9f", "\ufeff", "\u200b", "\u202e", "\U0010ffff", "\U000e0041", "🚀", "👩‍💻", "e\u0301", "\u0301", "ﬀ", "İ", "ß", " ", "\t", "\n", "\u00a0", "\u2028",
		"agent", "c++", "C#", ".NET", "node.js", "日本", "語", "ไทย", "한국어", "हिन्दी", "مُحَمَّد", "20.04", strings.Repeat("a", 300), strings.Repeat("文", 300), strings.Repeat("b ", 100),
	}
	onEachStore(t, func(t *testing.T, f *fixture) {
		for name, body := range findable {
			f.create(f.ann, document(name+" -- the document", body))
			f.list(f.ann, quire.ListInput{Title: name + " -- the document", Description: body})
		}
		searches, hits := 0, 0
		rapid.Check(t, func(rt *rapid.T) {
			for range 20 {
				text := rapid.OneOf(
					rapid.Custom(func(rt *rapid.T) string {
						return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(rt, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "glue"))
					}),
					rapid.String(),
					rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
				).Draw(rt, "text")
				blank := strings.TrimSpace(text) == ""
				in := quire.SearchInput{Text: text, Page: quire.Page{Size: 100}}
				found, err := f.SearchElementals(t.Context(), f.bob, in)
				if code := quire.CodeOf(err); (code != "" || blank) && (code != quire.CodeInvalid || !blank) {
					rt.Fatalf("%q: %v", text, quire.Cause(fmt.Errorf("%w", err)))
				}
				lists, err := f.SearchLists(t.Context(), f.bob, in)
				if err != nil {
					rt.Fatalf("lists %q: %v", text, quire.Cause(err))
				}
				if found.Total != len(found.Items) || lists.Total != len(lists.Items) {
					rt.Fatalf("%q: totals %d and %d, %d and %d items", text, found.Total, lists.Total, len(found.Items), len(lists.Items))
				}
				if !blank && found.Total != lists.Total {
					rt.Fatalf("%q finds %d elementals and %d lists of the same texts", text, found.Total, lists.Total)
				}
				searches += 2
				hits += found.Total
			}
		})
		t.Logf("%d searches, %d hits", searches, hits)
		if hits == 0 {
			t.Error("nothing was ever found")
		}
	})
}
