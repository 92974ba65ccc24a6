package httpapi

import (
	"strconv"
	"strings"
)

const goodElemental = `{"title":"How to sail a boat","type_id":3,"category_id":18,"template":"Hoist the #[sail name]"}`

// badElemental are the rules of an elemental's fields, for creation and update.
func badElemental() []rule {
	return append(badCommon(),
		rule{"title", `"Too short"`}, rule{"title", `"0123456789"`}, rule{"title", `5`}, rule{"title", `"` + strings.Repeat("x", 101) + `"`}, rule{"title", `"         x"`},
		rule{"type_id", `0`}, rule{"type_id", `4`}, rule{"type_id", `8`}, rule{"type_id", `9`}, rule{"type_id", `"3"`},
		rule{"template", `5`}, rule{"template_overwrite_content", `1`}, rule{"command", `5`}, rule{"command", `"` + strings.Repeat("x", 1001) + `"`},
		rule{"category_id", `999`}, rule{"category_id", `0`}, rule{"category_id", `"18"`},
		rule{"topic_ids", `5`}, rule{"topic_ids", `[99999]`}, rule{"topic_ids", `["1"]`}, rule{"topic_ids", `[null]`},
		rule{"lists_to_save", `5`}, rule{"lists_to_save", `[{}]`}, rule{"lists_to_save", `[{"list_id":"x"}]`}, rule{"lists_to_save", `[7]`})
}

// filled are the fields of an elemental that need not be there, and one that is unknown.
func (c *contract) filled(tag, list string) string {
	pic := c.picture()
	return `"template_overwrite_content":true,"description":"A *description*","command":"/sail","visibility":2,"topic_ids":[1],"lists_to_save":[{"list_id":"` + list + `"}],
"is_premium":true,"is_fixed_price":true,"price":5,"price_original":7,"avatar":` + pic + `,"cover_images":[` + pic + `],"images":[` + pic + `],"files":[` + pic + `],
"video_url":"https://video.example/1","tutorial_steps":[{"title":"First","description":"Step","video_url":"https://video.example/2"}],"tagIds":["` + tag + `"],
"settings":{"is_knowledge_base":true,"is_template":true,"is_system":true},"extra":1}`
}

var elementalContracts = map[string]func(*contract){
	"POST /v1/user/elemental": func(c *contract) {
		const path = "/v1/user/elemental"
		tag, list := c.tag(c.ann, "Sailing"), c.list(c.ann, "A list")
		c.send(201, "required fields", path, goodElemental)
		c.send(201, "all fields", path, `{"id":"chosen","title":" All the fields ","type_id":1,"category_id":1,"template":"# Head\n\n#word and #[a name]",`+c.filled(tag, list))
		c.send(201, "an id that is a number, tag and list ids as numbers", path, with(c.t, with(c.t, with(c.t, goodElemental, rule{"id", "42"}), rule{"tagIds", "[" + tag + "]"}), rule{"lists_to_save", `[{"list_id":` + list + `}]`}))
		c.send(201, "null is as absent", path, `{"id":null,"title":"How to sail a boat","type_id":3,"category_id":18,"template":"x","description":null,"topic_ids":null,"visibility":null,"price":null,"images":null,"avatar":null,"tagIds":null,"settings":null}`)
		c.send(201, "a snippet", path, with(c.t, goodElemental, rule{"type_id", "2"}))
		c.send(409, "a snippet of the same title", path, with(c.t, goodElemental, rule{"type_id", "2"}))
		c.send(409, "an id that exists", path, with(c.t, goodElemental, rule{"id", `"chosen"`}))
		c.refuses(path, goodElemental, badElemental()...)
		for _, field := range []string{"title", "type_id", "template", "category_id"} {
			c.refuses(path, goodElemental, rule{field, ""}, rule{field, "null"})
		}
		c.refuses(path, goodElemental, rule{"template", `""`}, rule{"id", `"a/b"`}, rule{"id", `".."`}, rule{"id", `"types"`}, rule{"id", `true`}, rule{"id", `"` + strings.Repeat("x", 65) + `"`})
		prompt := `{"title":"How to sail a boat","type_id":1,"category_id":1,"template":"x","topic_ids":[1]}`
		c.refuses(path, prompt, rule{"topic_ids", ""}, rule{"topic_ids", "[]"}, rule{"topic_ids", "null"})
		c.send(400, "several faults at once", path, `{"title":5,"type_id":"x","template":true}`)
		c.send(400, "an unknown list", path, with(c.t, goodElemental, rule{"lists_to_save", `[{"list_id":123456789}]`}))
		c.send(400, "another user's list", path, with(c.t, goodElemental, rule{"lists_to_save", `[{"list_id":` + c.list(c.bob, "Bob's") + `}]`}))
		c.send(400, "another user's tag", path, with(c.t, goodElemental, rule{"tagIds", `[` + c.tag(c.bob, "Bob's") + `]`}))
		c.once(path, goodElemental, with(c.t, goodElemental, rule{"template", `"y"`}))
	},
	"PUT /v1/user/elemental/{id}": func(c *contract) {
		tag, list := c.tag(c.ann, "Sailing"), c.list(c.ann, "A list")
		path := "/v1/user/elemental/" + c.elemental(c.ann, "How to sail a boat", "")
		c.send(200, "no field: no change", path, `{}`)
		c.send(200, "one field", path, `{"title":"How to sail two boats"}`)
		c.send(200, "all fields", path, `{"title":" All the fields ","type_id":1,"category_id":1,"template":"# Head\n\n#word and #[a name]",`+c.filled(tag, list))
		c.send(200, "a body that stays", path, `{"template":"another","template_overwrite_content":false}`)
		c.send(200, "null clears", path, `{"type_id":3,"description":null,"command":null,"topic_ids":null,"price":null,"price_original":null,"avatar":null,"cover_images":null,"images":null,"files":null,"video_url":null,"tutorial_steps":null,"tagIds":null}`)
		c.refuses(path, `{}`, badElemental()...)
		for _, field := range []string{"title", "type_id", "template", "category_id", "visibility", "is_premium", "is_fixed_price"} {
			c.refuses(path, `{}`, rule{field, "null"})
		}
		c.refuses(path, `{"type_id":1}`, rule{"topic_ids", ""}, rule{"topic_ids", "[]"})
		c.do(c.ann.key, "POST", "/v1/user/elemental", with(c.t, goodElemental, rule{"type_id", "2"})).want(201)
		c.send(409, "the title of another snippet", path, `{"type_id":2,"title":"How to sail a boat"}`)
		c.send(400, "an unknown list", path, `{"lists_to_save":[{"list_id":123456789}]}`)
		c.send(400, "another user's list", path, `{"lists_to_save":[{"list_id":`+c.list(c.bob, "Bob's")+`}]}`)
		c.send(400, "another user's tag", path, `{"tagIds":[`+c.tag(c.bob, "Bob's")+`]}`)
		c.send(403, "another user's elemental", "/v1/user/elemental/"+c.elemental(c.bob, "Of another user", ""), `{"title":"Mine all mine"}`)
	},
	"DELETE /v1/elemental/{id}": func(c *contract) {
		path := "/v1/elemental/" + c.elemental(c.ann, "How to sail a boat", "")
		c.sendAs(c.bob, 403, "another user's elemental", path, "")
		c.send(204, "an elemental", path, "")
		c.send(404, "once more", path, "")
	},
	"POST /v1/user/elementals": func(c *contract) {
		const path = "/v1/user/elementals"
		c.send(201, "only title, type_id and description", path, `[{"title":"How to sail a boat","type_id":3,"description":"With wind"},{"title":"How to tie a knot","type_id":1,"description":"Of a rope"}]`)
		c.send(201, "all fields", path, `[{"id":"chosen","title":" All the fields ","type_id":1,"category_id":1,"template":"Hoist",`+c.filled(c.tag(c.ann, "Sailing"), c.list(c.ann, "A list"))+`]`)
		c.send(206, "some were not created", path, `[{"title":"Too short","type_id":3},{"title":"How to tie a knot","type_id":3},{"title":5},7,{"id":"chosen","title":"An id that exists","type_id":3},{"title":"A tag of nobody","type_id":3,"tagIds":[5]}]`)
		good := `{"title":"How to sail a boat","type_id":3}`
		for _, r := range append(badElemental(), rule{"title", ""}, rule{"type_id", ""}, rule{"topic_ids", `[5,99999]`}) {
			c.send(400, "nothing created, "+shortened(r.field+": "+r.value, 70), path, "["+with(c.t, good, r)+"]").has("errors.0.index", "0")
		}
		c.send(400, "a prompt with no topics, though given", path, `[{"title":"How to tie a knot","type_id":1,"topic_ids":[]}]`)
		c.send(400, "an empty array", path, `[]`)
		c.send(400, "more than 1000", path, `[`+strings.Repeat("{},", c.lib.MaxBatch())+`{}]`)
		c.once(path, "["+good+"]", "["+good+","+good+"]")
	},
	"POST /v1/elemental/{id}/template/prepare": func(c *contract) {
		path := "/v1/elemental/" + c.elemental(c.ann, "How to sail a boat", "") + "/template/prepare"
		c.do(c.ann.key, "PUT", strings.TrimSuffix(strings.Replace(path, "/v1/", "/v1/user/", 1), "/template/prepare"), `{"template":"Dear #[first name], hoist the #sail."}`).want(200)
		c.send(200, "all values", path, `{"#[first name]":"Ann","#sail":"jib"}`)
		c.send(200, "one without a value stays, and so does null", path, `{"#[first name]":"#sail","#sail":null,"#[other]":"x"}`)
		c.send(200, "no values", path, `{}`)
		c.sendAs(c.bob, 200, "another user's elemental", path, `{"#sail":"jib"}`)
		c.refuses(path, `{}`, rule{"#sail", "5"}, rule{"#sail", "[]"})
	},
}

var elementalReadContracts = map[string]func(*contract){
	"GET /v1/elemental/{id}": func(c *contract) {
		path := "/v1/elemental/" + c.elemental(c.ann, "How to sail a boat", `,"description":"With wind"`)
		c.send(200, "without parameters: both forms of knowledge text", path, "")
		c.sendAs(c.bob, 200, "another user's elemental", path, "")
		c.knowledge(path)
		c.each(200, "/v1/elemental/"+c.table().str("response.id"), "group_by", "row", "column")
	},
	"GET /v1/elemental/{id}/knowledge-base": func(c *contract) {
		path := "/v1/elemental/" + c.elemental(c.ann, "How to sail a boat", `,"description":"With wind"`) + "/knowledge-base"
		c.send(200, "without parameters", path, "")
		c.sendAs(c.bob, 200, "another user's elemental", path, "")
		c.knowledge(path)
		c.send(200, "JSON with chosen fields", path+"?format=json&fields=id,url", "")
		c.each(200, "/v1/elemental/"+c.table().str("response.id")+"/knowledge-base?format=text", "group_by", "row", "column")
	},
	"GET /v1/user/elementals": func(c *contract) {
		const path = "/v1/user/elementals"
		c.send(200, "no elementals", path, "")
		tag := c.tag(c.ann, "Sailing")
		c.elemental(c.ann, "How to sail a boat", `,"tagIds":[`+tag+`]`)
		c.list(c.ann, "A list", c.elemental(c.ann, "How to tie a knot", `,"visibility":2`))
		c.table()
		c.elemental(c.bob, "Another user's elemental", "")
		c.send(200, "all of the caller's but cells, newest first", path, "")
		c.send(200, "a page", path+"?page=2&size=2", "")
		c.each(200, path, "type_id", "3", "9", "404", "2147483647")
		c.send(200, "cells of tables", path+"?type_id=8", "").has("meta.total", "3")
		c.each(200, path, "tag_id", tag, "404")
		c.send(200, "another user's tag", path+"?tag_id="+c.tag(c.bob, "Bob's"), "").has("meta.total", "0")
		c.send(200, "a type and a tag", path+"?type_id=9&tag_id="+tag, "").has("meta.total", "0")
		c.each(400, path, "type_id", "0", "-1", "2147483648", "x", "1.5", "")
		c.each(400, path, "tag_id", "0", "-1", "01", "9007199254740992", "x", "")
		c.send(400, "several faults at once", path+"?type_id=x&tag_id=x&size=0", "").has("errors.2.field", `"size"`)
		c.paging(path)
		c.paging(path + "?type_id=3")
	},
	"GET /v1/elementals": func(c *contract) {
		const path = "/v1/elementals"
		c.send(200, "nothing found", path+"?search=boat", "")
		c.elemental(c.ann, "How to sail a boat", `,"description":"Boat after boat"`)
		c.elemental(c.bob, "How to buy one boat", `,"visibility":2`)
		c.elemental(c.bob, "How to sell a boat, step by step", "")
		c.send(200, "one that is found", path+"?search=sail", "")
		c.send(200, "public ones and the caller's own", path+"?search=boat", "")
		c.each(200, path, "search", "nothing", "%22%29%20OR%20%2A")
		c.each(400, path, "search", "", "%00", "%FF")
		c.send(400, "no search", path, "").has("errors.0.field", `"search"`)
		c.paging(path + "?search=sail")
		c.knowledge(path + "?search=sail")
		for _, size := range []int{9, 10} {
			c.send(200, "knowledge text up to a size of 9, "+strconv.Itoa(size), path+"?search=sail&format=text&size="+strconv.Itoa(size), "")
		}
	},
}
