package main

import (
	"encoding/json"
	"io"

	"github.com/quirelib/quire"
)

// chatJSON is an answer as the HTTP interface gives it.
type chatJSON struct {
	Answer  string       `json:"answer"`
	Sources []sourceJSON `json:"sources"`
}

type sourceJSON struct {
	ID          string   `json:"id"`
	Score       float64  `json:"score"`
	ItemID      string   `json:"snack_item_id"`
	ElementalID string   `json:"snack_elemental_id"`
	Text        string   `json:"text"`
	TagIDs      []string `json:"tag_ids"`
	TagNames    []string `json:"tag_names"`
	Path        string   `json:"path,omitempty"` // of the file, from the folder; ours
	Title       string   `json:"title"`
	Heading     []string `json:"heading"`
	Start       int      `json:"start"`
	End         int      `json:"end"`
}

// printJSON writes the answer for programs. paths gives the file of an elemental;
// start and end count bytes in the text that was made of it.
func printJSON(w io.Writer, r quire.ChatResponse, paths map[string]string) error {
	out := chatJSON{Answer: r.Answer, Sources: []sourceJSON{}}
	for _, hit := range r.Sources {
		c := hit.Chunk
		out.Sources = append(out.Sources, sourceJSON{
			ID: c.ID, Score: hit.Score, ItemID: c.ItemID, ElementalID: c.ElementalID, Text: c.Text,
			TagIDs: append([]string{}, c.TagIDs...), TagNames: append([]string{}, c.TagNames...), // [] instead of null
			Path: paths[c.ElementalID], Title: c.Title, Heading: append([]string{}, c.Heading...), Start: c.Start, End: c.End,
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
