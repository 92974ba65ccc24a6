package httpapi

import (
	"time"

	"github.com/quirelib/quire"
)

// What several resources of the content interface share. A nil slice or pointer is
// null on the wire: "not part of this answer". An empty slice is [].

// refJSON is an entry of the catalogue.
type refJSON struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func visibilityRef(v quire.Visibility) refJSON { return refJSON{ID: int(v), Name: v.Name()} }

// userJSON is a user. Email is "" but for the caller's own.
type userJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Email    string `json:"email"`
	Avatar   string `json:"avatar"`
}

// userOf is a user as the Library shows it to the caller: it has left out the email
// of others.
func userOf(u quire.User) userJSON {
	return userJSON{ID: u.ID, Name: u.Name, Username: u.Username, Email: u.Email, Avatar: u.AvatarURL}
}

type tagJSON struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Color       string    `json:"color"`
	Description string    `json:"description"`
	UserID      string    `json:"user_id"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

func tagOf(t quire.Tag) tagJSON {
	return tagJSON{
		ID: formatID(t.ID), Title: t.Title, Color: t.Color, Description: t.Description,
		UserID: t.OwnerID, CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(),
	}
}

type settingsJSON struct {
	IsKnowledgeBase bool `json:"is_knowledge_base"`
	IsTemplate      bool `json:"is_template"`
	IsSystem        bool `json:"is_system"`
}

func settingsOf(s quire.Settings) settingsJSON {
	return settingsJSON{IsKnowledgeBase: s.KnowledgeBase, IsTemplate: s.Template, IsSystem: s.System}
}

// tutorialStepJSON is a step; its id is its place, from 1.
type tutorialStepJSON struct {
	ID          int    `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	VideoURL    string `json:"video_url"`
}

func tutorialOf(steps []quire.TutorialStep) []tutorialStepJSON {
	out := make([]tutorialStepJSON, len(steps))
	for i, s := range steps {
		out[i] = tutorialStepJSON{ID: i + 1, Title: s.Title, Description: s.Description, VideoURL: s.VideoURL}
	}
	return out
}

// mapAll converts a slice; the result is never nil.
func mapAll[T, U any](items []T, convert func(T) U) []U {
	out := make([]U, len(items))
	for i, it := range items {
		out[i] = convert(it)
	}
	return out
}

// utc returns a time in UTC, nil for nil.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

// orNull returns nil for "", which is null on the wire.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
