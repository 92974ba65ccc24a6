package quire

import "math"

// Page selects a part of a longer result.
type Page struct {
	Number int // from 1; 0 means 1
	Size   int // 1..100; 0 means 4
}

// The limits of a Page.
const (
	DefaultPageSize = 4
	MaxPageSize     = 100
)

// maxPage keeps offsets inside 32 bits, so that they overflow nowhere.
const maxPage = math.MaxInt32 / MaxPageSize

// Paged is one page of a result.
type Paged[T any] struct {
	Items []T
	Total int // all matches, on whatever page
	Page  Page
}

// normal fills the defaults in and checks the limits.
func (p Page) normal() (Page, error) {
	if p.Number == 0 {
		p.Number = 1
	}
	if p.Size == 0 {
		p.Size = DefaultPageSize
	}
	var probs problems
	if p.Size < 1 || p.Size > MaxPageSize {
		probs.add("size", "must be between 1 and %d", MaxPageSize)
	}
	if p.Number < 1 || p.Number > maxPage {
		probs.add("page", "must be between 1 and %d", maxPage)
	}
	return p, probs.err()
}

// offset is the number of results before the page; normal has bounded both
// factors, so that it cannot overflow.
func (p Page) offset() int { return (p.Number - 1) * p.Size }
