package eval

import (
	"math"
	"strconv"
)

// Metric is a figure of one query, averaged over all of them.
type Metric struct {
	Name string
	// Cut is how many of what was found it looks at. Run leaves out what looks at more than
	// Options.Limit.
	Cut int
	// Of returns the figure, 0..1. found are the grades of what was found, best first,
	// 0 for what is not relevant; relevant are the grades of all that there is to be found,
	// descending.
	Of func(found, relevant []int) float64
}

// DefaultMetrics returns those that Run takes if it is not told others: nDCG@10,
// Recall@10, Recall@100, MRR@10 and Hit@3.
func DefaultMetrics() []Metric {
	return []Metric{
		at("nDCG", 10, NDCG), at("Recall", 10, Recall), at("Recall", 100, Recall), at("MRR", 10, ReciprocalRank), at("Hit", 3, Hit),
	}
}

// at makes a metric of a function and its cut.
func at(name string, k int, of func(found, relevant []int, k int) float64) Metric {
	return Metric{
		Name: name + "@" + strconv.Itoa(k), Cut: k,
		Of: func(found, relevant []int) float64 { return of(found, relevant, k) },
	}
}

// NDCG is the normalised discounted cumulative gain of the first k: the sum of the grades,
// each divided by the binary logarithm of its rank plus one, beside the greatest sum that
// there could be. 1 means that the k best are in front in the order of their grades. 0 if
// nothing is relevant.
//
// The gain is the grade itself, as in trec_eval and with it in BEIR's published figures,
// and not 2 to the power of the grade less one; for grades of 0 and 1 both are the same.
// Source: Järvelin, Kekäläinen, "Cumulated Gain-based Evaluation of IR Techniques" (ACM
// TOIS 20, 2002).
func NDCG(found, relevant []int, k int) float64 {
	ideal := gain(relevant, k)
	if ideal == 0 {
		return 0
	}
	return gain(found, k) / ideal
}

// gain is the discounted cumulative gain of the first k.
func gain(grades []int, k int) float64 {
	sum := 0.0
	for i, grade := range grades[:min(k, len(grades))] {
		sum += float64(max(grade, 0)) / math.Log2(float64(i+2))
	}
	return sum
}

// Recall is the share of what is relevant, grade 1 or more, that is among the first k. 0 if
// nothing is relevant.
func Recall(found, relevant []int, k int) float64 {
	all := count(relevant)
	if all == 0 {
		return 0
	}
	return float64(count(found[:min(k, len(found))])) / float64(all)
}

func count(grades []int) int {
	n := 0
	for _, grade := range grades {
		if grade > 0 {
			n++
		}
	}
	return n
}

// ReciprocalRank is one divided by the rank of the first relevant one among the first k, 0
// if there is none. Its mean over queries is MRR@k: Voorhees, "The TREC-8 Question Answering
// Track Report" (1999).
func ReciprocalRank(found, _ []int, k int) float64 {
	for i, grade := range found[:min(k, len(found))] {
		if grade > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Hit is 1 if a relevant one is among the first k, else 0.
func Hit(found, _ []int, k int) float64 {
	if count(found[:min(k, len(found))]) > 0 {
		return 1
	}
	return 0
}
