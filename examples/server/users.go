package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quirelib/quire"
)

// ownerID is the id of the user that the first start makes.
const ownerID = "owner"

// minKey is the shortest API key that is taken, in characters.
const minKey = 16

// credentials are a user's id and API key, as QUIRE_USERS gives them.
type credentials struct{ id, key string }

// parseUsers reads "id=key,id=key". Blanks around ids, keys and commas do not
// matter. Its errors hold no key.
func parseUsers(s string) ([]credentials, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var users []credentials
	owners := map[string]string{} // by key
	for i, pair := range strings.Split(s, ",") {
		id, key, found := strings.Cut(pair, "=")
		id, key = strings.TrimSpace(id), strings.TrimSpace(key)
		switch {
		case !found || id == "":
			return nil, fmt.Errorf("QUIRE_USERS: entry %d is not of the form id=key", i+1)
		case len(key) < minKey:
			return nil, fmt.Errorf("QUIRE_USERS: the key of %q has %d characters; at least %d are needed", id, len(key), minKey)
		}
		if other, taken := owners[key]; taken && other != id {
			return nil, fmt.Errorf("QUIRE_USERS: %q and %q have the same key", other, id)
		}
		owners[key] = id
		users = append(users, credentials{id, key})
	}
	return users, nil
}

// ensureUsers makes the users that are missing and returns the first one. Without
// any given it makes the owner, once, and writes its API key to w.
func ensureUsers(ctx context.Context, lib *quire.Library, users []credentials, w io.Writer) (quire.User, error) {
	if len(users) == 0 {
		return ensureOwner(ctx, lib, w)
	}
	var first quire.User
	for i, c := range users {
		u, err := ensureUser(ctx, lib, c.id)
		if err == nil {
			err = ensureKey(ctx, lib, u, c.key)
		}
		if err != nil {
			return quire.User{}, fmt.Errorf("QUIRE_USERS: user %q: %w", c.id, err)
		}
		if i == 0 {
			first = u
		}
	}
	return first, nil
}

func ensureUser(ctx context.Context, lib *quire.Library, id string) (quire.User, error) {
	u, err := lib.User(ctx, id)
	if errors.Is(err, quire.ErrNotFound) {
		u, err = lib.CreateUser(ctx, quire.UserInput{ID: id, Name: id})
	}
	return u, err
}

// ensureKey lets key authenticate u.
func ensureKey(ctx context.Context, lib *quire.Library, u quire.User, key string) error {
	_, _, err := lib.CreateKey(ctx, u.ID, quire.KeyInput{Name: "QUIRE_USERS", Secret: key})
	if !errors.Is(err, quire.ErrConflict) {
		return err
	}
	switch has, err := lib.Authenticate(ctx, key); {
	case errors.Is(err, quire.ErrUnauthenticated):
		return errors.New("the key was revoked; choose another one")
	case err != nil:
		return err
	case has.ID != u.ID:
		return errors.New("the key belongs to another user; choose another one")
	}
	return nil
}

// ensureOwner makes the owner. A key is printed as long as the owner has none, so
// that a start that was killed before it could print does not lock everybody out.
func ensureOwner(ctx context.Context, lib *quire.Library, w io.Writer) (quire.User, error) {
	u, err := ensureUser(ctx, lib, ownerID)
	if err != nil {
		return quire.User{}, err
	}
	keys, err := lib.Keys(ctx, u.ID)
	if err != nil || len(keys) > 0 {
		return u, err
	}
	_, secret, err := lib.CreateKey(ctx, u.ID, quire.KeyInput{Name: "first start"})
	if err != nil {
		return quire.User{}, err
	}
	_, err = fmt.Fprintf(w, "User:    %s\nAPI key: %s\nThis key is shown only once.\n", u.ID, secret)
	return u, err
}
