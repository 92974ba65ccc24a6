package sqlite

import (
	"context"
	"iter"

	"github.com/quirelib/quire"
)

// Meta implements quire.MetaReader.
func (t *tx) Meta(ctx context.Context, name string) ([]byte, error) {
	return one(ctx, t, value[[]byte], `SELECT value FROM meta WHERE name = ?`, name)
}

var putMeta = columns{"name", "value"}.upsert("meta", "name")

// PutMeta implements quire.MetaWriter.
func (t *tx) PutMeta(ctx context.Context, name string, value []byte) error {
	return t.run(ctx, putMeta, name, blob(value))
}

var (
	userColumns = columns{"id", "tenant_id", "name", "username", "email", "avatar_url", "created_at"}
	selectUser  = `SELECT ` + userColumns.of("u") + ` FROM users u `
	putUser     = userColumns.upsert("users", "id")
)

func scanUser(row scanner) (u quire.User, err error) {
	err = row.Scan(userFields(&u)...)
	return u, err
}

// userFields are where the values of userColumns are scanned to.
func userFields(u *quire.User) []any {
	return []any{&u.ID, &u.TenantID, &u.Name, &u.Username, &u.Email, &u.AvatarURL, moment{&u.CreatedAt}}
}

// User implements quire.UserReader.
func (t *tx) User(ctx context.Context, id string) (quire.User, error) {
	return one(ctx, t, scanUser, selectUser+`WHERE u.id = ?`, id)
}

// Users implements quire.UserReader.
func (t *tx) Users(ctx context.Context, ids []string) (map[string]quire.User, error) {
	if len(ids) == 1 { // as in most pages; without json_each it takes half the time
		u, err := t.User(ctx, ids[0])
		switch {
		case err == nil:
			return map[string]quire.User{u.ID: u}, nil
		case quire.CodeOf(err) == quire.CodeNotFound:
			return map[string]quire.User{}, nil
		}
		return nil, err
	}
	return byID(ctx, t, scanUser, selectUser+`WHERE u.id IN `+members, ids,
		func(u quire.User) string { return u.ID })
}

// tenantsIn yields the tenants of a table from its index, jumping from one to the next.
func tenantsIn(table string) string {
	return `SELECT id FROM (WITH RECURSIVE tenants (id) AS (
			SELECT min(tenant_id) FROM ` + table + `
			UNION ALL SELECT (SELECT min(o.tenant_id) FROM ` + table + ` o WHERE o.tenant_id > tenants.id) FROM tenants WHERE tenants.id IS NOT NULL)
		SELECT id FROM tenants WHERE id IS NOT NULL)`
}

var selectTenants = tenantsIn("users") + ` UNION ` + tenantsIn("elementals") + ` UNION ` + tenantsIn("lists") + ` ORDER BY 1`

// Tenants implements quire.UserReader.
func (t *tx) Tenants(ctx context.Context) ([]string, error) {
	return all(ctx, t, value[string], selectTenants)
}

// TenantsOf implements quire.UserReader.
func (t *tx) TenantsOf(ctx context.Context, ownerID string, limit int) ([]string, error) {
	return all(ctx, t, value[string], `SELECT e.tenant_id FROM elementals e WHERE e.owner_id = ?
		UNION SELECT l.tenant_id FROM lists l WHERE l.owner_id = ? LIMIT ?`, ownerID, ownerID, limit)
}

// OwnersIn implements quire.UserReader.
func (t *tx) OwnersIn(ctx context.Context, tenantID string, limit int) ([]string, error) {
	return all(ctx, t, value[string], `SELECT e.owner_id FROM elementals e WHERE e.tenant_id = ?
		UNION SELECT l.owner_id FROM lists l WHERE l.tenant_id = ? LIMIT ?`, tenantID, tenantID, limit)
}

// TenantUsers implements quire.UserReader.
func (t *tx) TenantUsers(ctx context.Context, tenantID string) iter.Seq2[quire.User, error] {
	return stream(ctx, t, scanUser, selectUser+`WHERE u.tenant_id = ? ORDER BY u.id`, tenantID)
}

// PutUser implements quire.UserWriter.
func (t *tx) PutUser(ctx context.Context, u quire.User) error {
	return t.run(ctx, putUser, u.ID, u.TenantID, u.Name, u.Username, u.Email, u.AvatarURL, micros(u.CreatedAt))
}

var (
	keyColumns = columns{"id", "user_id", "name", "hash", "prefix", "created_at",
		"last_used_at", "expires_at", "revoked_at"}
	selectKey = `SELECT ` + keyColumns.of("k") + ` FROM keys k `
	putKey    = keyColumns.upsert("keys", "id")
)

func scanKey(row scanner) (k quire.Key, err error) {
	err = row.Scan(keyFields(&k)...)
	return k, err
}

// keyFields are where the values of keyColumns are scanned to.
func keyFields(k *quire.Key) []any {
	return []any{&k.ID, &k.UserID, &k.Name, &k.Hash, &k.Prefix, moment{&k.CreatedAt},
		optMoment{&k.LastUsedAt}, optMoment{&k.ExpiresAt}, optMoment{&k.RevokedAt}}
}

var selectUserKey = `SELECT ` + keyColumns.of("k") + `, ` + userColumns.of("u") + ` FROM keys k CROSS JOIN users u ON u.id = k.user_id `

// UserKey implements quire.UserReader.
func (t *tx) UserKey(ctx context.Context, hash string) (quire.UserKey, error) {
	scan := func(row scanner) (uk quire.UserKey, err error) {
		err = row.Scan(append(keyFields(&uk.Key), userFields(&uk.User)...)...)
		return uk, err
	}
	return one(ctx, t, scan, selectUserKey+`WHERE k.hash = ?`, hash)
}

// KeyByHash implements quire.UserReader.
func (t *tx) KeyByHash(ctx context.Context, hash string) (quire.Key, error) {
	return one(ctx, t, scanKey, selectKey+`WHERE k.hash = ?`, hash)
}

// KeysOf implements quire.UserReader.
func (t *tx) KeysOf(ctx context.Context, userID string) ([]quire.Key, error) {
	return all(ctx, t, scanKey, selectKey+`WHERE k.user_id = ? ORDER BY k.created_at, k.id`, userID)
}

// PutKey implements quire.UserWriter.
func (t *tx) PutKey(ctx context.Context, k quire.Key) error {
	_, err := t.exec(ctx, putKey, k.ID, k.UserID, k.Name, k.Hash, k.Prefix, micros(k.CreatedAt),
		optMicros(k.LastUsedAt), optMicros(k.ExpiresAt), optMicros(k.RevokedAt))
	switch {
	case isUniqueViolation(err):
		return quire.Errorf(quire.CodeConflict, "this key is in use already").WithCause(err)
	case isForeignKeyViolation(err):
		return quire.Errorf(quire.CodeNotFound, "the user does not exist").WithCause(err)
	}
	return failure(ctx, err)
}
