package httpapi

import (
	"strconv"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/markup"
)

// listJSON is a list. Items is null in answers that hold many lists.
type listJSON struct {
	ID                   string             `json:"id"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	DescriptionPlaintext string             `json:"description_plaintext"`
	Visibility           refJSON            `json:"visibility"`
	Type                 refJSON            `json:"type"`
	Topics               []refJSON          `json:"topics"`
	Items                []elementalJSON    `json:"items"`
	TotalItems           int                `json:"total_items"`
	VideoURL             string             `json:"video_url"`
	TutorialSteps        []tutorialStepJSON `json:"tutorial_steps"`
	URL                  string             `json:"url"`
	IsPremium            bool               `json:"is_premium"`
	Price                *int64             `json:"price"`
	CreatedAt            time.Time          `json:"created_at"`
	UpdatedAt            *time.Time         `json:"updated_at"`
	IsSaved              bool               `json:"is_saved"`
	IsFavorite           bool               `json:"is_favorite"`
	IsVoted              bool               `json:"is_voted"`
	AverageRate          float64            `json:"average_rate"`
	Rates                []rateJSON         `json:"rates"`
	TotalRates           int64              `json:"total_rates"`
	TotalSaves           int64              `json:"total_saves"`
	TotalUpvotes         int64              `json:"total_upvotes"`
	TotalUses            int64              `json:"total_uses"`
	TotalSales           int64              `json:"total_sales"`
	User                 userJSON           `json:"user"`
	LastSaves            []userJSON         `json:"last_saves"`
	TableID              *string            `json:"table_id"`
	TableOrientation     *string            `json:"table_orientation"`
	Tags                 []tagJSON          `json:"tags"`
	Settings             settingsJSON       `json:"settings"`
	mediaJSON
	knowledgeJSON
}

// listOf is a list without its items and knowledge text.
func (s *server) listOf(l quire.List) listJSON {
	return listJSON{
		ID:                   formatID(l.ID),
		Title:                l.Title,
		Description:          l.Description,
		DescriptionPlaintext: markup.Plain(l.Description),
		Visibility:           visibilityRef(l.Visibility),
		Type:                 refJSON{ID: l.Type.ID, Name: l.Type.Name},
		Topics:               []refJSON{},
		TotalItems:           l.TotalItems,
		VideoURL:             l.VideoURL,
		TutorialSteps:        tutorialOf(l.TutorialSteps),
		URL:                  l.URL,
		IsPremium:            l.IsPremium,
		Price:                l.Price,
		CreatedAt:            l.CreatedAt.UTC(),
		UpdatedAt:            utc(l.UpdatedAt),
		AverageRate:          l.Counters.AverageRate(),
		Rates:                mapAll(l.Rates, rateOf),
		IsSaved:              l.Saved,
		IsFavorite:           l.Favorite,
		IsVoted:              l.Voted,
		TotalRates:           l.Counters.Rates,
		TotalSaves:           l.Counters.Saves,
		TotalUpvotes:         l.Counters.Upvotes,
		TotalUses:            l.Counters.Uses,
		TotalSales:           l.Counters.Sales,
		User:                 userOf(l.Owner),
		LastSaves:            mapAll(l.LastSaves, userOf),
		TableID:              orNull(l.TableID),
		TableOrientation:     orNull(l.TableOrientation),
		Tags:                 mapAll(l.Tags, tagOf),
		Settings:             settingsOf(l.Settings),
		mediaJSON:            s.mediaOf(l.Media),
	}
}

// formatID is the form of list and tag ids on the wire.
func formatID(id int64) string { return strconv.FormatInt(id, 10) }
