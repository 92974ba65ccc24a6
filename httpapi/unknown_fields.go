package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// fieldCheck finds the fields of a body that nothing reads, see Options.StrictFields. What
// a payload may have is written down in its reader and nowhere else: a field is known if
// the reader asks for it, there or not.
type fieldCheck struct {
	open []*askedObject // those that may still be read
}

// askedObject is an object with the fields that were asked for.
type askedObject struct {
	at     place
	fields map[string]json.RawMessage
	known  map[string]bool
}

// begin notes an object that is about to be read; without a check it returns nil.
func (f *fieldCheck) begin(at place, fields map[string]json.RawMessage) *askedObject {
	if f == nil {
		return nil
	}
	a := &askedObject{at: at, fields: fields, known: make(map[string]bool)}
	f.open = append(f.open, a)
	return a
}

// end refuses the unknown fields of all objects but the first n that are open: they have
// been read.
func (f *fieldCheck) end(n int) {
	if f == nil {
		return
	}
	for _, a := range f.open[n:] {
		a.refuseUnknown()
	}
	clear(f.open[n:])
	f.open = f.open[:n]
}

// inFull parses a value of which nothing is read later, so that its objects need not be kept
// until all of a long array has been read.
func inFull[T any](parse parser[T], p place, raw json.RawMessage) T {
	if p.check == nil {
		return parse(p, raw)
	}
	n := len(p.check.open)
	v := parse(p, raw)
	p.check.end(n)
	return v
}

// knows notes fields that are known, for readers that do not always ask for them.
func (o object) knows(keys ...string) {
	if o.asked == nil {
		return
	}
	for _, key := range keys {
		o.asked.known[key] = true
	}
}

// refuseUnknown notes a problem at each field that was not asked for.
func (a *askedObject) refuseUnknown() {
	eachUnknown(a.fields, a.known, "field", func(key, message string) (more bool) {
		a.at.child(key).wrong("extra_forbidden", "%s", message)
		return !a.at.full()
	})
}

// eachUnknown says what is wrong with each of the names that are given and not known, what
// they name, and which was probably meant. The first one lists what there is: that many times over,
// an answer would be much longer than its request.
func eachUnknown[V any](given map[string]V, known map[string]bool, what string, say func(name, message string) (more bool)) {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return known[name] })
	if len(unknown) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(known))
	list := " (allowed are " + strings.Join(names, ", ") + ")"
	for _, name := range unknown {
		advice := ""
		if meant := meantBy(name, names); meant != "" {
			advice = "; did you mean " + meant + "?"
		}
		if !say(shorten(name), "is not a "+what+" here"+advice+list) {
			return
		}
		list = ""
	}
}

// otherNames are what fields are often called that have another name here, folded.
var otherNames = map[string]string{
	"body": "template", "bodycontent": "template", "content": "template", "text": "template",
	"lists": "lists_to_save",
}

// meantBy is the name that a key was probably meant to be, "" if nobody can tell.
func meantBy(key string, names []string) string {
	const longest = 64
	if len(key) > longest {
		return ""
	}
	if name := otherNames[folded(key)]; slices.Contains(names, name) {
		return name
	}
	return nearest(key, names)
}

// nearest is the name that is spelt almost like a key, "" if none is: it has another
// letter case or other underscores, or one or two letters are wrong, fewer than half.
func nearest(key string, names []string) (found string) {
	const most = 2
	least := most + 1
	for _, name := range names {
		d := distance(folded(key), folded(name))
		if d < least && (d == 0 || 2*d < len(name)) {
			least, found = d, name
		}
	}
	return found
}

// folded is a name without what the styles of naming differ in.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// distance is how many bytes have to be put in, left out or changed to make b of a
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // of the part of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0] // what row[j] was before this byte of a
		row[0] = i + 1
		for j := range len(b) {
			changed := corner
			if a[i] != b[j] {
				changed++
			}
			corner = row[j+1]
			row[j+1] = min(changed, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}
