package flat

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"slices"
)

// Save implements [quire.SavedIndex]: it writes the graphs, as far as they are built, and of
// their rows 8 bytes of a digest. Without graphs it writes nothing.
func (x *Index) Save(ctx context.Context, w io.Writer) error {
	snapshots, err := x.snapshots(ctx)
	if err != nil || len(snapshots) == 0 {
		return err
	}
	out := &savedWriter{w: bufio.NewWriterSize(w, 1<<16), sum: sha256.New()}
	out.write([]byte(savedMagic))
	out.number(uint32(len(snapshots)))
	for _, s := range snapshots {
		if err := out.section(ctx, s); err != nil {
			return err
		}
	}
	return out.w.Flush() // which tells of what could not be written before
}

// snapshot is what is written of a tenant: its rows as they were when Save was called.
type snapshot struct {
	tenant    [16]byte
	dimension int
	graph     *graph
	blocks    []*block // that have nodes
}

// snapshots returns those of tenants with a graph that is not empty.
func (x *Index) snapshots(ctx context.Context) ([]*snapshot, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	var all []*snapshot
	for id, t := range x.tenants {
		if t.graph == nil {
			continue
		}
		unlinked := func(b *block) bool { return b == nil || b.linked == 0 }
		blocks := slices.DeleteFunc(slices.Clone(t.blocks), unlinked)
		if len(blocks) > 0 {
			all = append(all, &snapshot{tenantDigest(id), t.dimension, t.graph, blocks})
		}
	}
	return all, nil
}

// savedWriter writes what Save does. Errors are kept by w.
type savedWriter struct {
	w   *bufio.Writer
	sum hash.Hash // of the section
	buf []byte
}

func (o *savedWriter) write(p []byte) {
	o.w.Write(p)
	o.sum.Write(p)
}

func (o *savedWriter) number(n uint32) {
	o.buf = binary.LittleEndian.AppendUint32(o.buf[:0], n)
	o.write(o.buf)
}

// section writes the graph of a tenant. The builder may work on it meanwhile: links to nodes
// that were none at first are left out.
func (o *savedWriter) section(ctx context.Context, s *snapshot) error {
	o.sum.Reset()
	rows := make(map[int]*block, len(s.blocks)) // by page
	for _, b := range s.blocks {
		rows[b.page] = b
	}
	n := numberNodes(s.graph.view(), rows)
	o.write(s.tenant[:])
	o.number(uint32(s.dimension))
	o.number(uint32(n.count))
	for _, write := range []func(page int){
		func(page int) { o.digests(n, page, rows[page]) },
		func(page int) { o.levels(n, page) },
		func(page int) { o.links(n, page) },
	} {
		for page := range n.pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			write(page)
		}
	}
	o.w.Write(o.sum.Sum(nil))
	return nil
}

// numbered is a view of a graph whose nodes have numbers to be saved by.
type numbered struct {
	view
	count   int
	numbers []uint32 // by node: its number plus one, 0 for a slot that is no node
}

// numberNodes numbers the nodes of a view: rows, and removed ones that have links.
func numberNodes(v view, rows map[int]*block) *numbered {
	n := &numbered{view: v, numbers: make([]uint32, len(v.pages)*blockRows)}
	for page := range v.pages {
		b := rows[page]
		for slot := range v.pages[page].codings {
			node := uint32(page*blockRows + slot)
			row := b != nil && slot < b.linked && b.live.has(slot)
			if row || v.words(node, 0)[0].Load() != 0 {
				n.count++
				n.numbers[node] = uint32(n.count)
			}
		}
	}
	return n
}

// nodes calls do with the nodes of a page that have numbers.
func (n *numbered) nodes(page int, do func(node uint32)) {
	for slot := range blockRows {
		if node := uint32(page*blockRows + slot); n.numbers[node] != 0 {
			do(node)
		}
	}
}

// digests writes those of a page's rows, which are in block b, nil if none are.
func (o *savedWriter) digests(n *numbered, page int, b *block) {
	digests := new([blockRows]uint64)
	if b != nil {
		var d digester
		digests = d.rows(b, b.linked)
	}
	o.buf = o.buf[:0]
	n.nodes(page, func(node uint32) { o.buf = binary.LittleEndian.AppendUint64(o.buf, digests[node%blockRows]) })
	o.write(o.buf)
}

func (o *savedWriter) levels(n *numbered, page int) {
	o.buf = o.buf[:0]
	n.nodes(page, func(node uint32) { o.buf = append(o.buf, uint8(n.level(node))) })
	o.write(o.buf)
}

func (o *savedWriter) links(n *numbered, page int) {
	o.buf = o.buf[:0]
	n.nodes(page, func(node uint32) {
		for level := range n.level(node) + 1 {
			o.buf = n.appendLinks(o.buf, node, level)
		}
	})
	o.write(o.buf)
}

// appendLinks appends how many links a node has on a level, and where they lead.
func (n *numbered) appendLinks(buf []byte, node uint32, level int) []byte {
	at := len(buf)
	buf = append(buf, 0)
	list := n.view.words(node, level)
	for i := range list {
		word := list[i].Load()
		if word == 0 {
			break
		}
		to := word & twinLink
		if to == 0 || int(to) > len(n.numbers) || n.numbers[to-1] == 0 {
			continue
		}
		buf = binary.LittleEndian.AppendUint32(buf, n.numbers[to-1]-1)
		buf[at]++
		if word != to {
			buf[at] |= savedTwins
		}
	}
	return buf
}
