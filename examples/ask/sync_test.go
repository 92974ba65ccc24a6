package main

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What lies in a folder that cannot be read now stays, with its path; what is gone
// elsewhere goes.
func TestUnreadableFolderKeepsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	q, err := open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(ctx)
	f, err := openFolder(ctx, q, source{key: "test", name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	sync := func(fsys brokenFS) syncer {
		t.Helper()
		c, err := scan(ctx, fsys)
		if err != nil {
			t.Fatal(err)
		}
		s := syncer{folder: f, fsys: fsys, report: func(string, string) {}}
		if err := s.run(ctx, c, func() {}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	all := fstest.MapFS{"sub/one.md": file("# Number one"), "two.md": file("# Number two"), "three.md": file("# Number three")}
	sync(brokenFS{MapFS: all})
	s := sync(brokenFS{
		MapFS:  fstest.MapFS{"sub/one.md": file("# Number one"), "two.md": file("# Number two")},
		broken: map[string]bool{"sub": true},
	})
	if diff := cmp.Diff("0 added, 0 changed, 1 removed, 2 unchanged; 1 skipped", s.count.String()); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{f.elementalID("sub/one.md"): "sub/one.md", f.elementalID("two.md"): "two.md"}
	if diff := cmp.Diff(want, s.paths); diff != "" {
		t.Error(diff)
	}
}
