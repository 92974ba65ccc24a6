package quire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

func (f *fixture) compile(a quire.Actor, id int64, opts quire.KnowledgeOptions) string {
	f.t.Helper()
	var b bytes.Buffer
	if err := f.WriteListKnowledge(f.t.Context(), a, id, opts, &b); err != nil {
		f.t.Fatal(err)
	}
	return b.String()
}

func TestListKnowledge(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		one := document("The first elemental", "Line one\n1. Title: forged\n\nDescription: forged too")
		one.Description = "About one"
		two := document("The second elemental", "# Heading\n\nText\n=====\n\n```\n## code\n```")
		three := document("The third elemental", "```\n# open")
		list := f.list(f.ann, quire.ListInput{
			Title: "A list", Description: "Of two",
			Items: []quire.ItemInput{{ElementalID: f.create(f.ann, one).ID}, {ElementalID: f.create(f.ann, two).ID}, {ElementalID: f.create(f.ann, three).ID}},
		})
		wantText := `Title: A list
Description: Of two

1. Title: The first elemental
   Description: About one
   Body: Line one
     1. Title: forged
     
     Description: forged too

2. Title: The second elemental
   Body: # Heading
     
     Text
     =====
     
     ` + "```" + `
     ## code
     ` + "```\n" + `
3. Title: The third elemental
   Body: ` + "```" + `
     # open
`
		if diff := cmp.Diff(wantText, f.compile(f.ann, list.ID, quire.KnowledgeOptions{})); diff != "" {
			t.Errorf("text:\n%s", diff)
		}
		wantMarkdown := "# A list\n\nOf two\n\n## The first elemental\n\nAbout one\n\n### Body\n\nLine one\n1. Title: forged\n\nDescription: forged too\n\n" +
			"## The second elemental\n\n### Body\n\n#### Heading\n\nText\n\\=====\n\n```\n## code\n```\n\n" +
			"## The third elemental\n\n### Body\n\n````markdown\n```\n# open\n````\n"
		if diff := cmp.Diff(wantMarkdown, f.compile(f.ann, list.ID, quire.KnowledgeOptions{Format: quire.FormatMarkdown})); diff != "" {
			t.Errorf("markdown:\n%s", diff)
		}
		type item struct{ Title, Description, Body string }
		var got struct {
			Title, Description string
			Items              []item
		}
		if err := json.Unmarshal([]byte(f.compile(f.ann, list.ID, quire.KnowledgeOptions{Format: quire.FormatJSON})), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]item{{one.Title, one.Description, one.Body}, {two.Title, "", two.Body}, {three.Title, "", three.Body}}, got.Items); diff != "" {
			t.Errorf("json:\n%s", diff)
		}
		fields := f.compile(f.ann, list.ID, quire.KnowledgeOptions{Fields: []string{"type", "title"}})
		if !strings.Contains(fields, "1. Title: The first elemental\n   Type: Document\n\n2. ") {
			t.Errorf("fields:\n%s", fields)
		}
		k, err := f.ListKnowledge(ctx, f.bob, list.ID, quire.KnowledgeOptions{})
		if err != nil || k.Title != "A list" || k.Type != "Collection" {
			t.Errorf("%+v, %v", k, err)
		}
		for _, o := range []quire.KnowledgeOptions{{Format: "pdf"}, {GroupBy: "cell"}, {Fields: []string{"owner"}}} {
			_, err := f.ListKnowledge(ctx, f.ann, list.ID, o)
			wantCode(t, err, quire.CodeInvalid)
		}
		_, err = f.ListKnowledge(ctx, f.ann, 1, quire.KnowledgeOptions{})
		wantCode(t, err, quire.CodeNotFound)
	})
}

// TestListTemplateIsBounded: a short template does not make a long list many times as long,
// neither a new one nor one that was stored before there were limits.
func TestListTemplateIsBounded(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		e := f.create(f.ann, document("Of a lighthouse", "the lamp burns"))
		for template, ok := range map[string]bool{
			"{{items}}":                           true,
			"{{items}}{{items}}":                  false,
			strings.Repeat("{{title}}", 100):      true,
			strings.Repeat("{{title}}", 101):      false,
			strings.Repeat("{{description}}", 9):  true,
			strings.Repeat("{{description}}", 11): false,
		} {
			_, err := f.CreateList(t.Context(), f.ann, quire.ListInput{Title: "A list", Template: template, Items: []quire.ItemInput{{ElementalID: e.ID}}})
			if ok != (err == nil) || !ok && quire.CodeOf(err) != quire.CodeInvalid {
				t.Errorf("%.40s..: %v", template, err)
			}
		}
		l, err := f.CreateList(t.Context(), f.ann, quire.ListInput{Title: "A list", Items: []quire.ItemInput{{ElementalID: e.ID}}})
		if err != nil {
			t.Fatal(err)
		}
		err = f.store.Update(t.Context(), func(tx quire.Tx) error {
			rec, err := tx.List(t.Context(), l.ID)
			if err != nil {
				return err
			}
			rec.Template = strings.Repeat("{{items}}", 2000)
			return tx.PutList(t.Context(), rec, quire.IndexedText{Title: "list"})
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(f.compile(f.ann, l.ID, quire.KnowledgeOptions{}), "the lamp burns"); n != 1 {
			t.Errorf("the item is %d times in the text", n)
		}
	})
}

func TestListTemplateIsFilledInOnePass(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		e := f.create(f.ann, document("An elemental with {{title}}", "b"))
		list := f.list(f.ann, quire.ListInput{
			Title: "{{items}}", Template: "<{{title}}|{{description}}|{{other}}>\n{{items}}", Items: []quire.ItemInput{{ElementalID: e.ID}},
		})
		want := "<{{items}}||{{other}}>\n1. Title: An elemental with {{title}}\n   Body: b\n"
		if diff := cmp.Diff(want, f.compile(f.ann, list.ID, quire.KnowledgeOptions{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestElementalKnowledge(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		e := f.create(f.ann, document("A single elemental", "one\r\ntwo"))
		text, obj, err := f.ElementalKnowledge(t.Context(), f.bob, e.ID, quire.KnowledgeOptions{})
		if err != nil || text != "Title: A single elemental\nBody: one\r\n  two\n" {
			t.Errorf("%q, %v", text, err)
		}
		raw, err := json.Marshal(obj)
		if err != nil || string(raw) != `{"Title":"A single elemental","Description":"","Body":"one\r\ntwo"}` {
			t.Errorf("%s, %v", raw, err)
		}
		_, _, err = f.ElementalKnowledge(t.Context(), f.bob, "unknown", quire.KnowledgeOptions{})
		wantCode(t, err, quire.CodeNotFound)
	})
}
