package pdf

import "context"

// The limits of what one file may cost, whatever it says of itself.
const (
	maxObjectNumber = 1 << 23
	maxObjects      = 1 << 18
	maxPages        = 10_000
	maxWork         = 20_000_000 // tokens, characters shown and other steps
	maxKept         = 4_000_000  // values in arrays and dictionaries that are in memory
	maxKeptBytes    = 64 << 20   // of their names and strings
	maxDecoded      = 64 << 20   // bytes of all streams together, each time that one is used
	maxTouched      = 512 << 20  // bytes that are looked at, or made room for
)

// work counts what reading a file has cost. Once a limit is reached or the context has
// ended, everything ends: err says why.
type work struct {
	ctx     context.Context
	steps   int
	touched int
	kept    kept
	decoded int
	err     error
}

// kept is what is in memory of the values that were read.
type kept struct{ values, bytes int }

// keep counts a value that stays in memory.
func (w *work) keep(v any) {
	w.kept.values++
	switch v := v.(type) {
	case text:
		w.kept.bytes += len(v)
	case name:
		w.kept.bytes += len(v)
	case operator:
		w.kept.bytes += len(v)
	}
	if (w.kept.values > maxKept || w.kept.bytes > maxKeptBytes) && w.err == nil {
		w.err = ErrTooLarge
	}
}

// touch counts bytes that are gone through or made room for, white space and what a filter
// leaves nothing of included, and reports whether to go on.
func (w *work) touch(bytes int) bool {
	return w == nil || w.count(&w.touched, bytes, maxTouched, 20) // nil: a filter, all of whose input was counted
}

// spend counts steps, and reports whether to go on.
func (w *work) spend(steps int) bool { return w.count(&w.steps, steps, maxWork, 12) }

// count adds to a sum that has a limit, looks at the context each time that the sum has
// grown by 1<<often, and reports whether to go on.
func (w *work) count(sum *int, n, limit, often int) bool {
	if w.err != nil {
		return false
	}
	before := *sum
	*sum += n
	if *sum > limit {
		w.err = ErrTooLarge
	} else if before>>often != *sum>>often {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}
