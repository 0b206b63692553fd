package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// nodeKey is a row of the nodes: a group of them, a node, or a line of what is known of it.
type nodeKey struct {
	group  string // of the head of a group, what all its nodes share
	name   string
	detail int // 0 for the node or the head itself, negative for another line of its reason
}

// nodeList shows the nodes in groups of the same reason, those that take the pods first.
type nodeList struct {
	*state
	list   *rows.List[nodeKey]
	source *nodeSource
	opened map[string]bool
	wanted string           // the node that the cursor goes to once it is there; empty for none
	folds  map[nodeKey]bool // of groups
	seen   map[nodeKey]bool // groups that were folded, or not, at first
	room   int              // rows: where they do not suffice, those that do not take the pods are folded at first
	made   nodesMade
	cache  nodeCache
	change func(edit func(placement.Policy) (placement.Policy, error), done string) // of the rules
}

// nodeCache is made of the nodes on first use.
type nodeCache struct {
	texts  map[string]string // by name: what a filter looks at
	suffix string            // what all names end with
	names  int               // cells of the longest name, less its end
}

// nodesMade names what the rows were made of.
type nodesMade struct {
	question
	width int
}

func newNodeList(t *theme.Theme, s *state) *nodeList {
	n := &nodeList{state: s, list: rows.New[nodeKey](t), opened: map[string]bool{}, folds: map[nodeKey]bool{}, seen: map[nodeKey]bool{}}
	n.list.SetFolds(n.folds)
	return n
}

func (n *nodeList) refresh(width int) {
	now := nodesMade{n.judged.question, width}
	if now == n.made {
		return
	}
	if now.cluster != n.made.cluster { // the nodes that were given last are judged by now
		n.cache = nodeCache{texts: map[string]string{}, suffix: placement.CommonSuffix(n.cluster.nodes), names: 1}
		for _, node := range n.cluster.nodes {
			n.cache.names = max(n.cache.names, ansi.StringWidth(plain.Clip(n.short(node.Name), 60)))
		}
	}
	n.made = now
	n.rebuild()
}

// short is the name of a node without what all names end with.
func (n *nodeList) short(name string) string { return strings.TrimSuffix(name, n.cache.suffix) }

// markerCells are those of the cursor before each row.
const markerCells = 2

// detailMargin is the margin before a line about a node, in cells, and one more for a
// hyphen at its end, as with textMargin.
const detailMargin = 9

// rebuild lays the rows out: nodes below the head of their group, and what is known of
// opened nodes below them. A node that is alone has no head.
func (n *nodeList) rebuild() {
	s := &nodeSource{n: n, groups: n.judged.groups}
	for g := range s.groups {
		group := &s.groups[g]
		depth := 0
		if len(group.Verdicts) > 1 {
			head := nodeItem{group: g, node: -1}
			key := head.key(s)
			if !n.seen[key] {
				n.seen[key] = true
				if n.judged.summary.Total+len(s.groups) > n.room && group.Standing > placement.Taking {
					n.folds[key] = true
				}
			}
			if slices.ContainsFunc(group.Verdicts, func(v placement.Verdict) bool { return v.Node.Name == n.wanted }) {
				delete(n.folds, key)
			}
			lines := s.reasonLines(head)
			last := len(lines) - 1
			for i, line := range lines { // what folds comes last, right above its nodes
				s.items = append(s.items, nodeItem{group: g, node: -1, reason: i, more: i - last, drawn: line})
			}
			depth = 1
		}
		for i, v := range group.Verdicts {
			item := nodeItem{group: g, node: i, depth: depth}
			if depth == 0 {
				for i, line := range s.reasonLines(item) {
					item.reason, item.more, item.drawn = i, -i, line
					s.items = append(s.items, item)
					item.depth = 1
				}
			} else {
				s.items = append(s.items, item)
			}
			if n.opened[v.Node.Name] {
				s.items = n.addDetails(s.items, nodeItem{group: g, node: i, depth: depth + 1}, v, max(8, n.made.width-detailMargin))
			}
		}
	}
	n.source = s
	n.list.Set(s)
	if n.wanted != "" && n.list.Select(nodeKey{name: n.wanted}) {
		n.wanted = ""
	}
}

// want has the cursor go to a node, whatever is filtered or folded.
func (n *nodeList) want(name string) {
	n.wanted = name
	n.list.SetFilter("")
	n.rebuild()
}

// text is what a filter looks at: name, state, labels and taints of a node.
func (n *nodeList) text(node *placement.Node) string {
	text, known := n.cache.texts[node.Name]
	if !known {
		words := []string{node.Name, node.Ready.String()}
		if node.Unschedulable {
			words = append(words, "cordoned")
		}
		for key, value := range node.Labels {
			words = append(words, key+"="+value)
		}
		for _, t := range node.Taints {
			words = append(words, t.String())
		}
		text = strings.Join(words, "\n")
		n.cache.texts[node.Name] = text
	}
	return text
}

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

// fold folds or unfolds a group through the last line of its head, and leads to the first.
func (n *nodeList) fold(key nodeKey, do func()) {
	n.list.Select(nodeKey{group: key.group})
	do()
	n.list.ShowOpened()
	for n.list.Select(nodeKey{group: key.group, detail: key.detail}) {
		key.detail--
	}
}

// toggle opens or closes the node or the group under the cursor.
func (n *nodeList) toggle() {
	key, ok := n.list.Key()
	switch {
	case !ok:
		return
	case key.group != "":
		n.fold(key, n.list.Toggle)
		return
	case n.opened[key.name]:
		delete(n.opened, key.name)
	default:
		n.opened[key.name] = true
	}
	n.rebuild()
	n.list.Select(nodeKey{name: key.name})
	n.list.ShowOpened()
}

// isOpen reports whether the node under the cursor is open.
func (n *nodeList) isOpen() bool {
	key, ok := n.list.Key()
	return ok && key.group == "" && n.opened[key.name]
}

// close closes the node under the cursor, and reports whether it was open.
func (n *nodeList) close() bool {
	open := n.isOpen()
	if open {
		n.toggle()
	}
	return open
}

func (n *nodeList) enter() (hint string, do func()) {
	key, ok := n.list.Key()
	switch {
	case !ok:
		return "open", nil
	case key.group != "" && n.folds[nodeKey{group: key.group}]:
		return "unfold", n.toggle
	case key.group != "":
		return "fold", n.toggle
	case n.isOpen():
		return "close", n.toggle
	}
	return "open", n.toggle
}

// rows are those of a list; the arrows open a node or a group, close them, and lead out.
func (n *nodeList) rows() []views.Command {
	open := func() {
		switch key, ok := n.list.Key(); {
		case !ok:
		case key.group != "":
			n.fold(key, n.list.Unfold)
		case !n.opened[key.name]:
			n.toggle()
		}
	}
	leave := func() {
		if !n.close() {
			n.inside = false
		}
	}
	return views.Concat(n.list.Moves(), n.list.Filters(), arrows(leave, open))
}

// fit returns what makes the rules fit what is under the cursor, and says so; nil for nothing.
func (n *nodeList) fit() (hint string, do func()) {
	if len(n.taints()) > 0 {
		return "tolerate its taint", n.tolerate
	}
	if _, on := n.label(); on {
		return "require this label", n.require
	}
	return "", nil
}

// verdict is that of the node under the cursor, or of the first of a group.
func (n *nodeList) verdict() (v placement.Verdict, item nodeItem, ok bool) {
	i, ok := n.list.Selected()
	if !ok {
		return v, item, false
	}
	item = n.source.items[i]
	return n.source.groups[item.group].Verdicts[max(0, item.node)], item, true
}

// taints are those that keep the pods off the node under the cursor and can be tolerated;
// none on a label of it.
func (n *nodeList) taints() []placement.Toleration {
	v, item, ok := n.verdict()
	if !ok || item.label != "" {
		return nil
	}
	return v.Missing()
}

func (n *nodeList) tolerate() {
	missing := n.taints()
	item := n.at()
	var added []string
	for _, t := range missing {
		added = append(added, placement.TolerationText(t))
	}
	n.change(func(p placement.Policy) (placement.Policy, error) {
		var err error
		for _, t := range missing {
			if p, err = p.AddToleration(placement.AtToleration(item, len(itemOf(p, item).Tolerations)), t); err != nil {
				break
			}
		}
		return p, err
	}, "Tolerated: "+strings.Join(added, ", ")+". u undoes.")
}

// label is the label under the cursor, as a line that requires it.
func (n *nodeList) label() (l placement.Line, ok bool) {
	v, item, ok := n.verdict()
	if !ok || item.label == "" {
		return l, false
	}
	return placement.Line{Key: item.label, Operator: placement.In, Values: []string{v.Node.Labels[item.label]}}, true
}

func (n *nodeList) require() {
	l, _ := n.label()
	item := n.at()
	n.change(func(p placement.Policy) (placement.Policy, error) {
		if terms := itemOf(p, item).Required.Terms; len(terms) > 0 {
			return p.AddLine(placement.AtLine(item, placement.Required, 0, len(terms[0].Lines)), l)
		}
		return p.AddTerm(placement.AtTerm(item, placement.Required, 0), placement.Term{Lines: []placement.Line{l}})
	}, "Required: "+placement.LineText(l)+". u undoes.")
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
	room := func() int { return max(1, look.Width-l.Cells) }
	switch {
	case item.reason > 0:
		l.Put(k.Plain, strings.Repeat(" ", reasonMargin))
	case item.depth > 0:
		l.Put(k.Plain, "    ")
		l.Put(k.Plain, k.middle(s.n.short(g.Verdicts[item.node].Node.Name), room()))
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
	l.Put(k.Muted, k.clean(item.drawn, room()))
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

// about is all of what the row under the cursor has to say of its group.
func (n *nodeList) about() string {
	i, ok := n.list.Rested()
	if !ok || i >= len(n.source.items) {
		return ""
	}
	item := n.source.items[i]
	g := &n.source.groups[item.group]
	name := plain.Plural(len(g.Verdicts), "node")
	if item.node >= 0 {
		name = plain.Line(g.Verdicts[item.node].Node.Name)
	}
	return name + ": " + g.Reason
}

// copied returns the name of the node under the cursor, or the line about it.
func (n *nodeList) copied() (text, what string) {
	i, ok := n.list.Selected()
	if !ok {
		return "", ""
	}
	switch item := n.source.items[i]; {
	case item.detail > 0:
		return item.text, item.what
	case item.node < 0:
		var names []string
		for _, v := range n.source.groups[item.group].Verdicts {
			names = append(names, plain.Line(v.Node.Name))
		}
		return strings.Join(names, "\n"), plain.Plural(len(names), "node")
	}
	return plain.Line(n.source.Key(i).name), "node"
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
	if !v.Takes {
		for _, c := range placement.KubectlLines(n.item(), []placement.Node{*v.Node}) {
			d.add(k.Accent, c.Line, "line for kubectl")
		}
	}
	return d.items
}
