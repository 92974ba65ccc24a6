package sqlite

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// columns are the columns of a table in the order of their values in a row.
type columns []string

// of lists the columns of the table with that alias.
func (c columns) of(alias string) string {
	return alias + "." + strings.Join(c, ", "+alias+".")
}

// insert is the statement that adds a row. Each value is a parameter, or what
// first has for the first columns.
func (c columns) insert(table string, first ...string) string {
	values := slices.Concat(first, slices.Repeat([]string{"?"}, len(c)-len(first)))
	return `INSERT INTO ` + table + ` (` + strings.Join(c, ", ") + `) VALUES (` + strings.Join(values, ", ") + `)`
}

// update is the beginning of a statement that sets all the columns.
func (c columns) update(table string) string {
	return `UPDATE ` + table + ` SET ` + strings.Join(c, " = ?, ") + ` = ?`
}

// upsert is the statement that adds a row, or replaces the values of the one with
// the same key, columns with ", " between them. Unlike REPLACE, it keeps the rowid and what refers to the row.
func (c columns) upsert(table, key string, first ...string) string {
	var sets []string
	keys := strings.Split(key, ", ")
	for _, name := range c {
		if !slices.Contains(keys, name) { // setting it would make SQLite look for the rows that refer to it
			sets = append(sets, name+" = excluded."+name)
		}
	}
	return c.insert(table, first...) + ` ON CONFLICT (` + key + `) DO UPDATE SET ` + strings.Join(sets, ", ")
}

// micros is how a time is stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

// optMicros is how an optional time is stored.
func optMicros(t *time.Time) any {
	if t == nil {
		return nil
	}
	return micros(*t)
}

// moment scans a time.
type moment struct{ to *time.Time }

// Scan implements sql.Scanner.
func (m moment) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return damaged("a time is a %T", src)
	}
	m.set(n)
	return nil
}

func (m moment) set(n int64) { *m.to = time.UnixMicro(n).UTC() }

// optMoment scans an optional time.
type optMoment struct{ to **time.Time }

// Scan implements sql.Scanner.
func (m optMoment) Scan(src any) error {
	*m.to = nil
	if src == nil {
		return nil
	}
	*m.to = new(time.Time)
	return moment{*m.to}.Scan(src)
}

// array is how an array is stored, or passed as one parameter to json_each.
func array[T int | int64 | string | quire.TutorialStep | quire.JobProblem](vs []T) string {
	if len(vs) == 0 {
		return "[]" // not null, which json_each takes as one value
	}
	b, err := json.Marshal(vs)
	if err != nil {
		panic(err) // does not happen with these types
	}
	return string(b)
}

// arrayTo scans an array.
type arrayTo[T any] struct{ to *[]T }

// Scan implements sql.Scanner.
func (a arrayTo[T]) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		*a.to = nil
		return damaged("an array is a %T", src)
	}
	return a.set(s)
}

func (a arrayTo[T]) set(s string) error {
	*a.to = nil
	if s == "[]" {
		return nil
	}
	if strs, ok := any(a.to).(*[]string); ok {
		if plain, ok := plainStrings(s); ok {
			*strs = plain
			return nil
		}
	}
	if err := json.Unmarshal([]byte(s), a.to); err != nil {
		return damaged("array: %w", err)
	}
	return nil
}

// plainStrings decodes an array of strings in which nothing is escaped, as most are: a tenth
// of the time that json takes, which is felt where all chunks are read. The strings are parts
// of s. ok is false if it is another array, or none.
func plainStrings(s string) (strs []string, ok bool) {
	inside, begins := strings.CutPrefix(s, `["`)
	inside, ends := strings.CutSuffix(inside, `"]`)
	if !begins || !ends || !utf8.ValidString(inside) {
		return nil, false
	}
	for i := range len(inside) {
		if c := inside[i]; c < ' ' || c == '\\' {
			return nil, false
		}
	}
	strs = strings.Split(inside, `","`)
	if strings.Count(inside, `"`) != 2*(len(strs)-1) {
		return nil, false
	}
	return strs, true
}

// blob is how bytes are stored.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{} // nil would be NULL
	}
	return b
}

// vectorBlob is how a vector is stored.
func vectorBlob(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// vectorTo scans a vector.
type vectorTo struct{ to *[]float32 }

// Scan implements sql.Scanner.
func (v vectorTo) Scan(src any) error {
	*v.to = nil
	b, ok := src.([]byte)
	if !ok || len(b)%4 != 0 {
		return damaged("a vector is a %T of %d bytes", src, len(b))
	}
	if len(b) == 0 {
		return nil
	}
	*v.to = make([]float32, len(b)/4)
	for i := range *v.to {
		(*v.to)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// damaged is the error for a stored value that this package cannot have written.
func damaged(format string, args ...any) error {
	return quire.ErrCorrupt.WithCause(fmt.Errorf(format, args...))
}

// where collects the conditions of a query, out of fixed fragments, with their
// arguments.
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.args = append(w.args, args...)
}

// addIf adds a condition that a value must equal, unless the value is empty.
func (w *where) addIf(cond, value string) {
	if value != "" {
		w.add(cond, value)
	}
}

func (w *where) String() string { return strings.Join(w.conds, " AND ") }
