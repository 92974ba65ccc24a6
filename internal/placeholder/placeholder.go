// Package placeholder finds and fills the placeholders of a body: #word and
// #[name with spaces].
package placeholder

// List returns the placeholders of body as they are written (#word, #[a name]), in
// order of first appearance, without duplicates. It is nil if there is none.
func List(body string) []string { return nil }

// Fill replaces every placeholder of body that values has, in one pass: a value is
// never scanned again. The keys of values are written as List gives them; a
// placeholder without a value stays as it is.
func Fill(body string, values map[string]string) string { return body }
