package document

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/finding"
)

const (
	minInstances Path = "minInstancesPerNode"
	maxInstances Path = "maxInstancesPerNode"
)

// Check returns where a definition breaks the rules of its fields. base is the
// definition that the server has, or nil: what it already breaks in the same way
// is the server's own and does not block, and it decides which service this is.
// Unknown keys are fine.
func Check(d, base *Document) []finding.Finding {
	found := rules(d)
	if base == nil {
		return found
	}
	type rule struct{ path, text string }
	known := map[rule]bool{}
	for _, f := range rules(base) {
		known[rule{f.At.Path, f.Text}] = true
	}
	for i, f := range found {
		if known[rule{f.At.Path, f.Text}] {
			found[i].Strength = finding.Note
		}
	}
	return append(found, identity(d, base)...)
}

// rules returns the rules that a definition breaks by itself.
func rules(d *Document) []finding.Finding {
	if root := d.Root(); root.Kind() != Object {
		text := "A definition must be an object; this is " + root.Kind().String() + "."
		return []finding.Finding{{Strength: finding.Block, Text: text, At: finding.Place{Line: 1}}}
	}
	var c checks
	c.values(d.Root())
	c.extensions(d)
	if text := minAboveMax(d); text != "" {
		n, _ := d.Find(minInstances)
		c.block(n, text)
	}
	return c.found
}

// checks collects findings. It remembers a line and where it begins: findings
// come nearly in the order of the text, and there may be many.
type checks struct {
	found      []finding.Finding
	line, from int
}

func (c *checks) block(n Node, text string) { c.add(n, finding.Block, text) }

func (c *checks) add(n Node, strength finding.Strength, text string) {
	at := finding.Place{Path: string(n.Path()), Line: c.lineOf(n)}
	c.found = append(c.found, finding.Finding{Strength: strength, Text: text, At: at})
}

func (c *checks) lineOf(n Node) int {
	start, _ := n.member()
	if c.line == 0 || start < c.from {
		c.line, c.from = 1, 0
	}
	c.line += strings.Count(n.doc.text[c.from:start], "\n")
	c.from = start
	return c.line
}

// values checks every value that a field is known for. It goes no deeper than
// fields go.
func (c *checks) values(n Node) {
	if n.Kind() == Array && !n.isNamedList() {
		return
	}
	for child := range n.Children() {
		f, ok := FieldOf(child.Path())
		if !ok {
			continue
		}
		if f.Kind != 0 && child.Kind() != f.Kind {
			c.block(child, "Should be "+f.Kind.String()+", but is "+child.Kind().String()+".")
			continue
		}
		switch {
		case f.Kind == Number && !isInteger(child.Raw()):
			c.block(child, "Should be a whole number, but is "+clip(child.Raw())+".")
		case f.Kind == Number && numberOf(child.Raw()).negative && child.Path() != "keepAliveInterval":
			strength := finding.Note
			if f.Widget == Integer {
				strength = finding.Block
			}
			c.add(child, strength, "Below 0: "+clip(child.Raw())+".")
		case f.Widget == ClockTime && !isClockTime(child.Text()):
			c.block(child, "Should be a time as HH:MM, but is "+shown(child.Text())+".")
		case f.Widget == CommaList && child.Kind() == String:
			c.list(child)
		}
		c.values(child)
	}
}

// list checks a comma list; the server decides about its words.
func (c *checks) list(n Node) {
	items := Items(n.Text())
	if n.Text() != "" && len(items) != strings.Count(n.Text(), ",")+1 {
		c.add(n, finding.Note, "Extra comma: a word is missing.")
	}
	for i, item := range items {
		if slices.Contains(items[:i], item) {
			c.add(n, finding.Note, shown(item)+" is listed twice.")
		}
	}
}

// extensions checks that each extension has a name of its own.
func (c *checks) extensions(d *Document) {
	list, _ := d.Find(extensionsPath)
	if list.Kind() != Array {
		return
	}
	seen := map[string]bool{}
	for element := range list.Children() {
		name, ok := element.name()
		switch {
		case element.Kind() != Object: // found already
		case !ok || name == "":
			c.block(element, "The extension has no typeName.")
		case seen[name]:
			c.block(element, "Another extension has the typeName "+shown(name)+".")
		}
		seen[name] = true
	}
}

// identity checks that the definition is still of the same service.
func identity(d, base *Document) []finding.Finding {
	var c checks
	for _, path := range []Path{"serviceName", "type"} {
		was, ok := base.Find(path)
		if !ok {
			continue
		}
		switch is, ok := d.Find(path); {
		case !ok:
			c.found = append(c.found, finding.Finding{
				Strength: finding.Block, Text: "Missing; the site has " + clip(was.Raw()) + ".", At: finding.Place{Path: string(path)}})
		case compare(was, is) == different:
			c.block(is, "The site has "+clip(was.Raw())+": an edit cannot change this.")
		}
	}
	return c.found
}

// minAboveMax says that the minimum of instances is above the maximum; empty where it is not.
func minAboveMax(d *Document) string {
	lowest, okLowest := d.integer(minInstances)
	highest, okHighest := d.integer(maxInstances)
	if !okLowest || !okHighest || lowest <= highest {
		return ""
	}
	return "Minimum " + strconv.Itoa(lowest) + " is above maximum " + strconv.Itoa(highest) + "."
}

// Limits says between what a value has to be, for a person; empty where nothing is known.
func (d *Document) Limits(path Path) string {
	f, _ := FieldOf(path)
	beside := func(words string, other Path) string {
		n, ok := d.integer(other)
		if !ok {
			return ""
		}
		return words + string(other) + ", " + strconv.Itoa(n)
	}
	switch {
	case path == minInstances:
		return "0 or more" + beside("; at most ", maxInstances)
	case path == maxInstances:
		return "0 or more" + beside("; at least ", minInstances)
	case f.Kind == Number && path != "keepAliveInterval":
		return "0 or more"
	case f.Widget == ClockTime:
		return "00:00 to 23:59"
	case f.Widget == CommaList:
		return "each word once"
	}
	return ""
}

// integer returns a whole number, given as a number or as a text.
func (d *Document) integer(path Path) (int, bool) {
	n, ok := d.Find(path)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text(), 64)
	return int(v), err == nil && v == float64(int(v))
}

func isInteger(raw string) bool {
	v := numberOf(raw)
	return v.digits == "" || v.exponent >= 0 && !strings.ContainsAny(v.digits, "eE")
}

func isClockTime(text string) bool {
	if len(text) != 5 || text[2] != ':' {
		return false
	}
	hour, errHour := strconv.ParseUint(text[:2], 10, 8)
	minute, errMinute := strconv.ParseUint(text[3:], 10, 8)
	return errHour == nil && errMinute == nil && hour < 24 && minute < 60
}
