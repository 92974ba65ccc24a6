package httpapi

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
	"github.com/quirelib/quire/store"
)

func openMemory(*testing.T) quire.Store { return store.NewMemory() }

// onEachStore runs a test over each Store, with all routes.
func onEachStore(t *testing.T, test func(f *fixture)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) quire.Store{
		"memory": openMemory, "sqlite": openSQLite,
	} {
		t.Run(name, func(t *testing.T) { test(newFixtureOn(t, open(t), nil).withEngine(nil, nil)) })
	}
}

// found searches and returns the ids of up to 100 results in order, and how many there are.
func (f *fixture) found(path, text string) (ids []string, all int) {
	f.t.Helper()
	a := f.do(f.ann.key, "GET", path+"?size=100&search="+url.QueryEscape(text), "").want(200)
	for _, v := range a.at("response").([]any) {
		ids = append(ids, v.(map[string]any)["id"].(string))
	}
	all, err := strconv.Atoi(fmt.Sprint(a.at("meta.total")))
	if err != nil {
		f.t.Fatal(err)
	}
	return ids, all
}

// TestHostileSearches searches for each text among things that hold one each: it finds
// its own, or is refused if it is no text.
func TestHostileSearches(t *testing.T) {
	t.Parallel()
	texts, _ := hostileSets(t)
	searched, itself, blank, refused := 0, 0, 0, 0
	onEachStore(t, func(f *fixture) {
		t := f.t
		own := map[string]string{}
		for i, text := range texts {
			if !stored(text) || strings.TrimSpace(text) == "" {
				continue
			}
			e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
				Title: fmt.Sprintf("Searched for number %d", i), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: text,
			})
			if err != nil {
				t.Fatal(err)
			}
			own[text] = e.ID
		}
		for _, text := range texts {
			searched++
			if !notBlank(text) {
				f.do(f.ann.key, "GET", "/v1/elementals?search="+url.QueryEscape(text), "").want(400)
				if !stored(text) {
					f.do(f.ann.key, "GET", "/v1/lists?search="+url.QueryEscape(text), "").want(400)
				}
				refused++
				continue
			}
			f.found("/v1/lists", text)
			ids, total := f.found("/v1/elementals", text)
			phrases, _ := segment.Query(text)
			switch {
			case len(phrases) == 0:
				if blank++; total > 0 {
					t.Errorf("%q has no word, but finds %d", text, total)
				}
			case slices.Contains(ids, own[text]):
				itself++
			case total <= len(ids):
				t.Errorf("%.200q finds %d, but not itself", text, total)
			}
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B2: %d searches for hostile texts on 2 stores: %d find what holds them, %d have no word and find nothing, %d are refused, 0 errors", searched, itself, blank, refused)
}

// TestSearchesAreWords: signs that databases and search engines give a meaning to have none,
// letters are alike in whatever case, and a text that is too long to be a query is cut.
func TestSearchesAreWords(t *testing.T) {
	t.Parallel()
	titles := []string{
		"apples and pears", "only apples here", "only pears here", "the multi-agent paper", "agents of multi kinds", "C++ for beginners", "the C language",
		"upgrade to 20.04 now", "it's a boat, isn't it", "École du dimanche", "100% of it_all", "back\\slash paths", "NOT AND OR NEAR", "title of a song", "ÅNGSTRÖM units",
	}
	tests := []struct{ text, want string }{ // want: numbers of titles
		{"apples OR pears", ""}, {"apples AND pears", "0"}, {"apples -pears", "0"}, {"apples NOT pears", ""}, {"NEAR(apples pears)", ""}, {"title:apples", ""}, {"{title}:apples", ""},
		{"appl*", ""}, {"appl", "0 1"}, {"^only", "1 2"}, {`"only apples"`, "1"}, {`"only apples`, "1"}, {"(apples)", "0 1"}, {"apples; DROP TABLE lists", ""},
		{"multi-agent", "3"}, {"C++", "5"}, {"20.04", "7"}, {"it's", "8"}, {"not and or near", "12"},
		{"ÉCOLE", "9"}, {"école", "9"}, {"ångström", "14"}, {"APPLES", "0 1"},
		{"%", ""}, {"_", ""}, {`\`, ""}, {"%%", ""}, {"a%z", ""}, {"100%", "10"}, {"1__", ""}, {"it_all", "10"}, {"itXall", ""}, {`back\slash`, "11"}, {"back%", "11"},
		{strings.Repeat("%", 60_000), ""}, {strings.Repeat("a ", 30_000), "8 13"}, {"apples " + strings.Repeat("only ", 12_000), "1"}, {strings.Repeat("x", 60_000), ""},
		{strings.Repeat("apples OR ", 1_200), ""}, {strings.Repeat(`"`, 5_000) + "apples", "0 1"}, {strings.Repeat("(", 5_000) + "apples", "0 1"},
	}
	asked := 0
	onEachStore(t, func(f *fixture) {
		t := f.t
		number := map[string]string{}
		for i, title := range titles {
			number[f.elemental(f.ann, strings.ReplaceAll(title, `\`, `\\`), `,"command":"none"`)] = fmt.Sprint(i)
			number[f.list(f.ann, title)] = fmt.Sprint(i)
		}
		for _, path := range []string{"/v1/elementals", "/v1/lists"} {
			for _, tt := range tests {
				ids, _ := f.found(path, tt.text)
				for i, id := range ids {
					ids[i] = number[id]
				}
				slices.SortFunc(ids, func(a, b string) int { return 10*(len(a)-len(b)) + strings.Compare(a, b) })
				if got := strings.Join(ids, " "); got != tt.want {
					t.Errorf("%s: %.60q finds %q, want %q", path, tt.text, got, tt.want)
				}
				asked++
			}
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B3: %d of %d searches with signs that mean something elsewhere find the words in them and nothing else", asked, asked)
}

// TestLongWords stores words that are longer than a database indexes, and searches for them:
// both stores say the same.
func TestLongWords(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + random.IntN(26))
		}
		return string(b)
	}
	var many strings.Builder
	for range 60_000 {
		many.WriteString(letters(8) + " ")
	}
	bodies := []string{letters(9_000), letters(2_800), "before " + letters(9_000) + " after", letters(1 << 20), strings.Repeat("文", 9_000), many.String(), strings.Repeat("a\u0301", 9_000)}
	searched := 0
	answers := map[string][]string{}
	onEachStore(t, func(f *fixture) {
		number := map[string]int{}
		for i, body := range bodies {
			for _, field := range []string{"template", "description"} {
				if field == "description" && utf8.RuneCountInString(body) > 20_000 {
					continue
				}
				in := quire.ElementalInput{Title: "With a long word in it", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body}
				if field == "description" {
					in.Body, in.Description = "x", body
				}
				e, err := f.lib.CreateElemental(f.t.Context(), f.ann.Actor(), in)
				if err != nil {
					f.t.Fatal(err)
				}
				number[e.ID] = i
			}
		}
		for _, body := range append(bodies, "after", "before") {
			for _, n := range []int{len(body), 9_000, 300, 128, 127, 20} {
				cut, _ := wholeRunes(body[:min(n, len(body))])
				ids, total := f.found("/v1/elementals", cut)
				found := make([]int, len(ids))
				for i, id := range ids {
					found[i] = number[id]
				}
				slices.Sort(found)
				answers[cut] = append(answers[cut], fmt.Sprint(found, total))
				searched++
			}
		}
	})
	for text, both := range answers {
		slices.Sort(both)
		if len(slices.Compact(both)) != 1 {
			t.Errorf("%.40q of %d bytes: one store finds %v", text, len(text), both)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("B16: %d texts with words of up to 1 MiB stored, %d searches for them, the same results on 2 stores", len(bodies), searched)
}
