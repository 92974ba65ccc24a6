package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formatting are the elements that the parser opens again in each new block until they
// are closed (HTML, 13.2.4.3), with whether Markdown has something for them. A link needs an address.
var formatting = map[atom.Atom]bool{
	atom.A: false, atom.B: true, atom.Big: false, atom.Code: true, atom.Em: true, atom.Font: false, atom.I: true,
	atom.Nobr: false, atom.S: true, atom.Small: false, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: false,
}

// plainName begins the names that formatting elements have while they are parsed.
const plainName = "quire-"

// maxReopened is how long all the tags are that open formatting elements again.
const maxReopened = 2 << 20

// openFormats are the formatting elements that are open. At most one of each kind is, and one that hides
// what is in it, so that they are few. In the rewritten page none of them has a block in it: they
// are closed before each tag of a block, and opened again where its text begins.
type openFormats struct {
	out    *rewrite
	list   []format
	open   int // so many of the list are open in the rewritten page
	scopes []atom.Atom
	nested map[atom.Atom]int // how many of each are in scopes
	room   int               // of maxReopened
}

type format struct {
	atom       atom.Atom
	hidden     bool   // it has no tags in the rewritten page, nor text
	tag        string // that opens it
	again      int    // elements of its kind that are open in it
	scope      int    // how many scopes were open
	start, end int    // of its last tag in the rewritten page
	filled     bool   // there is something in it since
}

func newOpenFormats(out *rewrite) *openFormats {
	return &openFormats{out: out, nested: map[atom.Atom]int{}, room: min(maxReopened, 2*len(out.text))}
}

// hide reports whether what follows is hidden.
func (f *openFormats) hide() bool {
	return slices.ContainsFunc(f.list, func(e format) bool { return e.hidden })
}

// tag reads the tag of a formatting element.
func (f *openFormats) tag(t token) {
	if t.kind == html.EndTagToken {
		if i := f.find(t.atom, len(f.scopes)); i >= 0 {
			if f.list[i].again--; f.list[i].again < 0 {
				f.close(t.at, i)
			}
		}
	} else {
		f.start(t)
	}
	f.out.cut(t.at, t.to)
}

func (f *openFormats) start(t token) {
	i := f.find(t.atom, 0)
	if t.atom == atom.A && i >= 0 { // a link ends where the next one begins
		f.close(t.at, i)
		i = -1
	}
	switch {
	case i >= 0 && (f.list[i].hidden || !t.hidden):
		if f.list[i].scope == len(f.scopes) {
			f.list[i].again++
		}
	case t.hidden || t.href || formatting[t.atom]:
		f.out.upTo(t.at)
		f.reopen()
		e := format{atom: t.atom, hidden: t.hidden, scope: len(f.scopes)}
		if !t.hidden {
			e.tag = "<" + plainName + f.out.text[t.at+len("<"):t.to]
		}
		f.list = append(f.list, e)
		f.write()
	}
}

// find returns which one of a kind was opened last, in so many scopes or more, or -1.
func (f *openFormats) find(a atom.Atom, scopes int) int {
	for i, e := range slices.Backward(f.list) {
		if e.atom == a && e.scope >= scopes {
			return i
		}
	}
	return -1
}

// close closes one of the list for good, before a place. Those in it are opened again where
// something follows.
func (f *openFormats) close(at, i int) {
	if i < f.open {
		f.out.upTo(at)
		f.closeTo(i + 1)
		f.list[i].filled = true
		f.closeTo(i)
	}
	f.list = slices.Delete(f.list, i, i+1)
}

// closeTo writes the end tags of all but so many of those that are open. One with nothing in it
// leaves nothing.
func (f *openFormats) closeTo(open int) {
	for ; f.open > open; f.open-- {
		switch e := f.list[f.open-1]; {
		case !e.filled:
			f.out.remove(e.start, e.end)
		case !e.hidden:
			f.out.add("</" + plainName + e.atom.String() + ">")
		}
	}
}

// text reads text that begins at a place. Space is no reason to open anything again.
func (f *openFormats) text(at int, text string) {
	if inner := strings.TrimLeft(text, " \t\n\f\r"); inner != "" {
		f.fill(at + len(text) - len(inner))
	}
}

// fill opens again what is not open for something that follows at a place.
func (f *openFormats) fill(at int) {
	if f.open < len(f.list) {
		f.out.upTo(at)
		f.reopen()
	}
	for i := f.open - 1; i >= 0 && !f.list[i].filled; i-- {
		f.list[i].filled = true
	}
}

// reopen writes the tags of the elements that are not open. One for which there is no room ends.
func (f *openFormats) reopen() {
	for f.open < len(f.list) {
		if length := len(f.list[f.open].tag); length <= f.room {
			f.room -= length
			f.write()
		} else {
			f.list = slices.Delete(f.list, f.open, f.open+1)
		}
	}
}

// write writes the tag of the first element that is not open.
func (f *openFormats) write() {
	e := &f.list[f.open]
	f.open++
	f.out.add(e.tag)
	e.start, e.end, e.filled = len(f.out.out)-len(e.tag), len(f.out.out), false
}

// beside reads the tag of any other element.
func (f *openFormats) beside(t token) {
	switch {
	case parserBlocks[t.atom]:
		if f.open > 0 {
			f.out.upTo(t.at)
			f.closeTo(0)
		}
		f.scope(t)
	case t.kind != html.EndTagToken && !rawText[t.atom] && !void[t.atom]:
		f.fill(t.at)
	}
}

// scope ends what was opened in a part of a table with it, and what was opened in a table or a
// template too (HTML, 13.2.4.3: markers).
func (f *openFormats) scope(t token) {
	switch {
	case tableParts[t.atom] && f.nested[atom.Table] > 0:
		f.leave(atom.Table)
	case !scopes[t.atom]:
	case t.kind != html.EndTagToken:
		f.scopes = append(f.scopes, t.atom)
		f.nested[t.atom]++
	case f.nested[t.atom] > 0:
		f.leave(t.atom)
		f.scopes = f.scopes[:len(f.scopes)-1]
		f.nested[t.atom]--
	}
}

// leave ends the scopes in the last one of a kind, and what was opened in that.
func (f *openFormats) leave(a atom.Atom) {
	for last := len(f.scopes) - 1; f.scopes[last] != a; last-- {
		f.nested[f.scopes[last]]--
		f.scopes = f.scopes[:last]
	}
	f.list = slices.DeleteFunc(f.list, func(e format) bool { return e.scope >= len(f.scopes) })
}

// restoreFormatting gives the formatting elements their names back.
func restoreFormatting(doc *html.Node) {
	for n := range doc.Descendants() {
		if name, plain := strings.CutPrefix(n.Data, plainName); plain && n.Type == html.ElementNode {
			a := atom.Lookup([]byte(name))
			if _, ok := formatting[a]; ok {
				n.DataAtom, n.Data = a, name
			}
		}
	}
}
