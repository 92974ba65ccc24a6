package httpapi

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// A light elemental is the same, byte for byte, whether it is written by hand or by
// encoding/json.
func TestLightItem(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "plain", "<a href='x'>&</a>", "\u2028\u2029", "“quoted”", "\x00\x1f\x7f", `"\`, "\xff\xe2", "e\u0301", "日本語", "\ufffd",
	}))
	count := rapid.Int64Range(0, math.MaxInt64)
	moment := rapid.Map(rapid.Int64Range(0, 1<<52), func(n int64) time.Time { return time.UnixMicro(n).UTC() })
	tag := rapid.Custom(func(t *rapid.T) quire.Tag {
		return quire.Tag{
			ID: count.Draw(t, "tag"), OwnerID: text.Draw(t, "tag owner"), Title: text.Draw(t, "tag title"), Color: text.Draw(t, "color"),
			Description: text.Draw(t, "tag text"), CreatedAt: moment.Draw(t, "tag created"), UpdatedAt: moment.Draw(t, "tag updated"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		e := quire.Elemental{
			ElementalRecord: quire.ElementalRecord{
				ID: text.Draw(t, "id"), TypeID: rapid.IntRange(0, 10).Draw(t, "type id"), Title: text.Draw(t, "title"),
				Description: text.Draw(t, "description"), Visibility: quire.Visibility(rapid.IntRange(0, 3).Draw(t, "visibility")),
				CreatedAt: moment.Draw(t, "created"), UpdatedAt: rapid.Ptr(moment, true).Draw(t, "updated"),
				Body: "not in it", Command: "nor this", Price: new(int64(1)),
				Counters: quire.Counters{
					Comments: count.Draw(t, "comments"), Rates: rapid.Int64Range(0, 1000).Draw(t, "rates"),
					RatingSum: rapid.Int64Range(0, 5000).Draw(t, "ratings"), Sales: count.Draw(t, "sales"),
					Upvotes: count.Draw(t, "upvotes"), Uses: count.Draw(t, "uses"), Saves: count.Draw(t, "saves"),
				},
			},
			Type:     quire.ElementalType{ID: 1, Name: text.Draw(t, "type")},
			Category: quire.Category{ID: 2, Name: text.Draw(t, "category")},
			Owner: quire.User{
				ID: text.Draw(t, "owner"), Name: text.Draw(t, "name"), Username: text.Draw(t, "username"),
				Email: text.Draw(t, "email"), AvatarURL: text.Draw(t, "avatar"),
			},
			Tags: rapid.SliceOfN(tag, 0, 3).Draw(t, "tags"),
			URL:  text.Draw(t, "url"),
		}
		var want, got bytes.Buffer
		if err := encodeTo(&want, lightElemental(e)); err != nil {
			t.Fatal(err)
		}
		if err := encodeTo(&got, lightItem{&e}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(bytes.TrimSpace(want.Bytes())), got.String()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func BenchmarkLightItem(b *testing.B) {
	e := quire.Elemental{ElementalRecord: quire.ElementalRecord{ID: "0190f3a2-7f00-7000-8000-000000000000", Title: "A title", Description: "What it is about."}}
	for _, c := range []struct {
		name string
		item any
	}{{"by hand", lightItem{&e}}, {"by reflection", lightElemental(e)}} {
		b.Run(c.name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := encodeTo(&out, c.item); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
