package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/quirelib/quire"
)

// renderings are parts of an answer that were made before it is known: what is rendered
// of the texts of elementals, compressed, by these texts. They are made before a write
// transaction in which the answer is, because all other writers wait for its end. The
// answer has knowledge text with the default options.
type renderings map[renderingKey]packed

// renderingKey is all that a rendering depends on.
type renderingKey struct {
	knowledge                bool
	title, description, body string
	table                    [sha256.Size]byte // its columns, rows and cells; zero for others
}

// textsOf is the key of what largeElemental.writeTexts writes.
func textsOf(e quire.Elemental) renderingKey {
	return renderingKey{description: e.Description, body: e.Body}
}

// knowledgeOf is the key of what largeElemental.writeKnowledge writes.
func knowledgeOf(e quire.Elemental) renderingKey {
	return renderingKey{knowledge: true, title: e.Title, description: e.Description, body: e.Body, table: insideOf(e)}
}

// insideOf tells apart what is in tables.
func insideOf(e quire.Elemental) (sum [sha256.Size]byte) {
	if !isWholeTable(e) {
		return sum
	}
	h := sha256.New()
	for _, lists := range [][]quire.TableList{e.Details.Columns, e.Details.Rows} {
		fmt.Fprintf(h, "%d:", len(lists))
		for _, list := range lists {
			fmt.Fprintf(h, "%d:%s", len(list.Title), list.Title)
		}
	}
	for _, column := range e.Details.Columns {
		for _, c := range column.Cells {
			fmt.Fprintf(h, "%d:", len(c.Body))
			io.WriteString(h, c.Body) // a hash takes everything
		}
	}
	h.Sum(sum[:0])
	return sum
}

// renderAhead renders the texts of elementals, of which title, description, type, body and
// what is in a table are known, if they are together long enough for it. Of those that
// have knowledge text in the answer, that is made too: not of cells behind their table.
func (s *server) renderAhead(es []quire.Elemental, knowledge bool) (renderings, error) {
	size := 0
	for _, e := range es {
		size += len(e.Body) + len(e.Description)
	}
	if size < largeBody {
		return nil, nil
	}
	made := renderings{}
	for i, e := range es {
		if e.Body == "" && e.Description == "" && !isWholeTable(e) {
			continue
		}
		l := largeElemental{s: s, e: e, knowledge: &quire.KnowledgeOptions{}}
		if err := made.add(textsOf(e), l.writeTexts); err != nil {
			return nil, err
		}
		if knowledge && (e.TypeID != quire.TypeCell || i == 0) {
			if err := made.add(knowledgeOf(e), l.writeKnowledge); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

func (r renderings) add(key renderingKey, write func(io.Writer) error) error {
	if _, there := r[key]; there {
		return nil
	}
	p := newPacker()
	if err := write(p); err != nil {
		return err
	}
	var err error
	r[key], err = p.end()
	return err
}

// or returns what writes a rendering: as it was made ahead, or by write.
func (r renderings) or(key renderingKey, write func(io.Writer) error) func(io.Writer) error {
	made, ok := r[key]
	if !ok {
		return write
	}
	return func(w io.Writer) error {
		if to, ok := w.(interface{ writePacked(p packed) error }); ok {
			return to.writePacked(made)
		}
		return made.unpackTo(w)
	}
}

// packed is compressed text: one or more gzip members (RFC 1952).
type packed struct {
	data []byte
	size int // of the text
}

func (p packed) unpackTo(w io.Writer) error {
	unzip, err := gzip.NewReader(bytes.NewReader(p.data))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, unzip)
	return err
}

// packer compresses what is written to it.
type packer struct {
	size int
	data bytes.Buffer
	zip  *gzip.Writer // to data
}

func newPacker() *packer {
	p := &packer{zip: zippers.Get().(*gzip.Writer)}
	p.zip.Reset(&p.data)
	return p
}

// Write is what io.Writer says.
func (p *packer) Write(text []byte) (int, error) {
	n, err := p.zip.Write(text)
	p.size += n
	return n, err
}

// writePacked puts in what is compressed already, as a member of its own.
func (p *packer) writePacked(ready packed) error {
	if err := p.zip.Close(); err != nil {
		return err
	}
	p.data.Write(ready.data)
	p.size += ready.size
	p.zip.Reset(&p.data)
	return nil
}

// end returns what was written. The packer is not to be used any more.
func (p *packer) end() (packed, error) {
	if err := p.zip.Close(); err != nil {
		return packed{}, err
	}
	zippers.Put(p.zip)
	return packed{p.data.Bytes(), p.size}, nil
}
