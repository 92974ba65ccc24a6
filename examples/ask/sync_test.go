package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// syncTest is a library in memory that follows folders, which need no real ones: root
// could read every file of those.
type syncTest struct {
	t      *testing.T
	folder *folder
}

func newSyncTest(t *testing.T) syncTest {
	t.Helper()
	q, err := open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f, err := openFolder(t.Context(), q, source{key: "test", name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return syncTest{t, f}
}

// sync brings the library up to date and returns what was reported, one file a line.
func (st syncTest) sync(fsys brokenFS) (syncer, string) {
	st.t.Helper()
	c, err := scan(st.t.Context(), fsys)
	if err != nil {
		st.t.Fatal(err)
	}
	var reports strings.Builder
	s := syncer{folder: st.folder, fsys: fsys, report: func(path, what string) { fmt.Fprintf(&reports, "%s: %s\n", path, what) }}
	if err := s.run(st.t.Context(), c, func() {}); err != nil {
		st.t.Fatal(err)
	}
	return s, reports.String()
}

// A file that was readable once and is not now stays as it is known.
func TestUnreadableFileStays(t *testing.T) {
	t.Parallel()
	st := newSyncTest(t)
	files := fstest.MapFS{"open.md": file("# An open document"), "locked.md": file("# A locked document")}
	st.sync(brokenFS{MapFS: files})
	s, reports := st.sync(brokenFS{MapFS: files, broken: map[string]bool{"locked.md": true}})
	if diff := cmp.Diff("locked.md: cannot be read: permission denied; what is known of it stays\n", reports); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("0 added, 0 changed, 0 removed, 2 unchanged; 1 skipped", s.count.String()); diff != "" {
		t.Error(diff)
	}
}

// What lies in a folder that cannot be read now stays, with its path; what is gone
// elsewhere goes.
func TestUnreadableFolderKeepsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	st := newSyncTest(t)
	all := fstest.MapFS{"sub/one.md": file("# Number one"), "two.md": file("# Number two"), "three.md": file("# Number three")}
	st.sync(brokenFS{MapFS: all})
	s, _ := st.sync(brokenFS{
		MapFS:  fstest.MapFS{"sub/one.md": file("# Number one"), "two.md": file("# Number two")},
		broken: map[string]bool{"sub": true},
	})
	if diff := cmp.Diff("0 added, 0 changed, 1 removed, 2 unchanged; 1 skipped", s.count.String()); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{st.folder.elementalID("sub/one.md"): "sub/one.md", st.folder.elementalID("two.md"): "two.md"}
	if diff := cmp.Diff(want, s.paths); diff != "" {
		t.Error(diff)
	}
}
