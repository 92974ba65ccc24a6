// Package flat is a [quire.VectorIndex] of our own: exact search in memory, compared by
// cosine, at about the speed at which memory can be read.
//
// A vector is kept twice: as 32-bit numbers, and as 8-bit codes with the scale that turns
// them back and the distance that is lost on the way. A search reads the codes of all rows
// that match, a quarter of the bytes, and knows of each row between which bounds its score
// is (Cauchy and Schwarz; see bounds.upper). Only rows whose upper bound is among the limit
// best lower bounds are compared in full, some 20 of 100,000, so that what comes back is what
// comparing everything would find: the same ids, in the same order, with the same scores.
//
// Each value that filters can ask for has the set of its rows as bits. A filtered search
// intersects them first and reads the codes of what is left, so that it takes the less time
// the narrower the filter is.
//
// Searches work on the blocks that were there when they began and hold a lock only while
// they look up sets of rows; a change waits for none of them and publishes at once.
//
// The codes are compared with AVX2 on amd64 where the processor has it, with NEON on arm64,
// and in plain Go elsewhere, or everywhere with the build tag purego. All give the same
// results, bit for bit.
//
// All this is exact. For tenants of more than some 30,000 entries [Options.GraphRows] gives
// some of that up for speed: searches walk through a graph and compare what they find in
// full.
//
// A vector of D numbers takes 5 D bytes and some 200 for its id and filters.
package flat
