package langchain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"
)

// modelFunc is a model that was made elsewhere.
type modelFunc func(ctx context.Context, push func(string) error) (*llms.ContentResponse, error)

func (f modelFunc) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, set := range options {
		set(&opts)
	}
	return f(ctx, func(s string) error {
		if opts.StreamingFunc == nil {
			return nil
		}
		return opts.StreamingFunc(ctx, []byte(s))
	})
}

func (f modelFunc) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not used")
}

func response(contents ...string) *llms.ContentResponse {
	r := &llms.ContentResponse{}
	for _, c := range contents {
		r.Choices = append(r.Choices, &llms.ContentChoice{Content: c, StopReason: "length",
			GenerationInfo: map[string]any{"input_tokens": int32(3), "output_tokens": 4.0}})
	}
	return r
}

// Models differ in what they push and what they return.
func TestForeignModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		model modelFunc
		want  []string
		code  quire.Code
		cause string
	}{
		{"does not stream", func(context.Context, func(string) error) (*llms.ContentResponse, error) {
			return response("all of it"), nil
		}, []string{"all of it"}, "", ""},
		{"pushes all but the end", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			return response("all of it"), push("all of")
		}, []string{"all of", " it"}, "", ""},
		{"returns only the end", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			return response(" it"), errors.Join(push("all of"), push(" it"))
		}, []string{"all of", " it"}, "", ""},
		{"returns nothing after streaming", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			return nil, push("all of it")
		}, []string{"all of it"}, "", ""},
		{"returns alternatives", func(context.Context, func(string) error) (*llms.ContentResponse, error) {
			return response("", "one", "two"), nil
		}, []string{"one"}, "", ""},
		{"returns nothing", func(context.Context, func(string) error) (*llms.ContentResponse, error) { return nil, nil },
			nil, quire.CodeUnavailable, ""},
		{"returns a nil choice", func(context.Context, func(string) error) (*llms.ContentResponse, error) {
			return &llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil
		}, nil, quire.CodeUnavailable, ""},
		{"says only white space", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			return response("\n"), push("\n")
		}, []string{"\n"}, quire.CodeUnavailable, "length"},
		{"fails on the way", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			return nil, errors.Join(push("half"), errors.New("broke"))
		}, []string{"half"}, quire.CodeUnavailable, "broke"},
		{"panics", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			_ = push("half")
			panic("a bug")
		}, []string{"half"}, quire.CodeInternal, "a bug"},
		{"has a time limit of its own", func(context.Context, func(string) error) (*llms.ContentResponse, error) {
			return nil, context.DeadlineExceeded
		}, nil, quire.CodeUnavailable, "deadline"},
		{"has an error of Quire's", func(context.Context, func(string) error) (*llms.ContentResponse, error) {
			return nil, quire.ErrNoAnswer
		}, nil, quire.CodeNoAnswer, ""},
		{"pushes from another goroutine", func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			done := make(chan error)
			go func() { done <- push("all of it") }()
			return response("all of it"), <-done
		}, []string{"all of it"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			llm, err := NewLLM(c.model, "mine", nil)
			if err != nil {
				t.Fatal(err)
			}
			pieces, err := take(t.Context(), llm)
			if diff := cmp.Diff(c.want, pieces); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if quire.CodeOf(err) != c.code || err != nil && !strings.Contains(quire.Cause(err), c.cause) {
				t.Errorf("code %q, %v; want %q", quire.CodeOf(err), err, c.code)
			}
		})
	}
}

func TestForeignUsage(t *testing.T) {
	t.Parallel()
	var got []Usage
	llm, err := NewLLM(modelFunc(func(context.Context, func(string) error) (*llms.ContentResponse, error) { return response("x"), nil }), "mine",
		&Options{OnUsage: func(_ context.Context, u Usage) { got = append(got, u) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := take(t.Context(), llm); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Usage{{InputTokens: 3, OutputTokens: 4, StopReason: "length"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A panic of the consumer reaches the consumer's caller.
func TestConsumerPanics(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	llm, err := NewLLM(modelFunc(func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
		return nil, errors.Join(push("a"), push("b"))
	}), "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic did not come through")
			}
		}()
		for range llm.Generate(t.Context(), question()) {
			panic("mine")
		}
	}()
	goleak.VerifyNone(t, leaks)
}

// A model that does not heed its context holds the consumer up for a second, not longer,
// and what it pushes late goes nowhere.
func TestDeafModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		llm, err := NewLLM(modelFunc(func(_ context.Context, push func(string) error) (*llms.ContentResponse, error) {
			time.Sleep(time.Minute)
			late <- push("too late")
			return response("too late"), nil
		}), "mine", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		pieces, err := take(ctx, llm)
		if len(pieces) > 0 || err != context.DeadlineExceeded || time.Since(began) != time.Second+patience {
			t.Errorf("%q, %v after %v", pieces, err, time.Since(began))
		}
		if err := <-late; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the late piece was taken: %v", err)
		}
	})
}

func TestNewLLMRefuses(t *testing.T) {
	t.Parallel()
	model := modelFunc(func(context.Context, func(string) error) (*llms.ContentResponse, error) { return nil, nil })
	for name, err := range map[string]error{
		"no model": second(NewLLM(nil, "x", nil)),
		"no name":  second(NewLLM(model, "", nil)),
	} {
		if quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
