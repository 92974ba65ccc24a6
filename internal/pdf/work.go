package pdf

import "context"

// The limits of what one file may cost, whatever it says of itself.
const (
	maxObjectNumber = 1 << 23
	maxObjects      = 1 << 18
	maxPages        = 10_000
	maxWork         = 20_000_000 // tokens, characters shown and other steps
	maxKept         = 4_000_000  // values in arrays and dictionaries that are in memory
	maxDecoded      = 64 << 20   // bytes of all decoded streams together
)

// work counts what reading a file has cost. Once a limit is reached or the context has
// ended, everything ends: err says why.
type work struct {
	ctx     context.Context
	steps   int
	kept    int
	decoded int
	err     error
}

// keep counts a value that stays in memory.
func (w *work) keep() {
	if w.kept++; w.kept > maxKept && w.err == nil {
		w.err = ErrTooLarge
	}
}

// spend counts steps, and reports whether to go on.
func (w *work) spend(steps int) bool {
	if w.err != nil {
		return false
	}
	before := w.steps
	w.steps += steps
	if w.steps > maxWork {
		w.err = ErrTooLarge
	} else if before>>12 != w.steps>>12 {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}
