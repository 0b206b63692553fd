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
