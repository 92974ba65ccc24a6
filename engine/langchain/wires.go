package langchain

import (
	"bytes"
)

// openAIWire is the stream of chat completions: events of choices, then [DONE]
// (https://platform.openai.com/docs/api-reference/chat-streaming).
type openAIWire struct{}

func (openAIWire) payload(line []byte) []byte  { return dataOf(line) }
func (openAIWire) frame(payload []byte) []byte { return frameData(payload) }

func (openAIWire) look(payload []byte) (event, error) {
	if string(payload) == "[DONE]" {
		return event{last: true}, nil
	}
	var chunk struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := decode(payload, &chunk); err != nil {
		return event{}, err
	}
	var e event
	for _, c := range chunk.Choices {
		if c.FinishReason != "" && c.FinishReason != "null" {
			// Some servers end here, without [DONE].
			e.whole, e.stop = true, c.FinishReason
		}
	}
	return e, nil
}

func (openAIWire) text(ev map[string]any) (map[string]any, string, bool) {
	choice := first(ev["choices"])
	delta, ok := choice["delta"].(map[string]any)
	return delta, "content", ok
}

func (openAIWire) part(_ map[string]any, text string) map[string]any {
	return map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": text}}}}
}

// first returns the first object of a JSON array, nil if there is none.
func first(list any) map[string]any {
	if items, ok := list.([]any); ok && len(items) > 0 {
		object, _ := items[0].(map[string]any)
		return object
	}
	return nil
}

// ollamaWire is the stream of /api/chat: a line of JSON for each piece, the last one with
// "done" (https://github.com/ollama/ollama/blob/main/docs/api.md).
type ollamaWire struct{}

func (ollamaWire) payload(line []byte) []byte  { return bytes.TrimSpace(line) }
func (ollamaWire) frame(payload []byte) []byte { return append(bytes.Clone(payload), '\n') }

func (ollamaWire) look(payload []byte) (event, error) {
	var line struct {
		Done       bool   `json:"done"`
		DoneReason string `json:"done_reason"`
	}
	if err := decode(payload, &line); err != nil {
		return event{}, err
	}
	return event{last: line.Done, stop: line.DoneReason}, nil
}

func (ollamaWire) text(ev map[string]any) (map[string]any, string, bool) {
	message, ok := ev["message"].(map[string]any)
	return message, "content", ok
}

func (ollamaWire) part(ev map[string]any, text string) map[string]any {
	return map[string]any{"model": ev["model"], "message": map[string]any{"role": "assistant", "content": text}, "done": false}
}

// anthropicWire is the stream of messages: typed events, the last one message_stop
// (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
type anthropicWire struct{}

func (anthropicWire) payload(line []byte) []byte  { return dataOf(line) }
func (anthropicWire) frame(payload []byte) []byte { return frameData(payload) }

func (anthropicWire) look(payload []byte) (event, error) {
	var ev struct {
		Type  string `json:"type"`
		Delta struct {
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
	}
	if err := decode(payload, &ev); err != nil {
		return event{}, err
	}
	switch ev.Type {
	case "message_stop":
		return event{last: true}, nil
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta":
		return event{stop: ev.Delta.StopReason}, nil
	}
	// Pings, and what may be added: clients are to ignore it, langchaingo would log it.
	return event{skip: true}, nil
}

func (anthropicWire) text(ev map[string]any) (map[string]any, string, bool) {
	delta, ok := ev["delta"].(map[string]any)
	return delta, "text", ok && delta["type"] == "text_delta"
}

func (anthropicWire) part(ev map[string]any, text string) map[string]any {
	return map[string]any{"type": "content_block_delta", "index": ev["index"], "delta": map[string]any{"type": "text_delta", "text": text}}
}
