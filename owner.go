package quire

import (
	"context"
	"slices"
)

// ownsOutside reports whether an id owns content in another tenant than that one, "" for in
// any. Owners need not be users: programs with an Authenticate of their own keep their users
// elsewhere, and an archive holds content of guests. Tags have no tenant; they count as in the
// one that the owner has content in.
func ownsOutside(ctx context.Context, tx ReadTx, ownerID, tenantID string) (bool, error) {
	tenants, err := tx.TenantsOf(ctx, ownerID, 2)
	if err != nil || slices.ContainsFunc(tenants, func(t string) bool { return t != tenantID }) {
		return err == nil, err
	}
	tags, err := tx.TagIDsOf(ctx, ownerID)
	return len(tags) > 0 && len(tenants) == 0, err
}

// hasOthers reports whether a tenant has users, or content of anybody but one owner, "" for of
// anybody.
func hasOthers(ctx context.Context, tx ReadTx, tenantID, ownerID string) (bool, error) {
	for _, err := range tx.TenantUsers(ctx, tenantID) {
		return err == nil, err
	}
	owners, err := tx.OwnersIn(ctx, tenantID, 2)
	return err == nil && slices.ContainsFunc(owners, func(o string) bool { return o != ownerID }), err
}
