package before

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// trouble is something wrong with a line or a toleration by itself.
type trouble struct {
	severity Severity
	key      string // the member of the JSON, "" for the whole
	text     string
}

type troubles []trouble

func (t *troubles) block(key, text string) { *t = append(*t, trouble{Blocking, key, text}) }
func (t *troubles) warn(key, text string)  { *t = append(*t, trouble{Warning, key, text}) }

func ordinal(index int) string { return strconv.Itoa(index + 1) }

// lines looks at every line of a term.
func (c *checker) lines(t Term, path string) {
	place, counts, first := c.place, [2]int{}, map[string]int{}
	for k, l := range t.Lines {
		list, n := keyExpressions, 0
		if l.Field {
			list, n = keyFields, 1
		}
		line := path + "." + list + inBrackets(counts[n])
		counts[n]++
		at := AtLine(place.Item, place.Kind, place.Term, k)
		found := lineTroubles(l)
		c.troubles(at, line, found)
		c.at(at, line)
		if other, known := first[l.meaning()]; known {
			c.warn("the line is the same as line " + ordinal(other) + ", so it adds nothing")
		} else {
			first[l.meaning()] = k
		}
		if c.words != nil && !l.Field && len(found) == 0 {
			c.spelling(l)
		}
	}
}

func (c *checker) troubles(at Place, path string, found troubles) {
	for _, t := range found {
		c.at(at, path)
		if t.key != "" {
			c.path += "." + t.key
		}
		c.add(t.severity, t.text)
	}
}

// lineTroubles says what is wrong with a line, whatever the others are.
func lineTroubles(l Line) (t troubles) {
	if l.Field {
		t.field(l)
		return t
	}
	t.labelKey(l.Key)
	t.lineOperator(l.Operator)
	t.count(l)
	for _, v := range l.Values {
		t.labelValue(keyValues, v)
	}
	if l.Operator == In && hasRepeats(l.Values) {
		t.warn(keyValues, "a value is listed twice")
	}
	return t
}

// field looks at a line of matchFields, of which Kubernetes knows very few.
func (t *troubles) field(l Line) {
	if l.Key != fieldName {
		t.block(keyKey, "matchFields knows the key "+fieldName+" only")
	}
	if l.Operator != In && l.Operator != NotIn {
		t.block(keyOperator, "matchFields knows the operators In and NotIn only")
	}
	if len(l.Values) != 1 {
		t.block(keyValues, "a line of matchFields has exactly one value")
	}
}

const labelSyntax = "letters, digits, - _ and . only, a letter or digit at both ends, at most 63 characters"

func (t *troubles) labelKey(key string) {
	switch {
	case key == "":
		t.block(keyKey, "the key is empty")
	case len(content.IsLabelKey(key)) > 0:
		t.block(keyKey, "the key "+word(key)+" is no name of a label: "+labelSyntax+", after a DNS name and a slash where there is a prefix")
	}
}

func (t *troubles) labelValue(key, value string) {
	if len(content.IsLabelValue(value)) > 0 {
		t.block(key, "the value "+word(value)+" is none a label can have: "+labelSyntax)
	}
}

func (t *troubles) lineOperator(operator string) {
	switch {
	case slices.Contains(Operators(), operator):
	case operator == Gt || operator == Lt:
		t.warn(keyOperator, "the operator "+operator+" is one of Kubernetes; the API's contract does not have it")
	default:
		t.unknown(keyOperator, "operator", operator, append(Operators(), Gt, Lt))
	}
}

// unknown says that a word is none of those allowed, and which was meant.
func (t *troubles) unknown(key, noun, text string, allowed []string) {
	sentence := "the " + noun + " " + word(text) + " is not known"
	if text == "" {
		sentence = "the " + noun + " is missing"
	}
	if meant, ok := nearest(text, allowed); ok {
		sentence += "; did you mean " + meant + "?"
	} else {
		sentence += "; there are " + strings.Join(allowed, ", ")
	}
	t.block(key, sentence)
}

// count compares an operator with how many values there are.
func (t *troubles) count(l Line) {
	switch l.Operator {
	case In, NotIn:
		if len(l.Values) == 0 {
			t.block(keyValues, l.Operator+" needs at least one value")
		}
	case Exists, DoesNotExist:
		if len(l.Values) > 0 {
			t.block(keyValues, l.Operator+" takes no value")
		}
	case Gt, Lt:
		if len(l.Values) != 1 || !isInteger(l.Values[0]) {
			t.block(keyValues, l.Operator+" takes exactly one value, a whole number")
		}
	}
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func hasRepeats(values []string) bool {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted)) < len(values)
}

// meaning is the same text for lines that mean the same, whatever the order of
// their values.
func (l Line) meaning() string {
	parts := append([]string{l.Operator, l.Key, strconv.FormatBool(l.Field)}, slices.Sorted(slices.Values(l.Values))...)
	return strings.Join(parts, "\x00")
}

// meaning is the same text for terms of the same lines, in whatever order; "" for
// a term without any.
func (t Term) meaning() string {
	var lines []string
	for _, l := range t.Lines {
		lines = append(lines, l.meaning())
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\x01")
}
