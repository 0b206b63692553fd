package placement

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// problems are what is wrong with a line or a toleration by itself; their places are the members
// of the JSON, empty for the whole.
type problems []finding.Finding

func (p *problems) add(s finding.Strength, key, text string) {
	*p = append(*p, finding.Finding{Strength: s, Text: text, At: finding.Place{Path: key}})
}

// broken reports whether Kubernetes cannot read a line, whatever the others are.
func (l Line) broken() bool { return finding.Blocked(lineProblems(l)) }

func ordinal(index int) string { return strconv.Itoa(index + 1) }

// lines looks at every line of a term.
func (c *checker) lines(t Term, path document.Path) {
	place, counts, first := c.place, map[string]int{}, map[string]int{}
	for k, l := range t.Lines {
		list := keyExpressions
		if l.Field {
			list = keyFields
		}
		at, line := AtLine(place.Item, place.Kind, place.Term, k), path.Key(list).Index(counts[list])
		counts[list]++
		found := lineProblems(l)
		c.addProblems(at, line, found)
		c.at(at, line)
		if other, known := first[l.meaning()]; known {
			c.warn("the same as line " + ordinal(other))
		} else {
			first[l.meaning()] = k
		}
		if c.words != nil && !l.Field && len(found) == 0 {
			c.spelling(l)
		}
	}
}

func (c *checker) addProblems(at Place, path document.Path, found problems) {
	for _, p := range found {
		c.at(at, path)
		if p.At.Path != "" {
			c.path = path.Key(p.At.Path)
		}
		c.add(p.Strength, p.Text)
	}
}

// lineProblems says what is wrong with a line, whatever the others are.
func lineProblems(l Line) (found problems) {
	if l.Field { // of which Kubernetes knows very few
		if l.Key != fieldName {
			found.add(finding.Block, keyKey, "matchFields accepts only the key "+fieldName+"")
		}
		if l.Operator != In && l.Operator != NotIn {
			found.add(finding.Block, keyOperator, "matchFields accepts only the operators In and NotIn")
		}
		if len(l.Values) != 1 {
			found.add(finding.Block, keyValues, "a line of matchFields must have exactly one value")
		}
		return found
	}
	found.labelKey(l.Key)
	switch l.Operator {
	case In, NotIn:
		if len(l.Values) == 0 {
			found.add(finding.Block, keyValues, l.Operator+" needs at least one value")
		}
		if values := slices.Sorted(slices.Values(l.Values)); l.Operator == In && len(slices.Compact(values)) < len(l.Values) {
			found.add(finding.Caution, keyValues, "a value is listed twice")
		}
	case Exists, DoesNotExist:
		if len(l.Values) > 0 {
			found.add(finding.Block, keyValues, l.Operator+" takes no value")
		}
	case Gt, Lt:
		found.add(finding.Caution, keyOperator, "the API does not document the operator "+l.Operator)
		if len(l.Values) != 1 || !isInteger(l.Values[0]) {
			found.add(finding.Block, keyValues, l.Operator+" takes exactly one value, a whole number")
		}
	default:
		found.unknown(keyOperator, "operator", l.Operator, append(Operators(), Gt, Lt))
	}
	for _, v := range l.Values {
		found.labelValue(keyValues, v)
	}
	return found
}

const labelSyntax = "letters, digits, - _ and . only, a letter or digit at both ends, at most 63 characters"

func (p *problems) labelKey(key string) {
	switch {
	case key == "":
		p.add(finding.Block, keyKey, "the key is empty")
	case len(content.IsLabelKey(key)) > 0:
		p.add(finding.Block, keyKey, "the key "+cleanWord(key)+" is not a label name: "+labelSyntax+", after an optional DNS prefix and slash")
	}
}

func (p *problems) labelValue(key, value string) {
	if len(content.IsLabelValue(value)) > 0 {
		p.add(finding.Block, key, "the value "+cleanWord(value)+" is not a valid label value: "+labelSyntax)
	}
}

// unknown says that a word is not allowed, and suggests one that is.
func (p *problems) unknown(key, noun, text string, allowed []string) {
	sentence := "the " + noun + " " + cleanWord(text) + " is unknown"
	if text == "" {
		sentence = "the " + noun + " is missing"
	}
	if meant, ok := nearest(text, allowed); ok {
		sentence += "; did you mean " + meant + "?"
	} else {
		sentence += "; there are " + strings.Join(allowed, ", ")
	}
	p.add(finding.Block, key, sentence)
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
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
	lines := lists.Each(t.Lines, Line.meaning)
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\x01")
}

// constraint is what the lines of a term require of one key together.
type constraint struct {
	key          string
	present      bool // by In, Exists, Gt or Lt
	absent       bool
	allowed      []string // by In; nil where anything is
	isListed     bool
	excluded     map[string]bool
	above, below int64 // by Gt and Lt
	isNumber     bool
	exclusive    bool // two lines with In share no value
}

// contradiction says why no node can match all lines of a term, "" if one can.
// Lines with troubles of their own are left out: those are reported by themselves.
func contradiction(t Term) string {
	type about struct {
		key   string
		field bool // names of fields are no labels
	}
	var demands []*constraint
	known := map[about]*constraint{}
	for _, l := range t.Lines {
		if l.broken() {
			continue
		}
		d := known[about{l.Key, l.Field}]
		if d == nil {
			d = &constraint{key: l.Key, excluded: map[string]bool{}, above: math.MinInt64, below: math.MaxInt64}
			known[about{l.Key, l.Field}] = d
			demands = append(demands, d)
		}
		d.add(l)
	}
	for _, d := range demands {
		if reason := d.conflict(); reason != "" {
			return reason
		}
	}
	return ""
}

func (d *constraint) add(l Line) {
	switch l.Operator {
	case In:
		d.allow(l.Values)
	case NotIn:
		for _, v := range l.Values {
			d.excluded[v] = true
		}
	case Exists:
		d.present = true
	case DoesNotExist:
		d.absent = true
	case Gt, Lt:
		n, _ := strconv.ParseInt(l.Values[0], 10, 64)
		d.present, d.isNumber = true, true
		if l.Operator == Gt {
			d.above = max(d.above, n)
		} else {
			d.below = min(d.below, n)
		}
	}
}

// allow keeps the values that every In allows.
func (d *constraint) allow(values []string) {
	d.present = true
	if !d.isListed {
		d.isListed, d.allowed = true, slices.Clone(values)
		return
	}
	also := map[string]bool{}
	for _, v := range values {
		also[v] = true
	}
	d.allowed = slices.DeleteFunc(d.allowed, func(v string) bool { return !also[v] })
	d.exclusive = len(d.allowed) == 0
}

func (d *constraint) conflict() string {
	key := cleanWord(d.key)
	switch {
	case d.present && d.absent:
		return key + " must exist and must not exist"
	case d.exclusive:
		return "two lines with In share no value of " + key
	// The next whole number above is not below; written so that nothing overflows.
	case d.isNumber && (d.above >= d.below || d.above == math.MaxInt64 || d.above+1 >= d.below):
		return "no number is within the limits for " + key
	case d.isListed && !slices.ContainsFunc(d.allowed, d.accepts):
		if d.isNumber {
			return "no allowed value of " + key + " is within Gt and Lt"
		}
		return "NotIn excludes every value that In allows for " + key
	}
	return ""
}

// accepts reports whether a value passes NotIn, Gt and Lt.
func (d *constraint) accepts(value string) bool {
	if d.excluded[value] {
		return false
	}
	if !d.isNumber {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && n > d.above && n < d.below
}
