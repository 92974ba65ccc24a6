package httpapi

import (
	"encoding/json"

	"github.com/quirelib/quire"
)

// elementalInput reads the payload of a new elemental. null is the same as absent.
func elementalInput(o object) quire.ElementalInput {
	settings := settingsIn(o)
	read(o, "template_overwrite_content", asBool) // says something about updates only
	return quire.ElementalInput{
		ID:            read(o, "id", asID).val,
		Title:         read(o, "title", asString).val,
		TypeID:        read(o, "type_id", asRef).val,
		CategoryID:    read(o, "category_id", asRef).val,
		TopicIDs:      read(o, "topic_ids", arrayOf(asRef)).val,
		Body:          read(o, "template", asString).val,
		Description:   read(o, "description", asString).val,
		Command:       read(o, "command", asString).val,
		Visibility:    read(o, "visibility", asVisibility).val,
		Lists:         read(o, "lists_to_save", arrayOf(asListToSave)).val,
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

// elementalPatch reads the payload of an update: what is absent stays.
func elementalPatch(o object) quire.ElementalPatch {
	settings := settingsIn(o)
	price, original := read(o, "price", asInt64), read(o, "price_original", asInt64)
	overwrite := read(o, "template_overwrite_content", asBool)
	return quire.ElementalPatch{
		Title:           change(o, "title", asString),
		TypeID:          change(o, "type_id", asRef),
		CategoryID:      change(o, "category_id", asRef),
		TopicIDs:        clearable(o, "topic_ids", arrayOf(asRef)),
		Body:            change(o, "template", asString),
		KeepBody:        overwrite.ptr() != nil && !overwrite.val,
		Description:     clearable(o, "description", asString),
		Command:         clearable(o, "command", asString),
		Visibility:      change(o, "visibility", asVisibility),
		Lists:           read(o, "lists_to_save", arrayOf(asListToSave)).val,
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
		Template:        settings.template.ptr(),
		Media:           mediaPatch(o),
	}
}

// settingsFields are the settings that a client may choose; is_system is not one.
type settingsFields struct {
	knowledgeBase, template field[bool]
}

func settingsIn(o object) settingsFields {
	settings := read(o, "settings", asObject).val
	return settingsFields{
		knowledgeBase: read(settings, "is_knowledge_base", asBool),
		template:      read(settings, "is_template", asBool),
	}
}

func asTutorialStep(p place, raw json.RawMessage) quire.TutorialStep {
	o := asObject(p, raw)
	return quire.TutorialStep{
		Title:       read(o, "title", asString).val,
		Description: read(o, "description", asString).val,
		VideoURL:    read(o, "video_url", asString).val,
	}
}

func asListToSave(p place, raw json.RawMessage) int64 {
	o := itemObject(p, raw, "list_id")
	f := read(o, "list_id", asNumericID)
	if o.fields != nil && f.ptr() == nil {
		o.child("list_id").wrong("missing", "is required")
	}
	return f.val
}

// refuseContent refuses a key with anything in it.
func refuseContent(o object, key, why string) {
	o.knows(key)
	raw, ok := o.fields[key]
	if !ok || isNull(raw) {
		return
	}
	var array []json.RawMessage
	var fields map[string]json.RawMessage
	isArray, isObject := json.Unmarshal(raw, &array) == nil, json.Unmarshal(raw, &fields) == nil
	if (isArray && len(array) == 0) || (isObject && len(fields) == 0) {
		return
	}
	o.child(key).wrong("value_error", "%s", why)
}
