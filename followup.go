package quire

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// The limits of a conversation.
const (
	maxTurns      = 100
	maxTurnBytes  = 64 << 10
	historyTokens = 1000 // of what an LLM is shown, newest first
	maxChain      = 3    // earlier questions that a query takes in
)

// Rewriter is an optional ability of an LLM: to make a question that leans on the turns
// before it one that stands alone, for retrieval. Without it, and when it fails, panics or
// returns what is blank, longer than 64 KiB or no text, the question takes in the question
// before it if it has a word such as "it" or "those", begins like "and ..", or hardly any word
// of its own.
type Rewriter interface {
	// Rewrite is not called without history. It must be safe for concurrent use; a
	// cancelled ctx ends it.
	Rewrite(ctx context.Context, question string, history []Message) (string, error)
}

// checkHistory reports what is wrong with the turns of a conversation.
func checkHistory(history []Message, probs *problems) {
	if len(history) > maxTurns {
		probs.add("history", "must have at most %d turns", maxTurns)
		return
	}
	for i, m := range history {
		at := "history/" + itoa(i)
		if m.Role != RoleUser && m.Role != RoleAssistant {
			probs.add(at+"/role", "must be user or assistant")
		}
		switch {
		case strings.TrimSpace(m.Content) == "":
			probs.add(at+"/content", "must not be blank")
		case len(m.Content) > maxTurnBytes || !utf8.ValidString(m.Content):
			probs.add(at+"/content", "must be text of at most %d bytes", maxTurnBytes)
		}
	}
}

// standalone returns what is searched for with a question.
func (e *Engine) standalone(ctx context.Context, question string, history []Message) (string, error) {
	if len(history) == 0 {
		return question, nil
	}
	if rewritten, ok, err := e.llm.rewrite(ctx, visible(question), visibleTurns(history)); ok {
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			e.log.Warn("a question was not rewritten; it is searched for with the one before it", "error", Cause(saidOf(err, textsOfTurns(question, history))))
		case strings.TrimSpace(rewritten) != "" && len(rewritten) <= maxTurnBytes && utf8.ValidString(rewritten):
			return rewritten, nil
		}
	}
	return withEarlier(question, history), nil
}

// textsOfTurns are the texts that a Rewriter is given.
func textsOfTurns(question string, history []Message) []string {
	texts := []string{question}
	for _, turn := range history {
		texts = append(texts, turn.Content)
	}
	return texts
}

// visibleTurns returns the turns as a model may see them.
func visibleTurns(history []Message) []Message {
	shown := slices.Clone(history)
	for i := range shown {
		shown[i].Content = visible(shown[i].Content)
	}
	return shown
}

// withEarlier puts in front of a question that leans on the one before it that one, and
// so on, as far as all may be searched for together.
func withEarlier(question string, history []Message) string {
	parts, length := []string{question}, len(question)
	for _, m := range slices.Backward(history) {
		if m.Role != RoleUser {
			continue
		}
		length += len("\n") + len(m.Content)
		if len(parts) > maxChain || length > maxTurnBytes || !leans(parts[0]) {
			break
		}
		parts = slices.Insert(parts, 0, m.Content)
	}
	return strings.Join(parts, "\n")
}

// leaning are English words that stand for something said before; beginning are those
// that do at the beginning of a question.
var (
	leaning = wordSet("it its itself they them their theirs this that these those he him his she her hers there then one ones " +
		"former latter same such above previous earlier mentioned")
	beginning = wordSet("and or but so also else why how when where who which more")
	empty     = wordSet("a an the of to in on at for with by from about as is are was were be been do does did can could should would " +
		"will shall may might must have has had i you we me us my your our what why how when where who which and or but so also " +
		"else more any some please tell give show explain not no yes ok")
)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// leans reports whether a question can hardly be understood without the one before it.
func leans(question string) bool {
	words := segment.Words(question)
	own := 0
	for _, w := range words {
		if leaning[w] {
			return true
		}
		if !empty[w] {
			own++
		}
	}
	if own == 0 || words[0] == "and" {
		return true
	}
	switch strings.Join(words[:min(2, len(words))], " ") {
	case "what about", "how about":
		return true
	}
	return own == 1 && (len(words) == 1 || beginning[words[0]])
}

// recent returns the newest turns that fit into historyTokens, oldest first.
func recent(history []Message) []Message {
	used := 0
	for i, m := range slices.Backward(history) {
		if used += segment.Tokens(m.Content); used > historyTokens {
			return history[i+1:]
		}
	}
	return history
}
