// Package sorting sorts lists of structs. The generic functions of the standard library do
// that too, but add ten kilobytes to the program for each type that they sort.
package sorting

import "sort"

// Stable sorts list as slices.SortStableFunc does: equal elements keep their order.
func Stable[T any](list []T, compare func(a, b T) int) {
	sort.Stable(&elements{
		count: len(list),
		less:  func(i, j int) bool { return compare(list[i], list[j]) < 0 },
		swap:  func(i, j int) { list[i], list[j] = list[j], list[i] },
	})
}

// elements are those of a list of any type.
type elements struct {
	count int
	less  func(i, j int) bool
	swap  func(i, j int)
}

// Len is the number of elements, for [sort.Interface].
func (e *elements) Len() int { return e.count }

// Less reports whether the element at i sorts before that at j.
func (e *elements) Less(i, j int) bool { return e.less(i, j) }

// Swap exchanges two elements.
func (e *elements) Swap(i, j int) { e.swap(i, j) }
