// Package segment cuts text into the units that search works with: folded words
// for full-text indexing, phrases of a query, stems, sentences, Markdown blocks
// and estimated model tokens.
//
// Everything here is deterministic, takes any string (invalid UTF-8 included),
// runs in time linear in its input and is safe for concurrent use.
//
// # Words of a full-text index
//
// [Words] and [Query] fold text in the same way, so that what a user types is
// found as adjacent words of what was indexed. Words consist of letters, marks
// and digits only. Joined by spaces they suit an index that splits at ASCII
// punctuation and white space and folds nothing itself, such as the "ascii"
// tokenizer of SQLite's FTS5.
package segment
