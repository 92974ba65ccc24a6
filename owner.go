package quire

import "context"

// ownsOutside reports whether an id owns content in another tenant than that one, "" for in
// any. Owners need not be users: programs with an Authenticate of their own keep their users
// elsewhere, and an archive holds content of guests. Tags have no tenant; they count as in the
// one that the owner has content in.
func ownsOutside(ctx context.Context, tx ReadTx, ownerID, tenantID string) (bool, error) {
	inside := false
	for e, err := range tx.ElementalsOf(ctx, ownerID) {
		if err != nil || e.TenantID != tenantID {
			return err == nil, err
		}
		inside = true
	}
	const page = 1000
	for offset := 0; ; offset += page {
		lists, _, err := tx.SearchLists(ctx, ListSearch{Viewer: Viewer{OwnerID: ownerID}, Offset: offset, Limit: page})
		if err != nil {
			return false, err
		}
		for _, l := range lists {
			if l.TenantID != tenantID {
				return true, nil
			}
			inside = true
		}
		if len(lists) < page {
			break
		}
	}
	tags, err := tx.TagsOf(ctx, ownerID)
	return len(tags) > 0 && !inside, err
}

// hasOthers reports whether a tenant has users, or content of anybody but one owner, "" for of
// anybody.
func hasOthers(ctx context.Context, tx ReadTx, tenantID, ownerID string) (bool, error) {
	for _, err := range tx.TenantUsers(ctx, tenantID) {
		return err == nil, err
	}
	for e, err := range tx.TenantElementals(ctx, tenantID) {
		if err != nil || e.OwnerID != ownerID {
			return err == nil, err
		}
	}
	for l, err := range tx.TenantLists(ctx, tenantID) {
		if err != nil || l.OwnerID != ownerID {
			return err == nil, err
		}
	}
	return false, nil
}
