package embedded_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quirelib/quire"
)

// smallDisk returns a directory that takes so many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skipf("skipped: a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// TestBackupToAFullDisk: a backup that does not fit leaves nothing of itself, however
// often it is tried, and the library goes on.
func TestBackupToAFullDisk(t *testing.T) {
	t.Parallel()
	q := open(t, t.TempDir(), nil)
	ada := addDocument(t, q, "The spare keys are in the blue jar.")
	for n := range 30 {
		_, err := q.Library.CreateElemental(t.Context(), ada, quire.ElementalInput{
			Title: fmt.Sprint("Document ", n), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Body: strings.Repeat("boats are blue and red. ", 3000), Settings: quire.Settings{KnowledgeBase: true}})
		if err != nil {
			t.Fatal(err)
		}
	}
	small := smallDisk(t, 200<<10)
	const tries = 5
	for range tries { // beside the ingests
		if err := q.Library.Backup(t.Context(), filepath.Join(small, "copy")); quire.CodeOf(err) != quire.CodeUnavailable {
			t.Errorf("the error is %v", err)
		}
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
	if _, err := q.Library.Elemental(t.Context(), ada, "doc"); err != nil {
		t.Error(err)
	}
	t.Logf("%d backups to a full disk, nothing left of them", tries)
}
