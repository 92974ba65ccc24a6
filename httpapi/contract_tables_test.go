package httpapi

import "strings"

const goodTable = `{"title":"Boats and their sails","columns":["Sail"],"rows":["Dinghy"]}`

var tableContracts = map[string]func(*contract){
	"POST /v1/user/table": func(c *contract) {
		const path = "/v1/user/table"
		c.send(201, "required fields", path, goodTable)
		c.send(201, "all fields, and one that is unknown", path, `{"title":" Boats and their sails ","description":"Of a *harbour*","category_id":18,"visibility":2,
"tagIds":[`+c.tag(c.ann, "Sailing")+`],"columns":["Sail",{"title":"Crew"}],"rows":[{"title":"Dinghy"},"Yacht"],"cells":[["jib",{"text":"one"}],[null,""]],
"settings":{"is_knowledge_base":true,"is_template":true},"extra":1}`)
		c.send(201, "null is as absent", path, `{"title":"Boats and their sails","description":null,"category_id":null,"visibility":null,"tagIds":null,"columns":["a"],"rows":["b"],"cells":null,"settings":null}`)
		c.refuses(path, goodTable,
			rule{"title", ""}, rule{"title", "null"}, rule{"title", `5`}, rule{"title", `"Too short"`}, rule{"title", `"0123456789"`}, rule{"title", `"` + strings.Repeat("x", 101) + `"`},
			rule{"description", `5`}, rule{"description", `"` + strings.Repeat("x", 20_001) + `"`}, rule{"category_id", `999`}, rule{"category_id", `"18"`},
			rule{"visibility", `3`}, rule{"visibility", `"1"`}, rule{"tagIds", `["x"]`}, rule{"tagIds", `[123456789]`}, rule{"settings", `5`})
		for _, field := range []string{"columns", "rows"} {
			c.refuses(path, goodTable, rule{field, ""}, rule{field, "null"}, rule{field, "[]"}, rule{field, `"x"`}, rule{field, `[5]`}, rule{field, `[null]`}, rule{field, `[""]`},
				rule{field, `[{}]`}, rule{field, `[{"title":5}]`}, rule{field, `["` + strings.Repeat("x", 101) + `"]`}, rule{field, `[` + strings.Repeat(`"x",`, 1000) + `"x"]`})
		}
		c.refuses(path, goodTable, rule{"cells", `5`}, rule{"cells", `["x"]`}, rule{"cells", `[[5]]`}, rule{"cells", `[[{}]]`}, rule{"cells", `[["a","b"]]`}, rule{"cells", `[["a"],["b"]]`})
		c.send(400, "more than 10000 places", path, `{"title":"Boats and their sails","columns":[`+strings.Repeat(`"x",`, 99)+`"x"],"rows":[`+strings.Repeat(`"x",`, 100)+`"x"]}`)
		c.once(path, goodTable, with(c.t, goodTable, rule{"rows", `["Yacht"]`}))
	},
}

// table creates a table of two columns and two rows, with one empty cell.
func (c *contract) table() answer {
	c.t.Helper()
	return c.do(c.ann.key, "POST", "/v1/user/table", `{"title":"Boats and their sails","columns":["Sail","Crew"],"rows":["Dinghy","Yacht"],"cells":[["jib","one"],["genoa"]]}`).want(201)
}

// cells sends the values of the field table to a column of a table.
func (c *contract) cells() {
	t := c.table()
	path, row := "/v1/user/list/"+t.str("response.columns.0.id"), t.str("response.rows.1.id")
	c.send(200, "a cell of a column: texts and objects", path, `{"table":{"`+row+`":{"content":["spinnaker",{"text":"and jib"}]}}}`)
	c.send(200, "no content empties the cell", path, `{"table":{"`+row+`":{"content":[]}}}`)
	c.send(200, "a cell of a row", "/v1/user/list/"+row, `{"table":{"`+t.str("response.columns.1.id")+`":{"content":["five"]}}}`)
	c.send(200, "no cells", path, `{"table":[]}`)
	c.refuses(path, `{}`, rule{"table", `5`}, rule{"table", `{"x":{"content":[]}}`}, rule{"table", `{"123456789":{"content":[]}}`}, rule{"table", `{"` + row + `":null}`},
		rule{"table", `{"` + row + `":{}}`}, rule{"table", `{"` + row + `":{"content":5}}`}, rule{"table", `{"` + row + `":{"content":[5]}}`},
		rule{"table", `{"` + t.str("response.columns.1.id") + `":{"content":["x"]}}`})
	c.refuses("/v1/user/list/"+c.list(c.ann, "No part of a table"), `{}`, rule{"table", `{"` + row + `":{"content":["x"]}}`})
}
