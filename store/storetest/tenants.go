package storetest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var tenantCases = []testCase{
	{"all", tenantsCase},
	{"unknown", tenantUnknown},
	{"users", tenantUsersCase},
	{"elementals", tenantElementalsCase},
	{"lists", tenantListsCase},
	{"owners and theirs", tenantOwners},
	{"follow changes", tenantChanges},
	{"nested and stopped", tenantNested},
}

// ofTenant collects what an iterator over the content of a tenant yields.
func ofTenant[T any](method func(quire.ReadTx, context.Context, string) iter.Seq2[T, error]) func(quire.ReadTx, context.Context, string) ([]T, error) {
	return func(tx quire.ReadTx, ctx context.Context, tenantID string) ([]T, error) {
		var all []T
		for v, err := range method(tx, ctx, tenantID) {
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

var (
	tenantUsers      = ofTenant(quire.ReadTx.TenantUsers)
	tenantElementals = ofTenant(quire.ReadTx.TenantElementals)
	tenantLists      = ofTenant(quire.ReadTx.TenantLists)
)

func tenantIDs(tx quire.ReadTx, ctx context.Context, _ struct{}) ([]string, error) {
	return tx.Tenants(ctx)
}

// upTo is whose tenants, or which tenant's owners, are asked for, and how many of them.
type upTo struct {
	id    string
	limit int
}

func tenantsOf(tx quire.ReadTx, ctx context.Context, q upTo) ([]string, error) {
	ids, err := tx.TenantsOf(ctx, q.id, q.limit)
	slices.Sort(ids) // any order will do
	return ids, err
}

func ownersIn(tx quire.ReadTx, ctx context.Context, q upTo) ([]string, error) {
	ids, err := tx.OwnersIn(ctx, q.id, q.limit)
	slices.Sort(ids)
	return ids, err
}

// tenantOwners: of elementals and of lists, each once.
func tenantOwners(t *testing.T, s *store) {
	put(s, quire.Tx.PutUser, sampleUser("u1"), sampleUser("u9"))
	for i, of := range [][2]string{{"u1", "a"}, {"u1", "a"}, {"u1", "b"}, {"u2", "b"}, {"U1", "c"}} {
		e := bareElemental(fmt.Sprint("e", i), of[0])
		e.TenantID = of[1]
		putElementals(s, e)
	}
	for i, of := range [][2]string{{"u1", "b"}, {"u1", "é"}, {"u3", "b"}} {
		l := plainList(int64(1+i), of[0])
		l.TenantID = of[1]
		putLists(s, l)
	}
	equal(t, "tenants of u1", get(s, tenantsOf, upTo{"u1", 10}), []string{"a", "b", "é"})
	equal(t, "tenants of u3", get(s, tenantsOf, upTo{"u3", 10}), []string{"b"})
	equal(t, "tenants of who owns nothing", get(s, tenantsOf, upTo{"u9", 10}), nil)
	equal(t, "owners in b", get(s, ownersIn, upTo{"b", 10}), []string{"u1", "u2", "u3"})
	equal(t, "owners in a", get(s, ownersIn, upTo{"a", 10}), []string{"u1"})
	equal(t, "owners in nothing", get(s, ownersIn, upTo{"B", 10}), nil)
	for limit := range 3 {
		equal(t, "so many tenants", len(get(s, tenantsOf, upTo{"u1", limit})), limit)
		equal(t, "so many owners", len(get(s, ownersIn, upTo{"b", limit})), limit)
	}
}

// tenantsCase: each tenant once, whatever belongs to it, as long as it does.
func tenantsCase(t *testing.T, s *store) {
	equal(t, "tenants of nothing", get(s, tenantIDs, struct{}{}), nil)
	user := sampleUser("u1")
	user.TenantID = "b"
	put(s, quire.Tx.PutUser, user)
	for i, tenant := range []string{"c", "b", "a", "c", "B"} {
		e := bareElemental(fmt.Sprint("e", i), "u1")
		e.TenantID = tenant
		putElementals(s, e)
	}
	for i, tenant := range []string{"é", "a"} {
		l := plainList(int64(1+i), "u1")
		l.TenantID = tenant
		putLists(s, l)
	}
	equal(t, "tenants", get(s, tenantIDs, struct{}{}), []string{"B", "a", "b", "c", "é"})
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteElemental(ctx, "e4") })
	equal(t, "tenants without B", get(s, tenantIDs, struct{}{}), []string{"a", "b", "c", "é"})
}

func tenantUnknown(t *testing.T, s *store) {
	s.update(seed)
	for _, id := range []string{"", "nobody", "Tenant of u1", "tenant of u"} {
		equal(t, "users", get(s, tenantUsers, id), nil)
		equal(t, "elementals", get(s, tenantElementals, id), nil)
		equal(t, "lists", get(s, tenantLists, id), nil)
	}
}

func tenantUsersCase(t *testing.T, s *store) {
	var want []quire.User
	for i := range scale(200) {
		u := sampleUser(fmt.Sprint("u", i))
		u.TenantID = "t"
		want = append(want, u)
	}
	put(s, quire.Tx.PutUser, want...)
	put(s, quire.Tx.PutUser, sampleUser("other"))
	slices.SortFunc(want, func(a, b quire.User) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "TenantUsers", get(s, tenantUsers, "t"), want)
}

func tenantElementalsCase(t *testing.T, s *store) {
	var want []quire.ElementalRecord
	for i := range scale(400) {
		e := sampleElemental(fmt.Sprint("e", i), fmt.Sprint("u", i%3))
		e.TenantID = "t"
		want = append(want, e)
	}
	putElementals(s, want...)
	putElementals(s, sampleElemental("e1x", "u1"), bareElemental("e1y", "T"))
	slices.SortFunc(want, func(a, b quire.ElementalRecord) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "TenantElementals", get(s, tenantElementals, "t"), want)
}

func tenantListsCase(t *testing.T, s *store) {
	var want []quire.ListRecord
	for i := range int64(scale(200)) {
		l := plainList(1+i*7%211, fmt.Sprint("u", i%3))
		if i%2 == 0 {
			l.TableID, l.TableOrientation = "table", quire.TableRow
		}
		l.TenantID = "t"
		want = append(want, l)
	}
	putLists(s, want...)
	putLists(s, plainList(1000, "u1"))
	slices.SortFunc(want, func(a, b quire.ListRecord) int { return cmp.Compare(a.ID, b.ID) })
	equal(t, "TenantLists", get(s, tenantLists, "t"), want)
}

// tenantChanges moves content to another tenant and deletes it.
func tenantChanges(t *testing.T, s *store) {
	u, e, l := sampleUser("u"), sampleElemental("e", "u"), plainList(1, "u")
	for _, tenant := range []string{"a", "b"} {
		u.TenantID, e.TenantID, l.TenantID = tenant, tenant, tenant
		put(s, quire.Tx.PutUser, u)
		putElementals(s, e)
		putLists(s, l)
	}
	equal(t, "users of the old tenant", get(s, tenantUsers, "a"), nil)
	equal(t, "elementals of the old tenant", get(s, tenantElementals, "a"), nil)
	equal(t, "lists of the old tenant", get(s, tenantLists, "a"), nil)
	equal(t, "users", get(s, tenantUsers, "b"), []quire.User{u})
	equal(t, "elementals", get(s, tenantElementals, "b"), []quire.ElementalRecord{e})
	equal(t, "lists", get(s, tenantLists, "b"), []quire.ListRecord{l})
	put(s, quire.Tx.DeleteElemental, "e")
	put(s, quire.Tx.DeleteList, 1)
	equal(t, "deleted elementals", get(s, tenantElementals, "b"), nil)
	equal(t, "deleted lists", get(s, tenantLists, "b"), nil)
}

// tenantNested reads the same inside of an iteration, stops it and goes on reading.
func tenantNested(t *testing.T, s *store) {
	for i := range 20 {
		e := bareElemental(fmt.Sprintf("e%02d", i), "u1")
		e.TenantID = "t"
		putElementals(s, e)
	}
	var seen []string
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		for e, err := range tx.TenantElementals(ctx, "t") {
			if err != nil {
				return err
			}
			all, err := tenantElementals(tx, ctx, "t")
			if err != nil {
				return err
			}
			if seen = append(seen, fmt.Sprint(e.ID, " of ", len(all))); len(seen) == 2 {
				break
			}
		}
		_, err := tx.Elemental(ctx, "e19")
		return err
	})
	equal(t, "seen", seen, []string{"e00 of 20", "e01 of 20"})
}
