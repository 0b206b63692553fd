// Package lists makes one list of another.
package lists

// Each returns what of makes of each element of a list, never nil.
func Each[T, R any](list []T, of func(T) R) []R {
	all := make([]R, len(list))
	for i, one := range list {
		all[i] = of(one)
	}
	return all
}
