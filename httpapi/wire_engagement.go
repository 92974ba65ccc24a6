package httpapi

import (
	"time"

	"github.com/quirelib/quire"
)

type commentJSON struct {
	ID         int64       `json:"id"`
	Message    string      `json:"message"`
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  *time.Time  `json:"updated_at"`
	TotalVotes int64       `json:"total_votes"`
	User       userJSON    `json:"user"`
	Replies    []replyJSON `json:"replies"`
}

type replyJSON struct {
	ID         int64      `json:"id"`
	Message    string     `json:"message"`
	ParentID   int64      `json:"parent_id"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  *time.Time `json:"updated_at"`
	TotalVotes int64      `json:"total_votes"`
	User       userJSON   `json:"user"`
}

type rateJSON struct {
	ID         int64      `json:"id"`
	Message    string     `json:"message"`
	Rating     int        `json:"rating"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  *time.Time `json:"updated_at"`
	TotalVotes int64      `json:"total_votes"`
	User       userJSON   `json:"user"`
}

func commentOf(t quire.CommentThread) commentJSON {
	return commentJSON{
		ID: t.ID, Message: t.Message, CreatedAt: t.CreatedAt.UTC(), UpdatedAt: utc(t.UpdatedAt),
		TotalVotes: t.Votes, User: userOf(t.User), Replies: mapAll(t.Replies, replyOf),
	}
}

func replyOf(r quire.UserComment) replyJSON {
	return replyJSON{
		ID: r.ID, Message: r.Message, ParentID: r.ParentID, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: utc(r.UpdatedAt),
		TotalVotes: r.Votes, User: userOf(r.User),
	}
}

func rateOf(r quire.UserRate) rateJSON {
	return rateJSON{
		ID: r.ID, Message: r.Message, Rating: r.Rating, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: utc(r.UpdatedAt),
		TotalVotes: r.Votes, User: userOf(r.User),
	}
}
