package httpapi

// catalogueContracts are the routes that take nothing and tell what there is.
var catalogueContracts = map[string]func(*contract){
	"GET /v1/list/types":      plainGet("/v1/list/types"),
	"GET /v1/elemental/types": plainGet("/v1/elemental/types"),
	"GET /v1/visibilities":    plainGet("/v1/visibilities"),
	"GET /v1/elemental/type/{type_id}/categories": func(c *contract) {
		for _, id := range []string{"1", "2", "3", "8", "9"} {
			c.send(200, "of type "+id, "/v1/elemental/type/"+id+"/categories", "")
		}
		c.send(404, "a type that does not exist", "/v1/elemental/type/7/categories", "")
	},
	"GET /v1/elemental/type/category/{category_id}/topics": func(c *contract) {
		for _, id := range []string{"1", "2", "18"} {
			c.send(200, "of category "+id, "/v1/elemental/type/category/"+id+"/topics", "")
		}
		c.send(404, "a category that does not exist", "/v1/elemental/type/category/0/topics", "")
	},
	"GET /v1/auth/token/validate": func(c *contract) {
		c.send(200, "Ann's key", "/v1/auth/token/validate", "")
		c.sendAs(c.bob, 200, "Bob's key", "/v1/auth/token/validate", "")
		c.sendAs(account{key: "wrong"}, 401, "a key that does not exist", "/v1/auth/token/validate", "")
	},
	"GET /v1/health": func(c *contract) {
		c.sendAs(account{}, 200, "up", "/v1/health", "")
		c.send(200, "a key is not looked at", "/v1/health", "")
		closed := newFixture(c.t, nil)
		if err := closed.lib.Close(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
		open := c.h
		c.h = closed.h
		c.sendAs(account{}, 503, "down: the library is closed", "/v1/health", "")
		c.h = open
	},
}

func plainGet(path string) func(*contract) {
	return func(c *contract) { c.send(200, "everything there is", path, "") }
}
