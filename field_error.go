package quire

import (
	"fmt"
	"strings"
)

// FieldError says what is wrong with one field of an input.
type FieldError struct {
	// Field is the path of the field in wire names, such as "title" or
	// "tutorial_steps/0/title": one text for users of the HTTP interface and of Go. Where
	// the Go field has another word for its name, such as Body for "template", the text of
	// the [Error] says so.
	Field   string
	Message string // what is wrong and what is allowed; safe to show
}

// text is what a message says of one fault.
func (f FieldError) text() string { return f.Field + ": " + f.Message }

// goNames are the Go fields whose name is another word than the first part of the path in
// wire names.
var goNames = map[string]string{
	"content_type":    "TypeID",
	"cover_images":    "Covers",
	"idempotency_key": "Key",
	"item_ids":        "Items",
	"lists_to_save":   "Lists",
	"order_by":        "Order",
	"page":            "Page.Number",
	"search":          "Text",
	"size":            "Page.Size",
	"table":           "Cells",
	"template":        "Body; of a list Template",
}

// maxNamed is how many faults the text of an error names.
const maxNamed = 5

// allFaults is the text of an error for a program in Go and its log.
func allFaults(fields []FieldError) string {
	var b strings.Builder
	for i, f := range fields[:min(len(fields), maxNamed)] {
		if i > 0 {
			b.WriteString("; ")
		}
		first, _, _ := strings.Cut(f.Field, "/")
		if name := goNames[first]; name != "" {
			f.Field += " (in Go " + name + ")"
		}
		b.WriteString(f.text())
	}
	if more := len(fields) - maxNamed; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

// problems collects the field errors of one input.
type problems []FieldError

func (p *problems) add(field, format string, args ...any) {
	*p = append(*p, FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err returns nil if nothing was collected. The message repeats the first
// problem, because many callers show only the message.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return &Error{Code: CodeInvalid, Message: p[0].text(), Fields: p}
}
