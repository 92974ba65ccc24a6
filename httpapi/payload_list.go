package httpapi

import (
	"encoding/json"

	"github.com/quirelib/quire"
)

// modeReplace as mode of an update makes item_ids the exact membership. It is a word
// about that one update and is not kept.
const modeReplace = "replace"

// listInput reads the payload of a new list. null is the same as absent.
func listInput(o object) quire.ListInput {
	settings := settingsIn(o)
	read(o, "template_overwrite", asBool) // this one and mode say something about updates only
	read(o, "mode", asString)
	refuseContent(o, "table", "a new list has no cells: create a table with POST /v1/user/table, then update its columns and rows; leave it out or empty")
	return quire.ListInput{
		Title:         read(o, "title", asString).val,
		Description:   read(o, "description", asString).val,
		Template:      read(o, "template", asString).val,
		TypeID:        read(o, "content_type", asRef).val,
		Visibility:    read(o, "visibility", asVisibility).val,
		Items:         read(o, "item_ids", arrayOf(asListItem)).val,
		TagIDs:        read(o, "tagIds", arrayOf(asNumericID)).val,
		VideoURL:      read(o, "video_url", asString).val,
		TutorialSteps: read(o, "tutorial_steps", arrayOf(asTutorialStep)).val,
		IsPremium:     read(o, "is_premium", asBool).val,
		IsFixedPrice:  read(o, "is_fixed_price", asBool).val,
		Price:         read(o, "price", asInt64).ptr(),
		PriceOriginal: read(o, "price_original", asInt64).ptr(),
		Settings:      quire.Settings{KnowledgeBase: settings.knowledgeBase.val, Template: settings.template.val},
		Media:         mediaInput(o),
	}
}

// listPatch reads the payload of an update: what is absent stays.
func listPatch(o object) quire.ListPatch {
	settings := settingsIn(o)
	price, original := read(o, "price", asInt64), read(o, "price_original", asInt64)
	overwrite := read(o, "template_overwrite", asBool)
	replace := read(o, "mode", asString).val == modeReplace
	return quire.ListPatch{
		Title:           change(o, "title", asString),
		Description:     clearable(o, "description", asString),
		Template:        clearable(o, "template", asString),
		KeepTemplate:    overwrite.ptr() != nil && !overwrite.val,
		TypeID:          change(o, "content_type", asRef),
		Visibility:      change(o, "visibility", asVisibility),
		Items:           clearable(o, "item_ids", arrayOf(asListItem)),
		ReplaceItems:    replace,
		TagIDs:          clearable(o, "tagIds", arrayOf(asNumericID)),
		VideoURL:        clearable(o, "video_url", asString),
		TutorialSteps:   clearable(o, "tutorial_steps", arrayOf(asTutorialStep)),
		IsPremium:       change(o, "is_premium", asBool),
		IsFixedPrice:    change(o, "is_fixed_price", asBool),
		Price:           price.ptr(),
		NoPrice:         price.null,
		PriceOriginal:   original.ptr(),
		NoPriceOriginal: original.null,
		KnowledgeBase:   settings.knowledgeBase.ptr(),
		IsTemplate:      settings.template.ptr(),
		Media:           mediaPatch(o),
		Cells:           cellTexts(o),
	}
}

// asListItem reads an entry of item_ids. id, list_id and list_item_id name the
// membership in other systems and say nothing here.
func asListItem(p place, raw json.RawMessage) quire.ItemInput {
	o := itemObject(p, raw, "prompt_id")
	o.knows("id", "list_id", "list_item_id")
	return quire.ItemInput{
		ElementalID: itemID(o, "prompt_id", "elemental_id"),
		OrderIndex:  read(o, "orderIndex", asInt64).ptr(),
	}
}

// asRemovedItem reads an entry of the item_ids to remove from a list.
func asRemovedItem(p place, raw json.RawMessage) string {
	return itemID(itemObject(p, raw, "elemental_id"), "elemental_id", "prompt_id")
}

// itemObject reads an entry of item_ids or lists_to_save, for which an id alone is easily taken.
func itemObject(p place, raw json.RawMessage, key string) object {
	if raw[0] != '{' {
		p.wrong("dict_type", "must be an object such as {%q: \"..\"}", key)
		return object{place: p}
	}
	return asObject(p, raw)
}

// itemID reads the id of an elemental under the first of the keys that is there; the
// first key is the one that messages name.
func itemID(o object, keys ...string) string {
	o.knows(keys...)
	for _, key := range keys {
		if f := read(o, key, asID); f.ptr() != nil {
			if f.val == "" {
				o.child(key).wrong("value_error", "must not be empty")
			}
			return f.val
		}
	}
	if o.fields != nil {
		o.child(keys[0]).wrong("missing", "is required")
	}
	return ""
}
