package quire

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a service says of its failure goes to the log, and services repeat there what they
// were sent: their key, in texts and in addresses, and the text that they could not use.

// maxCause is how long Cause gets, in bytes.
const maxCause = 16 << 10

// hidden takes the place of what was left out.
const hidden = "[…]"

// credentials are keys and passwords by what stands around them or how they begin; the
// groups stay.
var credentials = []*regexp.Regexp{
	regexp.MustCompile(`(://)[^/\s@"']+(@)`),
	regexp.MustCompile(`(?i)([?&][\w.-]*(?:key|token|secret|password|signature|credential)[\w.-]*=)[^&\s"']+`),
	regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}`),
	regexp.MustCompile(`(?i)((?:api[ _-]?key|authorization|token|secret|password)["']?(?:\s+\w+){0,2}\s*[:=]\s*["']?)[^\s"',;}]{6,}`),
	regexp.MustCompile(`(\b)(?:sk|pk|rk|qk|hf|gsk|xai|ghp)[_-][\w.*-]{8,}|\bAIza[\w-]{10,}`),
}

// longWord is what keys without a form of their own are made of.
var (
	longWord = regexp.MustCompile(`[A-Za-z0-9_-]{32,}`)
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// withoutKeys returns a text without what looks like a key.
func withoutKeys(text string) string {
	for _, form := range credentials {
		text = form.ReplaceAllString(text, "${1}"+hidden+"${2}")
	}
	return longWord.ReplaceAllStringFunc(text, func(word string) string {
		letters := strings.ContainsFunc(word, func(r rune) bool { return r > '9' && r != '_' })
		if !letters || !strings.ContainsAny(word, "0123456789") || uuidForm.MatchString(word) {
			return word
		}
		return hidden
	})
}

// loggable is a text as it may be logged: no keys, nothing that moves a terminal's cursor
// or turns the direction of writing, and not long.
func loggable(text string) string {
	text, _ = cutTo(text, maxCause+1<<10) // a key at the end is still known as one
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, text)
	text, whole := cutTo(withoutKeys(text), maxCause)
	if !whole {
		text += hidden
	}
	return text
}

// cutTo cuts a text to a number of bytes, at a character.
func cutTo(text string, limit int) (cut string, whole bool) {
	if len(text) <= limit {
		return text, true
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], false
}

// said is the failure of a part that was given texts, without these texts.
type said struct {
	text string
	err  error
}

// saidOf makes the failure of a part one that can be logged.
func saidOf(err error, given []string) error {
	return &said{withoutTexts(Cause(err), given), err}
}

func (s *said) Error() string { return s.text }

// Is and As see what the failure is, but for an Error: Cause would read its cause.
func (s *said) Is(target error) bool { return errors.Is(s.err, target) }

func (s *said) As(target any) bool {
	if _, ok := target.(**Error); ok {
		return false
	}
	return errors.As(s.err, target)
}

// quoted is from how many bytes in a row on a text counts as repeated.
const quoted = 16

// withoutTexts returns a message without the parts of it that repeat one of the texts.
func withoutTexts(message string, texts []string) string {
	repeated := map[string]bool{} // the stretches of the message, and which a text has too
	for i := 0; i+quoted <= len(message); i++ {
		repeated[message[i:i+quoted]] = false
	}
	repeats := make([]bool, len(message))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if len(text) >= 4 && len(text) < quoted {
			for from := 0; ; from++ {
				i := strings.Index(message[from:], text)
				if i < 0 {
					break
				}
				from += i
				mark(repeats[from : from+len(text)])
			}
		}
		for i := 0; i+quoted <= len(text); i++ {
			if _, there := repeated[text[i:i+quoted]]; there {
				repeated[text[i:i+quoted]] = true
			}
		}
	}
	for i := 0; i+quoted <= len(message); i++ {
		if repeated[message[i:i+quoted]] {
			mark(repeats[i : i+quoted])
		}
	}
	var b strings.Builder
	for i := range len(message) {
		switch {
		case !repeats[i]:
			b.WriteByte(message[i])
		case i == 0 || !repeats[i-1]:
			b.WriteString(hidden)
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}

func mark(stretch []bool) {
	for i := range stretch {
		stretch[i] = true
	}
}
