package httpapi

import "github.com/quirelib/quire"

// tagInput reads the payload of a new tag. null is the same as absent.
func tagInput(o object) quire.TagInput {
	return quire.TagInput{
		Title:           read(o, "title", asString).val,
		Color:           read(o, "color", asString).val,
		Description:     read(o, "description", asString).val,
		ElementalTypeID: read(o, "elementalTypeId", asRef).val,
		SourceUserID:    read(o, "source_user_id", asID).val,
		SourceTagID:     read(o, "source_tag_id", asID).val,
	}
}

// tagPatch reads the payload of an update: what is absent stays.
func tagPatch(o object) quire.TagPatch {
	return quire.TagPatch{
		Title:           change(o, "title", asString),
		Color:           change(o, "color", asString),
		Description:     clearable(o, "description", asString),
		ElementalTypeID: change(o, "elementalTypeId", asRef),
	}
}
