package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// objectOf reads a body that must be an object, as without Options.StrictFields.
func objectOf(body []byte) object { return asObject(newPlace(), firstValue(body)) }

// strictObjectOf is objectOf with Options.StrictFields.
func strictObjectOf(body []byte) object {
	at := newPlace()
	at.check = new(fieldCheck)
	return asObject(at, firstValue(body))
}

// decode reads a body and returns what is wrong with it as "field: message" lines.
func decode[T any](body string, parse func(object) T) (T, []string) {
	o := objectOf([]byte(body))
	v := parse(o)
	var wrong []string
	if err := o.err(); err != nil {
		for _, f := range err.(*quire.Error).Fields {
			wrong = append(wrong, f.Field+": "+f.Message)
		}
	}
	return v, wrong
}

func TestElementalInput(t *testing.T) {
	t.Parallel()
	body := ` {"id":17,"title":"A title","type_id":1,"template":"body","template_overwrite_content":false,
		"description":"d","command":"c","visibility":2,"category_id":18,"topic_ids":[1,2],
		"lists_to_save":[{"list_id":9007199254740991},{"list_id":"12"}],"is_premium":true,"is_fixed_price":true,
		"price":9223372036854775807,"price_original":0,"avatar":null,"cover_images":[],"images":null,"files":[],
		"video_url":"https://example.org/v","tutorial_steps":[{"title":"t","description":"d","video_url":"v"}],
		"tagIds":["7",8],"settings":{"is_knowledge_base":true,"is_template":true,"is_system":true},
		"user_id":"someone","total_upvotes":9} `
	got, wrong := decode(body, elementalInput)
	want := quire.ElementalInput{
		ID: "17", Title: "A title", TypeID: 1, CategoryID: 18, TopicIDs: []int{1, 2}, Body: "body", Description: "d", Command: "c",
		Visibility: quire.Unlisted, Lists: []int64{1<<53 - 1, 12}, TagIDs: []int64{7, 8}, VideoURL: "https://example.org/v",
		TutorialSteps: []quire.TutorialStep{{Title: "t", Description: "d", VideoURL: "v"}}, IsPremium: true, IsFixedPrice: true,
		Price: new(int64(1<<63 - 1)), PriceOriginal: new(int64(0)), Settings: quire.Settings{KnowledgeBase: true, Template: true},
		Media: quire.MediaInput{Covers: []quire.Upload{}, Files: []quire.Upload{}},
	}
	if diff := cmp.Diff(want, got); diff != "" || wrong != nil {
		t.Errorf("elementalInput: %v (-want +got):\n%s", wrong, diff)
	}
	got, wrong = decode(`{"id":null,"title":null,"topic_ids":null,"price":null,"settings":null,"visibility":null,"lists_to_save":null}`, elementalInput)
	if diff := cmp.Diff(quire.ElementalInput{}, got); diff != "" || wrong != nil {
		t.Errorf("null is not the same as absent: %v (-want +got):\n%s", wrong, diff)
	}
}

func TestElementalPatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       quire.ElementalPatch
	}{
		{"nothing", `{}`, quire.ElementalPatch{}},
		{"keys in another case are others", `{"Title":"x","TITLE":"y","type_ID":3}`, quire.ElementalPatch{}},
		{"some", `{"title":"x","is_premium":false,"topic_ids":[]}`,
			quire.ElementalPatch{Title: new("x"), IsPremium: new(false), TopicIDs: &[]int{}}},
		{"null clears", `{"description":null,"command":null,"video_url":null,"price":null,"price_original":null,"tutorial_steps":null,"tagIds":null}`,
			quire.ElementalPatch{Description: new(""), Command: new(""), VideoURL: new(""), NoPrice: true, NoPriceOriginal: true,
				TutorialSteps: new([]quire.TutorialStep), TagIDs: new([]int64)}},
		{"keep", `{"template":"b","template_overwrite_content":false}`, quire.ElementalPatch{Body: new("b"), KeepBody: true}},
		{"overwrite", `{"template":"b","template_overwrite_content":true}`, quire.ElementalPatch{Body: new("b")}},
		{"overwrite is the default", `{"template":"b","template_overwrite_content":null}`, quire.ElementalPatch{Body: new("b")}},
		{"media", `{"images":null,"cover_images":[],"files":[{"file_name":"a","file_buffer":"AQI="}],"avatar":{"file_buffer":[3]}}`,
			quire.ElementalPatch{Media: quire.MediaPatch{Images: new([]quire.Upload), Covers: &[]quire.Upload{},
				Files: &[]quire.Upload{{Name: "a", Data: []byte{1, 2}}}, Avatar: &quire.Upload{Data: []byte{3}}}}},
		{"no avatar", `{"avatar":null}`, quire.ElementalPatch{Media: quire.MediaPatch{NoAvatar: true}}},
		{"settings", `{"settings":{"is_template":false,"is_knowledge_base":null}}`, quire.ElementalPatch{Template: new(false)}},
	}
	for _, tt := range tests {
		got, wrong := decode(tt.body, elementalPatch)
		if diff := cmp.Diff(tt.want, got); diff != "" || wrong != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, wrong, diff)
		}
	}
}

func TestListPayloads(t *testing.T) {
	t.Parallel()
	in, wrong := decode(`{"title":"L","template":"{{items}}","content_type":1,"mode":"replace","template_overwrite":true,"table":{},"settings":{"is_template":true},
		"item_ids":[{"prompt_id":"a","orderIndex":2,"id":5,"list_id":6,"list_item_id":"x"},{"elemental_id":7},{"prompt_id":null,"elemental_id":"b","orderIndex":null}]}`, listInput)
	want := quire.ListInput{Title: "L", Template: "{{items}}", TypeID: 1, Settings: quire.Settings{Template: true},
		Items: []quire.ItemInput{{ElementalID: "a", OrderIndex: new(int64(2))}, {ElementalID: "7"}, {ElementalID: "b"}}}
	if diff := cmp.Diff(want, in); diff != "" || wrong != nil {
		t.Errorf("listInput: %v (-want +got):\n%s", wrong, diff)
	}
	patch, wrong := decode(`{"mode":"replace","item_ids":[],"template":null,"template_overwrite":false,"content_type":2,"price":null}`, listPatch)
	wantPatch := quire.ListPatch{ReplaceItems: true, Items: &[]quire.ItemInput{}, Template: new(""), KeepTemplate: true, TypeID: new(2), NoPrice: true}
	if diff := cmp.Diff(wantPatch, patch); diff != "" || wrong != nil {
		t.Errorf("listPatch: %v (-want +got):\n%s", wrong, diff)
	}
	if patch, wrong = decode(`{"mode":"append"}`, listPatch); patch.ReplaceItems || wrong != nil {
		t.Errorf("another mode: %+v, %v", patch, wrong)
	}
}

func TestWrongTypes(t *testing.T) {
	t.Parallel()
	elemental := func(o object) any { return elementalInput(o) }
	patch := func(o object) any { return elementalPatch(o) }
	list := func(o object) any { return listPatch(o) }
	newList := func(o object) any { return listInput(o) }
	table := func(o object) any { return tableInput(o) }
	tests := []struct {
		body  string
		parse func(object) any
		want  string // the first problem
	}{
		{`[]`, elemental, ": must be an object"},
		{`{"title":5}`, elemental, "title: must be a string"},
		{`{"type_id":"1"}`, elemental, "type_id: must be a positive whole number, without quotes"},
		{`{"type_id":1.0}`, elemental, "type_id: must be a positive whole number"},
		{`{"type_id":0}`, elemental, "type_id: must be a positive whole number"},
		{`{"type_id":4294967297}`, elemental, "type_id: must be a positive whole number"},
		{`{"visibility":0}`, elemental, "visibility: must be 1 (Public) or 2 (Unlisted)"},
		{`{"visibility":"1"}`, elemental, "visibility: must be 1 (Public) or 2 (Unlisted), without quotes"},
		{`{"visibility":1.5}`, elemental, "visibility: must be 1 (Public) or 2 (Unlisted)"},
		{`{"is_premium":1}`, elemental, "is_premium: must be true or false"},
		{`{"price":1e400}`, elemental, "price: must be a whole number of at most 64 bits"},
		{`{"price":9223372036854775808}`, elemental, "price: must be a whole number of at most 64 bits"},
		{`{"price":"1"}`, elemental, "price: must be a whole number of at most 64 bits, without quotes"},
		{`{"topic_ids":1}`, elemental, "topic_ids: must be an array"},
		{`{"topic_ids":[1,null]}`, elemental, "topic_ids/1: must not be null"},
		{`{"tagIds":["01"]}`, elemental, "tagIds/0: must be an id: a positive whole number, as a number or a string of digits"},
		{`{"tagIds":[9007199254740992]}`, elemental, "tagIds/0: must be an id: a positive whole number, as a number or a string of digits"},
		{`{"tagIds":[1.0]}`, elemental, "tagIds/0: must be an id: a positive whole number, as a number or a string of digits"},
		{`{"id":true}`, elemental, "id: must be an id, as a string or a whole number"},
		{`{"id":1.5}`, elemental, "id: must be an id, as a string or a whole number"},
		{`{"lists_to_save":[{}]}`, elemental, "lists_to_save/0/list_id: is required"},
		{`{"lists_to_save":[5]}`, elemental, `lists_to_save/0: must be an object such as {"list_id": ".."}`},
		{`{"tutorial_steps":[{"title":"x"},{"title":{}}]}`, elemental, "tutorial_steps/1/title: must be a string"},
		{`{"settings":{"is_template":"yes"}}`, elemental, "settings/is_template: must be true or false, without quotes"},
		{`{"images":[{"file_name":"a"}]}`, elemental, "images/0/file_buffer: is required"},
		{`{"avatar":{"file_name":"a","file_buffer":null}}`, elemental, "avatar/file_buffer: is required"},
		{`{"avatar":"x"}`, patch, "avatar: must be an object"},
		{`{"files":{}}`, patch, "files: must be an array"},
		{`{"cover_images":[null]}`, patch, "cover_images/0: must not be null"},
		{`{"files":[{"file_name":5,"file_buffer":[]}]}`, elemental, "files/0/file_name: must be a string"},
		{`{"files":[{"file_buffer":5}]}`, elemental, "files/0/file_buffer: must be an object with data, an array of numbers, or a base64 string"},
		{`{"files":[{"file_buffer":{"type":"Buffer"}}]}`, elemental, "files/0/file_buffer/data: is required"},
		{`{"files":[{"file_buffer":{"data":"AA=="}}]}`, elemental, "files/0/file_buffer/data: must be an array"},
		{`{"files":[{"file_buffer":{"data":[0,255,256]}}]}`, elemental, "files/0/file_buffer/data/2: must be a whole number from 0 to 255"},
		{`{"files":[{"file_buffer":[-1]}]}`, elemental, "files/0/file_buffer/0: must be a whole number from 0 to 255"},
		{`{"files":[{"file_buffer":[1.0]}]}`, elemental, "files/0/file_buffer/0: must be a whole number from 0 to 255"},
		{`{"files":[{"file_buffer":[1,null]}]}`, elemental, "files/0/file_buffer/1: must be a whole number from 0 to 255"},
		{`{"files":[{"file_buffer":[[1]]}]}`, elemental, "files/0/file_buffer/0: must be a whole number from 0 to 255"},
		{`{"files":[{"file_buffer":"AAA"}]}`, elemental, "files/0/file_buffer: must be base64 in the standard alphabet, with padding"},
		{`{"files":[{"file_buffer":"_-_-"}]}`, elemental, "files/0/file_buffer: must be base64 in the standard alphabet, with padding"},
		{`{"files":[{"file_buffer":"data:text/plain,AAAA"}]}`, elemental, "files/0/file_buffer: must be base64: a data: URL needs ;base64 before its comma"},
		{`{"title":null}`, patch, "title: must not be null"},
		{`{"visibility":null}`, patch, "visibility: must not be null"},
		{`{"template":null}`, patch, "template: must not be null"},
		{`{"item_ids":[{"orderIndex":1}]}`, list, "item_ids/0/prompt_id: is required"},
		{`{"item_ids":[{"prompt_id":""}]}`, list, "item_ids/0/prompt_id: must not be empty"},
		{`{"item_ids":["a"]}`, list, `item_ids/0: must be an object such as {"prompt_id": ".."}`},
		{`{"item_ids":[{"prompt_id":"a","orderIndex":"1"}]}`, list, "item_ids/0/orderIndex: must be a whole number of at most 64 bits, without quotes"},
		{`{"table":{"5":{"content":["x"]}}}`, newList, "table: a new list has no cells: create a table with POST /v1/user/table, then update its columns and rows; leave it out or empty"},
		{`{"table":["x"]}`, newList, "table: a new list has no cells: create a table with POST /v1/user/table, then update its columns and rows; leave it out or empty"},
		{`{"table":["x"]}`, list, "table: must be an object"},
		{`{"table":{"x":{"content":["x"]}}}`, list, "table/x: must be the id of a list that this one crosses in its table"},
		{`{"table":{"5":null}}`, list, "table/5: must be an object with content; an empty content empties the cell"},
		{`{"table":{"5":"x"}}`, list, "table/5: must be an object"},
		{`{"table":{"5":{}}}`, list, "table/5/content: is required; an empty array empties the cell"},
		{`{"table":{"5":{"content":"x"}}}`, list, "table/5/content: must be an array"},
		{`{"table":{"5":{"content":["x",5]}}}`, list, "table/5/content/1: must be a string or an object with text"},
		{`{"table":{"5":{"content":[{"txt":"x"}]}}}`, list, "table/5/content/0/text: is required"},
		{`{"columns":[5]}`, table, "columns/0: must be a string or an object with title"},
		{`{"columns":["a",null]}`, table, "columns/1: must not be null"},
		{`{"rows":[{"title":5}]}`, table, "rows/0/title: must be a string"},
		{`{"cells":["a"]}`, table, "cells/0: must be an array"},
		{`{"cells":[null,["a",{"text":[]}]]}`, table, "cells/1/1/text: must be a string"},
	}
	for _, tt := range tests {
		if err := checkJSON([]byte(tt.body), usual, atOnce); err != nil {
			t.Fatal(err)
		}
		_, wrong := decode(tt.body, tt.parse)
		if len(wrong) == 0 || wrong[0] != tt.want {
			t.Errorf("%s: %q, want %q", tt.body, wrong, tt.want)
		}
	}
}

// TestEscapes: a string is the same however its characters are written.
func TestEscapes(t *testing.T) {
	t.Parallel()
	o := objectOf([]byte(`{"tagIds":["\u0037","7",7],"id":"\u0061b","images":[{"file_name":"a","file_buffer":"\/+\/+\u0041AA="}]}`))
	in := elementalInput(o)
	if err := o.err(); err != nil {
		t.Fatal(err)
	}
	want := []byte{0xff, 0xef, 0xfe, 0, 0}
	if !slices.Equal(in.TagIDs, []int64{7, 7, 7}) || in.ID != "ab" || !bytes.Equal(in.Media.Images[0].Data, want) {
		t.Errorf("tags %v, id %q, bytes %x", in.TagIDs, in.ID, in.Media.Images[0].Data)
	}
}

// FuzzPayloads feeds arbitrary types to every key of every payload: each must be
// read or refused, never panic.
func FuzzPayloads(f *testing.F) {
	f.Add([]byte(`{"title":"x","item_ids":[{"prompt_id":1}],"settings":{},"lists_to_save":[{"list_id":"5"}],"filters":{"tenant_id":1}}`))
	f.Add([]byte(`{"images":[{"file_name":"a","file_buffer":[1,2,256]}],"files":[{"file_buffer":{"type":"Buffer","data":[ 1 ]}}],"avatar":{"file_buffer":"data:;base64,AA=="}}`))
	f.Add([]byte(`[null,{"price":-0},"x",{"avatar":[]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if checkJSON(data, usual, atOnce) != nil {
			return
		}
		o := objectOf(data)
		if data[0]%2 == 0 {
			o = strictObjectOf(data)
		}
		elementalInput(o)
		elementalPatch(o)
		listInput(o)
		listPatch(o)
		mediaRemoval(o)
		tagInput(o)
		tagPatch(o)
		b := &engineBody{object: o}
		b.text("query", asString)
		b.limit()
		b.filters()
		if err := b.err(); err != nil {
			if _, err := json.Marshal(detailJSON{Detail: problemOf(err).detail}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
