package eval

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	// The discounts of ranks 1 to 4: 1, 0.630930, 0.5, 0.430677.
	for _, tt := range []struct {
		name            string
		found, relevant []int
		k               int
		ndcg, recall    float64
		rank, hit       float64
	}{
		{"nothing found", nil, []int{1}, 10, 0, 0, 0, 0},
		{"nothing relevant", []int{0, 0}, nil, 10, 0, 0, 0, 0},
		{"first", []int{1, 0}, []int{1}, 10, 1, 1, 1, 1},
		{"third", []int{0, 0, 1}, []int{1}, 10, 0.5, 1, 1.0 / 3, 1},
		{"behind the cut", []int{0, 0, 1}, []int{1}, 2, 0, 0, 0, 0},
		{"one of two", []int{0, 1}, []int{1, 1}, 10, 0.630930 / 1.630930, 0.5, 0.5, 1},
		// (2*0.630930 + 1*0.5) / (2 + 1*0.630930), with a linear gain.
		{"grades", []int{0, 2, 1}, []int{2, 1}, 10, 1.761860 / 2.630930, 1, 0.5, 1},
		{"the ideal is cut, too", []int{1}, []int{1, 1, 1}, 1, 1, 1.0 / 3, 1, 1},
		{"less than nothing is nothing", []int{-1, 1}, []int{1, -1}, 10, 0.630930, 1, 0.5, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, m := range []struct {
				name string
				of   func([]int, []int, int) float64
				want float64
			}{{"nDCG", NDCG, tt.ndcg}, {"Recall", Recall, tt.recall}, {"ReciprocalRank", ReciprocalRank, tt.rank}, {"Hit", Hit, tt.hit}} {
				if got := m.of(tt.found, tt.relevant, tt.k); math.Abs(got-m.want) > 1e-5 {
					t.Errorf("%s@%d = %.6f, want %.6f", m.name, tt.k, got, m.want)
				}
			}
		})
	}
}

// TestMetricsModel checks what holds for every ranking: figures are 0..1, the ideal order
// has 1, and a better one that comes before a worse one is never a loss.
func TestMetricsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		found := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 20).Draw(t, "found")
		relevant := slices.DeleteFunc(slices.Clone(found), func(g int) bool { return g == 0 })
		slices.SortFunc(relevant, func(a, b int) int { return b - a })
		for _, m := range DefaultMetrics() {
			figure := m.Of(found, relevant)
			if figure < 0 || figure > 1 {
				t.Fatalf("%s = %v", m.Name, figure)
			}
			if ideal := m.Of(relevant, relevant); len(relevant) > 0 && len(relevant) <= m.Cut && ideal != 1 {
				t.Fatalf("%s of the ideal order = %v", m.Name, ideal)
			}
			i := rapid.IntRange(0, len(found)-1).Draw(t, "i")
			j := rapid.IntRange(i, len(found)-1).Draw(t, "j")
			if better := slices.Clone(found); better[i] < better[j] {
				better[i], better[j] = better[j], better[i]
				if got := m.Of(better, relevant); got < figure-1e-12 {
					t.Fatalf("%s falls from %v to %v as %d and %d change places in %v", m.Name, figure, got, i, j, found)
				}
			}
		}
	})
}

func TestSignificance(t *testing.T) {
	t.Parallel()
	same := func(n int, value float64) []float64 { return slices.Repeat([]float64{value}, n) }
	for _, tt := range []struct {
		name        string
		differences []float64
		want        float64
	}{
		{"nothing", nil, 1},
		{"no difference", same(100, 0), 1},
		{"one", []float64{0.5}, 1},
		{"three of a kind", same(3, 0.1), 0.25}, // all plus and all minus, of 8
		{"zeros do not count", append(same(50, 0), same(3, -0.1)...), 0.25},
		{"balanced", []float64{0.1, -0.1}, 1},
		{"a large one among small ones", []float64{1, 0.1, 0.1}, 0.25},
		{"one against", []float64{1, 1, 1, -1}, 0.625}, // sums of 2 or more, or -2 or less: 10 of 16
		{"ten of a kind", same(10, 0.2), 2.0 / 1024},
		{"drawn at random, far off", same(100, 0.2), 1.0 / (trials + 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Significance(tt.differences); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestSignificanceIsEven: with signs drawn at random, p-values of differences by chance are
// below 0.05 about as often as they should be, and those of 14 differences agree with those
// of the same ones among more.
func TestSignificanceIsEven(t *testing.T) {
	t.Parallel()
	below, all := 0, 0
	for seed := range 200 {
		var differences []float64
		for i := range 40 {
			differences = append(differences, math.Sin(float64(seed*1000+i*i*7+i)))
		}
		all++
		if Significance(differences) < 0.05 {
			below++
		}
	}
	if share := float64(below) / float64(all); share > 0.12 {
		t.Errorf("%.3f of the p-values are below 0.05", share)
	}
	exact := []float64{0.9, -0.2, 0.4, 0.3, -0.5, 0.7, 0.2, 0.1, -0.3, 0.6, 0.2, -0.1, 0.3, 0.4}
	drawn := append(slices.Clone(exact), 1e-12)
	if a, b := Significance(exact), Significance(drawn); math.Abs(a-b) > 0.01 {
		t.Errorf("exact %.4f, drawn %.4f", a, b)
	}
}
