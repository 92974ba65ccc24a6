package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// group says which of the two interfaces a route belongs to, and with it the
// shape of its errors.
type group int

const (
	contentGroup group = iota
	engineGroup
)

// route is one row of the route tables.
type route struct {
	method  string
	pattern string // segments; {name} stands for any one that is not empty
	open    bool   // needs no key
	body    bool   // takes a JSON body
	once    bool   // takes an Idempotency-Key: its handler calls once
	shared  bool   // belongs to neither group; its errors are content errors
	reads   bool   // changes nothing, though it is no GET
	large   bool   // its answer holds the elemental that {id} names, however large that is
	handle  func(*server, *call) error

	group    group    // set by newRouter
	segments []string // set by newRouter
}

// router finds the route of a request. It is not an http.ServeMux: that one answers
// an unknown path or method in plain text, redirects "//" and "/." with an HTML
// page, and refuses pairs such as /elemental/{id}/file/{file_id} and
// /elemental/type/{type_id}/categories, which have a path in common. Here the first
// row whose pattern fits decides.
type router struct {
	routes []route
	prefix string // escaped
	only   *group // the shape of all errors, where only one group is served
	most   int    // how many segments a path may have that a route is found for, here or elsewhere
}

func newRouter(routes []route, prefix string) router {
	rt := router{routes: slices.Clone(routes), prefix: (&url.URL{Path: prefix}).EscapedPath()}
	for i := range rt.routes {
		r := &rt.routes[i]
		r.segments = strings.Split(r.pattern[1:], "/")
		rt.most = max(rt.most, len(r.segments)+1) // elsewhere takes a "user" away
		if isEnginePath(r.pattern) {
			r.group = engineGroup
		}
	}
	first := rt.routes[0].group
	if !slices.ContainsFunc(rt.routes, func(r route) bool { return r.group != first && !r.shared }) {
		rt.only = &first
	}
	return rt
}

// isEnginePath tells the two groups apart by their paths, for unknown paths too.
func isEnginePath(path string) bool {
	return path == "/v1/kb" || strings.HasPrefix(path, "/v1/kb/") || path == "/health" || strings.HasPrefix(path, "/health/")
}

// groupOf says in which shape the errors of a request are answered.
func (rt *router) groupOf(r *http.Request) group {
	switch {
	case rt.only != nil:
		return *rt.only
	case isEnginePath(strings.TrimPrefix(r.URL.Path, rt.prefix)):
		return engineGroup
	default:
		return contentGroup
	}
}

// match returns the route of a request and the values of its path parameters. A
// path is matched as it was sent, segment by segment, so that an escaped slash stays
// inside its segment; nothing is cleaned and nothing is redirected.
func (rt *router) match(r *http.Request) (route, map[string]string, error) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), rt.prefix)
	if !ok || (rt.prefix != "" && !strings.HasPrefix(path, "/")) {
		return route{}, nil, errNoRoute
	}
	segments, ok := splitPath(path, rt.most)
	if !ok {
		return route{}, nil, errNoRoute
	}
	row, params, allowed := rt.find(r.Method, segments)
	switch {
	case row.handle != nil:
		return row, params, nil
	case allowed == nil:
		return route{}, nil, noSuchRoute(rt.elsewhere(r.Method, segments))
	}
	slices.Sort(allowed)
	return route{}, nil, methodNotAllowed(strings.Join(allowed, ", "), rt.elsewhere(r.Method, segments))
}

// find returns the route of a method and path, or the methods that the path takes.
func (rt *router) find(method string, segments []string) (found route, params map[string]string, allowed []string) {
	var pattern string
	for _, row := range rt.routes {
		if pattern != "" && row.pattern != pattern {
			continue
		}
		params, ok := row.fit(segments)
		if !ok {
			continue
		}
		if method == row.method || (method == http.MethodHead && row.method == http.MethodGet) {
			return row, params, nil
		}
		pattern = row.pattern
		allowed = append(allowed, row.method)
		if row.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return route{}, nil, allowed
}

// elsewhere says where a method is found whose path differs in the segment "user" only: what
// is read stands under /v1, most of what is written under /v1/user, and some under the other one.
func (rt *router) elsewhere(method string, segments []string) string {
	if len(segments) < 2 {
		return ""
	}
	other := slices.Insert(slices.Clone(segments), 1, "user")
	if segments[1] == "user" {
		other = slices.Delete(slices.Clone(segments), 1, 2)
	}
	row, _, _ := rt.find(method, other)
	if row.handle == nil {
		return ""
	}
	return "; " + method + " is at " + rt.prefix + row.pattern
}

// splitPath splits an escaped path and unescapes its segments. It refuses text that
// no id can hold: NUL and invalid UTF-8. Of more segments than most it makes none: anybody may
// send a path that is a million slashes, and each would take more memory than its byte.
func splitPath(path string, most int) ([]string, bool) {
	// http.StripPrefix("/api/", h) leaves no slash at the front.
	path = strings.TrimPrefix(path, "/")
	if strings.Count(path, "/") >= most {
		return nil, false
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		s, err := url.PathUnescape(s)
		if err != nil || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return nil, false
		}
		segments[i] = s
	}
	return segments, true
}

// fit returns the path parameters if the segments have the form of the route.
func (r route) fit(segments []string) (map[string]string, bool) {
	if len(segments) != len(r.segments) {
		return nil, false
	}
	params := make(map[string]string)
	for i, want := range r.segments {
		if name, isParam := strings.CutPrefix(want, "{"); !isParam {
			if segments[i] != want {
				return nil, false
			}
		} else if segments[i] == "" {
			return nil, false
		} else {
			params[strings.TrimSuffix(name, "}")] = segments[i]
		}
	}
	return params, true
}
