package httpapi

// accessRow says how a route answers Ann. path and body name objects: $elemental, $list,
// $tag, $image and $file (of the elemental), $listfile, $job and $tenant are the ones
// whose owner varies, as are $table, $column, $row and $cell; $myelemental and so on are always Ann's own.
//
// An answer is its status and its kind: error (in the shape of the route's group),
// object, array n, page n (n is meta.total), bytes, empty, and of the engine hits n, chat n and
// stream n (n sources), jobs n, deleted n (elementals), plain. One that ends in ! changes
// what is stored; every other one leaves everything as it is.
type accessRow struct {
	route, path, body              string
	own, public, unlisted, unknown string
}

const (
	newList      = `{"title":"A list","item_ids":[{"prompt_id":"$elemental"}]}`
	newElemental = `"title":"An elemental","type_id":3,"template":"x","category_id":18`
	inTenant     = `{"query":"zebras snow","filters":{"tenant_id":"$tenant"}}`
	inElemental  = `{"query":"zebras snow","filters":{"tenant_id":"ann","elemental_id":"$elemental"}}`
	compile      = "?format=text&group_by=row&fields=title"
)

// accessRows has at least one row for each route. Rule 1.5 and 1.6 of the access rules
// are in it: who may not write what they may read gets 403; engine routes answer about
// others' objects as about unknown ones.
var accessRows = []accessRow{
	{"GET /v1/list/types", "/v1/list/types", "", "200 array 4", "200 array 4", "200 array 4", "200 array 4"},
	{"GET /v1/list/{list_id}", "/v1/list/$list", "", "200 object", "200 object", "200 object", "404 error"},
	{"GET /v1/list/{list_id}/items", "/v1/list/$list/items", "", "200 page 1", "200 page 1", "200 page 0", "404 error"},
	{"GET /v1/list/{list_id}/items", "/v1/list/$list/items?expand_items=true", "", "200 page 1", "200 page 1", "200 page 0", "404 error"},
	{"GET /v1/list/{list_id}/knowledge-base", "/v1/list/$list/knowledge-base" + compile, "", "200 object", "200 object", "200 object", "404 error"},
	{"GET /v1/list/{list_id}/file/{file_id}", "/v1/list/$list/file/$listfile", "", "200 bytes", "200 bytes", "200 bytes", "404 error"},
	{"GET /v1/list/{list_id}/file/{file_id}", "/v1/list/$mylist/file/$listfile", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/list/{list_id}/file/{file_id}", "/v1/list/$list/file/$file", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/lists", "/v1/lists?search=zebras", "", "200 page 1", "200 page 1", "200 page 0", "200 page 0"},
	{"GET /v1/lists", "/v1/lists", "", "200 page 2", "200 page 2", "200 page 1", "200 page 1"},
	{"GET /v1/user/lists", "/v1/user/lists", "", "200 page 2", "200 page 1", "200 page 1", "200 page 1"},
	{"POST /v1/user/list", "/v1/user/list", newList, "201 object!", "201 object!", "400 error", "400 error"},
	{"POST /v1/user/list", "/v1/user/list", `{"title":"A list","tagIds":[$tag]}`, "201 object!", "400 error", "400 error", "400 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$list", `{"title":"Another"}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$mylist", newList, "200 object!", "200 object!", "400 error", "400 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$mylist", `{"mode":"replace","item_ids":[{"elemental_id":"$elemental"}]}`, "200 object!", "200 object!", "400 error", "400 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$mylist", `{"title":"Another","tagIds":[$tag]}`, "200 object!", "400 error", "400 error", "400 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$list", `{"files":[{"file_buffer":[1]}]}`, "200 object!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/list/{list_id}", "/v1/user/list/$list", "", "204 empty!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/list/{list_id}/elementals", "/v1/user/list/$list/elementals", `{"item_ids":[{"elemental_id":"$elemental"}]}`, "204 empty!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/list/{list_id}/elementals", "/v1/user/list/$mylist/elementals", `{"item_ids":[{"elemental_id":"$elemental"}]}`, "204 empty", "204 empty", "204 empty", "204 empty"},

	{"GET /v1/elementals", "/v1/elementals?search=zebras", "", "200 page 1", "200 page 1", "200 page 0", "200 page 0"},
	{"GET /v1/user/elementals", "/v1/user/elementals", "", "200 page 4", "200 page 2", "200 page 2", "200 page 2"},
	{"GET /v1/user/elementals", "/v1/user/elementals?tag_id=$tag", "", "200 page 1", "200 page 0", "200 page 0", "200 page 0"},
	{"GET /v1/user/elementals", "/v1/user/elementals?type_id=8", "", "200 page 2", "200 page 1", "200 page 1", "200 page 1"},
	{"POST /v1/user/elementals", "/v1/user/elementals", `[{"title":"An elemental","type_id":3,"lists_to_save":[{"list_id":$list}]}]`, "201 array 1!", "400 error", "400 error", "400 error"},
	{"POST /v1/user/elementals", "/v1/user/elementals", `[{"title":"An elemental","type_id":3,"tagIds":[$tag]}]`, "201 array 1!", "400 error", "400 error", "400 error"},
	{"POST /v1/user/elementals", "/v1/user/elementals", `[{"title":"An elemental","type_id":3,"id":"$elemental"}]`, "400 error", "400 error", "400 error", "201 array 1!"},
	{"GET /v1/elemental/types", "/v1/elemental/types", "", "200 array 5", "200 array 5", "200 array 5", "200 array 5"},
	{"GET /v1/visibilities", "/v1/visibilities", "", "200 array 2", "200 array 2", "200 array 2", "200 array 2"},
	{"GET /v1/elemental/type/{type_id}/categories", "/v1/elemental/type/8/categories", "", "200 array 1", "200 array 1", "200 array 1", "200 array 1"},
	{"GET /v1/elemental/type/{type_id}/categories", "/v1/elemental/type/99/categories", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/elemental/type/category/{category_id}/topics", "/v1/elemental/type/category/18/topics", "", "200 array 1", "200 array 1", "200 array 1", "200 array 1"},
	{"GET /v1/elemental/type/category/{category_id}/topics", "/v1/elemental/type/category/999/topics", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/elemental/{id}", "/v1/elemental/$elemental", "", "200 object", "200 object", "200 object", "404 error"},
	{"DELETE /v1/elemental/{id}", "/v1/elemental/$elemental", "", "204 empty!", "403 error", "403 error", "404 error"},
	{"GET /v1/elemental/{id}/file/{file_id}", "/v1/elemental/$elemental/file/$file", "", "200 bytes", "200 bytes", "200 bytes", "404 error"},
	{"GET /v1/elemental/{id}/file/{file_id}", "/v1/elemental/$myelemental/file/$file", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/elemental/{id}/file/{file_id}", "/v1/elemental/$elemental/file/$image", "", "404 error", "404 error", "404 error", "404 error"},
	{"POST /v1/user/elemental/{id}/files", "/v1/user/elemental/$elemental/files", `{"files":[{"file_buffer":[1]}]}`, "201 object!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/elemental/{id}/files", "/v1/user/elemental/$elemental/files", `{"images":[$image],"files":[$file]}`, "200 object!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/elemental/{id}/files", "/v1/user/elemental/$myelemental/files", `{"images":[$image],"files":[$file,$listfile]}`, "200 object", "200 object", "200 object", "200 object"},
	{"GET /v1/image/{id}", "/v1/image/$image", "", "200 bytes", "200 bytes", "200 bytes", "404 error"},
	{"GET /v1/image/{id}", "/v1/image/$file", "", "404 error", "404 error", "404 error", "404 error"},
	{"GET /v1/elemental/{id}/knowledge-base", "/v1/elemental/$elemental/knowledge-base", "", "200 object", "200 object", "200 object", "404 error"},
	{"POST /v1/elemental/{id}/template/prepare", "/v1/elemental/$elemental/template/prepare", `{"#[name]":"x"}`, "200 object", "200 object", "200 object", "404 error"},
	{"POST /v1/user/elemental", "/v1/user/elemental", `{` + newElemental + `,"id":"$elemental"}`, "409 error", "409 error", "409 error", "201 object!"},
	{"POST /v1/user/elemental", "/v1/user/elemental", `{` + newElemental + `,"lists_to_save":[{"list_id":"$mylist"},{"list_id":"$list"}]}`, "201 object!", "400 error", "400 error", "400 error"},
	{"POST /v1/user/elemental", "/v1/user/elemental", `{` + newElemental + `,"tagIds":[$mytag,$tag]}`, "201 object!", "400 error", "400 error", "400 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$elemental", `{"title":"An elemental"}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$elemental", `{"images":[]}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$elemental", `{"lists_to_save":[{"list_id":"$mylist"}]}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$myelemental", `{"title":"An elemental","lists_to_save":[{"list_id":"$list"}]}`, "200 object!", "400 error", "400 error", "400 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$myelemental", `{"title":"An elemental","tagIds":[$tag]}`, "200 object!", "400 error", "400 error", "400 error"},
	{"POST /v1/user/elemental/{id}/tag/{tag_id}", "/v1/user/elemental/$elemental/tag/$mytag", "", "200 object!", "403 error", "403 error", "404 error"},
	{"POST /v1/user/elemental/{id}/tag/{tag_id}", "/v1/user/elemental/$myelemental/tag/$tag", "", "200 object!", "404 error", "404 error", "404 error"},
	{"DELETE /v1/user/elemental/{id}/tag/{tag_id}", "/v1/user/elemental/$elemental/tag/$tag", "", "200 object!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/elemental/{id}/tag/{tag_id}", "/v1/user/elemental/$myelemental/tag/$tag", "", "200 object", "404 error", "404 error", "404 error"},

	{"POST /v1/user/table", "/v1/user/table", `{"title":"A table of things","columns":["c"],"rows":["r"],"cells":[["x"]],"tagIds":[$mytag,$tag]}`, "201 object!", "400 error", "400 error", "400 error"},
	{"GET /v1/elemental/{id}", "/v1/elemental/$table", "", "200 object", "200 object", "200 object", "404 error"},
	{"GET /v1/elemental/{id}", "/v1/elemental/$cell", "", "200 object", "200 object", "200 object", "404 error"},
	{"GET /v1/list/{list_id}", "/v1/list/$column", "", "200 object", "200 object", "200 object", "404 error"},
	{"GET /v1/list/{list_id}/items", "/v1/list/$row/items", "", "200 page 1", "200 page 1", "200 page 0", "404 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$column", `{"table":{"$row":{"content":["y"]}}}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$mycolumn", `{"title":"Another","table":{"$myrow":{"content":["y"]},"$row":{"content":["y"]}}}`, "400 error", "400 error", "400 error", "400 error"},
	{"PUT /v1/user/list/{list_id}", "/v1/user/list/$row", `{"table":{"$mycolumn":{"content":["y"]}}}`, "400 error", "403 error", "403 error", "404 error"},
	{"DELETE /v1/user/list/{list_id}", "/v1/user/list/$column", "", "204 empty!", "403 error", "403 error", "404 error"},
	{"POST /v1/user/list", "/v1/user/list", `{"title":"A list","item_ids":[{"prompt_id":"$cell"}]}`, "201 object!", "201 object!", "400 error", "400 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$cell", `{"template":"y"}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$table", `{"title":"Another table"}`, "200 object!", "403 error", "403 error", "404 error"},
	{"PUT /v1/user/elemental/{id}", "/v1/user/elemental/$mycell", `{"lists_to_save":[{"list_id":$column}]}`, "400 error", "400 error", "400 error", "400 error"},
	{"DELETE /v1/elemental/{id}", "/v1/elemental/$cell", "", "204 empty!", "403 error", "403 error", "404 error"},
	{"DELETE /v1/elemental/{id}", "/v1/elemental/$table", "", "204 empty!", "403 error", "403 error", "404 error"},
	{"GET /v1/elementals", "/v1/elementals?search=giraffes", "", "200 page 2", "200 page 2", "200 page 1", "200 page 1"},
	{"POST /v1/kb/elemental", "/v1/kb/elemental", `{"elemental_id":"$table"}`, "202 plain!", "404 error", "404 error", "404 error"},

	{"GET /v1/user/tags", "/v1/user/tags", "", "200 array 2", "200 array 1", "200 array 1", "200 array 1"},
	{"POST /v1/user/tag", "/v1/user/tag", `{"title":"A tag","color":"#fff","elementalTypeId":1,"source_tag_id":"$tag","source_user_id":"$tenant"}`, "201 object!", "201 object!", "201 object!", "201 object!"},
	{"PUT /v1/user/tag/{tag_id}", "/v1/user/tag/$tag", `{"title":"A tag"}`, "200 object!", "404 error", "404 error", "404 error"},
	{"DELETE /v1/user/tag/{tag_id}", "/v1/user/tag/$tag", "", "204 empty!", "404 error", "404 error", "404 error"},

	{"GET /v1/auth/token/validate", "/v1/auth/token/validate", "", "200 object", "200 object", "200 object", "200 object"},
	{"GET /v1/health", "/v1/health", "", "200 plain", "200 plain", "200 plain", "200 plain"},

	{"POST /v1/kb/elemental", "/v1/kb/elemental", `{"elemental_id":"$elemental"}`, "202 plain!", "404 error", "404 error", "404 error"},
	{"DELETE /v1/kb/elemental/{id}", "/v1/kb/elemental/$elemental", "", "200 deleted 1!", "200 deleted 0", "200 deleted 0", "200 deleted 0"},
	{"POST /v1/kb/delete", "/v1/kb/delete", inElemental, "200 deleted 1!", "200 deleted 0", "200 deleted 0", "200 deleted 0"},
	{"POST /v1/kb/delete", "/v1/kb/delete", inTenant, "200 deleted 1!", "403 error", "403 error", "403 error"},
	{"POST /v1/kb/delete", "/v1/kb/delete", `{"filters":{"tenant_id":"ann"}}`, "200 deleted 1!", "200 deleted 0", "200 deleted 0", "200 deleted 0"},
	{"POST /v1/kb/search", "/v1/kb/search", inElemental, "200 hits 1", "200 hits 0", "200 hits 0", "200 hits 0"},
	{"POST /v1/kb/search", "/v1/kb/search", inTenant, "200 hits 1", "403 error", "403 error", "403 error"},
	{"POST /v1/kb/search", "/v1/kb/search", `{"query":"zebras","filters":{"tenant_id":"ann","tag_ids":["$tag"]}}`, "200 hits 1", "200 hits 0", "200 hits 0", "200 hits 0"},
	{"POST /v1/kb/search", "/v1/kb/search", `{"query":"zebras","filters":{"tenant_id":"ann","user_id":"$tenant"}}`, "200 hits 1", "200 hits 0", "200 hits 0", "200 hits 0"},
	{"POST /v1/kb/chat", "/v1/kb/chat", inElemental, "200 chat 1", "200 chat 0", "200 chat 0", "200 chat 0"},
	{"POST /v1/kb/chat", "/v1/kb/chat", inTenant, "200 chat 1", "403 error", "403 error", "403 error"},
	{"POST /v1/kb/chat/stream", "/v1/kb/chat/stream", inElemental, "200 stream 1", "200 stream 0", "200 stream 0", "200 stream 0"},
	{"POST /v1/kb/chat/stream", "/v1/kb/chat/stream", inTenant, "200 stream 1", "403 error", "403 error", "403 error"},
	{"GET /v1/kb/jobs", "/v1/kb/jobs", "", "200 jobs 1", "200 jobs 0", "200 jobs 0", "200 jobs 0"},
	{"GET /v1/kb/jobs/{job_id}", "/v1/kb/jobs/$job", "", "200 plain", "404 error", "404 error", "404 error"},
	{"DELETE /v1/kb/jobs/{job_id}", "/v1/kb/jobs/$job", "", "200 plain", "404 error", "404 error", "404 error"},
	{"GET /health", "/health", "", "200 plain", "200 plain", "200 plain", "200 plain"},
	{"GET /health/detailed", "/health/detailed", "", "200 plain", "200 plain", "200 plain", "200 plain"},
	{"GET /openapi.json", "/openapi.json", "", "200 plain", "200 plain", "200 plain", "200 plain"},
	{"GET /docs", "/docs", "", "200 page of HTML", "200 page of HTML", "200 page of HTML", "200 page of HTML"},
}
