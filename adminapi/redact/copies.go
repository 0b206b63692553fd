package redact

import (
	"slices"
	"strings"
)

// Copies finds the texts at a place (of a code and a time) that are one text, in which a secret
// stands in some and a mask in others: whether it was known differs from session to session. A
// value is kept for each text with its copies. The zero value is empty.
type Copies[Place comparable, Value any] struct {
	at map[Place][]*copies[Value]
}

type copies[Value any] struct {
	texts []string
	value Value
}

// Expect prepares for copies at a place where a masked text stands, and reports whether it was
// not prepared.
func (c *Copies[Place, Value]) Expect(at Place) bool {
	if c.Expected(at) {
		return false
	}
	if c.at == nil {
		c.at = map[Place][]*copies[Value]{}
	}
	c.at[at] = nil
	return true
}

// Expected reports whether copies may stand at a place.
func (c *Copies[Place, Value]) Expected(at Place) bool {
	if len(c.at) == 0 {
		return false
	}
	_, found := c.at[at]
	return found
}

// Of returns the value of a text and its copies, and whether the text itself is new. Where it is
// a copy of several, which differ in what it has masked, they become one by join.
func (c *Copies[Place, Value]) Of(at Place, text string, join func(into *Value, from Value)) (value *Value, isNew bool) {
	var into *copies[Value]
	var others []*copies[Value]
	for _, known := range c.at[at] {
		if slices.Contains(known.texts, text) {
			return &known.value, false
		}
		switch copied := slices.ContainsFunc(known.texts, func(other string) bool { return covers(other, text) || covers(text, other) }); {
		case copied && into == nil:
			into = known
		case copied:
			into.texts = append(into.texts, known.texts...)
			join(&into.value, known.value)
			continue
		}
		others = append(others, known)
	}
	if into == nil {
		into = &copies[Value]{}
		others = append(others, into)
	}
	into.texts = append(into.texts, text)
	c.at[at] = others
	return &into.value, true
}

// covers reports whether a text becomes the masked one where secrets in it are masked.
func covers(masked, text string) bool {
	parts := strings.Split(masked, Mask)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) < 2 || len(text) <= len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		if text == "" { // each mask stands for something
			return false
		}
		_, rest, found := strings.Cut(text[1:], part)
		if !found {
			return false
		}
		text = rest
	}
	return text != ""
}
