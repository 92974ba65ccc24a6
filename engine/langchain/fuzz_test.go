package langchain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// FuzzStream reads any bytes as the streams of all providers: no panic, no line that
// langchaingo cannot read, an end without error only if the answer said so, and the same
// however the bytes arrive.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "data: [DONE]", "data:[DONE]\n\n", ": comment\n\ndata: {}\n", "{", "{}", "data: {\"error\":null}\n\ndata: [DONE]\n",
		`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\r\n\r\n",
		`{"message":{"content":"a"},"done":false}` + "\n" + `{"done":true}`, `{"error":"x"}`, `{"error":{"code":"rate_limit_error"}}`,
		`data: {"type":"message_stop"}`, `data: {"type":"error","error":{"type":"overloaded_error","message":"x"}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`,
		`data: {"choices":{"0":1},"delta":3,"message":[]}`,
	} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 70_000)
	}
	f.Fuzz(func(t *testing.T, data []byte, long int) {
		if 0 < long && long < 200_000 { // a long text in it
			data = bytes.Replace(data, []byte(`"a"`), []byte(`"`+strings.Repeat("é", long)+`"`), 1)
		}
		for _, w := range []wire{openAIWire{}, ollamaWire{}, anthropicWire{}} {
			c := new(call)
			s := newStream(io.NopCloser(bytes.NewReader(data)), w, c)
			out, err := io.ReadAll(s)
			if err == nil && !s.whole {
				t.Errorf("%T ends without error, though nothing said so", w)
			}
			if noted := c.failure(nil); noted != err {
				t.Errorf("%T: the call noted %v of %v", w, noted, err)
			}
			lines := bufio.NewScanner(bytes.NewReader(out))
			for lines.Scan() {
				payload := w.payload(lines.Bytes())
				if len(payload) > 0 && string(payload) != "[DONE]" && !json.Valid(payload) {
					t.Errorf("%T passes on %.100q", w, payload)
				}
			}
			if lines.Err() != nil {
				t.Errorf("%T: %v", w, lines.Err())
			}
			var trickle io.Reader = iotest.OneByteReader(bytes.NewReader(data))
			if len(data) > 4<<10 { // one by one that takes too long
				trickle = iotest.HalfReader(bytes.NewReader(data))
			}
			slow, slowErr := io.ReadAll(newStream(io.NopCloser(trickle), w, nil))
			if !bytes.Equal(out, slow) || (err == nil) != (slowErr == nil) {
				t.Errorf("%T: other bytes when they come little by little: %v, %v", w, err, slowErr)
			}
		}
	})
}

// FuzzError reads any bytes as an error and as a list of embeddings.
func FuzzError(f *testing.F) {
	for _, seed := range []string{`{"error":"x"}`, `{"error":{"message":"x","type":"api_error","code":429}}`, `{"error":{"message":3}}`,
		`{"object":"error","message":"x","code":"7"}`, `{"type":"error"}`, `{"error":[]}`, `{"error":null}`, "x", "",
		`{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[2]}]}`, `{"data":[{"index":1}]}`} {
		f.Add([]byte(seed), "120")
		f.Add([]byte(seed), "Wed, 21 Oct 2015 07:28:00 GMT")
	}
	f.Add([]byte("{}"), "-1")
	f.Add([]byte("{}"), "1e300")
	f.Add([]byte("{}"), "NaN")
	f.Fuzz(func(t *testing.T, data []byte, after string) {
		if e := faultIn(data); e != nil && (len(e.Message) > maxErrorMessage || e.Error() == "" || e.shown() == "") {
			t.Errorf("%+v", e)
		}
		var before, ordered struct {
			Data []struct {
				Index     int
				Embedding json.RawMessage
			}
		}
		if out, err := inOrder(data); err == nil {
			if json.Unmarshal(data, &before) != nil || json.Unmarshal(out, &ordered) != nil || len(before.Data) != len(ordered.Data) {
				t.Errorf("%q became %q", data, out)
			}
		}
		h := http.Header{"Retry-After": {after}}
		if d := retryAfter(h, time.Unix(0, 0)); d < 0 {
			t.Errorf("Retry-After %q is %v", after, d)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		seconds, millis string
		want            time.Duration
	}{
		{"", "", 0}, {"30", "", 30 * time.Second}, {"0.5", "", 500 * time.Millisecond}, {"30", "250", 250 * time.Millisecond},
		{"Fri, 02 Jan 2026 03:05:05 GMT", "", time.Minute}, {"Fri, 02 Jan 2026 03:04:00 GMT", "", 0},
		{"soon", "", 0}, {"-3", "", 0}, {"1e300", "", 0}, {"NaN", "Inf", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.seconds)
		h.Set("Retry-After-Ms", c.millis)
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%q, %q: %v, want %v", c.seconds, c.millis, got, c.want)
		}
	}
}
