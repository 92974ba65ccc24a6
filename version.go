package quire

// MaxVersion is the largest version of an elemental or list, which a number of JSON holds in
// every language.
const MaxVersion = maxNumber

// NextVersion returns the version of an elemental or list after its change: after MaxVersion
// comes 1. So a change always shows, and what is exported can be imported again.
func NextVersion(version int64) int64 { return version%MaxVersion + 1 }
