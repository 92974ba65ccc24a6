package quire

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"testing"

	"github.com/quirelib/quire/internal/picture"
)

// What InspectUploads has seen is not decoded again: with no turn free, it is there all
// the same, refusals included. Other bytes wait.
func TestInspectUploads(t *testing.T) {
	t.Parallel()
	l := &Library{opts: LibraryOptions{MaxPixels: 100, MaxPixelsPerCall: 1000, MaxMediaBytes: 1 << 20}, decoding: newTurns(1)}
	sized := func(width, height int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good, large, other := sized(4, 3), sized(20, 10), sized(2, 2)
	ctx, err := l.InspectUploads(t.Context(), Actor{UserID: "ann", TenantID: "ann"},
		MediaInput{Images: []Upload{{Data: good}}, Avatar: &Upload{Data: large}, Files: []Upload{{Data: other}}},
		MediaInput{Images: []Upload{{Data: other}, {Data: other}, {Data: other}, {Data: other}, {Data: other}}}) // too many
	if err != nil || len(l.decoding.all) != 0 {
		t.Fatalf("error %v, %d still decode", err, len(l.decoding.all))
	}
	if _, err := l.decoding.wait(t.Context(), "carl"); err != nil {
		t.Fatal(err)
	}
	if info, err := l.inspectImage(ctx, "ann", good); err != nil || info.Width != 4 || info.Height != 3 || info.Blur == "" {
		t.Errorf("%+v, error %v", info, err)
	}
	if _, err := l.inspectImage(ctx, "ann", large); !errors.As(err, new(picture.Refused)) {
		t.Errorf("error %v, want a refusal", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := l.inspectImage(ended, "ann", other); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want to wait for a turn until the end of the context", err)
	}
	if _, err := l.InspectUploads(t.Context(), Actor{}); CodeOf(err) != CodeUnauthenticated && CodeOf(err) != CodeInvalid {
		t.Errorf("without an actor: %v", err)
	}
	if _, err := l.InspectUploads(ended, Actor{UserID: "ann", TenantID: "ann"}, MediaInput{Images: []Upload{{Data: other}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
