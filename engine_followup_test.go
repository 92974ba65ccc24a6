package quire_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// converse asks with a history of questions and answers in turn.
func (f *engineFixture) converse(query string, turns ...string) (quire.ChatResponse, error) {
	f.t.Helper()
	req := quire.ChatRequest{Query: query, Filters: quire.Filters{TenantID: f.ann.TenantID}, Limit: 1}
	for i, text := range turns {
		role := quire.RoleUser
		if i%2 == 1 {
			role = quire.RoleAssistant
		}
		req.History = append(req.History, quire.Message{Role: role, Content: text})
	}
	return f.eng.Chat(f.t.Context(), req)
}

func TestFollowUps(t *testing.T) {
	t.Parallel()
	bread := []string{"How is rye bread baked?", "In an oven [1]."}
	for _, tt := range []struct {
		query string
		turns []string
		want  string // what is searched for; "": the query
	}{
		{"How long does it take?", bread, "How is rye bread baked?\nHow long does it take?"},
		{"And in summer?", bread, "How is rye bread baked?\nAnd in summer?"},
		{"What about sourdough?", bread, "How is rye bread baked?\nWhat about sourdough?"},
		{"why?", bread, "How is rye bread baked?\nwhy?"},
		{"Wozu?", bread, "How is rye bread baked?\nWozu?"},
		{"???", bread, "How is rye bread baked?\n???"},
		{"How long does it take?", nil, ""},
		{"How are boats built from oak?", bread, ""},
		{"Which harbours have a crane?", bread, ""},
		{"How long does it take?", append([]string{"Does it rise?", "Yes."}, bread...), "How is rye bread baked?\nHow long does it take?"},
		{"why?", append(bread, "Does it rise?", "Yes."), "How is rye bread baked?\nDoes it rise?\nwhy?"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			f := scriptedChat(t)
			f.llm.Script("yes [1]")
			_, err := f.converse(tt.query, tt.turns...)
			f.check(err)
			if tt.want == "" {
				tt.want = tt.query
			}
			req := f.llm.Requests()[0]
			wantEqual(t, req.Query, tt.want)
			wantEqual(t, req.Question, tt.query)
			if got := len(req.Messages); got != len(tt.turns)+2 {
				t.Errorf("%d messages, want rules, %d turns and the question", got, len(tt.turns))
			}
		})
	}
}

// What a question leans on is searched for with it as far as a search may be long, and a rewritten
// question that may not be searched for is none.
func TestLongFollowUps(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	long := strings.Repeat("it ", most/3)
	short := "and how is rye bread baked?"
	for name, tt := range map[string]struct {
		turns []string
		want  string
	}{
		"two long ones":         {[]string{long, "So [1].", long, "Yes [1]."}, "why?"},
		"a short one between":   {[]string{long, "So [1].", short, "Yes [1]."}, short + "\nwhy?"},
		"the longest that fits": {[]string{long[:most-len("\nwhy?")-1] + "x", "So [1]."}, long[:most-len("\nwhy?")-1] + "x\nwhy?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := scriptedChat(t)
			f.llm.Script("yes [1]")
			_, err := f.converse("why?", tt.turns...)
			f.check(err)
			wantEqual(t, f.llm.Requests()[0].Query, tt.want)
		})
	}
}

// A follow-up finds what the question before it was about.
func TestFollowUpIsSearchedWithWhatItIsAbout(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.add(f.ann, "Baking of rye bread", "rye bread takes an hour in the oven")
		f.add(f.ann, "Building of boats", "how long a boat takes is weather")
		f.llm.Script("an hour [1]")
		res, err := f.converse("how long?", "tell me of rye bread in the oven", "It is baked [1].")
		f.check(err)
		if len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Chunk.Text, "rye") {
			t.Errorf("with its history: %q", sourceTexts(res.Sources))
		}
		res, err = f.converse("how long?")
		f.check(err)
		if len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Chunk.Text, "boat") {
			t.Errorf("without: %q", sourceTexts(res.Sources))
		}
	})
}

// The LLM sees the turns between rules and question, without anything that could be taken
// for a marker, the newest ones if there are too many.
func TestHistoryAsMessages(t *testing.T) {
	t.Parallel()
	f := scriptedChat(t)
	f.llm.Script("yes [1]")
	_, err := f.converse("Which text is there, really?", "Which one?", "The first [1, 2].", "Which other?", "None [3].")
	f.check(err)
	got := f.llm.Requests()[0].Messages
	var roles, texts []string
	for _, m := range got {
		roles, texts = append(roles, string(m.Role)), append(texts, m.Content)
	}
	wantEqual(t, roles, []string{"system", "user", "assistant", "user", "assistant", "user"})
	if texts[2] != `The first \[1, 2\].` || texts[4] != `None \[3\].` {
		t.Errorf("earlier answers are shown as %q and %q", texts[2], texts[4])
	}
	long := strings.Repeat("many words of an earlier answer ", 300)
	_, err = f.converse("Which text is there, really?", "First?", long, "Second?", "short")
	f.check(err)
	got = f.llm.Requests()[1].Messages
	if len(got) != 4 || got[1].Content != "Second?" {
		t.Errorf("%d messages, the first turn %.40q", len(got), got[1].Content)
	}
}

func TestHistoryIsChecked(t *testing.T) {
	t.Parallel()
	f := scriptedChat(t)
	for name, history := range map[string][]quire.Message{
		"role":     {{Role: quire.RoleSystem, Content: "obey"}},
		"no role":  {{Content: "x"}},
		"blank":    {{Role: quire.RoleUser, Content: " \n"}},
		"long":     {{Role: quire.RoleUser, Content: strings.Repeat("x", 64<<10+1)}},
		"no UTF-8": {{Role: quire.RoleUser, Content: "\xff"}},
		"many":     make([]quire.Message, 101),
	} {
		_, err := f.eng.Chat(t.Context(), quire.ChatRequest{Query: "q", Filters: quire.Filters{TenantID: f.ann.TenantID}, History: history})
		if !errors.Is(err, quire.ErrInvalid) || !strings.Contains(err.Error(), "history") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(f.llm.Requests()); n != 0 {
		t.Errorf("the LLM was asked %d times", n)
	}
}

// rewritingLLM is an LLM that rewrites questions.
type rewritingLLM struct {
	*enginetest.LLM
	rewrite func(ctx context.Context, question string, history []quire.Message) (string, error)
}

func (l rewritingLLM) Rewrite(ctx context.Context, question string, history []quire.Message) (string, error) {
	return l.rewrite(ctx, question, history)
}

func TestRewriter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		says string
		err  error
		want string
	}{
		{"rewritten", "the only text", nil, "the only text"},
		{"blank", " ", nil, "Is there a text?\nand now?"},
		{"failing", "never", errors.New("no model"), "Is there a text?\nand now?"},
		{"too long", strings.Repeat("long ", 20_000), nil, "Is there a text?\nand now?"},
		{"no text", "\xff", nil, "Is there a text?\nand now?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := onMemory(t)
			f.add(f.ann, "The only title there is", "the only text")
			f.check(f.eng.Close(t.Context()))
			llm := rewritingLLM{f.llm, func(_ context.Context, question string, history []quire.Message) (string, error) {
				if question != "and now?" || len(history) != 1 || history[0].Content != "Is there a text?" {
					t.Errorf("Rewrite(%q, %v)", question, history)
				}
				history[0].Content = "changed by the LLM"
				return tt.says, tt.err
			}}
			eng, err := quire.NewEngine(t.Context(), f.Library, f.index, f.embedder, llm, &f.opts)
			f.check(err)
			f.eng = eng
			f.llm.Script("yes [1]")
			_, err = f.converse("and now?", "Is there a text?")
			f.check(err)
			wantEqual(t, f.llm.Requests()[0].Query, tt.want)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		f := onMemory(t)
		f.check(f.eng.Close(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		llm := rewritingLLM{f.llm, func(ctx context.Context, _ string, _ []quire.Message) (string, error) {
			cancel()
			<-ctx.Done()
			return "", ctx.Err()
		}}
		eng, err := quire.NewEngine(t.Context(), f.Library, f.index, f.embedder, llm, &f.opts)
		f.check(err)
		f.eng = eng
		_, err = eng.Chat(ctx, quire.ChatRequest{Query: "and now?", Filters: quire.Filters{TenantID: "ann"}, History: []quire.Message{{Role: quire.RoleUser, Content: "x"}}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// Of passages that say nearly the same, the LLM is given one.
func TestNearRepeatsAreLeftOut(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		text := "rye bread is baked in a hot oven for an hour until its crust is brown and it sounds hollow when the baker knocks at it from below with a finger"
		f.add(f.ann, "The first recipe", text)
		f.add(f.ann, "The first recipe again", strings.Replace(text, "brown", "dark", 1))
		f.add(f.ann, "In another order", "from below with a finger the baker knocks at it and it sounds hollow; brown is its crust, an hour in a hot oven is how rye bread is baked")
		f.add(f.ann, "Another matter", "rye bread is sold by the baker from his shop in the morning until all is gone and the oven is cold again")
		res, err := f.ask("rye bread oven")
		f.check(err)
		count := map[bool]int{}
		for _, s := range sourceTexts(res.Sources) {
			count[strings.Contains(s, "hollow when the baker knocks")]++
		}
		if count[true] != 1 || count[false] < 2 {
			t.Errorf("sources %q", sourceTexts(res.Sources))
		}
	})
}
