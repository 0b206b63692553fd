package before

import (
	"slices"
	"strconv"
	"strings"
)

// likeness says how alike two values are.
type likeness uint8

const (
	different likeness = iota
	rewritten          // the same value, but a number or text is written in another way
	same               // but for white space and the order of keys
)

// compare compares two values by meaning, arrays element by element.
func compare(a, b Node) likeness {
	rawA, rawB := a.Raw(), b.Raw()
	switch kind := a.Kind(); {
	case kind != b.Kind():
		return different
	case rawA == rawB:
		return same
	case kind == Object:
		return compareObjects(a, b)
	case kind == Array:
		return compareArrays(a, b)
	case kind == String && a.Text() == b.Text(), kind == Number && numberOf(rawA) == numberOf(rawB):
		return rewritten
	}
	return different
}

func compareObjects(a, b Node) likeness {
	if a.Len() != b.Len() {
		return different
	}
	result := same
	for child := range a.Children() {
		other := child.sibling(b)
		if !other.Valid() {
			return different
		}
		if result = min(result, compare(child, other)); result == different {
			return different
		}
	}
	return result
}

func compareArrays(a, b Node) likeness {
	if a.Len() != b.Len() {
		return different
	}
	result := same
	for x, y := a.First(), b.First(); x.Valid(); x, y = x.Next(), y.Next() {
		if result = min(result, compare(x, y)); result == different {
			return different
		}
	}
	return result
}

// number is a number by its value: its digits without zeros at either end, and
// the power of ten of the last one. What is beyond any arithmetic is its text.
type number struct {
	digits   string
	exponent int
	negative bool
}

func numberOf(raw string) number {
	text, negative := strings.CutPrefix(raw, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1<<40 || exponent < -1<<40 {
			return number{digits: raw}
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return number{}
	}
	return number{trimmed, exponent + len(digits) - len(trimmed), negative}
}

// writing says when two numbers or texts count as equal.
type writing uint8

const (
	asMeant   writing = iota // 1 is 1.0
	asWritten                // it is not
)

// canonical appends a text that is equal for values that are equal, in whatever
// order their keys are.
func (n Node) canonical(out []byte, way writing) []byte {
	switch n.Kind() {
	case Object:
		members := make([]string, 0, n.Len())
		for child := range n.Children() {
			key, _ := child.Key()
			members = append(members, string(child.canonical(strconv.AppendQuote(nil, key), way)))
		}
		slices.Sort(members)
		return append(append(append(out, '{'), strings.Join(members, ",")...), '}')
	case Array:
		out = append(out, '[')
		for child := range n.Children() {
			out = append(child.canonical(out, way), ',')
		}
		return append(out, ']')
	}
	return n.scalar(out, way)
}

func (n Node) scalar(out []byte, way writing) []byte {
	switch kind := n.Kind(); {
	case way == asWritten:
		return append(out, n.Raw()...)
	case kind == Number:
		v := numberOf(n.Raw())
		out = append(strconv.AppendBool(out, v.negative), v.digits...)
		return strconv.AppendInt(append(out, 'e'), int64(v.exponent), 10)
	case kind == String:
		return strconv.AppendQuote(out, n.Text())
	}
	return append(out, n.Raw()...)
}
