package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/quirelib/quire"
)

// The limits of files that are read.
const (
	maxLine  = 16 << 20 // bytes
	maxLines = 20_000_000
	maxID    = 512 // bytes
	maxGrade = 1000
)

// eachLine calls do with each line of a file that is not blank. An error of do is returned
// with the name of the file and the number of the line in front.
func eachLine(r io.Reader, name string, do func(line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		if n++; n > maxLines {
			return quire.Errorf(quire.CodeTooLarge, "%s has more than %d lines", name, maxLines)
		}
		line := bytes.TrimSpace(lines.Bytes())
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			continue
		}
		if err := do(line); err != nil {
			return quire.Errorf(quire.CodeOf(err), "%s, line %d: %v", name, n, err).WithCause(err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return quire.Errorf(quire.CodeTooLarge, "%s, line %d: is longer than %d MiB", name, n+1, maxLine>>20)
	case err != nil:
		return quire.Errorf(quire.CodeUnavailable, "%s cannot be read after line %d", name, n).WithCause(err)
	}
	return nil
}

// parse decodes a line that is one JSON object. Fields that it does not know are let be.
func parse(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil && line[0] == '{':
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return quire.Errorf(quire.CodeInvalid, "%q is a JSON %s, but must be a %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return quire.Errorf(quire.CodeInvalid, "is not one JSON object").WithCause(err)
}

// checkID reports what is wrong with an id.
func checkID(field, id string) error {
	switch {
	case id == "":
		return quire.Errorf(quire.CodeInvalid, "%q is missing or empty", field)
	case len(id) > maxID:
		return quire.Errorf(quire.CodeInvalid, "%q is longer than %d bytes", field, maxID)
	}
	return nil
}

// checkGrade reports a grade that is none.
func checkGrade(grade int) error {
	if grade < -maxGrade || grade > maxGrade {
		return quire.Errorf(quire.CodeInvalid, "the grade %d is not between %d and %d", grade, -maxGrade, maxGrade)
	}
	return nil
}
