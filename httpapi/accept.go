package httpapi

import (
	"mime"
	"strconv"
	"strings"
)

// prefersJSON reports whether a client wants JSON and not the bytes of a file of a type:
// it names application/json itself, and likes it as much as that type. Browsers and
// tools that take anything get the bytes.
func prefersJSON(accept []string, fileType string) bool {
	json := quality(accept, "application/json", false)
	return json > 0 && json >= quality(accept, fileType, true)
}

// quality is how much a client likes a type, from 0 to 1 (RFC 9110, section 12.5.1): the
// most specific range that fits counts; wildcards are ranges such as */*. Parameters other than
// q are passed over, and so is what is malformed.
func quality(accept []string, mediaType string, wildcards bool) (q float64) {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	kind, _, _ := strings.Cut(mediaType, "/")
	best := -1
	for entry := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, params, err := mime.ParseMediaType(entry)
		if err != nil {
			continue
		}
		weight := 1.0
		if text, ok := params["q"]; ok {
			if weight, err = strconv.ParseFloat(text, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		specific := -1
		switch {
		case name == mediaType:
			specific = 2
		case wildcards && name == kind+"/*":
			specific = 1
		case wildcards && name == "*/*":
			specific = 0
		}
		if specific > best {
			best, q = specific, weight
		}
	}
	return q
}
