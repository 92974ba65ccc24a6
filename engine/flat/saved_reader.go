package flat

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"

	"github.com/quirelib/quire"
)

// savedReader reads what Save wrote, or anything else.
type savedReader struct {
	r   *bufio.Reader
	sum hash.Hash // of the section
	buf [8 * readStep]byte
}

// readStep is how many numbers are read at a time, so that memory is taken for what is there
// and not for what is said to be.
const readStep = 1024

func newSavedReader(r io.Reader) *savedReader {
	return &savedReader{r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}
}

// damaged is the error for what Save did not write.
func damaged(what string) error {
	return quire.Errorf(quire.CodeCorrupt, "the saved graph is damaged or was not written by this version, and is built anew: %s", what)
}

// read fills p.
func (in *savedReader) read(p []byte) error {
	_, err := io.ReadFull(in.r, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends too early")
	}
	in.sum.Write(p)
	return err
}

// bytes reads the next n bytes, at most 8*readStep. They are good until the next are read.
func (in *savedReader) bytes(n int) ([]byte, error) {
	p := in.buf[:n]
	return p, in.read(p)
}

// begin returns how many sections there are: none if there is not a byte.
func (in *savedReader) begin() (sections uint32, err error) {
	if _, err := in.r.Peek(1); err == io.EOF {
		return 0, nil
	}
	start, err := in.bytes(len(savedMagic) + 4)
	if err != nil {
		return 0, err
	}
	if string(start[:len(savedMagic)]) != savedMagic {
		return 0, damaged("it begins as no graph does")
	}
	return binary.LittleEndian.Uint32(start[len(savedMagic):]), nil
}

// end makes sure that nothing follows.
func (in *savedReader) end() error {
	if _, err := in.r.ReadByte(); err != io.EOF {
		return cmp.Or(err, damaged("something follows it"))
	}
	return nil
}

// section reads the next section into the graph of its tenant, nil if that is not wanted.
func (in *savedReader) section(ctx context.Context, wanted map[[16]byte]target) (*placement, error) {
	in.sum.Reset()
	head, err := in.head()
	if err != nil {
		return nil, err
	}
	digests, err := in.digests(head.nodes)
	if err != nil {
		return nil, err
	}
	levels, err := in.levels(head.nodes)
	if err != nil {
		return nil, err
	}
	var p *placement
	if t, ok := wanted[head.tenant]; ok && t.tenant.dimension == int(head.dimension) {
		delete(wanted, head.tenant)
		if p, err = newPlacement(ctx, t, digests, levels); err != nil {
			return nil, err
		}
	}
	if err := in.lists(ctx, levels, p); err != nil {
		return nil, err
	}
	want := in.sum.Sum(nil)
	if sum, err := in.bytes(len(want)); err != nil {
		return nil, err
	} else if !bytes.Equal(sum, want) {
		return nil, damaged("its checksum is another")
	}
	return p, nil
}

func (in *savedReader) head() (sectionHead, error) {
	var h sectionHead
	p, err := in.bytes(binary.Size(h))
	if err != nil {
		return h, err
	}
	copy(h.tenant[:], p)
	h.dimension = binary.LittleEndian.Uint32(p[16:])
	h.nodes = binary.LittleEndian.Uint32(p[20:])
	return h, nil
}

func (in *savedReader) digests(count uint32) ([]uint64, error) {
	var digests []uint64
	for rest := int(count); rest > 0; {
		n := min(rest, readStep)
		p, err := in.bytes(8 * n)
		if err != nil {
			return nil, err
		}
		for i := range n {
			digests = append(digests, binary.LittleEndian.Uint64(p[8*i:]))
		}
		rest -= n
	}
	return digests, nil
}

func (in *savedReader) levels(count uint32) ([]uint8, error) {
	var levels []uint8
	for rest := int(count); rest > 0; {
		p, err := in.bytes(min(rest, 8*readStep))
		if err != nil {
			return nil, err
		}
		for _, level := range p {
			if level > topLevel {
				return nil, damaged("a node has too high a level")
			}
		}
		levels, rest = append(levels, p...), rest-len(p)
	}
	return levels, nil
}

// lists reads the links of nodes with these levels, and gives them to p unless that is nil.
func (in *savedReader) lists(ctx context.Context, levels []uint8, p *placement) error {
	var links [baseDegree]uint32
	for node, top := range levels {
		if node%readStep == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for level := range top + 1 {
			n, twins, err := in.list(levels, node, level, &links)
			if err != nil {
				return err
			}
			if p != nil {
				p.link(node, int(level), links[:n], twins)
			}
		}
	}
	return nil
}

// list reads the links of a node on a level, of which the first may lead to twins.
func (in *savedReader) list(levels []uint8, node int, level uint8, links *[baseDegree]uint32) (n int, twins bool, err error) {
	p, err := in.bytes(1)
	if err != nil {
		return 0, false, err
	}
	n, twins = int(p[0]&^savedTwins), p[0]&savedTwins != 0
	if n > baseDegree || level > 0 && n > degree || twins && (n == 0 || level > 0) {
		return 0, false, damaged("a node has too many links")
	}
	if p, err = in.bytes(4 * n); err != nil {
		return 0, false, err
	}
	for i := range n {
		to := binary.LittleEndian.Uint32(p[4*i:])
		if to >= uint32(len(levels)) || int(to) == node || levels[to] < level {
			return 0, false, damaged("a link leads to no other node")
		}
		links[i] = to
	}
	return n, twins, nil
}
