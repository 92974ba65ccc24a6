// Package httpapi serves a [quire.Library] and a [quire.Engine] over HTTP and
// JSON: the content interface under /v1, the knowledge engine under /v1/kb and
// /health.
//
// [New] returns a plain http.Handler. It works at the root of a server, under a
// prefix of its own (Options.Prefix), or behind http.StripPrefix in somebody
// else's mux. The server and TLS belong to the application, and so does how long the
// headers of a request may take: set http.Server.ReadHeaderTimeout and IdleTimeout. Bodies
// and answers have deadlines of their own, see Options.ReadTimeout and WriteTimeout.
//
// /openapi.json describes every route that the handler serves (OpenAPI 3.1), /docs
// shows the same to people. Both need no key.
//
// Every other answer is JSON in one of two shapes, also for unknown routes and wrong
// methods: {code, meta, response} or {code, meta, error_message, errors} of the
// content interface, and plain objects or {"detail": ..} of the engine.
//
// A request that creates something may carry an Idempotency-Key. For 24 hours the same
// one then gets the first answer again and creates nothing more, see
// [quire.Library.Once].
//
// Options.Authenticate replaces API keys by what the application knows its users by. Whatever
// it refuses is answered with 401, or 403 if it says so: an error that it returns of a user or
// key that was not found is no 404, which would be about what the path names.
//
// Users, API keys and what users do with content (uses, votes, saves, favourites,
// comments, rates and sales) have no routes: they are methods of [quire.Library].
//
// Handlers hold no rules. They decode, call the Library or the Engine, and encode; what
// may be done by whom is decided there. A body has to be one JSON value in UTF-8 without
// repeated keys, and a known field has to have its type. Unknown fields are passed over, so
// that a client may send back what it was answered, unless Options.StrictFields refuses them.
package httpapi
