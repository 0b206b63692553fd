// Package spelling finds the names that a misspelled one may stand for. Start at [Near] and [Nearest].
package spelling

import "strings"

// Near returns the known names that are much like name, in their order.
func Near(name string, known []string) (near []string) {
	for _, k := range known {
		if name != "" && (strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) || distance(strings.ToLower(k), strings.ToLower(name)) <= 1+len(name)/4) {
			near = append(near, k)
		}
	}
	return near
}

// Nearest returns the known name that a misspelled one is likely meant to be, the first of several; empty
// where none is near.
func Nearest(name string, known []string) (nearest string) {
	least := 2 + len(name)/5
	for _, k := range known {
		if d := distance(strings.ToLower(k), strings.ToLower(name)); d < least && k != name {
			nearest, least = k, d
		}
	}
	return nearest
}

// distance counts the letters to insert, remove or replace to make one word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
