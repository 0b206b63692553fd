package bench

import (
	"math"
	"slices"
	"time"
)

// Samples are measurements of one thing.
type Samples []float64

// Add adds one.
func (s *Samples) Add(x float64) { *s = append(*s, x) }

// AddTime adds a time in milliseconds.
func (s *Samples) AddTime(d time.Duration) { s.Add(d.Seconds() * 1000) }

// Quantile returns the smallest sample that a part of them does not exceed: 0.5 is the median.
// It is NaN where there are none.
func (s Samples) Quantile(part float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(0, int(math.Ceil(part*float64(len(s))))-1)]
}

// Growth is what became of samples that were taken one after the other.
type Growth struct {
	Early float64 // the median of the second quarter: the first one warms up
	Late  float64 // the median of the last quarter
	Most  float64
}

// More is by how much the end is above the beginning.
func (g Growth) More() float64 { return g.Late - g.Early }

// Growth compares the samples in the order in which they were added.
func (s Samples) Growth() Growth {
	n := len(s)
	return Growth{Early: s[n/4 : (n+1)/2].Quantile(0.5), Late: s[n-n/4:].Quantile(0.5), Most: s.Quantile(1)}
}
