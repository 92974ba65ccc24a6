package quire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
)

func TestElementalRoundTrip(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "Go", Color: "#00add8", ElementalTypeID: quire.TypeDocument})
		if err != nil {
			t.Fatal(err)
		}
		in := quire.ElementalInput{
			ID: "my-id", Title: "  A document about closing channels ", TypeID: quire.TypePrompt, CategoryID: 5, TopicIDs: []int{1, 2},
			Body: "Body\r\nwith é, e\u0301 and 👩‍👩‍👧\n", Description: "What it says", Command: "close", Visibility: quire.Unlisted,
			TagIDs: []int64{tag.ID, tag.ID}, VideoURL: "https://example.org/v", IsPremium: true, Price: ptr(int64(5)),
			TutorialSteps: []quire.TutorialStep{{Title: "First", Description: "do"}}, Settings: quire.Settings{Template: true, System: true},
		}
		created := f.create(f.ann, in)
		read, err := f.Elemental(ctx, f.bob, "my-id") // Unlisted, but readable by id
		if err != nil {
			t.Fatal(err)
		}
		if read.Title != "A document about closing channels" || read.Body != in.Body {
			t.Errorf("title %q, body %q", read.Title, read.Body)
		}
		if read.Settings != (quire.Settings{Template: true}) {
			t.Errorf("settings %+v: System is not for users", read.Settings)
		}
		if read.Owner.Email != "" || created.Owner.Email == "" {
			t.Errorf("email shown to others: %q, to the owner: %q", read.Owner.Email, created.Owner.Email)
		}
		if diff := cmp.Diff([]quire.Tag{tag}, read.Tags); diff != "" {
			t.Error(diff)
		}
		if read.Type.Name != "Prompt" || read.Category.Name == "" || len(read.Topics) != 2 || read.URL != "/v1/elemental/my-id" {
			t.Errorf("%v %v %v %q", read.Type, read.Category, read.Topics, read.URL)
		}
		if diff := cmp.Diff(created.ElementalRecord, read.ElementalRecord, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("created and read differ:\n%s", diff)
		}
		_, err = f.CreateElemental(ctx, f.bob, quire.ElementalInput{ID: "my-id", Title: "Another document", TypeID: 3, CategoryID: 18, Body: "b"})
		wantCode(t, err, quire.CodeConflict)
	})
}

func TestElementalRules(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		foreign := f.list(f.bob, quire.ListInput{Title: "Bob's"})
		for _, c := range []struct {
			field string
			edit  func(*quire.ElementalInput)
		}{
			{"title", func(in *quire.ElementalInput) { in.Title = "   nine ch" }},
			{"title", func(in *quire.ElementalInput) { in.Title = strings.Repeat("é", 101) }},
			{"title", func(in *quire.ElementalInput) { in.Title = "1234567890 !" }},
			{"title", func(in *quire.ElementalInput) { in.Title = "a title with \xff" }},
			{"title", func(in *quire.ElementalInput) { in.Title = "a title with \x00" }},
			{"type_id", func(in *quire.ElementalInput) { in.TypeID = quire.TypeCell }},
			{"type_id", func(in *quire.ElementalInput) { in.TypeID = 0 }},
			{"category_id", func(in *quire.ElementalInput) { in.CategoryID = 0 }},
			{"category_id", func(in *quire.ElementalInput) { in.CategoryID = 999 }},
			{"template", func(in *quire.ElementalInput) { in.Body = "" }},
			{"template", func(in *quire.ElementalInput) { in.Body = " \t\r\n\u2003" }},
			{"template", func(in *quire.ElementalInput) { in.Body = strings.Repeat("x", 16<<20+1) }},
			{"topic_ids", func(in *quire.ElementalInput) { in.TypeID = quire.TypePrompt }},
			{"topic_ids/1", func(in *quire.ElementalInput) { in.TopicIDs = []int{1, 9999} }},
			{"description", func(in *quire.ElementalInput) { in.Description = strings.Repeat("x", 20_001) }},
			{"visibility", func(in *quire.ElementalInput) { in.Visibility = 3 }},
			{"video_url", func(in *quire.ElementalInput) { in.VideoURL = "javascript:alert(1)" }},
			{"video_url", func(in *quire.ElementalInput) { in.VideoURL = "https://user@example.org/" }},
			{"price", func(in *quire.ElementalInput) { in.Price = ptr(int64(-1)) }},
			{"tutorial_steps/0/title", func(in *quire.ElementalInput) { in.TutorialSteps = []quire.TutorialStep{{}} }},
			{"tagIds/0", func(in *quire.ElementalInput) { in.TagIDs = []int64{7} }},
			{"lists_to_save/0/list_id", func(in *quire.ElementalInput) { in.Lists = []int64{foreign.ID} }},
			{"lists_to_save/0/list_id", func(in *quire.ElementalInput) { in.Lists = []int64{1} }},
			{"id", func(in *quire.ElementalInput) { in.ID = "../x" }},
			{"id", func(in *quire.ElementalInput) { in.ID = ".." }},
			{"id", func(in *quire.ElementalInput) { in.ID = "types" }},
		} {
			in := document("A title that is valid", "body")
			c.edit(&in)
			_, err := f.CreateElemental(t.Context(), f.ann, in)
			wantField(t, err, c.field)
		}
		for _, title := range []string{"0123456789a", strings.Repeat("文", 10), strings.Repeat("é", 100)} {
			f.create(f.ann, document(title, "body"))
		}
		if got := f.find(f.ann, "valid"); len(got) != 0 {
			t.Errorf("refused input was stored: %q", got)
		}
	})
}

func TestSnippetTitlesAreUniquePerUser(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		snippet := document("My favourite snippet", "x")
		snippet.TypeID = quire.TypeSnippet
		first := f.create(f.ann, snippet)
		_, err := f.CreateElemental(t.Context(), f.ann, snippet)
		wantCode(t, err, quire.CodeConflict)
		f.create(f.bob, snippet)
		f.create(f.ann, document("My favourite snippet", "a document may have it too"))

		other := snippet
		other.Title = "My second best snippet"
		second := f.create(f.ann, other)
		_, err = f.UpdateElemental(t.Context(), f.ann, second.ID, quire.ElementalPatch{Title: ptr("My favourite snippet")})
		wantCode(t, err, quire.CodeConflict)
		if _, err := f.UpdateElemental(t.Context(), f.ann, first.ID, quire.ElementalPatch{Body: ptr("y")}); err != nil {
			t.Errorf("an update must not conflict with itself: %v", err)
		}
	})
}

func TestUpdateElemental(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		in := document("The document to update", "old body")
		in.Price = ptr(int64(3))
		e := f.create(f.ann, in)

		same, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Title: ptr("The document to update")})
		if err != nil || same.Version != 1 || same.UpdatedAt != nil {
			t.Errorf("no change: version %d, updated %v, %v", same.Version, same.UpdatedAt, err)
		}
		kept, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Body: ptr("new body"), KeepBody: true})
		if err != nil || kept.Body != "old body" {
			t.Errorf("KeepBody: %q, %v", kept.Body, err)
		}
		changed, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Body: ptr("fresh words"), NoPrice: true, Visibility: ptr(quire.Unlisted)})
		if err != nil {
			t.Fatal(err)
		}
		if changed.Body != "fresh words" || changed.Price != nil || changed.Title != e.Title || changed.Version != 2 || changed.UpdatedAt == nil {
			t.Errorf("changed: %+v", changed.ElementalRecord)
		}
		if got := f.find(f.ann, "fresh"); len(got) != 1 {
			t.Errorf("the new body is not found: %q", got)
		}
		if got := f.find(f.ann, "old"); len(got) != 0 {
			t.Errorf("the old body is still found: %q", got)
		}
		_, err = f.UpdateElemental(ctx, f.bob, e.ID, quire.ElementalPatch{Title: ptr("Bob was here today")})
		wantCode(t, err, quire.CodeForbidden)
		_, err = f.UpdateElemental(ctx, f.ann, "unknown", quire.ElementalPatch{})
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Title: ptr("short"), Body: ptr("must not be stored")})
		wantField(t, err, "title")
		if got, _ := f.Elemental(ctx, f.ann, e.ID); got.Body != "fresh words" {
			t.Errorf("a refused update changed the body to %q", got.Body)
		}
	})
}

func TestDeleteElemental(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("The document to delete", "gone"))
		list := f.list(f.ann, quire.ListInput{Title: "With it", Items: []quire.ItemInput{{ElementalID: e.ID}}})
		wantCode(t, f.DeleteElemental(ctx, f.bob, e.ID), quire.CodeForbidden)
		if err := f.DeleteElemental(ctx, f.ann, e.ID); err != nil {
			t.Fatal(err)
		}
		wantCode(t, f.DeleteElemental(ctx, f.ann, e.ID), quire.CodeNotFound)
		_, err := f.Elemental(ctx, f.ann, e.ID)
		wantCode(t, err, quire.CodeNotFound)
		if got := f.find(f.ann, "gone"); len(got) != 0 {
			t.Errorf("still found: %q", got)
		}
		if l, err := f.List(ctx, f.ann, list.ID); err != nil || l.TotalItems != 0 {
			t.Errorf("the list has %d items, %v", l.TotalItems, err)
		}
	})
}

func TestCreateElementals(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		list := f.list(f.ann, quire.ListInput{Title: "Batch"})
		snippet := quire.ElementalInput{Title: "A snippet of a batch", TypeID: quire.TypeSnippet, Description: "only title, type, description"}
		items, err := f.CreateElementals(ctx, f.ann, []quire.ElementalInput{
			{Title: "The first of a batch", TypeID: quire.TypePrompt, Lists: []int64{list.ID}},
			{Title: "short", TypeID: quire.TypePrompt},
			snippet, snippet,
			{Title: "A prompt with no topic", TypeID: quire.TypePrompt, TopicIDs: []int{}},
			{Title: "The last of a batch", TypeID: quire.TypeDocument, Lists: []int64{list.ID}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []quire.Code
		for i, it := range items {
			got = append(got, quire.CodeOf(it.Err))
			if (it.Elemental == nil) == (it.Err == nil) {
				t.Errorf("item %d has elemental %v and error %v", i, it.Elemental, it.Err)
			}
		}
		if diff := cmp.Diff([]quire.Code{"", quire.CodeInvalid, "", quire.CodeConflict, quire.CodeInvalid, ""}, got); diff != "" {
			t.Fatal(diff)
		}
		if items[0].Elemental.CategoryID != quire.CategoryText {
			t.Errorf("default category %d", items[0].Elemental.CategoryID)
		}
		page, err := f.ListItems(ctx, f.ann, list.ID, quire.ItemsInput{})
		if err != nil || len(page.Items) != 2 || page.Items[0].ID != items[0].Elemental.ID || page.Items[1].ID != items[5].Elemental.ID {
			t.Errorf("list items %v, %v", page.Items, err)
		}
		_, err = f.CreateElementals(ctx, f.ann, nil)
		wantCode(t, err, quire.CodeInvalid)
		_, err = f.CreateElementals(ctx, f.ann, make([]quire.ElementalInput, 1001))
		wantCode(t, err, quire.CodeInvalid)
	})
}

func TestSearchElementals(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		unlisted := document("An unlisted document", "needle")
		unlisted.Visibility = quire.Unlisted
		f.create(f.ann, unlisted)
		f.create(f.ann, document("A public needle in the title", "hay"))
		f.create(f.ann, document("A public document of hay", "needle"))
		for _, body := range []string{
			"multi-agent systems", "made with node.js today", "C++ templates", "I don't know", "Ubuntu 20.04 LTS", "Café au lait",
			"今天天气很好", "東京タワーへ行く", "한국어를 배웁니다", "ภาษาไทยง่าย", "GPT模型很大", "C# and .NET", "snake_case_name",
		} {
			f.create(f.ann, document("Document: "+body, body))
		}
		if diff := cmp.Diff([]string{"A public needle in the title", "A public document of hay"}, f.find(f.bob, "needle")); diff != "" {
			t.Errorf("bob: %s", diff)
		}
		if got := f.find(f.ann, "needle"); len(got) != 3 || got[0] != "A public needle in the title" {
			t.Errorf("ann: %q", got)
		}
		for query, want := range map[string]string{
			"multi-agent": "multi-agent", "agent": "multi-agent", "node.js": "node.js", "C++": "C++", "c++": "C++", "don't": "don't",
			"20.04": "20.04", "cafe": "Café", "CAFÉ": "Café", "Cafe\u0301": "Café", "天气": "今天天气", "好": "今天", "タワー": "東京",
			"한국어": "한국어", "ไทย": "ภาษา", "gpt": "GPT", "模型": "GPT", "C#": "C#", ".NET": ".NET", "templ": "C++", "snake_case": "snake",
			"documen Ubuntu": "",
		} {
			got := f.find(f.bob, query)
			if want == "" {
				if len(got) != 0 {
					t.Errorf("%q found %q; only the last word is a prefix", query, got)
				}
			} else if len(got) != 1 || !strings.Contains(got[0], want) {
				t.Errorf("%q found %q, want the one with %q", query, got, want)
			}
		}
		for _, odd := range []string{`"`, "NEAR(", "title:x", "AND", "a* OR b", "^", "\\", "%", "!!!", "(((", "\xff"} {
			f.find(f.ann, odd) // must not be an error
		}
		_, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: " \t"})
		wantField(t, err, "search")
		for _, p := range []quire.Page{{Size: 101}, {Size: -1}, {Number: -1}, {Number: 1 << 40}} {
			_, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "x", Page: p})
			wantCode(t, err, quire.CodeInvalid)
		}
	})
}
