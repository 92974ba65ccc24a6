package flat

import "encoding/binary"

// numbered is a view of a graph whose nodes have numbers to be saved by.
type numbered struct {
	view
	graph   *graph
	rows    map[int]*block // by page
	count   int
	numbers []uint32 // by node: its number plus one, 0 for a slot that is not saved as a node
	// heirs are the twins that are saved in the place of removed nodes with links, by these: so
	// that neither other twins nor other nodes lose what leads to them.
	heirs map[uint32]uint32
}

// numberNodes numbers the nodes of a view: rows, and removed ones that have links and no heir.
func numberNodes(g *graph, rows map[int]*block) *numbered {
	v := g.view()
	n := &numbered{view: v, graph: g, rows: rows, numbers: make([]uint32, len(v.pages)*blockRows), heirs: map[uint32]uint32{}}
	twin := make([]bool, len(n.numbers))
	n.each(func(node uint32) {
		if to := n.twin(node); to != 0 && int(to) <= len(twin) {
			twin[to-1] = true
		}
	})
	inherits := map[uint32]bool{}
	n.each(func(node uint32) {
		if heir := n.rowTwin(node); heir != 0 && !twin[node] && !n.row(node) {
			n.heirs[node], inherits[heir-1] = heir-1, true
		}
	})
	n.each(func(node uint32) {
		if n.row(node) && !inherits[node] || !twin[node] && n.words(node, 0)[0].Load() != 0 {
			n.count++
			n.numbers[node] = uint32(n.count)
		}
	})
	return n
}

// each calls do with all slots of pages, in order.
func (n *numbered) each(do func(node uint32)) {
	for page := range n.pages {
		for slot := range n.pages[page].codings {
			do(uint32(page*blockRows + slot))
		}
	}
}

// row reports whether a node is a row that was linked when Save was called.
func (n *numbered) row(node uint32) bool {
	b, slot := n.rows[int(node/blockRows)], int(node%blockRows)
	return b != nil && slot < b.linked && b.live.has(slot)
}

// rowTwin returns what leads from a node to its next twin that is a row, 0 without one.
func (n *numbered) rowTwin(node uint32) uint32 {
	link, v := n.twin(node), n.view
	for range n.numbers { // a chain that was forged may lead in a circle
		if link == 0 || n.row(link-1) {
			return link
		}
		if int((link-1)/blockRows) >= len(v.pages) {
			v = n.graph.view() // it came since
		}
		link = v.twin(link - 1)
	}
	return 0
}

// rowOf returns the node of the row that is saved as a node.
func (n *numbered) rowOf(node uint32) uint32 {
	if heir, has := n.heirs[node]; has {
		return heir
	}
	return node
}

// nodes calls do with the nodes of a page that have numbers.
func (n *numbered) nodes(page int, do func(node uint32)) {
	for slot := range blockRows {
		if node := uint32(page*blockRows + slot); n.numbers[node] != 0 {
			do(node)
		}
	}
}

// appendLinks appends how many links a node has on a level, and where they lead. A list that the
// builder writes meanwhile is a mix.
func (n *numbered) appendLinks(buf []byte, node uint32, level int) []byte {
	at := len(buf)
	buf = append(buf, 0)
	add := func(link uint32, mark byte) {
		if link > 0 && int(link) <= len(n.numbers) && n.numbers[link-1] > 0 && buf[at]&^savedTwins < baseDegree {
			buf = binary.LittleEndian.AppendUint32(buf, n.numbers[link-1]-1)
			buf[at] = (buf[at] + 1) | mark
		}
	}
	if level == 0 {
		add(n.rowTwin(n.rowOf(node)), savedTwins)
	}
	list := n.links(node, level)
	for i := range list {
		link := list[i].Load()
		if link == 0 {
			break
		}
		add(link, 0)
	}
	return buf
}
