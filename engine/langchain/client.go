package langchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Provider is a kind of model server, by the protocol that it speaks.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai" // and every server with its interface
	Ollama    Provider = "ollama"
	Anthropic Provider = "anthropic"
)

// maxBody limits an answer that is not streamed: embeddings of the largest batches take
// a quarter of it.
const maxBody = 256 << 20

// The ways in which an answer is none.
var (
	errEndedEarly  = errors.New("the stream ended before the answer did")
	errNotStreamed = errors.New("the server answered without streaming; Options.Plain asks for that")
	errTooLarge    = fmt.Errorf("the answer is over %d bytes", maxBody)
)

// HTTPClient returns an HTTP client for a langchaingo model that is made elsewhere and
// goes into [NewLLM] or [NewEmbedder]: it is a copy of base, nil for http.DefaultClient,
// that watches the answers of the provider. A Timeout of base ends streams as well.
//
// It turns error statuses, error events and streams that end early into errors, lets
// lines of any length up to 16 MiB through, and puts embeddings into the order of their
// indexes. An unknown provider is watched for error statuses only.
func HTTPClient(p Provider, base *http.Client) *http.Client {
	return newClient(p, base, false)
}

// newClient may leave the key out, which langchaingo does not.
func newClient(p Provider, base *http.Client, keyless bool) *http.Client {
	if base == nil {
		base = http.DefaultClient
	}
	c := *base
	c.Transport = &transport{base: base.Transport, provider: p, keyless: keyless}
	return &c
}

// transport watches what comes back from a provider.
type transport struct {
	base     http.RoundTripper // nil: http.DefaultTransport
	provider Provider
	keyless  bool
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.keyless {
		req = req.Clone(req.Context())
		req.Header.Del("Authorization")
		req.Header.Del("X-Api-Key")
	}
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	c := callOf(req.Context())
	c.begin()
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, c.fail(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.fail(statusOf(resp))
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return resp, nil
	}
	if err := t.watch(req, resp, c); err != nil {
		resp.Body.Close()
		return nil, c.fail(err)
	}
	return resp, nil
}

// watch replaces the body of a response by one that is safe to give to langchaingo.
func (t *transport) watch(req *http.Request, resp *http.Response, c *call) error {
	path := req.URL.Path
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	isJSON := strings.HasSuffix(kind, "json")
	switch {
	case t.provider == Ollama && (strings.HasSuffix(path, "/api/chat") || strings.HasSuffix(path, "/api/generate")):
		// It always comes in lines, and langchaingo reads lines even when it asked for none.
		t.stream(resp, ollamaWire{}, c)
	case t.provider == OpenAI && strings.HasSuffix(path, "/embeddings"):
		return rewrite(resp, inOrder)
	case kind == "text/event-stream" || c.wantsStream() && !isJSON:
		if t.provider == OpenAI {
			t.stream(resp, openAIWire{}, c)
		} else if t.provider == Anthropic {
			t.stream(resp, anthropicWire{}, c)
		}
	case isJSON:
		return rewrite(resp, func(body []byte) ([]byte, error) {
			if e := faultIn(body); e != nil {
				return nil, e
			}
			if c.wantsStream() {
				return nil, errNotStreamed
			}
			return body, nil
		})
	}
	return nil
}

func (t *transport) stream(resp *http.Response, w wire, c *call) {
	resp.Body = newStream(resp.Body, w, c)
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
}

// rewrite replaces a whole body.
func rewrite(resp *http.Response, change func([]byte) ([]byte, error)) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return err
	}
	if len(body) > maxBody {
		return errTooLarge
	}
	if body, err = change(body); err != nil {
		return err
	}
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return nil
}
