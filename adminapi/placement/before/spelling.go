package before

import "slices"

// maxSuggestions bounds the search for what was meant: it compares with every
// word that the nodes have.
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
	for _, key := range LabelKeys(nodes) {
		w.keys = append(w.keys, key.Text)
	}
	w.readValues(p.keys(), nodes)
	for _, t := range Taints(nodes) {
		if !slices.Contains(w.taintValues[t.Key], t.Value) {
			w.taintValues[t.Key] = append(w.taintValues[t.Key], t.Value)
		}
	}
	for key := range w.taintValues {
		w.taintKeys = append(w.taintKeys, key)
	}
	slices.Sort(w.taintKeys)
	return w
}

// readValues collects the values of some labels, sorted.
func (w *knownWords) readValues(keys map[string]bool, nodes []Node) {
	for i := range nodes {
		for key, value := range nodes[i].Labels {
			if keys[key] {
				w.values[key] = append(w.values[key], value)
			}
		}
	}
	for key, values := range w.values {
		slices.Sort(values)
		w.values[key] = slices.Compact(values)
	}
}

// keys returns the keys of labels that the lines of a policy look at.
func (p Policy) keys() map[string]bool {
	keys := map[string]bool{}
	for _, i := range p.items {
		for _, kind := range []Kind{Required, Preferred} {
			for _, t := range i.Affinity(kind).Terms {
				for _, l := range t.Lines {
					keys[l.Key] = true
				}
			}
		}
	}
	return keys
}

// meant proposes another word, as the end of a sentence.
func (w *knownWords) meant(text string, words []string) string {
	if w.suggested++; w.suggested > maxSuggestions {
		return ""
	}
	if other, ok := nearest(text, words); ok {
		return "; did you mean " + word(other) + "?"
	}
	return ""
}

// spelling compares a line with the labels that nodes have.
func (c *checker) spelling(l Line) {
	values, known := c.words.values[l.Key]
	path := c.path
	defer func() { c.path = path }()
	if !known {
		c.path += "." + keyKey
		c.unknownKey(l)
		return
	}
	if l.Operator != In && l.Operator != NotIn {
		return
	}
	c.path += "." + keyValues
	for _, v := range l.Values {
		if _, has := slices.BinarySearch(values, v); has {
			continue
		}
		meant := c.words.meant(v, values)
		if l.Operator == In || meant != "" {
			c.warn("no node has " + word(l.Key) + "=" + word(v) + meant)
		}
	}
}

func (c *checker) unknownKey(l Line) {
	meant := c.words.meant(l.Key, c.words.keys)
	text := "no node has the label " + word(l.Key)
	switch {
	case l.Operator != NotIn && l.Operator != DoesNotExist:
		c.warn(text + meant)
	case l.Operator == NotIn || meant != "":
		c.warn(text + ", so this line keeps no node away" + meant)
	}
}

// taintSpelling compares a toleration with the taints that nodes have. That no
// node has the taint is no fault: tolerations come before taints.
func (c *checker) taintSpelling(t Toleration) {
	if t.Key == "" {
		return
	}
	values, known := c.words.taintValues[t.Key]
	if !known {
		if meant := c.words.meant(t.Key, c.words.taintKeys); meant != "" {
			c.warn("no node has a taint " + word(t.Key) + meant)
		}
		return
	}
	if t.Operator != Exists && !slices.Contains(values, t.Value) {
		c.warn("no node has the taint " + word(t.Key) + "=" + word(t.Value) + "; there is " + listed(words(values), 3, ", "))
	}
}

// words makes words of others fit for a sentence.
func words(texts []string) []string {
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = word(text)
	}
	return clean
}
