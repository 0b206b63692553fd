package placement

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
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
	slices.SortStableFunc(words, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
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
	slices.SortStableFunc(taints, func(a, b TaintCount) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value), strings.Compare(a.Effect, b.Effect))
	})
	return taints
}

// maxDistance is how many letters a misspelt word may differ in.
const maxDistance = 2

// Nearest returns the word of a list that is most likely intended, if any is near.
func Nearest(text string, words []Word) (Word, bool) {
	texts := lists.Each(words, func(w Word) string { return w.Text })
	near, ok := nearest(text, texts)
	if !ok {
		return Word{}, false
	}
	return words[slices.Index(texts, near)], true
}

// nearest returns the word of a list that is most likely intended: the same but for
// case or for the prefix before the slash, a few letters off, or begun.
func nearest(text string, words []string) (string, bool) {
	best, fewest := "", maxDistance+1
	for _, w := range words {
		if w == text || w == "" {
			continue
		}
		if strings.EqualFold(w, text) || strings.HasSuffix(w, "/"+text) {
			return w, true
		}
		if d := spelling.Distance(text, w, fewest); d < fewest && (2*d < len(text) || len(text) > 1 && strings.HasPrefix(w, text)) {
			best, fewest = w, d
		}
	}
	return best, best != ""
}

// maxSuggestions bounds the search for suggestions, which compares with every word of
// the nodes.
const maxSuggestions = 20

// knownWords are the keys and values that nodes have, for those keys only that a
// policy uses.
type knownWords struct {
	keys        []string
	values      map[string][]string // of labels, by key
	taintKeys   []string
	taintValues map[string][]string
	suggested   int
}

func newKnownWords(p Policy, nodes []Node) *knownWords {
	w := &knownWords{values: map[string][]string{}, taintValues: map[string][]string{}}
	for _, i := range p.items {
		for _, t := range slices.Concat(i.Required.Terms, i.Preferred.Terms) {
			for _, l := range t.Lines {
				w.values[l.Key] = nil
			}
		}
	}
	for key := range w.values {
		for _, value := range LabelValues(nodes, key) {
			w.values[key] = append(w.values[key], value.Text)
		}
	}
	for _, key := range LabelKeys(nodes) {
		w.keys = append(w.keys, key.Text)
	}
	for _, t := range Taints(nodes) {
		if !slices.Contains(w.taintValues[t.Key], t.Value) {
			w.taintValues[t.Key] = append(w.taintValues[t.Key], t.Value)
		}
	}
	w.taintKeys = slices.Sorted(maps.Keys(w.taintValues))
	return w
}

// suggest returns the nearest word as the end of a sentence.
func (w *knownWords) suggest(text string, words []string) string {
	if w.suggested++; w.suggested > maxSuggestions {
		return ""
	}
	if other, ok := nearest(text, words); ok {
		return "; did you mean " + cleanWord(other) + "?"
	}
	return ""
}

// spelling compares a line with the labels that nodes have.
func (c *checker) spelling(l Line) {
	values, path := c.words.values[l.Key], c.path
	defer func() { c.path = path }()
	if len(values) == 0 {
		c.path = path.Key(keyKey)
		meant := c.words.suggest(l.Key, c.words.keys)
		text := "no node has the label " + cleanWord(l.Key)
		switch {
		case l.Operator != NotIn && l.Operator != DoesNotExist:
			c.unlike(text, meant)
		case l.Operator == NotIn || meant != "":
			c.unlike(text+", so this line excludes no node", meant)
		}
		return
	}
	if l.Operator != In && l.Operator != NotIn {
		return
	}
	c.path = path.Key(keyValues)
	for _, v := range l.Values {
		if _, has := slices.BinarySearch(values, v); has {
			continue
		}
		meant := c.words.suggest(v, values)
		if l.Operator == In || meant != "" {
			c.unlike("no node has "+cleanWord(l.Key)+"="+cleanWord(v), meant)
		}
	}
}

// taintSpelling compares a toleration with the taints that nodes have. That no
// node has the taint is no fault: tolerations come before taints.
func (c *checker) taintSpelling(t Toleration) {
	if t.Key == "" {
		return
	}
	path := c.path
	defer func() { c.path = path }()
	values, known := c.words.taintValues[t.Key]
	if !known {
		c.path = path.Key(keyKey)
		if meant := c.words.suggest(t.Key, c.words.taintKeys); meant != "" {
			c.unlike("no node has a taint "+cleanWord(t.Key), meant)
		}
		return
	}
	c.path = path.Key(keyValue)
	if t.Operator != Exists && !slices.Contains(values, t.Value) {
		c.warn("no node has the taint " + cleanWord(t.Key) + "=" + cleanWord(t.Value) + "; there is " + plain.Listed(cleanWords(values), 3, ", ", ", "))
	}
}
