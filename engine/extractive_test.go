package engine_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/internal/segment"
)

func TestExtractiveForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, question string
		sources        []string
		want           string
	}{
		{
			"reading order", "Where do otters hunt, swim, sleep and rest?",
			[]string{"Many animals sleep and rest under old trees. The sun is warm.", "Some facts first. Young ones swim and rest near dens. Nearby, adult otters hunt and swim."},
			"Young ones swim and rest near dens. [2] Nearby, adult otters hunt and swim. [2]",
		},
		{
			"other sources that say as much", "Where do otters swim and rest?",
			[]string{"Old otters swim and rest on the shore.", "Young otters swim and rest near dens."},
			"Old otters swim and rest on the shore. [1]\n\nYoung otters swim and rest near dens. [2]",
		},
		{
			"a question does not answer", "Why do otters swim?",
			[]string{"Why do otters swim? They like it: otters swim for fun."},
			"They like it: otters swim for fun. [1]",
		},
		{
			"heading when there is nothing else", "What is photosynthesis?",
			[]string{"## Photosynthesis"}, "Photosynthesis [1]",
		},
		{
			"text below a heading that matches", "What is photosynthesis?",
			[]string{"## Photosynthesis\n\nPlants make sugar from light and water."}, "Plants make sugar from light and water. [1]",
		},
		{
			"the text and not the heading where only that matches", "How do I fix a printer?",
			[]string{"# Printer is offline\n\n1. Check the cable.\n2. Switch the device off and on again.\n\n# Printer is slow\n\nWait."},
			"Check the cable. [1] Switch the device off and on again. [1]",
		},
		{
			"table row", "How high is Everest?",
			[]string{"| Mountain | Height |\n|---|---|\n| Everest, in Nepal | 8,849 m |\n| K2, in Pakistan | 8,611 m |"}, "Mountain: Everest, in Nepal; Height: 8,849 m [1]",
		},
		{
			"cells that hold marks", "What is the price of a|b?",
			[]string{"Name | Price |\n---|---\n`a\\|b` | **3** crowns |\n c | | 7"}, "Name: a|b; Price: 3 crowns [1]",
		},
		{
			"a header without rows", "What is the height?",
			[]string{"| Mountain | Height |\n|---|---|"}, "Mountain | Height [1]",
		},
		{
			"the sentence behind the one that matches", "How many steps does the ladder have?",
			[]string{"The ladder is behind the shed. It has nine steps. The saw hangs on the wall."},
			"The ladder is behind the shed. [1] It has nine steps. [1]",
		},
		{
			"what is asked for", "When did the otters come to the river?",
			[]string{"The otters came to the river from the north. The otters came back to the river in 1998."},
			"The otters came back to the river in 1998. [1]",
		},
		{
			"what comes before it", "Which way do the paths lead?",
			[]string{"The paths begin at the mill. They lead north."},
			"The paths begin at the mill. [1] They lead north. [1]",
		},
		{
			"items of a list", "Which tools are in the shed?",
			[]string{"These tools are in the shed:\n\n- a saw with teeth\n- two hammers of iron\n"},
			"These tools are in the shed: [1] a saw with teeth [1] two hammers of iron [1]",
		},
		{
			"code with a backtick", "What sets FOO?",
			[]string{"```\nFOO=`date`\n```"}, "`` FOO=`date` `` [1]",
		},
		{
			"a cell", "What is the phone number of the plumber?",
			[]string{"plumber / Address\n\nMill Lane 3", "plumber / Phone\n\n555-1234", "baker / Phone\n\n555-9876"},
			"plumber / Phone: 555-1234 [2]",
		},
		{
			"a title is no answer", "What are the opening hours of the library?",
			[]string{"Opening hours of the library\n\nThe library opens at nine. It closes at five on all days but Sunday."},
			"The library opens at nine. [1] It closes at five on all days but Sunday. [1]",
		},
		{
			"Chinese", "什麼是知識庫？",
			[]string{"今天天氣很好。知識庫保存文件和問題的答案。"}, "知識庫保存文件和問題的答案。 [1]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := answer(t.Context(), nil, tt.question, tt.sources...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a question leans on has been answered; what it adds counts.
func TestExtractiveFollowUp(t *testing.T) {
	t.Parallel()
	req := &quire.LLMRequest{Question: "And the hammer?", Query: "Where is the ladder?\nAnd the hammer?"}
	for i, text := range []string{"The ladder is behind the shed. It has nine steps.", "The hammer hangs on the wall.", "A ladder and a saw are for sale."} {
		req.Sources = append(req.Sources, quire.LLMSource{Number: i + 1, Text: text})
	}
	var got strings.Builder
	for piece, err := range engine.NewExtractive(nil).Generate(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(piece)
	}
	if want := "The hammer hangs on the wall. [2]"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

// A turn that asks nothing is not answered with what was asked before.
func TestExtractiveCourtesies(t *testing.T) {
	t.Parallel()
	for turn, want := range map[string]bool{
		"Thanks!": false, "Thank you very much.": false, "ok": false, "Great, that is nice": false, "danke": false,
		"ok?": true, "why?": true, "And the nice ladder?": true, "Thanks! And where is it?": true, "tell more": true,
	} {
		req := &quire.LLMRequest{Question: turn, Query: "Where is the ladder?\n" + turn,
			Sources: []quire.LLMSource{{Number: 1, Text: "The ladder is behind the shed."}}}
		for piece, err := range engine.NewExtractive(nil).Generate(t.Context(), req) {
			if got := err == nil; got != want {
				t.Errorf("%q: %q, %v", turn, piece, err)
			}
		}
	}
}

// Some words in common are no answer.
func TestExtractiveTrust(t *testing.T) {
	t.Parallel()
	for question, source := range map[string]string{
		"How do I change the oil of a lawn mower?":        "The price of oil rose in the crisis.",
		"Who was the first king of Sweden?":               "The first ship of the line had a hundred guns.",
		"Can I return shoes without a receipt?":           "Ships return to the harbour in the evening.",
		"What is the password of the network for guests?": "Guests are received in the hall at noon.",
		"What do I do when the paper is stuck?":           "| Printer | Paper |\n|---|---|\n| Heron | A3 |\n| Owl | A4 |",
	} {
		if got, err := answer(t.Context(), nil, question, source); !errors.Is(err, quire.ErrNoAnswer) {
			t.Errorf("%q: %q, %v", question, got, err)
		}
	}
}

func TestExtractiveOptions(t *testing.T) {
	t.Parallel()
	source := "Otters eat red fish. Otters hunt blue crabs. Otters love green plants. Otters drink white milk. Otters avoid black bears."
	for sentences, want := range map[int]int{-1: 4, 0: 4, 1: 1, 9: 5} {
		got, err := answer(t.Context(), &engine.ExtractiveOptions{Sentences: sentences}, "otters", source)
		if n := strings.Count(got, "[1]"); err != nil || n != want {
			t.Errorf("%d sentences asked for: %d, %v", sentences, n, err)
		}
	}
}

func TestExtractiveStops(t *testing.T) {
	t.Parallel()
	req := &quire.LLMRequest{Question: "otters", Sources: []quire.LLMSource{{Number: 7, Text: "Otters eat red fish. Otters hunt blue crabs."}}}
	pieces := 0
	for range engine.NewExtractive(nil).Generate(t.Context(), req) {
		pieces++
		break
	}
	if pieces != 1 {
		t.Errorf("%d pieces", pieces)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs []error
	for _, err := range engine.NewExtractive(nil).Generate(ctx, req) {
		errs = append(errs, err)
		cancel()
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) {
		t.Errorf("errors of the pieces: %v", errs)
	}
}

// FuzzExtractive checks that an answer holds nothing but words of the sources and
// markers that exist.
func FuzzExtractive(f *testing.F) {
	f.Add("send closed channel", "A send on a *closed* channel panics. See [\\[1\\]](x) e.g. this.\n\n```\ncode\n```", "# Head\n\n| a | b |\n|---|---|\n| send | 1 |")
	f.Add("知識", "知識庫。其他", "\xff\xfe [*3*] 知識")
	f.Add("", "", "")
	f.Add("C++", "C*++* and `C`++", "C+**+**")
	marker := regexp.MustCompile(`\[(\d+)\]`)
	f.Fuzz(func(t *testing.T, question, first, second string) {
		got, err := answer(context.Background(), nil, question, first, second)
		if err != nil {
			if !errors.Is(err, quire.ErrNoAnswer) || got != "" {
				t.Fatalf("%q, %v", got, err)
			}
			return
		}
		for _, m := range marker.FindAllStringSubmatch(got, -1) {
			if n, _ := strconv.Atoi(m[1]); n != 1 && n != 2 {
				t.Errorf("marker %s in %q", m[0], got)
			}
		}
		// Removing a mark may join what it separated, so compare letters.
		known := make(map[rune]bool)
		for _, r := range fmt.Sprint(strings.Join(segment.Words(first+" "+second), ""), "12") {
			known[r] = true
		}
		for _, r := range strings.Join(segment.Words(got), "") {
			if !known[r] && !strings.ContainsRune("qplusharpdotnet", r) {
				t.Errorf("%q of the answer %q is in no source", r, got)
			}
		}
	})
}
