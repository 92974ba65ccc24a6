package quire

import (
	"context"
	"time"
)

// UserInput is what a new user is made of.
type UserInput struct {
	ID        string // 1..64 letters, digits, '-', '_' or '.'; default: a time-ordered UUID
	TenantID  string // default: the user's own id
	Name      string
	Username  string
	Email     string
	AvatarURL string
}

// KeyInput is what a new API key is made of.
type KeyInput struct {
	Name      string
	ExpiresAt *time.Time // nil: does not expire
	// Secret is a key that already exists elsewhere, at least 16 characters of
	// visible ASCII. Default: 256 random bits.
	Secret string
}

// CreateUser adds a user. It is for the application, not for a user: it names no
// actor. ErrConflict if the id is taken.
func (l *Library) CreateUser(ctx context.Context, in UserInput) (User, error) { panic("stub") }

// User reads a user. It is for the application.
func (l *Library) User(ctx context.Context, id string) (User, error) { panic("stub") }

// CreateKey adds an API key of a user and returns its secret, which is shown this
// once and stored only as a hash. ErrConflict if the given secret is in use.
func (l *Library) CreateKey(ctx context.Context, userID string, in KeyInput) (Key, string, error) {
	panic("stub")
}

// Keys reads all keys of a user, oldest first.
func (l *Library) Keys(ctx context.Context, userID string) ([]Key, error) { panic("stub") }

// RevokeKey makes a key of a user useless from now on. Revoking twice is no error.
func (l *Library) RevokeKey(ctx context.Context, userID, keyID string) error { panic("stub") }

// Authenticate returns the user of an API key. Unknown, revoked and expired keys
// all give the same ErrUnauthenticated.
func (l *Library) Authenticate(ctx context.Context, secret string) (User, error) { panic("stub") }

// Actor returns the actor that u is.
func (u User) Actor() Actor { return Actor{UserID: u.ID, TenantID: u.TenantID} }
