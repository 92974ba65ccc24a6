package flat

import (
	"math"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"
)

// Kernels touch nothing beside what they are given, which lies between pages that can be
// neither read nor written, once at the begin and once at the end.
func TestKernelsStayInside(t *testing.T) {
	t.Parallel()
	for _, n := range []int{laneCodes, 2 * laneCodes, 3 * laneCodes, 384, 1 << 12, maxDimension} {
		for _, end := range []bool{false, true} {
			for what, check := range map[string]func(*testing.T, bool, int){
				"dotCodes": fencedCodes, "dotRows": fencedRows, "halve": fencedHalf, "dotLanes": fencedLanes,
			} {
				if err := fault(func() { check(t, end, n) }); err != nil {
					t.Errorf("%s of %d, at the end %v: %v", what, n, end, err)
				}
			}
		}
	}
	if err := fault(func() { fetchLinks(&fenced[atomic.Uint32](t, true, 1)[0]) }); err != nil {
		t.Errorf("fetchLinks: %v", err)
	}
}

// All slots are that of the row at the fence, so that each register of a group comes to it.
func fencedCodes(t *testing.T, end bool, n int) {
	const rows = 3
	codes, query := fenced[uint8](t, end, rows*n), fencedQuery(t, end, n)
	slots := fenced[uint16](t, end, 2*groupRows)
	for i := range codes {
		codes[i] = uint8(5 * i)
	}
	for i := range slots {
		slots[i] = 0
		if end {
			slots[i] = rows - 1
		}
	}
	dots, want := (*[blockRows]int32)(fenced[int32](t, end, blockRows)), new([blockRows]int32)
	dotCodesGeneric(codes, query, slots, want)
	dotCodes(codes, query, slots, dots)
	if *dots != *want {
		t.Errorf("%d codes: %v, want %v", n, dots[:len(slots)], want[:len(slots)])
	}
}

func fencedRows(t *testing.T, end bool, n int) {
	row, query := fenced[uint8](t, end, n), fencedQuery(t, end, n)
	for i := range row {
		row[i] = uint8(7 * i)
	}
	rows := fenced[[]uint8](t, end, baseDegree)
	for i := range rows {
		rows[i] = row
	}
	dots, want := (*[baseDegree]int32)(fenced[int32](t, end, baseDegree)), new([baseDegree]int32)
	dotRowsGeneric(rows, query, want)
	dotRows(rows, query, dots)
	if *dots != *want {
		t.Errorf("%d codes: %v, want %v", n, *dots, *want)
	}
}

func fencedHalf(t *testing.T, end bool, n int) {
	from, codes, want := fenced[uint8](t, end, n), fenced[int8](t, end, n), make([]int8, n)
	for i := range from {
		from[i] = uint8(3 * i)
	}
	if sum := halveGeneric(want, from); halve(codes, from) != sum || !slices.Equal(codes, want) {
		t.Errorf("half of %d codes is %v, want %v", n, codes, want)
	}
}

func fencedLanes(t *testing.T, end bool, n int) {
	a, b := fenced[float32](t, end, n), fenced[float32](t, end, n)
	for i := range a {
		a[i], b[i] = 1/float32(i+1), float32(i%9)
	}
	if got, want := dotLanes(a, b), dotLanesGeneric(a, b); math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%d numbers: %v, want %v", n, got, want)
	}
}

func fencedQuery(t *testing.T, end bool, n int) []int8 {
	query := fenced[int8](t, end, n)
	for i := range query {
		query[i] = int8(i%(2*maxQueryCode+1) - maxQueryCode)
	}
	return query
}

// The fence holds: what is read or written beside it is noticed.
func TestFence(t *testing.T) {
	t.Parallel()
	read := uint8(0)
	for _, end := range []bool{false, true} {
		p := unsafe.Pointer(&fenced[uint8](t, end, 1)[0])
		beside := (*uint8)(unsafe.Add(p, -1))
		if end {
			beside = (*uint8)(unsafe.Add(p, 1))
		}
		if fault(func() { read += *beside }) == nil || fault(func() { *beside = 1 }) == nil {
			t.Errorf("at the end %v: nothing was noticed, and %d read", end, read)
		}
	}
}

// fenced returns n zeros at the begin or at the end of memory between pages that can be
// neither read nor written.
func fenced[E any](t *testing.T, end bool, n int) []E {
	t.Helper()
	page := os.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(E)))
	inside := (size + page - 1) / page * page
	fences, err := syscall.Mmap(-1, 0, page+inside+page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(fences); err != nil {
			t.Error(err)
		}
	})
	memory := fences[page:][:inside]
	if err := syscall.Mprotect(memory, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	if end {
		memory = memory[inside-size:]
	}
	return unsafe.Slice((*E)(unsafe.Pointer(&memory[0])), n)
}

// fault calls f and returns what it panicked with, if it touched memory that it may not
// touch.
func fault(f func()) (err any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = recover() }()
	f()
	return nil
}
