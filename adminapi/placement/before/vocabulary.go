package before

import (
	"cmp"
	"slices"
	"strings"
)

// Word is a key or value that nodes have, and how many have it.
type Word struct {
	Text  string // as it came
	Nodes int
}

// LabelKeys returns the keys of the labels of nodes, sorted.
func LabelKeys(nodes []Node) []Word {
	counts := map[string]int{}
	for i := range nodes {
		for key := range nodes[i].Labels {
			counts[key]++
		}
	}
	return sortedWords(counts)
}

// LabelValues returns the values that nodes have for a label, sorted.
func LabelValues(nodes []Node, key string) []Word {
	counts := map[string]int{}
	for i := range nodes {
		if value, ok := nodes[i].Labels[key]; ok {
			counts[value]++
		}
	}
	return sortedWords(counts)
}

func sortedWords(counts map[string]int) []Word {
	words := make([]Word, 0, len(counts))
	for text, n := range counts {
		words = append(words, Word{text, n})
	}
	slices.SortFunc(words, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	return words
}

// TaintCount is a taint and how many nodes have it.
type TaintCount struct {
	Taint
	Nodes int
}

// Taints returns the taints of nodes, sorted by key, value and effect.
func Taints(nodes []Node) []TaintCount {
	counts := map[Taint]int{}
	for i := range nodes {
		for _, t := range nodes[i].Taints {
			counts[t]++
		}
	}
	taints := make([]TaintCount, 0, len(counts))
	for t, n := range counts {
		taints = append(taints, TaintCount{t, n})
	}
	slices.SortFunc(taints, func(a, b TaintCount) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value), strings.Compare(a.Effect, b.Effect))
	})
	return taints
}

// maxDistance is how many letters a misspelt word may be off.
const maxDistance = 2

// nearest returns the word of a list that was most likely meant: the same but for
// case or for the prefix before the slash, or a few letters off.
func nearest(text string, words []string) (string, bool) {
	best, fewest := "", maxDistance+1
	for _, w := range words {
		if w == text || w == "" {
			continue
		}
		if strings.EqualFold(w, text) || strings.HasSuffix(w, "/"+text) {
			return w, true
		}
		if d := distance(text, w, fewest); d < fewest && 2*d < len(text) {
			best, fewest = w, d
		}
	}
	return best, best != ""
}

// distance counts the letters to insert, drop, change or swap to get from a to b;
// most where there are that many or more.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most || len(a) > 253 {
		return most
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
		least := row[0]
		for k := range len(b) {
			changed := last[k]
			if a[i] != b[k] {
				changed++
			}
			row[k+1] = min(last[k+1]+1, row[k]+1, changed)
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				row[k+1] = min(row[k+1], before[k-1]+1)
			}
			least = min(least, row[k+1])
		}
		if least > most {
			return most
		}
		rows[0], rows[1], rows[2] = last, row, before
	}
	return min(rows[1][len(b)], most)
}
