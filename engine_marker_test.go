package quire

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestMarkerFilter(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, answer, want string }{
		{"none", "plain text", "plain text"},
		{"valid", "a [1] b [3].", "a [1] b [3]."},
		{"unknown", "a [4] b", "a b"},
		{"zero", "a[0]b", "ab"},
		{"list kept", "[1, 2]", "[1, 2]"},
		{"list cut", "[1, 99]", "[1]"},
		{"list cut twice", "[9,1;3, 0]", "[1, 3]"},
		{"list dropped", "[8, 9]", ""},
		{"range kept", "[1-3]", "[1-3]"},
		{"range cut", "[2 – 99]", "[2, 3]"},
		{"range backwards", "[3-1]", ""},
		{"huge range", "[1-99999999999999999999999]", "[1-3]"},
		{"cut twice", "[1, 1, 2, 9, 3, 2, 1]", "[1-3]"},
		{"kept as it is", "[1, 1, 2]", "[1, 1, 2]"},
		{"huge number", "[123456789012345678901234567890]", ""},
		{"white space", "[ 1 ][ 9 ][1\n]", "[ 1 ][1\n]"},
		{"leading zeros", "[007][003]", "[003]"},
		{"no numbers", "[], [ ], [,], [-]", "[], [ ], [,], [-]"},
		{"words", "[see 99], [99a], [^99]", "[see 99], [99a], [^99]"},
		{"dates and fractions", "[2024-01-15] [1.5]", "[2024-01-15] [1.5]"},
		{"half a range", "a[-9]b[9-]c[-2]d[2 –]e[–, 3]f[1-, 9]", "abc[2]d[2]e[3]f[1]"},
		{"spaces around a dropped one", "a [9], b [9] [8] c\n[9] d  [9]  e", "a, b c\nd   e"},
		{"spaces around dropped ones at the ends", "[9] a [9]", "a"},
		{"a dropped one in front of a full stop", "So it is [9]. And [9][8] ! Or [9] [1]. Yes . [9]", "So it is. And! Or [1]. Yes ."},
		{"spaces around a dropped one inside a bracket", "[1, [9] 2]", "[1, 2]"},
		{"unclosed", "a [99", "a [99"},
		{"unclosed then valid", "[99 [1]", "[99 [1]"},
		{"nested", "[[1]] [[99]]", "[[1]] []"},
		{"a dropped one would complete another", "[9[99]9]", ""},
		{"the same, three deep", "[9[9[9]9]9]x", "x"},
		{"the same, valid outside", "[1[99]]", "[1]"},
		{"valid inside", "[9[1]9]", "[9[1]9]"},
		{"link", "[1](http://x) [99](http://x)", "[1](http://x) (http://x)"},
		{"escaped", `\[99\]`, `\[99\]`},
		{"full width", "［99］【99】", "［99］【99】"},
		{"other digits", "[٣] [９]", "[٣] [９]"},
		{"not UTF-8", "a\xff[9]\xc3", "a\uFFFD\uFFFD"},
		{"characters", "é[9]日本🎉", "é日本🎉"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := filtered(3, []string{tt.answer}); got != tt.want {
				t.Errorf("whole: %q, want %q", got, tt.want)
			}
			if got := filtered(3, strings.Split(tt.answer, "")); got != tt.want {
				t.Errorf("by characters: %q, want %q", got, tt.want)
			}
			var bytes []string
			for i := range len(tt.answer) {
				bytes = append(bytes, tt.answer[i:i+1])
			}
			if got := filtered(3, bytes); got != tt.want {
				t.Errorf("by bytes: %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMarkerFilterIsBounded feeds brackets that never close.
func TestMarkerFilterIsBounded(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"one bracket":     "[" + strings.Repeat("9,", 5000) + "]",
		"many brackets":   strings.Repeat("[9", 5000) + strings.Repeat("]", 5000),
		"many and spaces": strings.Repeat("[ ", 5000) + "9" + strings.Repeat("]", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := markerFilter{sources: 3}
			var out strings.Builder
			for i := range len(answer) {
				out.WriteString(f.write(answer[i : i+1]))
				if len(f.held) > markerLimit {
					t.Fatalf("holds back %d bytes", len(f.held))
				}
			}
			out.WriteString(f.end())
			checkMarkers(t, out.String(), 3)
		})
	}
}

func filtered(sources int, pieces []string) string {
	f := markerFilter{sources: sources}
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(f.write(p))
	}
	out.WriteString(f.end())
	return out.String()
}

var (
	anyMarker = regexp.MustCompile(`\[[\s,;–-]*\d+(?:\s*[-–]\s*\d+)?(?:[\s,;]+\d+(?:\s*[-–]\s*\d+)?)*[\s,;–-]*\]`)
	anyNumber = regexp.MustCompile(`\d+`)
)

// checkMarkers fails if an answer cites what is not there.
func checkMarkers(t *testing.T, answer string, sources int) {
	t.Helper()
	for _, marker := range anyMarker.FindAllString(answer, -1) {
		for _, digits := range anyNumber.FindAllString(marker, -1) {
			if n, err := strconv.Atoi(digits); err != nil || n < 1 || n > sources {
				t.Errorf("%q is left in %q, there are %d sources", marker, answer, sources)
			}
		}
	}
}

func FuzzMarkers(f *testing.F) {
	for _, s := range []string{"a [1] [99]", "[1, 99]", "[9[99]9]", "[1-9] – [2 – 3]", "[[[[1]]]]", "é[9\xff]", "[ ,1;\n0 ]", "[1](x)[^1]\\[1\\]"} {
		f.Add(s, 2, uint64(7))
	}
	f.Fuzz(func(t *testing.T, answer string, sources int, seed uint64) {
		sources = min(max(sources, 1), maxResults)
		whole := filtered(sources, []string{answer})
		checkMarkers(t, whole, sources)
		if !utf8.ValidString(whole) {
			t.Errorf("%q is not UTF-8", whole)
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		var pieces []string
		for rest := answer; rest != ""; {
			n := 1 + rng.IntN(min(len(rest), 8))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := filtered(sources, pieces); got != whole {
			t.Errorf("pieces %q give %q, the whole gives %q", pieces, got, whole)
		}
		if again := filtered(sources, []string{whole}); again != whole {
			t.Errorf("filtering %q again gives %q", whole, again)
		}
	})
}

func FuzzNeutralMarkers(f *testing.F) {
	for _, s := range []string{"see [12]", "[1, 2]", "[[1]]", "[1[2]3]", "[1", "1]", "[1]\xff[2]", "[-1]", "a[i] a[0]", "[ 1\n]", "[1](x) [[2]](y)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := neutralMarkers(text)
		if m := anyMarker.FindString(safe); m != "" {
			t.Errorf("%q still holds the marker %q", safe, m)
		}
		rest := strings.NewReplacer("[", "", "]", "", `\`, "")
		if rest.Replace(safe) != rest.Replace(text) {
			t.Errorf("%q became %q: more than brackets changed", text, safe)
		}
		// What an LLM quotes from it goes through the filter as it is, unless it is so
		// long that the filter cannot hold it.
		if got := filtered(1, []string{safe}); got != safe && len(safe) <= markerLimit && utf8.ValidString(safe) {
			t.Errorf("quoting %q gives %q", safe, got)
		}
	})
}

// TestOpening writes beginnings of answers in pieces.
func TestOpening(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pieces []string
		shown  string
		none   bool
	}{
		{[]string{"", " \n", "An answer", " goes on"}, " \nAn answer goes on", false},
		{[]string{" ", "NO_", "ANSWER", ".", " \n!"}, "", true},
		{[]string{"NO_ANSWER", " to", " that"}, "NO_ANSWER to that", false},
		{[]string{"NO_", "ONE"}, "NO_ONE", false},
		{[]string{"NO"}, "NO", false},
		{[]string{" ", "\t"}, "", true},
		{nil, "", true},
	} {
		var o opening
		var got strings.Builder
		for _, piece := range tt.pieces {
			got.WriteString(o.write(piece))
		}
		none := false
		if !o.passed {
			text, ok := o.end()
			if none = !ok; ok {
				got.WriteString(text)
			}
		}
		if got.String() != tt.shown || none != tt.none {
			t.Errorf("%q shows %q, no answer: %v", tt.pieces, got.String(), none)
		}
	}
}

// An answer that is blank for long costs as much as it is long: 2 MB in pieces of two
// bytes take under a second, not the hours of looking at all of it for each piece. The limit
// lies between the two for any machine.
func TestOpeningIsLinear(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", "NO_ANSWER"} {
		var o opening
		o.write(begin)
		begun := time.Now()
		for range 1 << 20 {
			if o.write(" \n") != "" {
				t.Fatal("white space was shown")
			}
		}
		if took := time.Since(begun); took > 5*time.Minute {
			t.Errorf("after %q white space took %v", begin, took)
		}
	}
}
