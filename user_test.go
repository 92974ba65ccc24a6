package quire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		key, secret, err := f.CreateKey(ctx, "ann", quire.KeyInput{Name: "laptop"})
		if err != nil {
			t.Fatal(err)
		}
		if len(secret) < 43 || strings.Contains(key.Hash, secret) || !strings.HasPrefix(secret, key.Prefix) || len(key.Prefix) > 8 {
			t.Errorf("secret of %d characters, prefix %q", len(secret), key.Prefix)
		}
		u, err := f.Authenticate(ctx, secret)
		if err != nil || u.ID != "ann" || u.Actor() != f.ann {
			t.Fatalf("authenticate: %+v, %v", u, err)
		}
		keys, err := f.Keys(ctx, "ann")
		if err != nil || len(keys) != 1 || keys[0].LastUsedAt == nil {
			t.Errorf("keys %+v, %v", keys, err)
		}
		_, _, err = f.CreateKey(ctx, "bob", quire.KeyInput{Secret: secret})
		wantCode(t, err, quire.CodeConflict)
		_, _, err = f.CreateKey(ctx, "nobody", quire.KeyInput{})
		wantCode(t, err, quire.CodeNotFound)
		_, _, err = f.CreateKey(ctx, "ann", quire.KeyInput{Secret: "fifteen-chars-x"})
		wantField(t, err, "secret")
		if _, given, err := f.CreateKey(ctx, "ann", quire.KeyInput{Secret: "sixteen-chars-xx"}); err != nil || given != "sixteen-chars-xx" {
			t.Errorf("a given secret: %q, %v", given, err)
		}
		wantCode(t, f.RevokeKey(ctx, "bob", key.ID), quire.CodeNotFound)
		for range 2 {
			if err := f.RevokeKey(ctx, "ann", key.ID); err != nil {
				t.Fatal(err)
			}
		}
		for _, wrong := range []string{secret, "", "x", strings.Repeat("x", 43), strings.Repeat("x", 1<<20), "ключ-ключ-ключ-ключ"} {
			_, err := f.Authenticate(ctx, wrong)
			if !errors.Is(err, quire.ErrUnauthenticated) || err.Error() != "a valid API key is required" {
				t.Errorf("authenticate %.20q: %v", wrong, err)
			}
		}
	})
}

// TestTenantsAreNotJoinedByID: a user who chooses the id of a tenant that others are in does
// not become one of them, unless the application says so.
func TestTenantsAreNotJoinedByID(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		create := func(id, tenantID string) error {
			_, err := f.CreateUser(ctx, quire.UserInput{ID: id, TenantID: tenantID})
			return err
		}
		for _, err := range []error{create("zoe", "acme"), create("yan", "acme")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		err := create("acme", "")
		wantCode(t, err, quire.CodeConflict)
		if !strings.Contains(err.Error(), "choose another id") {
			t.Errorf("the error is %q", err)
		}
		if err := create("acme", "acme"); err != nil {
			t.Errorf("a user who was asked to join: %v", err)
		}
		if err := create("own", ""); err != nil {
			t.Errorf("a user of a new tenant: %v", err)
		}
		for _, owner := range []quire.Actor{{UserID: "guest", TenantID: "guests"}, {UserID: "solo", TenantID: "solo"}} {
			if _, err := f.CreateElemental(ctx, owner, document("A plan of theirs", "Theirs.")); err != nil {
				t.Fatal(err)
			}
		}
		wantCode(t, create("guests", ""), quire.CodeConflict)
		if err := create("solo", ""); err != nil {
			t.Errorf("a user of an Authenticate, whose own content it is: %v", err)
		}
		var ids []string
		users, err := f.TenantUsers(ctx, "acme")
		for _, u := range users {
			ids = append(ids, u.ID)
		}
		if diff := cmp.Diff([]string{"acme", "yan", "zoe"}, ids); diff != "" || err != nil {
			t.Errorf("users of the tenant (-want +got), %v:\n%s", err, diff)
		}
		if users, err := f.TenantUsers(ctx, "unknown"); len(users) > 0 || err != nil {
			t.Errorf("users of no tenant: %v, %v", users, err)
		}
		tenants, err := f.Tenants(ctx)
		if err != nil || !slices.Contains(tenants, "acme") || !slices.Contains(tenants, "own") || !slices.IsSorted(tenants) {
			t.Errorf("tenants %v, %v", tenants, err)
		}
	})
}

// TestOwnersAreNotBecomeByID: owners of content who are no users, as with an Authenticate of the
// application's own, keep it when somebody chooses their id.
func TestOwnersAreNotBecomeByID(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		has := map[string]func(owner quire.Actor) error{
			"elemental": func(owner quire.Actor) error {
				_, err := f.CreateElemental(ctx, owner, document("A plan of theirs", "Theirs."))
				return err
			},
			"list": func(owner quire.Actor) error {
				_, err := f.CreateList(ctx, owner, quire.ListInput{Title: "Plans"})
				return err
			},
			"tag": func(owner quire.Actor) error {
				_, err := f.CreateTag(ctx, owner, quire.TagInput{Title: "plan", Color: "#fff", ElementalTypeID: quire.TypeDocument})
				return err
			},
		}
		for what, make := range has {
			owner := quire.Actor{UserID: "owner-of-" + what, TenantID: "guild"}
			if err := make(owner); err != nil {
				t.Fatal(err)
			}
			for _, tenantID := range []string{"", "another"} {
				_, err := f.CreateUser(ctx, quire.UserInput{ID: owner.UserID, TenantID: tenantID})
				wantCode(t, err, quire.CodeConflict)
				if !strings.Contains(err.Error(), "owns content in another tenant") {
					t.Errorf("%s, tenant %q: the error is %q", what, tenantID, err)
				}
			}
			if what == "tag" { // that has no tenant
				continue
			}
			if _, err := f.CreateUser(ctx, quire.UserInput{ID: owner.UserID, TenantID: owner.TenantID}); err != nil {
				t.Errorf("%s: who is to be a user from now on: %v", what, err)
			}
		}
	})
}

func TestKeyExpiresAndNotesItsUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, store.NewMemory(), nil)
		past := time.Now()
		_, _, err := f.CreateKey(t.Context(), "ann", quire.KeyInput{ExpiresAt: &past})
		wantField(t, err, "expires_at")
		expires := time.Now().Add(time.Hour)
		_, secret, err := f.CreateKey(t.Context(), "ann", quire.KeyInput{ExpiresAt: &expires})
		if err != nil {
			t.Fatal(err)
		}
		use := func() time.Time {
			t.Helper()
			if _, err := f.Authenticate(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			keys, err := f.Keys(t.Context(), "ann")
			if err != nil {
				t.Fatal(err)
			}
			return *keys[0].LastUsedAt
		}
		first := use()
		time.Sleep(30 * time.Second)
		if again := use(); again != first {
			t.Errorf("written again after 30 s: %v, %v", first, again)
		}
		time.Sleep(31 * time.Second)
		if later := use(); !later.After(first) {
			t.Errorf("not written after a minute: %v, %v", first, later)
		}
		time.Sleep(time.Hour)
		_, err = f.Authenticate(t.Context(), secret)
		wantCode(t, err, quire.CodeUnauthenticated)
	})
}

// A request that reads does not wait for a long write of others to note that its key
// was used: a later one notes it. In memory all reads wait for writes.
func TestKeyUseDoesNotWait(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		if _, inMemory := f.store.(*store.Memory); inMemory {
			return
		}
		ctx := t.Context()
		_, secret, err := f.CreateKey(ctx, "ann", quire.KeyInput{})
		if err != nil {
			t.Fatal(err)
		}
		err = f.store.Update(ctx, func(quire.Tx) error { // nothing else can write before it ends
			_, err := f.Authenticate(ctx, secret)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		noted := func() bool {
			keys, err := f.Keys(ctx, "ann")
			if err != nil {
				t.Fatal(err)
			}
			return keys[0].LastUsedAt != nil
		}
		if noted() {
			t.Error("it was noted, so it did write meanwhile")
		}
		if _, err := f.Authenticate(ctx, secret); err != nil || !noted() {
			t.Errorf("afterwards: error %v, noted %v", err, noted())
		}
	})
}

func TestUsers(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		_, err := f.CreateUser(ctx, quire.UserInput{ID: "ann"})
		wantCode(t, err, quire.CodeConflict)
		_, err = f.CreateUser(ctx, quire.UserInput{ID: "no spaces"})
		if wantField(t, err, "id"); strings.Contains(err.Error(), "tenant_id") {
			t.Errorf("a tenant that was not given: %v", err)
		}
		_, err = f.CreateUser(ctx, quire.UserInput{ID: "ada", TenantID: "no spaces"})
		wantField(t, err, "tenant_id")
		_, err = f.CreateUser(ctx, quire.UserInput{AvatarURL: "javascript:x"})
		wantField(t, err, "avatar")
		u, err := f.CreateUser(ctx, quire.UserInput{TenantID: "team"})
		if err != nil || u.ID == "" || u.Actor() != (quire.Actor{UserID: u.ID, TenantID: "team"}) {
			t.Errorf("%+v, %v", u, err)
		}
		_, err = f.User(ctx, "nobody")
		wantCode(t, err, quire.CodeNotFound)
	})
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		c, err := f.Catalogue(ctx)
		if err != nil || len(c.Types) != 5 || len(c.Categories) != 18 {
			t.Fatalf("%+v, %v", c, err)
		}
		bad := c
		bad.Types = bad.Types[1:]
		wantField(t, f.SetCatalogue(ctx, bad), "types")
		c.Types = append(c.Types, quire.ElementalType{ID: 20, Name: "Recipe", Creatable: true})
		c.Topics = append(c.Topics, quire.Topic{ID: 500, Name: "Soup", CategoryIDs: []int{1}})
		if err := f.SetCatalogue(ctx, c); err != nil {
			t.Fatal(err)
		}
		c.Types[5].Name = "changed by the caller afterwards"
		again, err := quire.NewLibrary(ctx, f.store, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := again.CreateElemental(ctx, f.ann, quire.ElementalInput{Title: "A recipe for soup", TypeID: 20, CategoryID: 1, TopicIDs: []int{500}, Body: "boil"})
		if err != nil || e.Type.Name != "Recipe" || e.Topics[0].Name != "Soup" {
			t.Errorf("%+v, %v", e.Type, err)
		}
	})
}

// TestStrangers: content of users that were not created in the Library shows who they
// are, and of ids that no user can have there is none.
func TestStrangers(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		stranger := quire.Actor{UserID: "stranger", TenantID: "elsewhere"}
		e := f.create(stranger, document("Written by a stranger", "b"))
		list := f.list(stranger, quire.ListInput{Title: "A stranger's list", Items: []quire.ItemInput{{ElementalID: e.ID}}})
		if _, err := f.Comment(ctx, stranger, e.ID, "x"); err != nil {
			t.Fatal(err)
		}
		read, err := f.Elemental(ctx, f.bob, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		page, err := f.ListItems(ctx, f.bob, list.ID, quire.ItemsInput{})
		if err != nil {
			t.Fatal(err)
		}
		want := quire.User{ID: "stranger"}
		for name, got := range map[string]quire.User{
			"elemental": read.Owner, "list": list.Owner, "item": page.Items[0].Owner, "comment": read.Details.Comments[0].User,
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("owner of the %s:\n%s", name, diff)
			}
		}
		for _, id := range []string{"a\x00b", "\xff", "a b", "ann@example.org", "..", strings.Repeat("x", 65)} {
			for _, nobody := range []quire.Actor{{UserID: id, TenantID: "t"}, {UserID: "u", TenantID: id}} {
				_, err := f.CreateElemental(ctx, nobody, document("Written by nobody", "b"))
				if !errors.Is(err, quire.ErrUnauthenticated) || !strings.Contains(err.Error(), "must be 1 to 64 letters") {
					t.Errorf("%q: %v", nobody, err)
				}
			}
		}
	})
}
