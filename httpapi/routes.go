package httpapi

// The two route tables: the handler is built from them, and so are the tests that
// go over every route. openapi.json describes each of them. Of two patterns that fit one path the upper one counts.

var contentRoutes = []route{
	{method: "GET", pattern: "/v1/list/types", handle: (*server).listTypes},
	{method: "GET", pattern: "/v1/list/{list_id}", handle: (*server).getList},
	{method: "GET", pattern: "/v1/list/{list_id}/items", handle: (*server).getListItems},
	{method: "GET", pattern: "/v1/list/{list_id}/knowledge-base", handle: (*server).getListKnowledge},
	{method: "GET", pattern: "/v1/list/{list_id}/file/{file_id}", handle: (*server).getListFile},
	{method: "GET", pattern: "/v1/lists", handle: (*server).searchLists},
	{method: "GET", pattern: "/v1/user/lists", handle: (*server).userLists},
	{method: "POST", pattern: "/v1/user/list", body: true, once: true, handle: (*server).createList},
	{method: "PUT", pattern: "/v1/user/list/{list_id}", body: true, handle: (*server).updateList},
	{method: "DELETE", pattern: "/v1/user/list/{list_id}", handle: (*server).deleteList},
	{method: "DELETE", pattern: "/v1/user/list/{list_id}/elementals", body: true, handle: (*server).removeListItems},

	{method: "GET", pattern: "/v1/elementals", handle: (*server).searchElementals},
	{method: "GET", pattern: "/v1/user/elementals", handle: (*server).userElementals},
	{method: "POST", pattern: "/v1/user/elementals", body: true, once: true, handle: (*server).createElementals},
	{method: "GET", pattern: "/v1/elemental/types", handle: (*server).elementalTypes},
	{method: "GET", pattern: "/v1/visibilities", handle: (*server).visibilities},
	{method: "GET", pattern: "/v1/elemental/type/{type_id}/categories", handle: (*server).categories},
	{method: "GET", pattern: "/v1/elemental/type/category/{category_id}/topics", handle: (*server).topics},
	{method: "GET", pattern: "/v1/elemental/{id}", large: true, handle: (*server).getElemental},
	{method: "DELETE", pattern: "/v1/elemental/{id}", handle: (*server).deleteElemental},
	{method: "GET", pattern: "/v1/elemental/{id}/file/{file_id}", handle: (*server).getElementalFile},
	{method: "POST", pattern: "/v1/user/elemental/{id}/files", body: true, once: true, large: true, handle: (*server).addMedia},
	{method: "DELETE", pattern: "/v1/user/elemental/{id}/files", body: true, large: true, handle: (*server).removeMedia},
	{method: "GET", pattern: "/v1/image/{id}", handle: (*server).getImage},
	{method: "GET", pattern: "/v1/elemental/{id}/knowledge-base", large: true, handle: (*server).getElementalKnowledge},
	{method: "POST", pattern: "/v1/elemental/{id}/template/prepare", body: true, reads: true, large: true, handle: (*server).prepareTemplate},
	{method: "POST", pattern: "/v1/user/elemental", body: true, once: true, handle: (*server).createElemental},
	{method: "POST", pattern: "/v1/user/table", body: true, once: true, handle: (*server).createTable},
	{method: "PUT", pattern: "/v1/user/elemental/{id}", body: true, large: true, handle: (*server).updateElemental},
	{method: "POST", pattern: "/v1/user/elemental/{id}/tag/{tag_id}", large: true, handle: (*server).attachTag},
	{method: "DELETE", pattern: "/v1/user/elemental/{id}/tag/{tag_id}", large: true, handle: (*server).detachTag},

	{method: "GET", pattern: "/v1/user/tags", handle: (*server).userTags},
	{method: "POST", pattern: "/v1/user/tag", body: true, once: true, handle: (*server).createTag},
	{method: "PUT", pattern: "/v1/user/tag/{tag_id}", body: true, handle: (*server).updateTag},
	{method: "DELETE", pattern: "/v1/user/tag/{tag_id}", handle: (*server).deleteTag},

	{method: "GET", pattern: "/v1/auth/token/validate", handle: (*server).validateToken},
	{method: "GET", pattern: "/v1/health", open: true, handle: (*server).contentHealth},
}

var engineRoutes = []route{
	{method: "POST", pattern: "/v1/kb/elemental", body: true, handle: (*server).ingest},
	{method: "DELETE", pattern: "/v1/kb/elemental/{id}", handle: (*server).deleteIngested},
	{method: "POST", pattern: "/v1/kb/delete", body: true, handle: (*server).deleteChunks},
	{method: "POST", pattern: "/v1/kb/search", body: true, reads: true, handle: (*server).search},
	{method: "POST", pattern: "/v1/kb/chat", body: true, reads: true, handle: (*server).chat},
	{method: "POST", pattern: "/v1/kb/chat/stream", body: true, reads: true, handle: (*server).chatStream},
	{method: "GET", pattern: "/v1/kb/jobs", handle: (*server).jobs},
	{method: "GET", pattern: "/v1/kb/jobs/{job_id}", handle: (*server).job},
	{method: "DELETE", pattern: "/v1/kb/jobs/{job_id}", handle: (*server).cancelJob},
	{method: "GET", pattern: "/health", open: true, handle: (*server).health},
	{method: "GET", pattern: "/health/detailed", handle: (*server).healthDetailed},
}
