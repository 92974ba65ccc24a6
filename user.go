package quire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/quirelib/quire/internal/id"
)

// UserInput is what a new user is made of.
type UserInput struct {
	ID        string // 1..64 letters, digits, '-', '_' or '.'; default: a time-ordered UUID
	TenantID  string // of the same form; default: the user's own id, if no tenant of that id has users
	Name      string
	Username  string
	Email     string
	AvatarURL string // http or https; "" for none
}

// KeyInput is what a new API key is made of.
type KeyInput struct {
	Name      string
	ExpiresAt *time.Time // in the future; nil: does not expire
	// Secret is a key that already exists elsewhere, 16 to 256 characters of visible
	// ASCII. Default: 256 random bits.
	Secret string
}

// The limits of an API key's secret, in bytes.
const (
	minSecret = 16
	maxSecret = 256
)

// lastUsedStep is how exact Key.LastUsedAt is: a write for every request would cost
// more than it tells.
const lastUsedStep = time.Minute

// errNoKey refuses every key that is not valid.
var errNoKey = Errorf(CodeUnauthenticated, "a valid API key is required")

// touchPatience is how long a request waits to note that its key was used: while a long
// transaction runs, a later request notes it.
const touchPatience = 50 * time.Millisecond

// CreateUser adds a user. It is for the application, not for a user: it names no
// actor. ErrConflict if the id is taken, also by a tenant that has users or content of others,
// unless TenantID names that tenant, or by an owner of content in another tenant than the new
// user's: who chooses an id must not come to the knowledge or content of others by it.
func (l *Library) CreateUser(ctx context.Context, in UserInput) (User, error) {
	u := User{ID: in.ID, TenantID: in.TenantID, Name: in.Name, Username: in.Username, Email: in.Email, AvatarURL: in.AvatarURL, CreatedAt: now()}
	if u.ID == "" {
		u.ID = id.New()
	}
	own := u.TenantID == ""
	if own {
		u.TenantID = u.ID
	}
	if err := u.check(); err != nil {
		return User{}, err
	}
	err := l.change(ctx, func(tx Tx, _ *changes) error {
		if err := absent(tx.User(ctx, u.ID)); err != nil {
			return conflict(err, "a user with this id exists")
		}
		if own {
			if err := noStrangers(ctx, tx, u.ID); err != nil {
				return err
			}
		}
		if err := noOwner(ctx, tx, u); err != nil {
			return err
		}
		return tx.PutUser(ctx, u)
	})
	if err != nil {
		return User{}, err
	}
	return u, nil
}

// noStrangers returns ErrConflict if a tenant has users, or content of anybody but the one that
// it is named after.
func noStrangers(ctx context.Context, tx ReadTx, tenantID string) error {
	others, err := hasOthers(ctx, tx, tenantID, tenantID)
	if err == nil && others {
		err = Errorf(CodeConflict, "a tenant with this id has users, or content of others; choose another id, or give the tenant_id: the same one to join them")
	}
	return err
}

// noOwner returns ErrConflict if the id of a new user owns content in a tenant that is not
// theirs.
func noOwner(ctx context.Context, tx ReadTx, u User) error {
	owns, err := ownsOutside(ctx, tx, u.ID, u.TenantID)
	if err == nil && owns {
		err = Errorf(CodeConflict, "somebody with this id, who is not a user here, owns content in another tenant; choose another id, or give the tenant_id of that tenant if it is the same one")
	}
	return err
}

// check checks the fields of a new user.
func (u User) check() error {
	var probs problems
	checkID(&probs, "id", u.ID)
	if u.TenantID != u.ID { // else it may not have been given
		checkID(&probs, "tenant_id", u.TenantID)
	}
	checkText(&probs, "name", u.Name, maxName)
	checkText(&probs, "username", u.Username, maxName)
	checkText(&probs, "email", u.Email, maxName)
	checkURL(&probs, "avatar", u.AvatarURL)
	return probs.err()
}

// Tenants reads the ids of all tenants that have a user, an elemental or a list, in ascending
// order. It is for the application.
func (l *Library) Tenants(ctx context.Context) ([]string, error) {
	var ids []string
	err := l.view(ctx, func(tx ReadTx) (err error) {
		ids, err = tx.Tenants(ctx)
		return err
	})
	return ids, err
}

// TenantUsers reads all users of a tenant by ascending id: none, and no error, of a tenant
// that there is not. It is for the application.
func (l *Library) TenantUsers(ctx context.Context, tenantID string) ([]User, error) {
	var users []User
	err := l.view(ctx, func(tx ReadTx) error {
		users = nil
		for u, err := range tx.TenantUsers(ctx, tenantID) {
			if err != nil {
				return err
			}
			users = append(users, u)
		}
		return nil
	})
	return users, err
}

// User reads a user, with the email. It is for the application: no actor is asked for, and
// whoever calls it says who may see that. ErrNotFound if there is none of that id, whatever the
// id looks like; users who were never created, such as those of an Authenticate of the
// application's own, are not found either. ErrClosed after Close.
func (l *Library) User(ctx context.Context, id string) (User, error) {
	var u User
	err := l.view(ctx, func(tx ReadTx) (err error) {
		u, err = tx.User(ctx, id)
		return err
	})
	return u, err
}

// CreateKey adds an API key of a user and returns its secret, which is shown this
// once and stored only as a hash. ErrNotFound without the user, ErrConflict if the
// given secret is in use.
func (l *Library) CreateKey(ctx context.Context, userID string, in KeyInput) (Key, string, error) {
	secret := in.Secret
	if secret == "" {
		secret = id.Secret("qk_")
	}
	var probs problems
	checkText(&probs, "name", in.Name, maxName)
	if !soundSecret(secret) {
		probs.add("secret", "must be %d to %d characters of visible ASCII", minSecret, maxSecret)
	}
	created := now()
	if in.ExpiresAt != nil && !in.ExpiresAt.After(created) {
		probs.add("expires_at", "must be in the future; to end a key that exists, revoke it")
	}
	if err := probs.err(); err != nil {
		return Key{}, "", err
	}
	// Of a given secret only a quarter may show: 16 characters are all there is.
	k := Key{ID: id.New(), UserID: userID, Name: in.Name, Hash: hashSecret(secret), Prefix: secret[:min(8, len(secret)/4)], CreatedAt: created}
	if in.ExpiresAt != nil {
		t := in.ExpiresAt.UTC().Truncate(time.Microsecond)
		k.ExpiresAt = &t
	}
	err := l.change(ctx, func(tx Tx, _ *changes) error {
		if _, err := tx.User(ctx, userID); err != nil {
			return missing(err, "there is no such user; create it first")
		}
		if err := absent(tx.KeyByHash(ctx, k.Hash)); err != nil {
			return conflict(err, "this key is in use already; choose another one")
		}
		return tx.PutKey(ctx, k)
	})
	if err != nil {
		return Key{}, "", err
	}
	return k, secret, nil
}

// Keys reads all keys of a user, oldest first: none, and no error, of a user that there is not.
func (l *Library) Keys(ctx context.Context, userID string) ([]Key, error) {
	var keys []Key
	err := l.view(ctx, func(tx ReadTx) (err error) {
		keys, err = tx.KeysOf(ctx, userID)
		return err
	})
	return keys, err
}

// RevokeKey makes a key of a user useless from now on. Revoking twice is no
// error; a key that the user does not have is ErrNotFound.
func (l *Library) RevokeKey(ctx context.Context, userID, keyID string) error {
	return l.change(ctx, func(tx Tx, _ *changes) error {
		keys, err := tx.KeysOf(ctx, userID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.ID != keyID {
				continue
			}
			if k.RevokedAt != nil {
				return nil
			}
			t := now()
			k.RevokedAt = &t
			return tx.PutKey(ctx, k)
		}
		return Errorf(CodeNotFound, "the user has no key with this id; Keys reads those there are")
	})
}

// Authenticate returns the user of an API key. Unknown, revoked and expired keys
// all give the same error, an ErrUnauthenticated. The key is looked up by its hash, so that
// the time it takes tells nothing about the keys there are.
func (l *Library) Authenticate(ctx context.Context, secret string) (User, error) {
	if !soundSecret(secret) {
		return User{}, errNoKey
	}
	t := now()
	var found UserKey
	err := l.view(ctx, func(tx ReadTx) (err error) {
		found, err = tx.UserKey(ctx, hashSecret(secret))
		return err
	})
	k := found.Key
	switch {
	case errors.Is(err, ErrNotFound):
		return User{}, errNoKey
	case err != nil:
		return User{}, err
	case !k.valid(t):
		return User{}, errNoKey
	}
	if k.LastUsedAt == nil || t.Sub(*k.LastUsedAt) >= lastUsedStep {
		l.touchKey(ctx, k, t)
	}
	return found.User, nil
}

// valid reports whether a key may be used at t.
func (k Key) valid(t time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || t.Before(*k.ExpiresAt))
}

// touchKey notes that a key was used. That it fails must not lock anybody out: a
// full disk still lets people read.
func (l *Library) touchKey(ctx context.Context, k Key, t time.Time) {
	ctx, cancel := context.WithTimeout(ctx, touchPatience)
	defer cancel()
	err := l.change(ctx, func(tx Tx, _ *changes) error {
		// Read again: the key may have been revoked meanwhile.
		k, err := tx.KeyByHash(ctx, k.Hash)
		if err != nil {
			return err
		}
		k.LastUsedAt = &t
		return tx.PutKey(ctx, k)
	})
	if err != nil && ctx.Err() == nil {
		l.log.Warn("noting the use of a key failed", "key", k.ID, "error", Cause(err))
	}
}

// Actor returns the actor that u is.
func (u User) Actor() Actor { return Actor{UserID: u.ID, TenantID: u.TenantID} }

func soundSecret(s string) bool {
	visible := func(r rune) bool { return r > ' ' && r < 0x7f }
	return len(s) >= minSecret && len(s) <= maxSecret && strings.IndexFunc(s, func(r rune) bool { return !visible(r) }) < 0
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// absent turns the outcome of a read into nil if there was nothing, ErrConflict if
// there was something, and the error otherwise.
func absent[T any](_ T, err error) error {
	switch {
	case err == nil:
		return ErrConflict
	case errors.Is(err, ErrNotFound):
		return nil
	}
	return err
}

// missing gives an ErrNotFound a message that says what is missing; other errors stay.
func missing(err error, message string) error {
	if errors.Is(err, ErrNotFound) {
		return Errorf(CodeNotFound, "%s", message)
	}
	return err
}

// conflict gives an ErrConflict a message that says what to do; other errors stay.
func conflict(err error, message string) error {
	if errors.Is(err, ErrConflict) {
		return Errorf(CodeConflict, "%s", message)
	}
	return err
}
