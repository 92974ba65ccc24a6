package httpapi

import "strings"

const goodTag = `{"title":"Sailing","color":"#aabbcc","elementalTypeId":3}`

// badTag are the rules of a tag's fields, for creation and update.
func badTag() []rule {
	return []rule{
		{"title", `""`}, {"title", `"  "`}, {"title", `5`}, {"title", `"` + strings.Repeat("x", 101) + `"`},
		{"color", `"red"`}, {"color", `"#12345"`}, {"color", `""`}, {"color", `5`},
		{"elementalTypeId", `99`}, {"elementalTypeId", `0`}, {"elementalTypeId", `"3"`}, {"elementalTypeId", `1.5`},
		{"description", `5`}, {"description", `"` + strings.Repeat("x", 20_001) + `"`},
	}
}

var tagContracts = map[string]func(*contract){
	"GET /v1/user/tags": func(c *contract) {
		c.send(200, "no tags", "/v1/user/tags", "")
		c.tag(c.ann, "First")
		c.tag(c.bob, "Another user's")
		c.tag(c.ann, "Second")
		c.send(200, "two tags, oldest first", "/v1/user/tags", "")
		c.send(200, "a parameter that the route does not have", "/v1/user/tags?size=1", "")
	},
	"POST /v1/user/tag": func(c *contract) {
		c.send(201, "required fields", "/v1/user/tag", goodTag)
		c.send(201, "all fields, and one that is unknown", "/v1/user/tag",
			`{"title":" Boats ","color":"#fff","elementalTypeId":1,"description":"Of all kinds","source_user_id":"bob","source_tag_id":17,"extra":true}`)
		c.send(201, "null is as absent", "/v1/user/tag", `{"title":"Boats","color":"#11223344","elementalTypeId":2,"description":null,"source_user_id":null,"source_tag_id":null}`)
		c.refuses("/v1/user/tag", goodTag, badTag()...)
		c.refuses("/v1/user/tag", goodTag, rule{"title", ""}, rule{"title", "null"}, rule{"color", ""}, rule{"color", "null"}, rule{"elementalTypeId", ""},
			rule{"elementalTypeId", "null"}, rule{"source_user_id", "true"}, rule{"source_tag_id", "[]"})
		c.once("/v1/user/tag", goodTag, `{"title":"Other","color":"#aabbcc","elementalTypeId":3}`)
	},
	"PUT /v1/user/tag/{tag_id}": func(c *contract) {
		path := "/v1/user/tag/" + c.tag(c.ann, "Sailing")
		c.send(200, "all fields", path, `{"title":"Boats","color":"#0f0","elementalTypeId":1,"description":"Of all kinds"}`)
		c.send(200, "one field", path, `{"title":"Ships"}`)
		c.send(200, "no field", path, `{}`)
		c.send(200, "null clears", path, `{"description":null}`)
		c.refuses(path, `{}`, badTag()...)
		c.refuses(path, `{}`, rule{"title", "null"}, rule{"color", "null"}, rule{"elementalTypeId", "null"})
		c.send(404, "another user's tag", "/v1/user/tag/"+c.tag(c.bob, "Bob's"), `{"title":"Mine"}`)
	},
	"DELETE /v1/user/tag/{tag_id}": func(c *contract) {
		path := "/v1/user/tag/" + c.tag(c.ann, "Sailing")
		c.send(404, "another user's tag", "/v1/user/tag/"+c.tag(c.bob, "Bob's"), "")
		c.send(204, "a tag", path, "")
		c.send(404, "once more", path, "")
	},
	"POST /v1/user/elemental/{id}/tag/{tag_id}": func(c *contract) {
		tag, other := c.tag(c.ann, "Sailing"), c.tag(c.bob, "Bob's")
		path := "/v1/user/elemental/" + c.elemental(c.ann, "How to sail a boat", "") + "/tag/"
		c.send(200, "attach", path+tag, "")
		c.send(200, "twice is no error", path+tag, "")
		c.send(404, "another user's tag", path+other, "")
		c.send(404, "an unknown tag", path+"123456789", "")
		c.send(403, "another user's elemental", "/v1/user/elemental/"+c.elemental(c.bob, "Of another user", "")+"/tag/"+tag, "")
	},
	"DELETE /v1/user/elemental/{id}/tag/{tag_id}": func(c *contract) {
		tag, other := c.tag(c.ann, "Sailing"), c.tag(c.bob, "Bob's")
		path := "/v1/user/elemental/" + c.elemental(c.ann, "How to sail a boat", `,"tagIds":[`+tag+`]`) + "/tag/"
		c.send(200, "detach", path+tag, "")
		c.send(200, "twice is no error", path+tag, "")
		c.send(404, "another user's tag", path+other, "")
		c.send(403, "another user's elemental", "/v1/user/elemental/"+c.elemental(c.bob, "Of another user", "")+"/tag/"+tag, "")
	},
}

// once sends a creation with an idempotency key, again, and with another body.
func (c *contract) once(target, body, other string) {
	c.t.Helper()
	c.send(201, "with an idempotency key", target, body, idempotencyKey, "key-1")
	a := c.send(201, "the same again: the first answer", target, body, idempotencyKey, "key-1")
	if a.header.Get("Idempotent-Replayed") != "true" {
		c.t.Error("the second answer is not the first one")
	}
	c.send(409, "the key with another body", target, other, idempotencyKey, "key-1")
}
