package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

func (d *data) deriveUser(old, cur *quire.User) {
	if old != nil {
		d.usersOf.remove(old.TenantID, old.ID)
	}
	if cur != nil {
		d.usersOf.add(cur.TenantID, cur.ID, cur)
	}
}

func (d *data) deriveKey(old, cur *quire.Key) {
	if old != nil {
		delete(d.keyByHash, old.Hash)
		d.keysOf.remove(old.UserID, old.ID)
	}
	if cur != nil {
		d.keyByHash[cur.Hash] = cur
		d.keysOf.add(cur.UserID, cur.ID, cur)
	}
}

// Meta implements [quire.MetaReader].
func (tx readTx) Meta(ctx context.Context, name string) ([]byte, error) {
	return found(ctx, tx.meta.rows[name], slices.Clone[[]byte], "value")
}

// PutMeta implements [quire.MetaWriter].
func (tx *writeTx) PutMeta(ctx context.Context, name string, value []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.meta.set(&tx.undo, name, new(slices.Clone(value)))
	return nil
}

// User implements [quire.UserReader].
func (tx readTx) User(ctx context.Context, id string) (quire.User, error) {
	return found(ctx, tx.users.rows[id], cloneUser, "user")
}

// Users implements [quire.UserReader].
func (tx readTx) Users(ctx context.Context, ids []string) (map[string]quire.User, error) {
	return pick(ctx, tx.users.rows, ids, cloneUser)
}

// Tenants implements [quire.UserReader].
func (tx readTx) Tenants(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ids := slices.Concat(slices.Collect(maps.Keys(tx.usersOf)), slices.Collect(maps.Keys(tx.elementalsIn)), slices.Collect(maps.Keys(tx.listsIn)))
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// TenantsOf implements [quire.UserReader].
func (tx readTx) TenantsOf(ctx context.Context, ownerID string, limit int) ([]string, error) {
	tenants := map[string]bool{}
	for _, e := range tx.elementalsOf[ownerID] {
		tenants[e.TenantID] = true
	}
	for _, l := range tx.lists.rows { // few are asked for, and seldom
		if l.record.OwnerID == ownerID {
			tenants[l.record.TenantID] = true
		}
	}
	return firstOf(tenants, limit), ctx.Err()
}

// OwnersIn implements [quire.UserReader].
func (tx readTx) OwnersIn(ctx context.Context, tenantID string, limit int) ([]string, error) {
	owners := map[string]bool{}
	for _, e := range tx.elementalsIn[tenantID] {
		owners[e.OwnerID] = true
	}
	for _, l := range tx.listsIn[tenantID] {
		owners[l.OwnerID] = true
	}
	return firstOf(owners, limit), ctx.Err()
}

// firstOf returns up to limit of the members of a set.
func firstOf(set map[string]bool, limit int) []string {
	members := slices.Sorted(maps.Keys(set))
	return members[:min(limit, len(members))]
}

// TenantUsers implements [quire.UserReader].
func (tx readTx) TenantUsers(ctx context.Context, tenantID string) iter.Seq2[quire.User, error] {
	return inOrder(ctx, tx.usersOf[tenantID], cloneUser)
}

// KeyByHash implements [quire.UserReader].
func (tx readTx) KeyByHash(ctx context.Context, hash string) (quire.Key, error) {
	return found(ctx, tx.keyByHash[hash], cloneKey, "key")
}

// UserKey implements [quire.UserReader].
func (tx readTx) UserKey(ctx context.Context, hash string) (quire.UserKey, error) {
	k, err := tx.KeyByHash(ctx, hash)
	if err != nil {
		return quire.UserKey{}, err
	}
	u, err := tx.User(ctx, k.UserID)
	if err != nil {
		return quire.UserKey{}, err
	}
	return quire.UserKey{Key: k, User: u}, nil
}

// KeysOf implements [quire.UserReader].
func (tx readTx) KeysOf(ctx context.Context, userID string) ([]quire.Key, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var keys []quire.Key
	for _, k := range tx.keysOf[userID] {
		keys = append(keys, cloneKey(*k))
	}
	slices.SortFunc(keys, func(a, b quire.Key) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return keys, nil
}

// PutUser implements [quire.UserWriter].
func (tx *writeTx) PutUser(ctx context.Context, u quire.User) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.users.set(&tx.undo, u.ID, new(cloneUser(u)))
	return nil
}

// PutKey implements [quire.UserWriter].
func (tx *writeTx) PutKey(ctx context.Context, k quire.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if tx.users.rows[k.UserID] == nil {
		return notFound("user")
	}
	if other := tx.keyByHash[k.Hash]; other != nil && other.ID != k.ID {
		return quire.Errorf(quire.CodeConflict, "this key is in use already")
	}
	tx.keys.set(&tx.undo, k.ID, new(cloneKey(k)))
	return nil
}
