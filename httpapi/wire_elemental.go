package httpapi

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/markup"
	"github.com/quirelib/quire/internal/placeholder"
)

// elementalJSON is an elemental. In its light form, as an item of a list, the
// pointers and slices of the second half are null.
type elementalJSON struct {
	ID          string     `json:"id"`
	IsList      bool       `json:"is_list"`
	Type        refJSON    `json:"type"`
	Category    refJSON    `json:"category"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Visibility  refJSON    `json:"visibility"`
	URL         string     `json:"url"`
	Tags        []tagJSON  `json:"tags"`
	AverageRate float64    `json:"average_rate"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   *time.Time `json:"updated_at"`
	User        userJSON   `json:"user"`
	elementalCounters

	Topics               []refJSON          `json:"topics"`
	BodyContent          *string            `json:"body_content"`
	BodyHTML             *string            `json:"body_content_html"`
	BodyPlain            *string            `json:"body_content_plaintext"`
	BodyJSON             json.RawMessage    `json:"body_content_json"`
	BodyPlaceholders     *placeholdersJSON  `json:"body_content_placeholders"`
	DescriptionPlaintext *string            `json:"description_plaintext"`
	TutorialSteps        []tutorialStepJSON `json:"tutorial_steps"`
	IsPremium            *bool              `json:"is_premium"`
	Price                *int64             `json:"price"`
	VideoURL             *string            `json:"video_url"`
	Comments             []commentJSON      `json:"comments"`
	Rates                []rateJSON         `json:"rates"`
	Command              *string            `json:"command"`
	Columns              []listJSON         `json:"columns"`
	Rows                 []listJSON         `json:"rows"`
	Settings             *settingsJSON      `json:"settings"`
	mediaJSON
	knowledgeJSON
}

// elementalCounters are kept by the Library's methods for engagement.
type elementalCounters struct {
	TotalComments int64 `json:"total_comments"`
	TotalRates    int64 `json:"total_rates"`
	TotalSales    int64 `json:"total_sales"`
	TotalUpvotes  int64 `json:"total_upvotes"`
	TotalUses     int64 `json:"total_uses"`
	TotalSaves    int64 `json:"total_saves"`
}

func elementalCountersOf(c quire.Counters) elementalCounters {
	return elementalCounters{
		TotalComments: c.Comments, TotalRates: c.Rates, TotalSales: c.Sales,
		TotalUpvotes: c.Upvotes, TotalUses: c.Uses, TotalSaves: c.Saves,
	}
}

type placeholdersJSON struct {
	List      []string `json:"list"`
	Plaintext string   `json:"plaintext"`
}

// knowledgeJSON is the knowledge text of an elemental or list, null where it was not
// asked for.
type knowledgeJSON struct {
	KnowledgeBase     *string         `json:"knowledge_base"`
	KnowledgeBaseJSON json.RawMessage `json:"knowledge_base_json"`
}

// lightElemental is an elemental as an item of a list.
func lightElemental(e quire.Elemental) elementalJSON {
	return elementalJSON{
		ID:          e.ID,
		IsList:      e.TypeID == quire.TypeTable,
		Type:        refJSON{ID: e.Type.ID, Name: e.Type.Name},
		Category:    refJSON{ID: e.Category.ID, Name: e.Category.Name},
		Title:       e.Title,
		Description: e.Description,
		Visibility:  visibilityRef(e.Visibility),
		URL:         e.URL,
		Tags:        mapAll(e.Tags, tagOf),
		CreatedAt:   e.CreatedAt.UTC(),
		UpdatedAt:   utc(e.UpdatedAt),
		User:        userOf(e.Owner),
		AverageRate: e.Counters.AverageRate(),

		elementalCounters: elementalCountersOf(e.Counters),
	}
}

// fullElemental is an elemental with everything but knowledge text.
func (s *server) fullElemental(e quire.Elemental) elementalJSON {
	out := s.withoutTexts(e)
	out.BodyContent = &e.Body
	out.BodyHTML = new(markup.HTML(e.Body))
	out.BodyPlain = new(markup.Plain(e.Body))
	out.BodyJSON = markup.Document(e.Body)
	out.BodyPlaceholders = placeholdersOf(e.Body)
	out.DescriptionPlaintext = new(markup.Plain(e.Description))
	return out
}

// withoutTexts is fullElemental with emptyTexts in the places of its body and renderings.
func (s *server) withoutTexts(e quire.Elemental) elementalJSON {
	d := e.Details
	if d == nil {
		d = &quire.Details{}
	}
	out := lightElemental(e)
	out.Topics = mapAll(e.Topics, func(t quire.Topic) refJSON { return refJSON{ID: t.ID, Name: t.Name} })
	out.BodyContent, out.BodyHTML, out.BodyPlain = new(""), new(""), new("")
	out.BodyJSON = markup.Document("")
	out.BodyPlaceholders = placeholdersOf("")
	out.DescriptionPlaintext = new("")
	out.mediaJSON = s.mediaOf(d.Media)
	out.TutorialSteps = tutorialOf(e.TutorialSteps)
	out.IsPremium = &e.IsPremium
	out.Price = e.Price
	out.VideoURL = &e.VideoURL
	out.Comments, out.Rates = mapAll(d.Comments, commentOf), mapAll(d.Rates, rateOf)
	out.Command = &e.Command
	out.Columns, out.Rows = []listJSON{}, []listJSON{} // those of a table see largeElemental
	out.Settings = new(settingsOf(e.Settings))
	return out
}

func placeholdersOf(body string) *placeholdersJSON {
	list := append([]string{}, placeholder.List(body)...) // [] and not null
	return &placeholdersJSON{List: list, Plaintext: strings.Join(list, " ")}
}
