package quire

import "time"

// Counters count what users did with an elemental or list. The Library keeps them;
// no user sets them.
type Counters struct {
	Comments  int64 // comments and replies
	Rates     int64
	RatingSum int64 // of all rates; the average is RatingSum / Rates
	Sales     int64
	Upvotes   int64
	Uses      int64
	Saves     int64
}

// AverageRate is the mean of all ratings, 0 without any.
func (c Counters) AverageRate() float64 {
	if c.Rates == 0 {
		return 0
	}
	return float64(c.RatingSum) / float64(c.Rates)
}

// Subject is what users engage with: an elemental or a list; exactly one field is
// set.
type Subject struct {
	ElementalID string
	ListID      int64
}

// MarkKind is something that a user does at most once to a subject.
type MarkKind string

// The kinds of marks.
const (
	MarkUpvote   MarkKind = "upvote"
	MarkSave     MarkKind = "save"
	MarkFavorite MarkKind = "favorite"
)

// Mark is a user's upvote, save or favourite of a subject.
type Mark struct {
	Subject   Subject
	UserID    string
	Kind      MarkKind
	CreatedAt time.Time
}

// Comment is what a user wrote about an elemental, or a reply to such a comment.
type Comment struct {
	ID          int64 // ascending in the order of creation
	ElementalID string
	ParentID    int64 // the comment that it replies to; 0 for none
	UserID      string
	Message     string
	Votes       int64
	CreatedAt   time.Time
	UpdatedAt   *time.Time
}

// Rate is a user's rating of a subject, one per user and subject.
type Rate struct {
	ID        int64 // ascending in the order of creation
	Subject   Subject
	UserID    string
	Rating    int // 1..5
	Message   string
	Votes     int64
	CreatedAt time.Time
	UpdatedAt *time.Time
}

// CommentThread is a comment with its replies.
type CommentThread struct {
	UserComment
	Replies []UserComment // oldest first
}

// UserComment is a comment or reply with who wrote it.
type UserComment struct {
	Comment
	User User
}

// UserRate is a rate with who gave it.
type UserRate struct {
	Rate
	User User
}
