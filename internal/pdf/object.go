package pdf

// The objects of a file (ISO 32000-2, 7.3) are nil, bool, float64, name, text, []any,
// dict, ref and *stream. An operator of a content stream is an operator.
type (
	name     string
	text     string // a string object: bytes
	dict     map[name]any
	ref      int // the number of an object; generations are not told apart
	operator string
)

// stream is a stream object as it is in the file.
type stream struct {
	dict dict
	raw  []byte
}

// number returns a number, def for anything else.
func number(v any, def float64) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return def
}

// whole returns a number as an int that is inside of 0..limit, def for anything else.
func whole(v any, def, limit int) int {
	n, ok := v.(float64)
	if !ok || !(n >= 0 && n <= float64(limit)) {
		return def
	}
	return int(n)
}
