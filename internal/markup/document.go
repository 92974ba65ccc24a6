package markup

import "encoding/json"

// Document renders Markdown as a ProseMirror-style document object,
// {"type":"doc","content":[..]}. An empty body has an empty content array.
func Document(markdown string) json.RawMessage {
	if markdown == "" {
		return json.RawMessage(`{"type":"doc","content":[]}`)
	}
	text, _ := json.Marshal(Plain(markdown)) // a string always marshals
	return json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":` + string(text) + `}]}]}`)
}
