package flat

// near is a node and how near it is.
type near struct {
	cosine float32
	node   uint32
}

// nearHeap is a heap, the least cosine first.
type nearHeap []near

func (h *nearHeap) push(n near) {
	*h = append(*h, n)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if s[parent].cosine <= n.cosine {
			break
		}
		s[i], i = s[parent], parent
	}
	s[i] = n
}

// pop takes the first out.
func (h *nearHeap) pop() near {
	s := *h
	first, last := s[0], s[len(s)-1]
	*h = s[:len(s)-1]
	if len(s) > 1 {
		(*h).settle(last)
	}
	return first
}

// settle puts n in the place of the first and in order.
func (h nearHeap) settle(n near) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].cosine < h[child].cosine {
			child++
		}
		if n.cosine <= h[child].cosine {
			break
		}
		h[i], i = h[child], child
	}
	h[i] = n
}

// keep adds n to the most that are nearest.
func (h *nearHeap) keep(n near, most int) {
	if len(*h) < most {
		h.push(n)
	} else if n.cosine > (*h)[0].cosine {
		(*h).settle(n)
	}
}
