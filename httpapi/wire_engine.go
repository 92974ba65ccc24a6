package httpapi

import (
	"time"

	"github.com/quirelib/quire"
)

// searchJSON is the answer of a search.
type searchJSON struct {
	Items      []hitJSON `json:"items"`
	TotalFound int       `json:"total_found"`
}

type hitJSON struct {
	ID      string      `json:"id"`
	Score   float64     `json:"score"`
	Payload payloadJSON `json:"payload"`
}

// fromFileJSON is our addition to what is told of a chunk: the attached file that it is from.
type fromFileJSON struct {
	ID   string `json:"file_id,omitempty"`
	Name string `json:"file_name,omitempty"`
}

// placeJSON is our addition as well: where in the elemental's source text the chunk stands.
type placeJSON struct {
	Title   string   `json:"title"`
	Heading []string `json:"heading"`
	Start   int      `json:"start"` // byte offsets into the source text
	End     int      `json:"end"`
}

func placeOf(c quire.Chunk) placeJSON {
	return placeJSON{Title: c.Title, Heading: notNil(c.Heading), Start: c.Start, End: c.End}
}

// payloadJSON is what is kept with a chunk.
type payloadJSON struct {
	TenantID     string   `json:"tenant_id"`
	UserID       string   `json:"user_id"`
	ElementalID  string   `json:"snack_elemental_id"`
	ColumnID     string   `json:"snack_column_id"`
	ItemID       string   `json:"snack_item_id"`
	Source       string   `json:"source"`
	TypeName     string   `json:"type_name"`
	CategoryName string   `json:"category_name"`
	OriginalText string   `json:"original_text"`
	TagIDs       []string `json:"tag_ids"`
	TagNames     []string `json:"tag_names"`
	placeJSON
	fromFileJSON
}

func hitOf(h quire.SearchHit) hitJSON {
	c := h.Chunk
	return hitJSON{ID: c.ID, Score: h.Score, Payload: payloadJSON{
		TenantID: c.TenantID, UserID: c.UserID, ElementalID: c.ElementalID, ColumnID: c.ColumnID, ItemID: c.ItemID,
		Source: c.Source, TypeName: c.TypeName, CategoryName: c.CategoryName, OriginalText: c.Text,
		TagIDs: notNil(c.TagIDs), TagNames: notNil(c.TagNames),
		placeJSON: placeOf(c), fromFileJSON: fromFileJSON{h.FileID, h.FileName},
	}}
}

// chatJSON is an answer with the sources that its markers cite, in order.
type chatJSON struct {
	Answer  string       `json:"answer"`
	Sources []sourceJSON `json:"sources"`
}

// sourceJSON is a cited chunk.
type sourceJSON struct {
	ID          string   `json:"id"`
	Score       float64  `json:"score"`
	ItemID      string   `json:"snack_item_id"`
	ElementalID string   `json:"snack_elemental_id"`
	Text        string   `json:"text"`
	TagIDs      []string `json:"tag_ids"`
	TagNames    []string `json:"tag_names"`
	placeJSON
	fromFileJSON
}

func sourceOf(h quire.SearchHit) sourceJSON {
	c := h.Chunk
	return sourceJSON{
		ID: c.ID, Score: h.Score, ItemID: c.ItemID, ElementalID: c.ElementalID, Text: c.Text,
		TagIDs: notNil(c.TagIDs), TagNames: notNil(c.TagNames),
		placeJSON: placeOf(c), fromFileJSON: fromFileJSON{h.FileID, h.FileName},
	}
}

// notNil makes no strings an empty array on the wire.
func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// doneJSON is the answer of an ingest or a deletion.
type doneJSON struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

type ingestedJSON struct {
	JobID       string `json:"job_id"`
	ElementalID string `json:"elemental_id"`
}

type deletedJSON struct {
	Chunks     int `json:"deleted_chunks"`
	Elementals int `json:"deleted_elementals"`
}

// problemJSON is a file that a job left out.
type problemJSON struct {
	ItemID string `json:"item_id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type jobJSON struct {
	JobID       string        `json:"job_id"`
	ElementalID string        `json:"elemental_id"`
	Status      string        `json:"status"`
	Stage       string        `json:"stage"`
	Done        int           `json:"done"`
	Total       int           `json:"total"`
	Attempts    int           `json:"attempts"`
	Error       *string       `json:"error"`
	Problems    []problemJSON `json:"problems"`
	CreatedAt   time.Time     `json:"created_at"`
	StartedAt   *time.Time    `json:"started_at"`
	FinishedAt  *time.Time    `json:"finished_at"`
}

func jobOf(j quire.Job) jobJSON {
	problems := make([]problemJSON, len(j.Problems))
	for i, p := range j.Problems {
		problems[i] = problemJSON(p)
	}
	return jobJSON{
		JobID: j.ID, ElementalID: j.ElementalID, Status: string(j.Status), Stage: j.Stage,
		Done: j.Done, Total: j.Total, Attempts: j.Attempts, Error: orNull(j.Error), Problems: problems,
		CreatedAt: j.CreatedAt.UTC(), StartedAt: utc(j.StartedAt), FinishedAt: utc(j.FinishedAt),
	}
}

type jobsJSON struct {
	Jobs  []jobJSON `json:"jobs"`
	Total int       `json:"total"`
}
