// Package store holds [Memory], a [quire.Store] in memory that needs nothing but
// the standard library.
//
// It is for tests, for programs that are over before their content matters, and
// as the reference for those who write another Store: it keeps every rule of the
// contract in the plainest way. What it keeps ends with the process, and all of it
// must fit into memory. Package store/sqlite keeps content on disk, and package
// store/storetest checks any implementation.
package store
