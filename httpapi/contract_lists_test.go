package httpapi

import (
	"fmt"
	"strings"
)

// badCommon are the rules of fields that elementals and lists share.
func badCommon() []rule {
	long := `"` + strings.Repeat("x", 20_001) + `"`
	return []rule{
		{"description", `5`}, {"description", long}, {"visibility", `0`}, {"visibility", `3`}, {"visibility", `"1"`},
		{"video_url", `"javascript:alert(1)"`}, {"video_url", `"/relative"`}, {"video_url", `5`},
		{"is_premium", `1`}, {"is_fixed_price", `"true"`}, {"price", `-1`}, {"price", `1.5`}, {"price", `"3"`}, {"price_original", `-1`}, {"price_original", `true`},
		{"tutorial_steps", `{}`}, {"tutorial_steps", `[{"title":" "}]`}, {"tutorial_steps", `[{"title":"a","description":5}]`},
		{"tutorial_steps", `[{"title":"a","video_url":"ftp://a.example"}]`}, {"tutorial_steps", `[5]`}, {"tutorial_steps", `[null]`},
		{"settings", `5`}, {"settings", `{"is_knowledge_base":1}`}, {"settings", `{"is_template":"true"}`},
		{"tagIds", `5`}, {"tagIds", `["x"]`}, {"tagIds", `[1.5]`}, {"tagIds", `[null]`},
		{"images", `5`}, {"images", `[{"file_name":"a"}]`}, {"images", `[{"file_buffer":[256]}]`}, {"images", `[{"file_buffer":"%"}]`}, {"images", `[{"file_buffer":{"type":"Buffer"}}]`},
		{"images", `[{"file_buffer":[1,2,3]}]`}, {"images", fourFiles}, {"cover_images", fourFiles}, {"cover_images", `[{"file_buffer":[]}]`},
		{"files", fourFiles}, {"files", `[{"file_name":5,"file_buffer":[1]}]`}, {"files", `[{"file_buffer":[]}]`}, {"avatar", `[]`}, {"avatar", `{"file_buffer":[1]}`},
	}
}

const fourFiles = `[{"file_buffer":[1]},{"file_buffer":[1]},{"file_buffer":[1]},{"file_buffer":[1]}]`

// badList are the rules of a list's fields, for creation and update.
func badList() []rule {
	return append(badCommon(),
		rule{"title", `""`}, rule{"title", `" "`}, rule{"title", `5`}, rule{"title", `"` + strings.Repeat("x", 101) + `"`},
		rule{"template", `5`}, rule{"template_overwrite", `1`}, rule{"content_type", `99`}, rule{"content_type", `"1"`},
		rule{"item_ids", `{}`}, rule{"item_ids", `[{}]`}, rule{"item_ids", `[{"prompt_id":""}]`}, rule{"item_ids", `[{"prompt_id":true}]`},
		rule{"item_ids", `[{"prompt_id":"a","orderIndex":"1"}]`}, rule{"item_ids", `[5]`})
}

var listContracts = map[string]func(*contract){
	"GET /v1/list/{list_id}": func(c *contract) {
		path := "/v1/list/" + c.list(c.ann, "A list", c.elemental(c.ann, "How to sail a boat", ""), c.elemental(c.ann, "How to tie a knot", `,"description":"Of a rope"`))
		c.send(200, "without parameters: both forms of knowledge text, light items", path, "")
		c.sendAs(c.bob, 200, "another user's list", path, "")
		c.each(200, path, "expand_items", "true", "1", "false", "0")
		c.each(400, path, "expand_items", "yes", "TRUE", "")
		c.knowledge(path)
		c.send(400, "a parameter twice", path+"?format=text&format=json", "")
		var ids []string
		for i := range 10 {
			ids = append(ids, c.elemental(c.ann, fmt.Sprintf("Elemental number %d", i), ""))
		}
		long := "/v1/list/" + c.list(c.ann, "A list of ten", ids...)
		c.send(200, "ten items: no knowledge text", long+"?format=markdown", "")
		c.send(200, "no items", "/v1/list/"+c.list(c.ann, "Empty"), "")
	},
	"GET /v1/list/{list_id}/knowledge-base": func(c *contract) {
		path := "/v1/list/" + c.list(c.ann, "A list", c.elemental(c.ann, "How to sail a boat", `,"description":"With wind"`), c.table().str("response.id")) + "/knowledge-base"
		for _, format := range []string{"text", "markdown", "json"} {
			for _, by := range []string{"row", "column"} {
				c.send(200, format+" by "+by+", with a table", path+"?format="+format+"&group_by="+by+"&fields=title,content", "")
			}
		}
		c.each(200, path+"?format=json&group_by=row", "fields", "id", "title", "type", "description", "content", "url", "images", "video", "tutorial", "files")
		c.each(400, path+"?format=json&group_by=row", "fields", "colour", "")
		c.each(400, path+"?format=json&fields=id", "group_by", "cell", "")
		c.each(400, path+"?group_by=row&fields=id", "format", "xml", "")
		c.send(400, "no format", path+"?group_by=row&fields=id", "").has("errors.0.field", `"format"`)
		c.send(400, "no group_by", path+"?format=json&fields=id", "").has("errors.0.field", `"group_by"`)
		c.send(400, "no fields", path+"?format=json&group_by=row", "").has("errors.0.field", `"fields"`)
		c.send(400, "no parameter", path, "")
		c.send(200, "no items", "/v1/list/"+c.list(c.ann, "Empty")+"/knowledge-base?format=text&group_by=row&fields=title", "")
	},
	"GET /v1/lists": func(c *contract) {
		c.send(200, "no lists", "/v1/lists", "")
		c.list(c.ann, "A list of boats")
		c.do(c.bob.key, "POST", "/v1/user/list", `{"title":"Unlisted","visibility":2}`).want(201)
		c.list(c.bob, "A list of ropes", c.elemental(c.bob, "How to tie a knot", ""))
		c.send(200, "all that the caller may see, newest first", "/v1/lists", "")
		c.each(200, "/v1/lists", "search", "boats", "nothing", "", "%22%29%20OR%20%2A")
		c.each(400, "/v1/lists", "search", "%00", "%FF")
		c.paging("/v1/lists")
		c.send(400, "a parameter twice", "/v1/lists?size=1&size=2", "")
	},
	"GET /v1/user/lists": func(c *contract) {
		c.send(200, "no lists", "/v1/user/lists", "")
		for i := range 5 {
			c.list(c.ann, fmt.Sprintf("List %d", i))
		}
		c.list(c.bob, "Another user's")
		c.send(200, "all of the caller's, newest first", "/v1/user/lists", "")
		c.send(200, "a page", "/v1/user/lists?page=2&size=2", "")
		c.paging("/v1/user/lists")
	},
	"POST /v1/user/list": func(c *contract) {
		const path = "/v1/user/list"
		id, tag := c.elemental(c.ann, "How to sail a boat", ""), c.tag(c.ann, "Sailing")
		pic := c.picture()
		c.send(201, "required fields", path, `{"title":"A list"}`)
		c.send(201, "all fields, and one that is unknown", path, `{"id":"7","title":" All ","description":"A *description*","template":"{{title}}: {{items}}","template_overwrite":true,
"content_type":2,"visibility":2,"item_ids":[{"id":1,"list_id":2,"prompt_id":"`+id+`","orderIndex":5,"list_item_id":"x"}],"mode":"replace","is_premium":true,"is_fixed_price":true,
"price":5,"price_original":7,"avatar":`+pic+`,"video_url":"https://video.example/1","tutorial_steps":[{"title":"First","description":"Step","video_url":"https://video.example/2"}],
"table":{},"cover_images":[`+pic+`],"images":[`+pic+`],"files":[`+pic+`],"tagIds":[`+tag+`],"settings":{"is_knowledge_base":true,"is_template":true,"is_system":true},"extra":1}`)
		c.send(201, "elemental_id in place of prompt_id, ids as strings", path, `{"title":"x","item_ids":[{"elemental_id":"`+id+`"}],"tagIds":["`+tag+`"]}`)
		c.send(201, "null is as absent", path, `{"title":"x","description":null,"template":null,"content_type":null,"visibility":null,"item_ids":null,"mode":null,"is_premium":null,"price":null,
"avatar":null,"video_url":null,"tutorial_steps":null,"table":null,"images":null,"cover_images":null,"files":null,"tagIds":null,"settings":null}`)
		c.refuses(path, `{"title":"A list"}`, badList()...)
		c.refuses(path, `{"title":"A list"}`, rule{"title", ""}, rule{"title", "null"}, rule{"mode", "5"})
		c.send(400, "several faults at once", path, `{"title":5,"visibility":7,"price":"x"}`)
		c.send(400, "an unknown elemental", path, `{"title":"x","item_ids":[{"prompt_id":"nobody"}]}`)
		c.send(400, "an unknown tag", path, `{"title":"x","tagIds":[123456789]}`)
		c.send(400, "another user's tag", path, `{"title":"x","tagIds":[`+c.tag(c.bob, "Bob's")+`]}`)
		c.once(path, `{"title":"Once"}`, `{"title":"Twice"}`)
	},
	"PUT /v1/user/list/{list_id}": func(c *contract) {
		id, other, tag, pic := c.elemental(c.ann, "How to sail a boat", ""), c.elemental(c.ann, "How to tie a knot", ""), c.tag(c.ann, "Sailing"), c.picture()
		path := "/v1/user/list/" + c.list(c.ann, "A list", id)
		c.send(200, "no field", path, `{}`)
		c.send(200, "one field", path, `{"title":"Another title"}`)
		c.send(200, "all fields", path, `{"title":" All ","description":"A *description*","template":"{{title}}: {{items}}","template_overwrite":true,
"content_type":2,"visibility":2,"item_ids":[{"prompt_id":"`+other+`","orderIndex":-1}],"is_premium":true,"is_fixed_price":true,
"price":5,"price_original":7,"avatar":`+pic+`,"video_url":"https://video.example/1","tutorial_steps":[{"title":"First"}],
"table":{},"cover_images":[`+pic+`],"images":[`+pic+`],"files":[`+pic+`],"tagIds":[`+tag+`],"settings":{"is_knowledge_base":true,"is_template":true}}`)
		c.send(200, "a template that stays", path, `{"template":"another","template_overwrite":false}`)
		c.send(200, "mode replace: the exact membership", path, `{"mode":"replace","item_ids":[{"prompt_id":"`+other+`"}]}`)
		c.send(200, "null clears", path, `{"description":null,"template":null,"item_ids":null,"price":null,"price_original":null,"avatar":null,"video_url":null,"tutorial_steps":null,"cover_images":null,"images":null,"files":null,"tagIds":null}`)
		c.refuses(path, `{}`, badList()...)
		c.refuses(path, `{}`, rule{"title", "null"}, rule{"visibility", "null"}, rule{"content_type", "null"}, rule{"is_premium", "null"}, rule{"is_fixed_price", "null"})
		c.send(400, "an unknown elemental", path, `{"item_ids":[{"prompt_id":"nobody"}]}`)
		c.send(400, "another user's tag", path, `{"tagIds":[`+c.tag(c.bob, "Bob's")+`]}`)
		c.cells()
		c.send(403, "another user's list", "/v1/user/list/"+c.list(c.bob, "Bob's"), `{"title":"Mine"}`)
	},
	"DELETE /v1/user/list/{list_id}": func(c *contract) {
		path := "/v1/user/list/" + c.list(c.ann, "A list")
		c.sendAs(c.bob, 403, "another user's list", path, "")
		c.send(204, "a list", path, "")
		c.send(404, "once more", path, "")
	},
	"DELETE /v1/user/list/{list_id}/elementals": func(c *contract) {
		id := c.elemental(c.ann, "How to sail a boat", "")
		path := "/v1/user/list/" + c.list(c.ann, "A list", id) + "/elementals"
		good := `{"item_ids":[{"elemental_id":"` + id + `"}]}`
		c.sendAs(c.bob, 403, "another user's list", path, good)
		c.send(204, "one elemental", path, good)
		c.send(204, "one that is not in the list", path, good)
		c.send(204, "prompt_id in place of elemental_id, as a number", path, `{"item_ids":[{"prompt_id":5}]}`)
		c.send(204, "none", path, `{"item_ids":[]}`)
		c.send(204, "null is none", path, `{"item_ids":null}`)
		c.refuses(path, good, rule{"item_ids", ""}, rule{"item_ids", "5"}, rule{"item_ids", "[{}]"}, rule{"item_ids", `["x"]`},
			rule{"item_ids", `[null]`}, rule{"item_ids", `[{"elemental_id":""}]`}, rule{"item_ids", `[{"elemental_id":true}]`})
	},
}

var listItemContracts = map[string]func(*contract){
	"GET /v1/list/{list_id}/items": func(c *contract) {
		path := "/v1/list/" + c.list(c.ann, "A list", c.elemental(c.ann, "Second of all", ""), c.elemental(c.ann, "First of all", "")) + "/items"
		c.send(200, "without parameters", path, "")
		c.sendAs(c.bob, 200, "another user's list", path, "")
		c.each(200, path, "expand_items", "true", "1", "false", "0")
		c.each(200, path, "order_by", "index", "created_at", "updated_at", "title")
		c.each(200, path, "order_dir", "asc", "desc")
		c.paging(path)
		c.each(400, path, "expand_items", "yes", "")
		c.each(400, path, "order_by", "price", "")
		c.each(400, path, "order_dir", "down", "ASC")
		c.send(200, "no items", "/v1/list/"+c.list(c.ann, "Empty")+"/items", "")
	},
}
