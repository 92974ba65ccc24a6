package feature

import "math"

// The lengths of character n-grams.
const (
	MinGram = 3
	MaxGram = 5
)

// The seeds of the hashes: FNV-1a's offset basis, changed for n-grams so that the
// word "abc" and the n-gram "abc" are two features.
const (
	wordSeed uint64 = 0xcbf29ce484222325
	gramSeed uint64 = wordSeed ^ 0xff
)

// hash returns the 64-bit FNV-1a hash of text.
func hash(seed uint64, text string) uint64 {
	const prime = 0x100000001b3
	for i := range len(text) {
		seed = (seed ^ uint64(text[i])) * prime
	}
	return seed
}

// Vector is a vector that features are hashed into. Each is added, with a sign, to
// one component chosen by its hash (Weinberger et al., "Feature Hashing for Large
// Scale Multitask Learning", ICML 2009), which keeps inner products right in the mean.
type Vector []float32

// Saturated returns what n occurrences count together, relative to one: 1 + ln n.
func Saturated(n int) float32 {
	if n == 1 {
		return 1
	}
	return float32(1 + math.Log(float64(n)))
}

// AddTerms adds terms, each weighing as much as its occurrences together; the character
// n-grams of a word together weigh gramWeight, relative to the word.
func (v Vector) AddTerms(terms []Term, gramWeight float32) {
	for _, t := range terms {
		weight := t.Weight * Saturated(t.Count)
		v.add(hash(wordSeed, t.Text), weight)
		if t.HasGrams {
			v.addGrams(t.Text, weight*gramWeight)
		}
	}
}

// add adds a feature.
func (v Vector) add(feature uint64, weight float32) {
	// FNV's high bits hardly depend on the last bytes: mix (MurmurHash3's finalizer).
	feature ^= feature >> 33
	feature *= 0xff51afd7ed558ccd
	feature ^= feature >> 33
	feature *= 0xc4ceb9fe1a85ec53
	feature ^= feature >> 33
	i := (feature >> 32) * uint64(len(v)) >> 32
	if feature&1 == 0 {
		weight = -weight
	}
	v[i] += weight
}

// addGrams adds the character n-grams of a word, its ends marked, so that together
// they have the given weight.
func (v Vector) addGrams(word string, weight float32) {
	word = "<" + word + ">"
	var buffer [160]int
	starts := buffer[:0]
	for i := range word {
		starts = append(starts, i)
	}
	starts = append(starts, len(word))
	chars, grams := len(starts)-1, 0
	for n := MinGram; n <= MaxGram; n++ {
		grams += max(0, chars-n+1)
	}
	weight /= float32(math.Sqrt(float64(max(grams, 1))))
	for n := MinGram; n <= MaxGram; n++ {
		for i := range max(0, chars-n+1) {
			v.add(hash(gramSeed, word[starts[i]:starts[i+n]]), weight)
		}
	}
}

// Scale multiplies the vector so that it has the given length. It returns false, and
// does nothing, if the vector is zero.
func (v Vector) Scale(length float64) bool {
	var sum float64
	for _, x := range v {
		sum += float64(float64(x) * float64(x)) // the conversion forbids a fused multiply-add
	}
	if sum == 0 {
		return false
	}
	scale := length / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
