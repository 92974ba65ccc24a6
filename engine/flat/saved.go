package flat

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// What Save writes, all numbers little-endian:
//
//	savedMagic, the number of sections: 32 bits
//	for each tenant with a graph a section:
//	    tenantDigest of its id: 16 bytes
//	    the length of vectors, the number of nodes: 32 bits each
//	    for each node a digest of its row: 64 bits, 0 if that was removed. A twin takes the place of a
//	        removed node on which it hangs.
//	    for each node its highest level: 8 bits
//	    for each node, and each level from 0 to its highest, how many links: 8 bits, with
//	        savedTwins if the first leads to twins, and the numbers of the nodes that they go to:
//	        32 bits each
//	    SHA-256 of all that
//
// Nodes are numbered as they come, from 0. Whoever reads it finds the row of a node by its
// digest, so that rows may be in any order and some of them others.

// savedMagic is what a saved index begins with. The last byte counts versions.
const savedMagic = "quire-g\x03"

// savedTwins is added to the number of links.
const savedTwins = 1 << 7

// sectionHead is what a section begins with.
type sectionHead struct {
	tenant    [16]byte
	dimension uint32
	nodes     uint32
}

// tenantDigest stands for the id of a tenant.
func tenantDigest(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:16])
}

// digester makes digests of rows.
type digester struct{ buf []byte }

// row returns a digest of all that a graph knows of a row: its id, and what its codes stand
// for. Two rows of one digest would be links that lead nowhere near, no wrong hits.
func (d *digester) row(b *block, slot int) uint64 {
	r := b.row(slot)
	d.buf = append(d.buf[:0], r.codes...)
	d.buf = binary.LittleEndian.AppendUint32(d.buf, math.Float32bits(r.coding.scale))
	d.buf = append(d.buf, r.id...)
	sum := sha256.Sum256(d.buf)
	return binary.LittleEndian.Uint64(sum[:])
}

// rows returns the digests of the live slots of a block before one, 0 for others.
func (d *digester) rows(b *block, end int) *[blockRows]uint64 {
	digests := new([blockRows]uint64)
	for slot := range end {
		if b.live.has(slot) {
			digests[slot] = d.row(b, slot)
		}
	}
	return digests
}
