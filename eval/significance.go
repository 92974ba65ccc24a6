package eval

import "math/rand/v2"

const (
	// exactUpTo is for how many differences all signs are tried.
	exactUpTo = 14
	// trials is how many random signs are tried where there are more.
	trials = 20_000
)

// Significance returns the probability that the mean of differences between two settings,
// measured on the same queries, would be as far from 0 as it is if the settings were as
// good as each other: the p-value of the two-sided paired randomisation test. Each
// difference then could as well have the other sign, so signs are drawn at random, always
// the same ones, and it is counted how often the mean comes out as far from 0 or farther.
// Up to 14 differences other than 0 all signs are tried. 1 if there is no difference.
//
// Unlike the t-test it assumes no distribution, and unlike the sign test it sees how large
// the differences are: Smucker, Allan, Carterette, "A Comparison of Statistical
// Significance Tests for Information Retrieval Evaluation" (CIKM 2007).
func Significance(differences []float64) float64 {
	var sizes []float64
	observed := 0.0
	for _, d := range differences {
		observed += d
		if d != 0 {
			sizes = append(sizes, d)
		}
	}
	if len(sizes) == 0 {
		return 1
	}
	// Sums of the same numbers in another order may differ in the last digits.
	observed = max(observed, -observed) - 1e-9
	reached := func(sum float64) bool { return sum >= observed || -sum >= observed }
	if len(sizes) <= exactUpTo {
		n, all := 0, 1<<len(sizes)
		for signs := range all {
			if reached(signed(sizes, func() uint64 { return uint64(signs) })) {
				n++
			}
		}
		return float64(n) / float64(all)
	}
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for range trials {
		if reached(signed(sizes, random.Uint64)) {
			n++
		}
	}
	// What was observed is one of the possible outcomes itself.
	return float64(n+1) / float64(trials+1)
}

// signed sums numbers up with the signs that bits say, 64 of them at a time.
func signed(sizes []float64, bits func() uint64) float64 {
	sum, signs := 0.0, uint64(0)
	for i, d := range sizes {
		if i%64 == 0 {
			signs = bits()
		}
		if signs&1 == 1 {
			d = -d
		}
		sum += d
		signs >>= 1
	}
	return sum
}
