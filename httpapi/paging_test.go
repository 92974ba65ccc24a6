package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// equals is how many results each paged read has whose sort keys are all the same.
const equals = 1000

// TestPagesOfEqualKeys pages through every paged route of the content interface with
// results that nothing but their ids tells apart: the pages joined are all of them,
// once, and meta says which page it is.
func TestPagesOfEqualKeys(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	t.Cleanup(func() {
		if !t.Failed() {
			t.Logf("B7: %d pages of %d results with equal keys on 2 stores: 0 twice, 0 missing", read.Load(), equals)
		}
	})
	for _, s := range []struct {
		name string
		open func() (quire.Store, error)
	}{
		{"memory", func() (quire.Store, error) { return store.NewMemory(), nil }},
		{"sqlite", func() (quire.Store, error) {
			return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), nil)
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			opened, err := s.open()
			if err != nil {
				t.Fatal(err)
			}
			f := newFixtureOn(t, opened, nil)
			elementals, lists := f.fillEqual()
			items := fmt.Sprintf("/v1/list/%s/items?", lists[0])
			pages := 0
			for _, order := range []string{"index", "created_at", "updated_at", "title"} {
				pages += f.pages(items+"order_by="+order+"&order_dir=asc", elementals)
				pages += f.pages(items+"order_by="+order+"&order_dir=desc", elementals)
			}
			pages += f.pages("/v1/elementals?search="+url.QueryEscape("equal bod"), elementals)
			for _, query := range []string{"", "type_id=3", "tag_id=7"} {
				pages += f.pages("/v1/user/elementals?"+query, elementals)
			}
			pages += f.pages("/v1/lists?", lists)
			pages += f.pages("/v1/lists?search=EQUAL", lists)
			pages += f.pages("/v1/user/lists?", lists)
			f.page("/v1/user/lists", pageJSON{Size: equals, Page: 1}, lists)
			read.Add(int64(pages))
		})
	}
}

// fillEqual writes elementals and lists of one title, text and time past the Library,
// which gives each a time of its own, and puts all elementals into the first list at
// one place. It returns the ids in ascending order.
func (f *fixture) fillEqual() (elementals, lists []string) {
	f.t.Helper()
	ctx, at := f.t.Context(), time.UnixMicro(1_700_000_000_000_000).UTC()
	err := f.store.Update(ctx, func(tx quire.Tx) error {
		for i := range equals {
			n := i * 7919 % equals // written in another order than that of the ids
			l := quire.ListRecord{
				ID: int64(1000 + n), OwnerID: "ann", TenantID: "ann", TypeID: 1, Title: "Equal title", Visibility: quire.Public, CreatedAt: at, Version: 1,
			}
			e := quire.ElementalRecord{
				ID: fmt.Sprintf("e%03d", n), OwnerID: "ann", TenantID: "ann", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
				Title: "Equal title", Body: "equal body", Visibility: quire.Public, TagIDs: []int64{7}, CreatedAt: at, UpdatedAt: &at, Version: 2,
			}
			elementals, lists = append(elementals, e.ID), append(lists, formatID(l.ID))
			if err := tx.PutList(ctx, l, quire.IndexedText{Title: "equal title"}); err != nil {
				return err
			}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{Title: "equal title", Body: "equal body"}); err != nil {
				return err
			}
		}
		for _, id := range elementals {
			if err := tx.PutItem(ctx, quire.ListItem{ListID: 1000, ElementalID: id, OrderIndex: 5, AddedAt: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	slices.Sort(elementals)
	slices.Sort(lists)
	return elementals, lists
}

// pages reads the pages of several sizes and returns how many there were.
func (f *fixture) pages(path string, want []string) int {
	f.t.Helper()
	read := 0
	page := func(number, size int) {
		read++
		f.page(fmt.Sprintf("%s&page=%d&size=%d", path, number, size), pageJSON{Size: size, Page: number}, want)
	}
	for _, size := range []int{1, 3, 7, 10, 99, 100} {
		last := equals/size + 1
		step := 1
		if size < 99 {
			step = last / 5 // some pages only
		}
		if testing.Short() {
			step = max(step, last/2)
		}
		for number := 1; number <= last; number += step {
			page(number, size)
		}
		page(last+1, size)
	}
	page(maxPage, 1)
	page(maxPage, 100)
	for _, bad := range []string{"page=0", "page=-1", "page=21474837", "page=9223372036854775808", "page=1e3", "page=99999999999999999999999", "size=0", "size=101", "size=-1", "size=2147483648"} {
		if a := f.do(f.ann.key, "GET", path+"&"+bad, ""); a.status != 400 {
			f.t.Errorf("%s&%s: status %d, want 400", path, bad, a.status)
		}
	}
	return read
}

// page reads one page and checks what is on it and what meta says about it.
func (f *fixture) page(path string, p pageJSON, want []string) {
	f.t.Helper()
	a := f.do(f.ann.key, "GET", path, "").want(200)
	var got struct {
		Meta struct {
			Limit, Offset, Total int
			pageJSON
		}
		Response []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		f.t.Fatal(err)
	}
	m, offset := got.Meta, (p.Page-1)*p.Size
	if m.Total != len(want) || m.Limit != p.Size || m.Offset != offset || m.pageJSON != p {
		f.t.Errorf("%s: meta is %+v, want %+v at offset %d of %d", path, m, p, offset, len(want))
	}
	ids := []string{}
	for _, it := range got.Response {
		ids = append(ids, it.ID)
	}
	part := want[min(offset, len(want)):min(offset+p.Size, len(want))]
	if diff := cmp.Diff(append([]string{}, part...), ids); diff != "" {
		f.t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
