// Package spelling finds the names that a misspelled one may stand for. Start at [Near] and [Nearest];
// [Question] asks for them.
package spelling

import "strings"

// Near returns the known names that are much like name, in their order.
func Near(name string, known []string) (near []string) {
	for _, k := range known {
		lower, typed, limit := strings.ToLower(k), strings.ToLower(name), 2+len(name)/4
		if name != "" && (strings.HasPrefix(lower, typed) || Distance(typed, lower, limit) < limit) {
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
		if d := Distance(strings.ToLower(name), strings.ToLower(k), least); d < least && k != name {
			nearest, least = k, d
		}
	}
	return nearest
}

// Question asks whether one of the names was meant; empty without any.
func Question(near ...string) string {
	if len(near) == 0 {
		return ""
	}
	return "Did you mean " + strings.Join(near, " or ") + "?"
}

// Distance counts the letters to insert, delete, change or swap to get from a to b;
// limit where there are that many or more.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 253 {
		return limit
	}
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for k := range rows[1] {
		rows[1][k] = k
	}
	for i := range len(a) {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i + 1
		lowest := row[0]
		for k := range len(b) {
			changed := last[k]
			if a[i] != b[k] {
				changed++
			}
			row[k+1] = min(last[k+1]+1, row[k]+1, changed)
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				row[k+1] = min(row[k+1], before[k-1]+1)
			}
			lowest = min(lowest, row[k+1])
		}
		if lowest > limit {
			return limit
		}
		rows[0], rows[1], rows[2] = last, row, before
	}
	return min(rows[1][len(b)], limit)
}
