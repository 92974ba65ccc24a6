package markup

import "github.com/microcosm-cc/bluemonday"

var policy = bluemonday.UGCPolicy()

// Sanitize returns the safe part of an HTML fragment, by the rules of [HTML].
func Sanitize(fragment string) string { return policy.Sanitize(fragment) }
