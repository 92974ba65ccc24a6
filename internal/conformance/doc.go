// Package conformance holds the HTTP interface against its OpenAPI document: every
// answer of the test suite of httpapi, and those of a server that runs.
//
// It is a module of its own, so that nobody who imports Quire sees what reads and
// checks the document.
package conformance
