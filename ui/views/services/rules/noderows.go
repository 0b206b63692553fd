package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// detailMargin is the margin before a line about a node, in cells, and one more for a
// hyphen at its end, as with textMargin.
const detailMargin = 9

// clauses breaks a reason between its clauses, and only one that is too long at its words; first is
// the width of the first line.
func clauses(reason string, first, width int) (lines []string) {
	line, room := "", first
	for _, clause := range strings.SplitAfter(reason, "; ") {
		if line != "" && ansi.StringWidth(strings.TrimRight(line+clause, " ")) > room {
			lines, line, room = append(lines, views.Wrap(line, room)...), "", width
		}
		line += clause
	}
	return append(lines, views.Wrap(line, room)...)
}

// nodeItem is the head of a group, a node, or a line about one.
type nodeItem struct {
	group, node   int // node is that of the group, -1 for its head
	detail, depth int
	reason, more  int // which line of the reason it is, and of its key: 0 for the line that stands for the whole
	drawn         string
	text, what    string // what y copies
	label         string // its key, of a line that is a label
}

func (i *nodeItem) key(s *nodeSource) nodeKey {
	g := &s.groups[i.group]
	if i.node < 0 {
		return nodeKey{group: string(rune('0'+g.Standing)) + g.Reason, detail: i.more}
	}
	return nodeKey{name: g.Verdicts[i.node].Node.Name, detail: i.detail + i.more}
}

// nodeSource is the nodes as rows.
type nodeSource struct {
	n      *nodeList
	groups []placement.Group
	items  []nodeItem
}

func (s *nodeSource) Len() int          { return len(s.items) }
func (s *nodeSource) Depth(i int) int   { return s.items[i].depth }
func (s *nodeSource) Key(i int) nodeKey { return s.items[i].key(s) }

// Version tells apart whether the group is folded, which the first line of a head shows. Another
// judgement is another source.
func (s *nodeSource) Version(i int) uint64 {
	if s.items[i].node < 0 && s.folded(i) {
		return 1
	}
	return 0
}

// folded reports whether the group of a row is folded.
func (s *nodeSource) folded(i int) bool {
	head := nodeItem{group: s.items[i].group, node: -1}
	return s.n.folds[head.key(s)]
}

// Counts reports whether a row is a node: heads of groups and details do not count.
func (s *nodeSource) Counts(i int) bool {
	return s.items[i].node >= 0 && s.items[i].detail == 0 && s.items[i].more == 0
}

// Matches looks at name, labels, taints, and whether the node takes the pods.
func (s *nodeSource) Matches(i int, has func(text string) bool) bool {
	item := &s.items[i]
	g := &s.groups[item.group]
	if item.node < 0 && item.more < 0 { // stays with its head
		return slices.ContainsFunc(g.Verdicts, func(v placement.Verdict) bool { return has(s.n.text(v.Node)) }) || has(takesWord(g.Standing))
	}
	if item.detail > 0 || item.node < 0 || item.more < 0 { // a reason has words of the rules, which are those of no node
		return false
	}
	return has(s.n.text(g.Verdicts[item.node].Node)) || has(takesWord(g.Standing))
}

// takesWord says in a word whether nodes take the pods.
func takesWord(s placement.Standing) string {
	return [...]string{"preferred", "takes", "tainted", "refuses"}[s]
}

// Draw draws the head of a group with its reason, a node with its own where it is alone, or
// a line about it.
func (s *nodeSource) Draw(i int, look rows.Look) string {
	var l line
	k, item := &s.n.inks, &s.items[i]
	if item.detail > 0 {
		return strings.Repeat("  ", item.depth) + item.drawn
	}
	g := &s.groups[item.group]
	sign, ink := k.Glyphs.Fail, k.Fail
	switch {
	case g.Standing <= placement.Taking:
		sign, ink = k.Glyphs.Pass, k.OK
	case g.Standing == placement.ButForTaint:
		sign, ink = k.Glyphs.Warn, k.Warn
	}
	switch {
	case item.reason > 0:
		l.Put(k.Plain, strings.Repeat(" ", reasonMargin))
	case item.depth > 0:
		l.Put(k.Plain, "    ")
		l.Put(k.Plain, k.middle(s.n.short(g.Verdicts[item.node].Node.Name), look.Width-l.Cells))
		return l.String()
	case item.node < 0:
		l.Put(ink, sign+" ")
		fold := k.Glyphs.Open
		if s.folded(i) {
			fold = k.Glyphs.Folded
		}
		l.Put(k.Strong, strings.TrimPrefix(s.lead(item, look.Width), "    "))
		l.Put(k.Muted, fold+" ")
	default:
		l.Put(ink, sign+" ")
		l.Put(k.Plain, strings.TrimPrefix(s.lead(item, look.Width), "  "))
	}
	l.Put(k.Muted, k.clean(item.drawn, look.Width-l.Cells))
	return l.String()
}

// lead is as wide as what stands before the reason of a group or a node, and ends with its name.
func (s *nodeSource) lead(item *nodeItem, width int) string {
	g := &s.groups[item.group]
	if item.node < 0 {
		return "    " + plain.Plural(len(g.Verdicts), "node") + " "
	}
	name := g.Verdicts[item.node].Node.Name
	return "  " + s.n.inks.middle(s.n.short(name), max(minColumn, min(s.n.cache.names, (width-2)/2))) + "  "
}

// reasonMargin is the margin of further lines of a reason, more than that of names.
const reasonMargin = 8

// maxReasonLines is how many lines a reason has in the list; the line below the rules says all.
const maxReasonLines = 3

// reasonLines breaks the reason of a group, or of a node that is alone, for its rows.
func (s *nodeSource) reasonLines(item nodeItem) []string {
	width := s.n.made.width - markerCells
	lines := clauses(s.groups[item.group].Reason, max(minColumn, width-ansi.StringWidth(s.lead(&item, width))), max(minColumn, width-reasonMargin))
	if len(lines) > maxReasonLines {
		lines = lines[:maxReasonLines]
		lines[maxReasonLines-1] += s.n.inks.Glyphs.Ellipsis
	}
	return lines
}

// details collects the lines about one node.
type details struct {
	items []nodeItem
	item  nodeItem // that each of them begins as
	width int
}

func (d *details) add(ink rows.Ink, text, what string) {
	for i, part := range views.Wrap(text, d.width) {
		if i > 0 {
			part = "  " + part
		}
		d.item.detail++
		item := d.item
		item.drawn, item.text, item.what = ink.On(part), text, what
		d.items = append(d.items, item)
	}
}

// addDetails adds what is known of a node: its whole name, all reasons, taints, labels, what
// it offers, and what would make it take the pods.
func (n *nodeList) addDetails(items []nodeItem, item nodeItem, v placement.Verdict, width int) []nodeItem {
	k := &n.inks
	d := &details{items: items, item: item, width: width}
	if n.cache.suffix != "" || ansi.StringWidth(v.Node.Name) > width-detailMargin {
		d.add(k.Strong, plain.Line(v.Node.Name), "node")
	}
	for _, reason := range v.Reasons() {
		d.add(k.Plain, views.Sentence(reason), "reason")
	}
	for _, t := range v.Node.Taints {
		d.add(k.Warn, "taint "+plain.Line(t.String()), "taint")
	}
	if v.Node.Unschedulable {
		d.add(k.Warn, "cordoned", "state")
	}
	for _, key := range slices.Sorted(maps.Keys(v.Node.Labels)) {
		d.item.label = key
		d.add(k.Muted, plain.Line(key+"="+v.Node.Labels[key]), "label")
	}
	d.item.label = ""
	facts := []string{v.Node.Ready.String()}
	for _, r := range v.Node.Allocatable {
		facts = append(facts, plain.Line(r.Name+" "+r.Amount))
	}
	d.add(k.Muted, strings.Join(facts, ", "), "state")
	if !v.Takes && len(n.typos()) == 0 {
		for i, c := range placement.KubectlLines(n.item(), []placement.Node{*v.Node}) {
			if i == 0 {
				d.add(k.Warn, placement.KubectlCaution, "caution")
			}
			d.add(k.Accent, c.Line, "line for kubectl")
		}
	}
	return d.items
}
