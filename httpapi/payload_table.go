package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// tableInput reads the payload of a new table. null is the same as absent.
func tableInput(o object) quire.TableInput {
	settings := settingsIn(o)
	return quire.TableInput{
		Title:       read(o, "title", asString).val,
		Description: read(o, "description", asString).val,
		CategoryID:  read(o, "category_id", asRef).val,
		Visibility:  read(o, "visibility", asVisibility).val,
		TagIDs:      read(o, "tagIds", arrayOf(asNumericID)).val,
		Columns:     read(o, "columns", arrayOf(textOr("title"))).val,
		Rows:        read(o, "rows", arrayOf(textOr("title"))).val,
		Cells:       read(o, "cells", orEmpty(orEmpty(textOr("text")))).val,
		Settings:    quire.Settings{KnowledgeBase: settings.knowledgeBase.val, Template: settings.template.val},
	}
}

// textOr reads a text, as a string or as an object that has it under a key.
func textOr(key string) parser[string] {
	return func(p place, raw json.RawMessage) string {
		switch raw[0] {
		case '"':
			return asString(p, raw)
		case '{':
		default:
			p.wrong("string_type", "must be a string or an object with %s", key)
			return ""
		}
		o := asObject(p, raw)
		f := read(o, key, asString)
		if !f.set {
			o.child(key).wrong("missing", "is required")
		}
		return f.val
	}
}

// orEmpty reads an array in which null stands for nothing.
func orEmpty[T any](parse parser[T]) parser[[]T] {
	return func(p place, raw json.RawMessage) []T {
		values := asArray(p, raw)
		out := make([]T, len(values))
		for i, v := range values {
			if !isNull(v) {
				out[i] = inFull(parse, p.child(i), v)
			}
		}
		return out
	}
}

// cellTexts reads the cells of a column or row: by the id of the list that it crosses,
// an object whose content is the lines of the cell. An empty array stands where there
// is nothing, as some clients write an empty object.
func cellTexts(o object) map[int64]string {
	o.knows("table")
	raw, ok := o.fields["table"]
	if !ok || isNull(raw) || raw[0] == '[' && len(asArray(o.child("table"), raw)) == 0 {
		return nil
	}
	table := asObject(o.child("table"), raw)
	if len(table.fields) > quire.MaxTableRows {
		o.child("table").wrong("too_long", "must have at most %d cells, those of a column", quire.MaxTableRows)
		return nil
	}
	texts := make(map[int64]string, len(table.fields))
	for _, key := range slices.Sorted(maps.Keys(table.fields)) {
		id, ok := parseNumericID(key)
		if !ok {
			table.knows(key) // and said to be wrong
			table.child(key).wrong("int_type", "must be the id of a list that this one crosses in its table")
			continue
		}
		if cell := read(table, key, asObject); cell.ptr() == nil {
			table.child(key).wrong("null_type", "must be an object with content; an empty content empties the cell")
		} else {
			texts[id] = cellText(cell.val)
		}
	}
	return texts
}

// cellText reads the content of a cell.
func cellText(o object) string {
	content := read(o, "content", orEmpty(textOr("text")))
	if o.fields != nil && !content.set {
		o.child("content").wrong("missing", "is required; an empty array empties the cell")
	}
	return strings.Join(content.val, "\n")
}
