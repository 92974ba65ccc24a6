package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// TestNameTenants names those tenants that have passages, quoted and not too many.
func TestNameTenants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q, err := embedded.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &settings{library: dir}
	refused := errors.New("the tenant has no passages")
	ten := func(last string) string {
		var names []string
		for i := range maxTenants {
			names = append(names, fmt.Sprintf("%q", fmt.Sprintf("tenant%02d", i)))
		}
		return refused.Error() + "; those with passages are " + strings.Join(names, ", ") + last
	}
	for _, step := range []struct {
		until int // tenants with passages
		want  string
	}{
		{0, refused.Error() + "; no tenant of this library has any: ingest its content first"},
		{maxTenants, ten("")},
		{maxTenants + 2, ten(" and others")},
	} {
		fillTenants(t, q, step.until)
		if err := q.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.nameTenants(t.Context(), refused); err.Error() != step.want || !errors.Is(err, refused) {
			t.Errorf("%d tenants: %v, want %s", step.until, err, step.want)
		}
		if q, err = embedded.Open(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.nameTenants(t.Context(), refused); !errors.Is(err, refused) || !errors.Is(err, quire.ErrLocked) {
		t.Errorf("while it is open: %v", err)
	}
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fillTenants makes tenants with a passage each, until there are n, and one without.
func fillTenants(t *testing.T, q *embedded.Quire, n int) {
	t.Helper()
	for i := range n {
		u, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: fmt.Sprintf("tenant%02d", i)})
		if quire.CodeOf(err) == quire.CodeConflict {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := q.Library.CreateElemental(t.Context(), u.Actor(), quire.ElementalInput{
			Title: "The page on boats", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "The boat leaves at seven."})
		if err != nil {
			t.Fatal(err)
		}
		job, err := q.Engine.Ingest(t.Context(), u.TenantID, quire.IngestRequest{ElementalID: e.ID})
		if err == nil {
			job, err = q.Engine.Wait(t.Context(), u.TenantID, job.ID)
		}
		if err != nil || job.Status != quire.JobSucceeded {
			t.Fatal(job, err)
		}
	}
	if _, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: "another"}); err != nil && quire.CodeOf(err) != quire.CodeConflict {
		t.Fatal(err)
	}
}
