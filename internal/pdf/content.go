package pdf

import (
	"bytes"
	"math"
)

// The limits of one page.
const (
	maxOperands = 512
	maxStates   = 256
	maxForms    = 8 // one inside the other
)

// content follows the content streams of a page (9.4).
type content struct {
	file  *file
	out   layout
	room  int // bytes of text that are left
	state state
	stack []state

	resources dict
	line      matrix // of the line in the text
	at        matrix // of the next character
	forms     int
}

// state is what is saved and restored.
type state struct {
	ctm            matrix
	font           *font
	size, scale    float64
	spacing, words float64
	leading, rise  float64
}

// page lays out the text of a page.
func (c *content) page(p dict) {
	c.state = state{ctm: identity, scale: 1}
	c.line, c.at = identity, identity
	c.resources = c.file.dict(p["Resources"])
	var all []byte
	for _, part := range c.file.list(p["Contents"]) {
		if s, ok := c.file.resolve(part).(*stream); ok {
			if data, ok := c.file.decode(s); ok {
				all = append(append(all, data...), '\n')
			}
		}
	}
	c.run(all)
}

// run follows a content stream.
func (c *content) run(data []byte) {
	l := lexer{data: data, work: c.file.work}
	var args []any
	w := c.file.work
	kept := w.kept
	for {
		v, ok := l.object(0)
		if !ok {
			return
		}
		op, is := v.(operator)
		switch {
		case !is:
			if len(args) < maxOperands {
				args = append(args, v)
			}
			continue
		case op == "BI":
			l.skipImage()
		default:
			c.operate(op, args)
		}
		args = args[:0]
		if op != "Do" && op != "Tf" { // which may have read objects
			w.kept = kept
		}
		kept = w.kept
		if c.out.b.Len() > c.room {
			w.err = ErrTooLarge
			return
		}
	}
}

// skipImage moves behind the end of an image in the stream.
func (l *lexer) skipImage() {
	for l.work.spend(1) {
		i := bytes.Index(l.data[l.at:], []byte("EI"))
		if i < 0 {
			l.at = len(l.data)
			return
		}
		l.work.touch(i)
		before, after := l.at+i-1, l.at+i+2
		l.at = after
		if before >= 0 && isSpace(l.data[before]) && (after >= len(l.data) || isSpace(l.data[after])) {
			return
		}
	}
}

// operate does one operator.
func (c *content) operate(op operator, args []any) {
	n := func(i int) float64 {
		if i < len(args) {
			return number(args[i], 0)
		}
		return 0
	}
	s := &c.state
	switch op {
	case "q":
		if len(c.stack) < maxStates {
			c.stack = append(c.stack, *s)
		}
	case "Q":
		if last := len(c.stack) - 1; last >= 0 {
			*s, c.stack = c.stack[last], c.stack[:last]
		}
	case "cm":
		s.ctm = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}.then(s.ctm)
	case "Do":
		c.form(args)
	case "BT":
		c.line, c.at = identity, identity
	case "Tf":
		if len(args) > 0 {
			s.font, s.size = c.font(args[0]), n(1)
		}
	case "Tc":
		s.spacing = n(0)
	case "Tw":
		s.words = n(0)
	case "Tz":
		s.scale = n(0) / 100
	case "TL":
		s.leading = n(0)
	case "Ts":
		s.rise = n(0)
	case "Tm":
		c.line = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}
		c.at = c.line
	case "TD":
		s.leading = -n(1)
		c.next(n(0), n(1))
	case "Td":
		c.next(n(0), n(1))
	case "T*":
		c.next(0, -s.leading)
	case "'":
		c.next(0, -s.leading)
		c.show(args, 0)
	case "\"":
		s.words, s.spacing = n(0), n(1)
		c.next(0, -s.leading)
		c.show(args, 2)
	case "Tj":
		c.show(args, 0)
	case "TJ":
		c.showAll(args)
	}
}

// next begins a line of text.
func (c *content) next(x, y float64) {
	c.line = c.line.moved(x, y)
	c.at = c.line
}

// font returns a font by the name that the page has for it.
func (c *content) font(v any) *font {
	n, _ := v.(name)
	of := c.file.dict(c.resources["Font"])[n]
	if of == nil {
		return nil
	}
	key, ok := of.(ref)
	if !ok {
		return c.file.font(of)
	}
	return c.file.sharedFont(key)
}

// form follows a form, which is content with resources of its own.
func (c *content) form(args []any) {
	if len(args) == 0 || c.forms >= maxForms {
		return
	}
	n, _ := args[0].(name)
	s, ok := c.file.resolve(c.file.dict(c.resources["XObject"])[n]).(*stream)
	if !ok || c.file.resolve(s.dict["Subtype"]) != name("Form") {
		return
	}
	data, ok := c.file.decode(s)
	if !ok {
		return
	}
	state, stack, resources, line, at := c.state, c.stack, c.resources, c.line, c.at
	if m := c.file.list(s.dict["Matrix"]); len(m) == 6 {
		var by matrix
		for i := range by {
			by[i] = number(c.file.resolve(m[i]), 0)
		}
		c.state.ctm = by.then(c.state.ctm)
	}
	if own := c.file.dict(s.dict["Resources"]); own != nil {
		c.resources = own
	}
	c.stack = nil
	c.forms++
	c.run(data)
	c.forms--
	c.state, c.stack, c.resources, c.line, c.at = state, stack, resources, line, at
}

// showAll shows strings with shifts between them.
func (c *content) showAll(args []any) {
	if len(args) == 0 {
		return
	}
	list, _ := args[0].([]any)
	for _, v := range list {
		if s, ok := v.(text); ok {
			c.show([]any{s}, 0)
		} else {
			c.at = c.at.moved(-number(v, 0)/1000*c.state.size*c.state.scale, 0)
		}
	}
}

// show shows the string that is an argument.
func (c *content) show(args []any, i int) {
	if i >= len(args) || c.state.font == nil {
		return
	}
	raw, _ := args[i].(text)
	s := c.state
	for _, g := range s.font.glyphs(raw) {
		if !c.file.work.spend(1) || c.out.b.Len() > c.room {
			return
		}
		m := c.at.then(s.ctm)
		size := math.Abs(s.size) * math.Hypot(m[2], m[3])
		if g.text != " " { // spaces are seen by what they leave free, too
			c.out.move(m[4], m[5], size)
		}
		shift := g.width*s.size + s.spacing
		if g.space {
			shift += s.words
		}
		c.at = c.at.moved(shift*s.scale, 0)
		m = c.at.then(s.ctm)
		if g.text == " " {
			c.out.end(" ")
			continue
		}
		c.out.show(g.text, m[4], m[5], size)
	}
}
