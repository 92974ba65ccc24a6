package sqlite

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
)

// words are single words of scripts that tokenizers split, fold or drop parts of.
var words = map[string]string{
	"Thai":               "สวัสดี",
	"Thai vowels":        "น้ำ",
	"Hindi":              "हिन्दी",
	"Hindi virama":       "क्षत्रिय",
	"Tamil":              "தமிழ்",
	"Korean":             "한국어",
	"Korean jamo":        "\u1112\u1161\u11ab",
	"ideograph":          "漢",
	"rare ideograph":     "\U00030edd",
	"kana":               "プログラム",
	"composed":           "café",
	"decomposed":         "cafe\u0301",
	"marks only":         "\u0301\u0323",
	"Vietnamese":         "việt",
	"Arabic with marks":  "مُحَمَّد",
	"Hebrew with marks":  "שָׁלוֹם",
	"Khmer":              "ភាសាខ្មែរ",
	"Burmese":            "မြန်မာ",
	"Tibetan":            "བོད",
	"sharp s":            "straße",
	"double s":           "strasse",
	"dotless i":          "ışık",
	"Cherokee":           "ꮳꮃꭹ",
	"Deseret":            "\U00010428\U00010429",
	"Vithkuqi":           "\U00010597\U00010598", // Unicode 14
	"Kawi":               "\U00011f04\U00011f05", // Unicode 15
	"digits":             "٣١٤",
	"fraction":           "½",
	"roman numeral":      "ⅷ",
	"letters and digits": "b2b",
}

// TestWords finds each word by itself, by its beginning and inside a phrase, and
// by nothing else.
func TestWords(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for name, w := range words {
			e := quire.ElementalRecord{ID: name, OwnerID: "u"}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{Body: "before " + w + " after"}); err != nil {
				return err
			}
		}
		return nil
	})
	for name, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		_, lastSize := utf8.DecodeLastRuneInString(w)
		wantFound(t, s, quire.TextQuery{Phrases: [][]string{{w}}}, name)
		wantFound(t, s, quire.TextQuery{Phrases: [][]string{{"before", w, "after"}}}, name)
		wantFound(t, s, quire.TextQuery{Phrases: [][]string{{"after"}, {"before", w[:size]}}, Prefix: true}, startingWith(string(first))...)
		if size < len(w) {
			wantFound(t, s, quire.TextQuery{Phrases: [][]string{{w[:len(w)-lastSize]}}}, named(w[:len(w)-lastSize])...)
			wantFound(t, s, quire.TextQuery{Phrases: [][]string{{w[size:]}}})
		}
	}
	t.Logf("%d words", len(words))
}

// startingWith returns the names of the words that begin so.
func startingWith(prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(words)), func(name string) bool {
		return !strings.HasPrefix(words[name], prefix)
	})
}

// named returns the name of a word, if it is one.
func named(w string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(words)), func(name string) bool { return words[name] != w })
}

func wantFound(t *testing.T, s *Store, q quire.TextQuery, want ...string) {
	t.Helper()
	var got []string
	err := s.View(t.Context(), func(tx quire.ReadTx) error {
		es, total, err := tx.SearchElementals(t.Context(), quire.ElementalSearch{
			Text: q, Viewer: quire.Viewer{OwnerID: "u"}, Limit: 100})
		for _, e := range es {
			got = append(got, e.ID)
		}
		if total != len(es) {
			t.Errorf("%q: total is %d of %d", q.Phrases, total, len(es))
		}
		return err
	})
	if err != nil {
		t.Fatalf("%q: %s", q.Phrases, quire.Cause(err))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%q (-want +got):\n%s", q.Phrases, diff)
	}
}

// TestEveryCharacter indexes a word with each letter, mark and digit of Unicode
// and reads the words back out of the index. Upper case is left out where the
// tokenizer folds it: the words are folded already.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for r := range unicode.MaxRune + 1 {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) && !(r < 0x80 && unicode.IsUpper(r)) {
			if testing.Short() && r%16 != 0 {
				continue
			}
			want["a"+string(r)+"b"] = true
		}
	}
	s := newStore(t)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		text := quire.IndexedText{Body: strings.Join(slices.Collect(maps.Keys(want)), " ")}
		return tx.PutElemental(ctx, quire.ElementalRecord{ID: "e", OwnerID: "u"}, text)
	})
	if _, err := s.write.ExecContext(t.Context(),
		`CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, elemental_text, row)`); err != nil {
		t.Fatal(err)
	}
	rows, err := s.write.QueryContext(t.Context(), `SELECT term FROM temp.vocabulary`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string]bool{}
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			t.Fatal(err)
		}
		got[term] = true
		if !want[term] {
			t.Errorf("the index has %q", term)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("the index has %d words, want %d", len(got), len(want))
	}
	t.Logf("%d characters", len(want))
}

// FuzzMatchExpression asks for arbitrary words: whatever they are, they are words
// and not syntax.
func FuzzMatchExpression(f *testing.F) {
	for _, w := range []string{"", " ", `"`, `""`, `a" OR "b`, "NEAR(", "title:x", "a*", "^a", "-a", "(", "+", "AND", "日本", "\x00", "a\x00b", "\xff", "x\"*"} {
		f.Add(w, "b", true)
		f.Add("a", w, false)
	}
	s := mustOpen(f, f.TempDir()+"/store.db")
	f.Cleanup(func() { s.Close() })
	ctx := context.Background()
	err := s.Update(ctx, func(tx quire.Tx) error {
		return tx.PutElemental(ctx, quire.ElementalRecord{ID: "e", OwnerID: "u"}, quire.IndexedText{Title: "secret", Body: "a b"})
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string, prefix bool) {
		q := quire.ElementalSearch{Text: quire.TextQuery{Phrases: [][]string{{a, "absent"}, {b}}, Prefix: prefix},
			Viewer: quire.Viewer{OwnerID: "u"}, Limit: 1}
		err := s.View(ctx, func(tx quire.ReadTx) error {
			es, total, err := tx.SearchElementals(ctx, q)
			if len(es) > 0 || total > 0 {
				t.Errorf("%q and %q found something without the word absent", a, b)
			}
			return err
		})
		if err != nil {
			t.Errorf("%q and %q: %s", a, b, quire.Cause(err))
		}
	})
}
