package chunk

import "slices"

// packer collects units into spans.
type packer struct {
	cutter
	spans []Span

	open []unit // the span being collected
	sum  int    // tokens of open

	inSection int // spans that the current section has
	lastSum   int // tokens of the last span
}

// smallest is how many tokens a span has that can well stand alone.
func (p *packer) smallest() int { return p.Target / 4 }

// add adds the next unit.
func (p *packer) add(u unit) {
	if len(p.open) > 0 && !p.fits(u) {
		if p.onlyJoins() && p.sum <= p.Cap/2 && p.addParts(u) {
			return
		}
		p.flush()
		p.reopen(p.overlap())
		if !p.fits(u) {
			p.reopen(nil)
		}
	}
	p.open = append(p.open, u)
	p.sum += u.tokens
}

// fits reports whether a unit may be added to the open span.
func (p *packer) fits(u unit) bool {
	sum := p.sum + u.tokens
	return sum <= p.Target || sum <= p.Cap && (p.onlyJoins() || p.sum < p.smallest())
}

// onlyJoins reports whether the open span holds only what stays with the text
// that follows. Such units are the first of their section.
func (p *packer) onlyJoins() bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].joins
}

// addParts adds a unit that is too long for the heading before it in parts, so
// that the heading does not stay alone. It returns false if it has no parts.
func (p *packer) addParts(u unit) bool {
	if u.joins {
		return false
	}
	parts := p.parts(u.kind, u.start, u.end, min(p.Cap-p.sum, p.Target))
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		part.path = u.path
		p.add(part)
	}
	return true
}

// reopen begins a span with the given units.
func (p *packer) reopen(units []unit) {
	p.open, p.sum = slices.Clone(units), 0
	for _, u := range units {
		p.sum += u.tokens
	}
}

// overlap returns the units at the end of the span just flushed that the next one
// repeats.
func (p *packer) overlap() []unit {
	i, sum := len(p.open), 0
	for i > 0 {
		u := p.open[i-1]
		if sum += u.tokens; sum > p.Overlap || u.joins || u.start <= p.spans[len(p.spans)-1].Start {
			break
		}
		i--
	}
	return p.open[i:]
}

// flush makes a span of the open units: several if together they have more tokens
// than the sum of theirs, and more than the cap.
func (p *packer) flush() {
	for rest := p.open; len(rest) > 0; {
		n := len(rest)
		tokens := p.count(rest[0].start, rest[n-1].end)
		for n > 1 && tokens > p.Cap {
			n -= n / 2
			tokens = p.count(rest[0].start, rest[n-1].end)
		}
		last := rest[n-1]
		p.spans = append(p.spans, Span{Start: rest[0].start, End: last.end, Heading: slices.Clone(last.path)})
		p.inSection++
		p.lastSum = tokens
		rest = rest[n:]
	}
}

// endSection ends the section before a heading of the given level, unless there
// is nothing in it yet and the heading is below it.
func (p *packer) endSection(level int) {
	if p.isShortPreamble() {
		p.open[len(p.open)-1].joins = true
	}
	if p.onlyJoins() && p.open[len(p.open)-1].level < level {
		return
	}
	p.flush()
	p.reopen(nil)
	p.mergeRest()
	p.inSection = 0
}

// isShortPreamble reports whether all there is so far is a little text above the
// first heading, such as a title, which is no use alone.
func (p *packer) isShortPreamble() bool {
	headed := func(u unit) bool { return u.level > 0 || len(u.path) > 0 }
	return len(p.spans) == 0 && len(p.open) > 0 && !slices.ContainsFunc(p.open, headed) && p.sum < p.smallest()
}

// mergeRest joins the last span of the section to the one before if it is small.
func (p *packer) mergeRest() {
	if p.inSection < 2 || p.lastSum >= p.smallest() {
		return
	}
	n := len(p.spans)
	if start, end := p.spans[n-2].Start, p.spans[n-1].End; p.count(start, end) <= p.Cap {
		p.spans[n-2].End = end
		p.spans = p.spans[:n-1]
	}
}
