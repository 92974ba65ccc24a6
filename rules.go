package quire

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// The limits of text fields, in characters (Unicode code points).
const (
	minTitle       = 10
	maxTitle       = 100
	maxName        = 200
	maxCommand     = 1_000
	maxDescription = 20_000
	maxURL         = 2_048
	maxSteps       = 50
	maxID          = 64
)

// checkText refuses text that could not be stored or shown: invalid UTF-8, NUL,
// or more than limit characters.
func checkText(p *problems, field, s string, limit int) {
	switch {
	case !utf8.ValidString(s):
		p.add(field, "must be valid UTF-8")
	case strings.ContainsRune(s, 0):
		p.add(field, "must not contain NUL characters")
	case utf8.RuneCountInString(s) > limit:
		p.add(field, "must have at most %d characters", limit)
	}
}

// checkBody checks a body or the text of a cell.
func (l *Library) checkBody(p *problems, field, s string) {
	if len(s) > l.opts.MaxBodyBytes {
		p.add(field, "must have at most %d bytes", l.opts.MaxBodyBytes)
		return
	}
	checkText(p, field, s, l.opts.MaxBodyBytes)
}

// checkTitle checks the title of an elemental, which the caller has trimmed.
func checkTitle(p *problems, title string) {
	if n := utf8.RuneCountInString(title); n < minTitle || n > maxTitle {
		p.add("title", "must have between %d and %d characters", minTitle, maxTitle)
		return
	}
	before := len(*p)
	checkText(p, "title", title, maxTitle)
	if len(*p) == before && strings.IndexFunc(title, unicode.IsLetter) < 0 {
		p.add("title", "must contain at least one letter")
	}
}

// blank reports whether there is nothing to see in a text.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// checkLabel checks the title of a list or tag, which the caller has trimmed.
func checkLabel(p *problems, field, s string) {
	if blank(s) && utf8.ValidString(s) {
		p.add(field, "must not be blank; it needs 1 to %d characters", maxTitle)
		return
	}
	checkText(p, field, s, maxTitle)
}

// checkURL accepts "" and absolute http and https addresses without a user name.
// Nothing is ever fetched from them.
func checkURL(p *problems, field, s string) {
	if s == "" {
		return
	}
	if len(s) > maxURL {
		p.add(field, "must have at most %d bytes", maxURL)
		return
	}
	u, err := url.Parse(s)
	unsafe := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.ContainsFunc(s, unsafe) {
		p.add(field, "must be an http or https address without a user name")
	}
}

// checkID checks an id that a caller chose.
func checkID(p *problems, field, s string) {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	if s == "" || len(s) > maxID || strings.Trim(s, ".") == "" || strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) >= 0 {
		p.add(field, "must be 1 to %d letters, digits, '-', '_' or '.', and not only dots", maxID)
	}
}

// checkIDs checks how many ids a call names in one place: each is looked up, in a
// transaction that others may wait for.
func (l *Library) checkIDs(p *problems, field string, n int) {
	if n > l.opts.MaxIDs {
		p.add(field, "must have at most %d entries", l.opts.MaxIDs)
	}
}

func checkVisibility(p *problems, v Visibility) {
	if v != Public && v != Unlisted {
		p.add("visibility", "must be 1 (Public) or 2 (Unlisted)")
	}
}

func checkPrice(p *problems, field string, price *int64) {
	if price != nil && *price < 0 {
		p.add(field, "must be 0 or more")
	}
}

func checkSteps(p *problems, steps []TutorialStep) {
	if len(steps) > maxSteps {
		p.add("tutorial_steps", "must have at most %d steps", maxSteps)
		return
	}
	for i, s := range steps {
		at := "tutorial_steps/" + itoa(i)
		if strings.TrimSpace(s.Title) == "" {
			p.add(at+"/title", "must not be blank")
		}
		checkText(p, at+"/title", s.Title, maxName)
		checkText(p, at+"/description", s.Description, maxDescription)
		checkURL(p, at+"/video_url", s.VideoURL)
	}
}

// textQuery parses what a user typed into a search box.
func textQuery(text string) TextQuery {
	phrases, prefix := segment.Query(text)
	return TextQuery{Phrases: phrases, Prefix: prefix}
}

// set changes *dst if src is given.
func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// setPrice changes a price: none wins over src.
func setPrice(dst **int64, src *int64, none bool) {
	switch {
	case none:
		*dst = nil
	case src != nil:
		v := *src
		*dst = &v
	}
}
