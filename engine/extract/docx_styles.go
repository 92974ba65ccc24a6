package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// style is what a paragraph has from its style.
type style struct {
	base    string // the style that this one changes
	heading int    // level; 0 if it is none
	list    string // the id of a numbering
}

// readStyles reads word/styles.xml.
func (d *document) readStyles(in *xml.Decoder) error {
	d.styles = map[string]style{}
	id, s := "", style{}
	return walk(in, func(e xml.StartElement) error {
		switch value := attr(e, "val"); e.Name.Local {
		case "style":
			id, s = attr(e, "styleId"), style{}
		case "name":
			s.heading = max(s.heading, headingNamed(value))
		case "basedOn":
			s.base = value
		case "outlineLvl":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 6 {
				s.heading = n + 1
			}
		case "numId":
			s.list = value
		}
		return nil
	}, func(name string) error {
		if name == "style" {
			d.styles[id] = s
		}
		return nil
	}, func(string) {})
}

// headingNamed returns the level of a heading by the name of its style, which is English
// in all languages.
func headingNamed(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if n, ok := strings.CutPrefix(name, "heading"); ok {
		if level, err := strconv.Atoi(strings.TrimSpace(n)); err == nil && level >= 1 {
			return min(level, 6)
		}
	}
	return 0
}

// styleOf follows a style to those that it is based on.
func (d *document) styleOf(id string) style {
	out := style{}
	for range 10 {
		s, ok := d.styles[id]
		if !ok {
			if out.heading == 0 {
				out.heading = headingNamed(id) // of a file without styles
			}
			break
		}
		if out.heading == 0 {
			out.heading = s.heading
		}
		if out.list == "" {
			out.list = s.list
		}
		id = s.base
	}
	return out
}

// place is a level of a numbering.
type place struct {
	list  string
	level int
}

// readNumbering reads word/numbering.xml, as far as it says which lists have numbers.
func (d *document) readNumbering(in *xml.Decoder) error {
	d.numbered = map[place]bool{}
	abstract := map[place]bool{}
	id, num, level := "", "", 0
	return walk(in, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "abstractNum":
			id = attr(e, "abstractNumId")
		case "lvl":
			level, _ = strconv.Atoi(attr(e, "ilvl"))
		case "numFmt":
			if kind := attr(e, "val"); num == "" && kind != "bullet" && kind != "none" {
				abstract[place{id, level}] = true
			}
		case "num":
			num = attr(e, "numId")
		case "abstractNumId":
			for n := range maxListLevel + 1 {
				if abstract[place{attr(e, "val"), n}] {
					d.numbered[place{num, n}] = true
				}
			}
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}
