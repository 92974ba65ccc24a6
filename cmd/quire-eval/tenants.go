package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// maxTenants is how many tenants an error names.
const maxTenants = 10

// nameTenants adds to the error of a tenant without passages which ones have some: an id of a
// user is easily taken for that of its tenant. Nothing has the library open.
func (s *settings) nameTenants(ctx context.Context, refused error) error {
	found, err := tenantsWithPassages(ctx, s.library)
	switch {
	case err != nil:
		return errors.Join(refused, err)
	case len(found) == 0:
		return fmt.Errorf("%w; no tenant of this library has any: ingest its content first", refused)
	}
	more := ""
	if len(found) > maxTenants {
		found, more = found[:maxTenants], " and others"
	}
	return fmt.Errorf("%w; those with passages are %s%s", refused, strings.Join(found, ", "), more)
}

// tenantsWithPassages returns the tenants of a library that have passages, quoted, in order:
// one more than maxTenants at most.
func tenantsWithPassages(ctx context.Context, dir string) (found []string, err error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = store.View(ctx, func(tx quire.ReadTx) error {
		tenants, err := tx.Tenants(ctx)
		if err != nil {
			return err
		}
		for _, tenant := range tenants {
			chunks, err := tx.MatchChunks(ctx, quire.Filters{TenantID: tenant})
			if err != nil {
				return err
			}
			if len(chunks) > 0 {
				found = append(found, fmt.Sprintf("%q", tenant))
			}
			if len(found) > maxTenants {
				return nil
			}
		}
		return nil
	})
	return found, err
}
