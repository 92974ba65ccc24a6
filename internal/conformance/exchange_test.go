package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
)

// exchange is a request with its answer, as httpapi's tests record it.
type exchange struct {
	Test     string
	Prefix   string // of the handler
	Only     string // "content" or "engine" where only one group was served
	Method   string
	Target   string // path and query
	Header   http.Header
	Body     []byte
	Status   int
	Answered http.Header
	Answer   []byte
}

// readExchanges reads a record, one exchange a line.
func readExchanges(t *testing.T, name string) []exchange {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []exchange
	for dec := json.NewDecoder(bufio.NewReader(file)); ; {
		var x exchange
		switch err := dec.Decode(&x); err {
		case nil:
			out = append(out, x)
		case io.EOF:
			return out
		default:
			t.Fatal(err)
		}
	}
}

// request is the request anew. A body without a Content-Type is JSON.
func (x exchange) request() (*http.Request, error) {
	r, err := http.NewRequest(x.Method, x.Target, bytes.NewReader(x.Body))
	if err != nil {
		return nil, err
	}
	if x.Header != nil {
		r.Header = x.Header.Clone()
	}
	if len(x.Body) > 0 && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}
