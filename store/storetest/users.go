package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var userCases = []testCase{
	{"missing", usersMissing},
	{"round trip", userRoundTrip},
	{"awkward text", userText},
	{"ids are exact", userIDs},
	{"replace keeps the keys", userReplace},
	{"many ids", userMany},
	{"key round trip", keyRoundTrip},
	{"key without times", keyNils},
	{"key times", keyTimes},
	{"key copied", keyCopied},
	{"keys by creation", keysOrder},
	{"key replace", keyReplace},
	{"key hash taken", keyConflict},
	{"key of nobody", keyOfNobody},
	{"refused key leaves the rest", keyRefusedGoesOn},
}

func usersMissing(t *testing.T, s *store) {
	missing(s, quire.ReadTx.User, "nobody")
	missing(s, quire.ReadTx.User, "")
	missing(s, quire.ReadTx.KeyByHash, "no hash")
	missing(s, quire.ReadTx.UserKey, "no hash")
	equal(t, "keys of nobody", get(s, quire.ReadTx.KeysOf, "nobody"), nil)
	equal(t, "no ids", get(s, quire.ReadTx.Users, nil), nil)
	equal(t, "unknown ids", get(s, quire.ReadTx.Users, []string{"nobody", ""}), nil)
}

func userRoundTrip(t *testing.T, s *store) {
	want := sampleUser("u1")
	put(s, quire.Tx.PutUser, want, quire.User{ID: "empty", CreatedAt: epoch})
	equal(t, "User", get(s, quire.ReadTx.User, "u1"), want)
	equal(t, "User with empty fields", get(s, quire.ReadTx.User, "empty"), quire.User{ID: "empty", CreatedAt: epoch})
	equal(t, "Users", get(s, quire.ReadTx.Users, []string{"u1", "nobody", "u1"}), map[string]quire.User{"u1": want})
}

func userText(t *testing.T, s *store) {
	for name, text := range awkward {
		u := quire.User{ID: name, TenantID: text, Name: text, Username: text, Email: text, AvatarURL: text, CreatedAt: epoch}
		put(s, quire.Tx.PutUser, u)
		equal(t, name, get(s, quire.ReadTx.User, name), u)
	}
}

func userIDs(t *testing.T, s *store) {
	ids := []string{"a", "A", "a.", "a-", "a_", "1", "01", "1.0"}
	for _, id := range ids {
		put(s, quire.Tx.PutUser, sampleUser(id))
	}
	for _, id := range ids {
		equal(t, id, get(s, quire.ReadTx.User, id), sampleUser(id))
	}
	if got := get(s, quire.ReadTx.Users, ids); len(got) != len(ids) {
		t.Errorf("Users returned %d of %d users", len(got), len(ids))
	}
}

func userReplace(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u2"))
	put(s, quire.Tx.PutKey, sampleKey("k1", "u1"))
	changed := quire.User{ID: "u1", TenantID: "another", Name: "New name", CreatedAt: at(99)}
	put(s, quire.Tx.PutUser, changed)
	equal(t, "the replaced", get(s, quire.ReadTx.User, "u1"), changed)
	equal(t, "the other", get(s, quire.ReadTx.User, "u2"), sampleUser("u2"))
	equal(t, "the keys", get(s, quire.ReadTx.KeysOf, "u1"), []quire.Key{sampleKey("k1", "u1")})
}

// userMany passes more ids than one SQL statement can bind.
func userMany(t *testing.T, s *store) {
	ids, want := manyIDs(1_500, "user")
	var users []quire.User
	for _, id := range want {
		users = append(users, sampleUser(id))
	}
	put(s, quire.Tx.PutUser, users...)
	got := get(s, quire.ReadTx.Users, ids)
	if len(got) != len(want) {
		t.Fatalf("Users of %d ids returned %d users, want %d", len(ids), len(got), len(want))
	}
	for _, id := range want {
		equal(t, id, got[id], sampleUser(id))
	}
}

// manyIDs returns 40,000 different ids and those of them, spread over the whole,
// that a test is to make: no more than n, fewer under -short.
func manyIDs(n int, prefix string) (all, exist []string) {
	const size = 40_000
	step := size / scale(n)
	for i := range size {
		id := fmt.Sprintf("%s-%05d", prefix, i)
		all = append(all, id)
		if i%step == step-1 {
			exist = append(exist, id)
		}
	}
	return all, exist
}

func keyRoundTrip(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u2"))
	other := sampleKey("k2", "u2")
	put(s, quire.Tx.PutKey, other)
	want := sampleKey("k1", "u1")
	put(s, quire.Tx.PutKey, want)
	equal(t, "KeyByHash", get(s, quire.ReadTx.KeyByHash, want.Hash), want)
	equal(t, "UserKey", get(s, quire.ReadTx.UserKey, want.Hash), quire.UserKey{Key: want, User: sampleUser("u1")})
	equal(t, "the other's", get(s, quire.ReadTx.UserKey, other.Hash), quire.UserKey{Key: other, User: sampleUser("u2")})
	equal(t, "KeysOf", get(s, quire.ReadTx.KeysOf, "u1"), []quire.Key{want})
}

func keyNils(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"))
	want := sampleKey("k1", "u1")
	want.LastUsedAt, want.ExpiresAt, want.RevokedAt = nil, nil, nil
	put(s, quire.Tx.PutKey, want)
	equal(t, "KeyByHash", get(s, quire.ReadTx.KeyByHash, want.Hash), want)
}

// keyTimes checks that times of any zone and precision come back in UTC, less
// than a microsecond away.
func keyTimes(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"))
	east := time.FixedZone("east", 5*3600+1800)
	for name, when := range map[string]time.Time{
		"another zone":       time.Date(2024, 2, 29, 23, 59, 59, 999999000, east),
		"nanoseconds":        time.Date(2031, 1, 1, 0, 0, 0, 123456789, time.UTC),
		"with clock reading": time.Now(),
		"before 1970":        time.Date(1905, 6, 30, 1, 2, 3, 4567, time.UTC),
		"year 9999":          time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
		"zero":               {},
	} {
		k := sampleKey(name, "u1")
		k.CreatedAt, k.ExpiresAt = when, new(when)
		put(s, quire.Tx.PutKey, k)
		got := get(s, quire.ReadTx.KeyByHash, k.Hash)
		checkTime(t, name, got.CreatedAt, when)
		checkTime(t, name+" as pointer", *got.ExpiresAt, when)
	}
}

func checkTime(t *testing.T, what string, got, put time.Time) {
	t.Helper()
	if got.Location() != time.UTC {
		t.Errorf("%s: came back in %v, want UTC", what, got.Location())
	}
	if got.Nanosecond()%1000 != 0 || got.Sub(put).Abs() >= time.Microsecond {
		t.Errorf("%s: put %v, got %v, want it to the microsecond", what, put, got)
	}
	if put.IsZero() && !got.IsZero() {
		t.Errorf("%s: put the zero time, got %v", what, got)
	}
}

func keyCopied(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"))
	k := sampleKey("k1", "u1")
	put(s, quire.Tx.PutKey, k)
	*k.LastUsedAt, *k.ExpiresAt, *k.RevokedAt = at(50), at(50), at(50)
	got := get(s, quire.ReadTx.KeyByHash, k.Hash)
	equal(t, "after a change on the way in", got, sampleKey("k1", "u1"))
	*got.LastUsedAt, *got.ExpiresAt, *got.RevokedAt = at(60), at(60), at(60)
	got = get(s, quire.ReadTx.KeysOf, "u1")[0]
	equal(t, "after a change on the way out of KeyByHash", got, sampleKey("k1", "u1"))
	*got.LastUsedAt, *got.ExpiresAt, *got.RevokedAt = at(70), at(70), at(70)
	equal(t, "after a change on the way out of KeysOf", get(s, quire.ReadTx.KeyByHash, k.Hash), sampleKey("k1", "u1"))
}

func keysOrder(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u2"))
	var want []quire.Key
	for _, k := range []struct {
		id  string
		min int
	}{{"k9", 1}, {"K5", 2}, {"k1", 2}, {"k2", 2}, {"k0", 3}} {
		key := sampleKey(k.id, "u1")
		key.CreatedAt = at(k.min)
		want = append(want, key)
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		put(s, quire.Tx.PutKey, want[i])
	}
	put(s, quire.Tx.PutKey, sampleKey("other", "u2"))
	equal(t, "KeysOf", get(s, quire.ReadTx.KeysOf, "u1"), want)
}

func keyReplace(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u2"))
	old := sampleKey("k1", "u1")
	put(s, quire.Tx.PutKey, old)
	put(s, quire.Tx.PutKey, old) // its own hash is no conflict
	changed := quire.Key{ID: "k1", UserID: "u2", Name: "New name", Hash: "new hash", Prefix: "p", CreatedAt: at(80)}
	put(s, quire.Tx.PutKey, changed)
	equal(t, "by the new hash", get(s, quire.ReadTx.KeyByHash, "new hash"), changed)
	missing(s, quire.ReadTx.KeyByHash, old.Hash)
	missing(s, quire.ReadTx.UserKey, old.Hash)
	equal(t, "keys of the old user", get(s, quire.ReadTx.KeysOf, "u1"), nil)
	equal(t, "keys of the new user", get(s, quire.ReadTx.KeysOf, "u2"), []quire.Key{changed})
	free := sampleKey("k2", "u1")
	free.Hash = old.Hash
	put(s, quire.Tx.PutKey, free) // the old hash is free again
	equal(t, "by the freed hash", get(s, quire.ReadTx.KeyByHash, old.Hash), free)
}

func keyConflict(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u2"))
	first, second := sampleKey("k1", "u1"), sampleKey("k2", "u2")
	put(s, quire.Tx.PutKey, first, second)
	for _, k := range []quire.Key{
		{ID: "k3", UserID: "u2", Hash: first.Hash, CreatedAt: epoch}, // a new key
		{ID: "k2", UserID: "u2", Hash: first.Hash, CreatedAt: epoch}, // one that exists
	} {
		err := s.Update(t.Context(), func(tx quire.Tx) error { return tx.PutKey(t.Context(), k) })
		if !errors.Is(err, quire.ErrConflict) {
			t.Errorf("PutKey of %s with the hash of k1: got error %v, want ErrConflict", k.ID, err)
		}
	}
	equal(t, "the key of the hash", get(s, quire.ReadTx.KeyByHash, first.Hash), first)
	equal(t, "the refused", get(s, quire.ReadTx.KeysOf, "u2"), []quire.Key{second})
}

func keyOfNobody(t *testing.T, s *store) {
	err := s.Update(t.Context(), func(tx quire.Tx) error { return tx.PutKey(t.Context(), sampleKey("k1", "nobody")) })
	if !errors.Is(err, quire.ErrNotFound) {
		t.Errorf("PutKey without its user: got error %v, want ErrNotFound", err)
	}
	missing(s, quire.ReadTx.KeyByHash, sampleKey("k1", "nobody").Hash)
}

// keyRefusedGoesOn checks that a refused write changes nothing and that the same
// transaction goes on.
func keyRefusedGoesOn(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"))
	put(s, quire.Tx.PutKey, sampleKey("k1", "u1"))
	taken := sampleKey("k2", "u1")
	taken.Hash = sampleKey("k1", "u1").Hash
	s.update(func(ctx context.Context, tx quire.Tx) error {
		if err := tx.PutUser(ctx, sampleUser("u2")); err != nil {
			return err
		}
		if err := tx.PutKey(ctx, taken); !errors.Is(err, quire.ErrConflict) {
			return fmt.Errorf("PutKey with a taken hash: got error %v, want ErrConflict", err)
		}
		if err := tx.PutKey(ctx, sampleKey("k3", "nobody")); !errors.Is(err, quire.ErrNotFound) {
			return fmt.Errorf("PutKey without its user: got error %v, want ErrNotFound", err)
		}
		return tx.PutUser(ctx, sampleUser("u3"))
	})
	equal(t, "written before", get(s, quire.ReadTx.User, "u2"), sampleUser("u2"))
	equal(t, "written after", get(s, quire.ReadTx.User, "u3"), sampleUser("u3"))
	equal(t, "the keys", get(s, quire.ReadTx.KeysOf, "u1"), []quire.Key{sampleKey("k1", "u1")})
}
