package pdf

import (
	"bytes"
	"strconv"
)

// file is a file whose objects have been found.
type file struct {
	work    *work
	places  map[int]place
	objects map[int]any // that have been read
	fonts   map[ref]*font
	trailer dict
}

// place is where an object is: in the file, or decoded in an object stream.
type place struct {
	data   []byte
	at     int
	length int // of the stream that the object is; -1 if it is none
	body   int // where that stream begins
}

// openFile finds the objects of a file by going through all of it. The table that says
// where they are is not used: it may be wrong, by accident or by intent. Where there are
// several with the same number, the last one counts, as it does in files that were
// changed by appending to them.
func openFile(data []byte, w *work) *file {
	f := &file{work: w, places: map[int]place{}, objects: map[int]any{}, fonts: map[ref]*font{}, trailer: dict{}}
	streams, ends := finder{data: data, word: []byte("stream")}, finder{data: data, word: []byte("endobj")}
	at := 0
	for w.spend(1) && len(f.places) < maxObjects {
		i := bytes.Index(data[at:], []byte("obj"))
		if i < 0 {
			break
		}
		head := data[max(at, at+i-20) : at+i]
		at += i + len("obj")
		num, ok := objectNumber(head)
		if !ok || num > maxObjectNumber {
			continue
		}
		p := place{data: data, at: at, length: -1}
		if s := streams.from(at); s < ends.from(at) {
			at = f.addStream(&p, s, ends.from(at))
		}
		f.add(num, p)
	}
	f.readTrailers(data)
	return f
}

// objectNumber reads the number of an object from what is before its word obj: that
// number, its generation, and white space behind each of them.
func objectNumber(head []byte) (int, bool) {
	head, ok := cutSpaces(head)
	if !ok {
		return 0, false
	}
	head, generation := cutDigits(head, 5)
	head, ok = cutSpaces(head)
	if !ok || generation == "" {
		return 0, false
	}
	_, number := cutDigits(head, 8)
	n, err := strconv.Atoi(number)
	return n, err == nil
}

// cutSpaces cuts white space off the end of b, and says whether there was any.
func cutSpaces(b []byte) ([]byte, bool) {
	rest := bytes.TrimRight(b, " \r\n\t")
	return rest, len(rest) < len(b)
}

// cutDigits cuts at most n digits off the end of b.
func cutDigits(b []byte, n int) (rest []byte, digits string) {
	at := len(b)
	for at > 0 && len(b)-at < n && '0' <= b[at-1] && b[at-1] <= '9' {
		at--
	}
	return b[:at], string(b[at:])
}

// finder finds the next place of a word, going through the data once.
type finder struct {
	data []byte
	word []byte
	next int
}

// from returns the first place of the word at or behind at; the end if there is none.
// at never decreases.
func (f *finder) from(at int) int {
	if f.next < at || f.next == 0 {
		f.next = len(f.data)
		if i := bytes.Index(f.data[at:], f.word); i >= 0 {
			f.next = at + i
		}
	}
	return f.next
}

// addStream finds out where the stream of an object is, whose word stream is at s. It
// returns from where on to look for the next object.
func (f *file) addStream(p *place, s, end int) int {
	body := s + len("stream")
	if bytes.HasPrefix(p.data[body:], []byte("\r\n")) {
		body += 2
	} else if body < len(p.data) && (p.data[body] == '\n' || p.data[body] == '\r') {
		body++
	}
	p.body = body
	l := lexer{data: p.data[:s], at: p.at, work: f.work}
	v, _ := l.object(0)
	d, _ := v.(dict)
	if n := whole(d["Length"], -1, len(p.data)-body); n >= 0 {
		rest := bytes.TrimLeft(p.data[body+n:min(len(p.data), body+n+16)], "\r\n \t")
		if bytes.HasPrefix(rest, []byte("endstream")) {
			p.length = n
			return body + n
		}
	}
	i := bytes.Index(p.data[body:], []byte("endstream"))
	if i < 0 {
		i = len(p.data) - body
	}
	p.length = i
	if i > 0 && p.data[body+i-1] == '\n' {
		p.length--
	}
	return body + i
}

// add notes an object. The objects in an object stream come with it, and what a
// cross-reference stream says of the whole file.
func (f *file) add(num int, p place) {
	f.places[num] = p
	delete(f.objects, num)
	if p.length < 0 {
		return
	}
	s, ok := f.read(p).(*stream)
	if !ok {
		return
	}
	switch s.dict["Type"] {
	case name("XRef"):
		f.addTrailer(s.dict)
	case name("ObjStm"):
		f.addObjects(s)
	}
}

// addObjects notes the objects in an object stream (7.5.7).
func (f *file) addObjects(s *stream) {
	data, ok := f.decode(s)
	if !ok {
		return
	}
	first := whole(s.dict["First"], 0, len(data))
	l := lexer{data: data[:first], work: f.work}
	for len(f.places) < maxObjects {
		v, ok1 := l.object(0)
		at, ok2 := l.object(0)
		if !ok1 || !ok2 {
			return
		}
		num, offset := whole(v, -1, maxObjectNumber), whole(at, -1, len(data)-first)
		if num >= 0 && offset >= 0 {
			f.places[num] = place{data: data, at: first + offset, length: -1}
			delete(f.objects, num)
		}
	}
}

// readTrailers reads the dictionaries behind the word trailer.
func (f *file) readTrailers(data []byte) {
	word := []byte("trailer")
	for at := bytes.Index(data, word); at >= 0 && f.work.spend(1); {
		l := lexer{data: data, at: at + len(word), work: f.work}
		l.skipSpace()
		if bytes.HasPrefix(data[l.at:], []byte("<<")) {
			if v, ok := l.object(0); ok {
				f.addTrailer(v.(dict))
			}
		}
		next := bytes.Index(data[l.at:], word)
		if next < 0 {
			return
		}
		at = l.at + next
	}
}

func (f *file) addTrailer(d dict) {
	for _, key := range []name{"Root", "Encrypt"} {
		if v := d[key]; v != nil {
			f.trailer[key] = v
		}
	}
}

// read reads the object at a place.
func (f *file) read(p place) any {
	l := lexer{data: p.data, at: p.at, work: f.work}
	if p.length >= 0 {
		l.data = p.data[:p.body]
	}
	v, ok := l.object(0)
	if !ok {
		return nil
	}
	if n := whole(v, -1, maxObjectNumber); n >= 0 && l.reference() {
		v = ref(n)
	}
	if d, ok := v.(dict); ok && p.length >= 0 {
		return &stream{d, p.data[p.body : p.body+p.length]}
	}
	return v
}

// maxReferences is how many references may lead from one to the next.
const maxReferences = 16

// resolve follows references to the object that they name; nil if there is none.
func (f *file) resolve(v any) any {
	for range maxReferences {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		num := int(r)
		if v, ok = f.objects[num]; ok {
			continue
		}
		p, ok := f.places[num]
		if !ok {
			return nil
		}
		v = f.read(p)
		f.objects[num] = v
		f.work.keep(v)
	}
	return nil
}

// dict returns a dictionary, or that of a stream; empty for anything else.
func (f *file) dict(v any) dict {
	switch v := f.resolve(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}
