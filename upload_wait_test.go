package quire

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestDecodingWaits: no more images are decoded at once than there is room for, and who
// waits can give up.
func TestDecodingWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Library{opts: LibraryOptions{MaxPixels: 1}, decoding: newTurns(1)}
		done, err := l.decoding.wait(t.Context(), "carl")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var first, second error
		go func() { _, first = l.draftFile(ctx, Actor{UserID: "ann"}, MediaImage, 0, Upload{Data: []byte("x")}) }()
		synctest.Wait()
		if first != nil {
			t.Fatalf("it did not wait: %v", first)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(first, context.Canceled) {
			t.Errorf("after the end of its context: %v", first)
		}
		go func() {
			_, second = l.draftFile(t.Context(), Actor{UserID: "bob"}, MediaImage, 0, Upload{Data: []byte("x")})
		}()
		synctest.Wait()
		done()
		synctest.Wait()
		if second == nil || len(l.decoding.all) != 0 {
			t.Errorf("after its turn: %v, %d still decode", second, len(l.decoding.all))
		}
		if _, err := l.draftFile(t.Context(), Actor{UserID: "bob"}, MediaFile, 0, Upload{Data: []byte("x")}); err != nil {
			t.Errorf("a file: %v", err)
		}
	})
}
