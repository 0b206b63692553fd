package sorting_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"geodeck/adminapi/sorting"
)

func TestEqualElementsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	type element struct{ key, at int }
	byKey := func(a, b element) int { return a.key - b.key }
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]element, r.IntN(200))
		for i := range list {
			list[i] = element{r.IntN(20), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		if sorting.Stable(list, byKey); !slices.Equal(list, want) {
			t.Fatalf("seed %d: %v, want %v", seed, list, want)
		}
	}
}
