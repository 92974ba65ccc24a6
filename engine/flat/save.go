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
	n := numberNodes(s.graph, rows)
	o.write(s.tenant[:])
	o.number(uint32(s.dimension))
	o.number(uint32(n.count))
	for _, write := range []func(page int){
		func(page int) { o.digests(n, page) },
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

// digests writes those of the rows that are saved as the nodes of a page, 0 for other nodes.
func (o *savedWriter) digests(n *numbered, page int) {
	var d digester
	o.buf = o.buf[:0]
	n.nodes(page, func(node uint32) {
		digest := uint64(0)
		if of := n.rowOf(node); n.row(of) {
			digest = d.row(n.rows[int(of/blockRows)], int(of%blockRows))
		}
		o.buf = binary.LittleEndian.AppendUint64(o.buf, digest)
	})
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
