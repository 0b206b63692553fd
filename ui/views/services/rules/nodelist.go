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

// nodeKey is a row of the nodes: a node, or a line of what is known of it.
type nodeKey struct {
	name   string
	detail int // 0 for the node itself
}

// nodeList shows every node with the reason why it takes the pods or not.
type nodeList struct {
	*state
	list   *rows.List[nodeKey]
	source *nodeSource
	opened map[string]bool
	made   nodesMade
	cache  nodeCache
}

// nodeCache is made of the nodes on first use.
type nodeCache struct {
	texts []string // by verdict: what a filter looks at
	names int      // cells of the longest name
}

// nodesMade names what the rows were made of.
type nodesMade struct {
	question
	width int
}

func newNodeList(t *theme.Theme, s *state) *nodeList {
	return &nodeList{state: s, list: rows.New[nodeKey](t), opened: map[string]bool{}}
}

func (n *nodeList) refresh(width int) {
	now := nodesMade{n.judged.question, width}
	if now == n.made {
		return
	}
	if now.cluster != n.made.cluster { // the nodes that were given last are judged by now
		n.cache = nodeCache{}
	}
	n.made = now
	n.rebuild()
}

// detailMargin is the margin before a line about a node, in cells, and one more for a
// hyphen at its end, as with textMargin.
const detailMargin = 7

// rebuild lays the rows out: those of opened nodes below them.
func (n *nodeList) rebuild() {
	s := &nodeSource{n: n, verdicts: n.judged.verdicts}
	s.items = make([]nodeItem, 0, len(s.verdicts))
	for i := range s.verdicts {
		s.items = append(s.items, nodeItem{node: i})
		if n.opened[s.verdicts[i].Node.Name] {
			s.items = n.addDetails(s.items, i, s.verdicts[i], max(8, n.made.width-detailMargin))
		}
	}
	n.source = s
	n.list.Set(s)
}

// nameWidth is the column of names.
func (n *nodeList) nameWidth(width int) int {
	if n.cache.names == 0 {
		n.cache.names = 1
		for _, v := range n.judged.verdicts {
			n.cache.names = max(n.cache.names, ansi.StringWidth(plain.Clip(v.Node.Name, 60)))
		}
	}
	return max(minColumn, min(n.cache.names, width/2))
}

// text is what a filter looks at: name, state, labels and taints of a node.
func (n *nodeList) text(i int) string {
	if n.cache.texts == nil {
		n.cache.texts = make([]string, len(n.judged.verdicts))
	}
	if n.cache.texts[i] == "" {
		node := n.judged.verdicts[i].Node
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
		n.cache.texts[i] = strings.Join(words, "\n")
	}
	return n.cache.texts[i]
}

// toggle opens or closes the node under the cursor.
func (n *nodeList) toggle() {
	key, ok := n.list.Key()
	if !ok {
		return
	}
	if n.opened[key.name] {
		delete(n.opened, key.name)
	} else {
		n.opened[key.name] = true
	}
	n.rebuild()
	n.list.Select(nodeKey{name: key.name})
	n.list.ShowOpened()
}

// isOpen reports whether the node under the cursor is open.
func (n *nodeList) isOpen() bool {
	key, ok := n.list.Key()
	return ok && n.opened[key.name]
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
	switch {
	case n.list.Len() == 0:
		return "open", nil
	case n.isOpen():
		return "close", n.toggle
	}
	return "open", n.toggle
}

// rows are those of a list; the arrows open a node, close it, and lead out.
func (n *nodeList) rows() []views.Command {
	open := func() {
		if key, ok := n.list.Key(); ok && !n.opened[key.name] {
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

// nodeItem is a node, or a line about it.
type nodeItem struct {
	node, detail int
	drawn        string
	text, what   string // what y copies
}

// nodeSource is the nodes as rows.
type nodeSource struct {
	n        *nodeList
	verdicts []placement.Verdict
	items    []nodeItem
}

func (s *nodeSource) Len() int           { return len(s.items) }
func (s *nodeSource) Depth(i int) int    { return min(1, s.items[i].detail) }
func (s *nodeSource) Version(int) uint64 { return 0 } // another judgement is another source

func (s *nodeSource) Key(i int) nodeKey {
	return nodeKey{s.verdicts[s.items[i].node].Node.Name, s.items[i].detail}
}

// Matches looks at name, labels, taints and whether the node takes the pods.
func (s *nodeSource) Matches(i int, has func(text string) bool) bool {
	if s.items[i].detail > 0 {
		return false
	}
	return has(s.n.text(s.items[i].node)) || has(takesWord(s.verdicts[s.items[i].node]))
}

// takesWord says in a word whether a node takes the pods.
func takesWord(v placement.Verdict) string {
	switch {
	case v.Takes && v.Score > 0:
		return "preferred"
	case v.Takes:
		return "takes"
	}
	return "refuses"
}

// Draw draws a node with its short reason, or a line about it.
func (s *nodeSource) Draw(i int, look rows.Look) string {
	var l line
	k, item := &s.n.inks, &s.items[i]
	if item.detail > 0 {
		return "  " + item.drawn
	}
	v := s.verdicts[item.node]
	sign, ink := k.Glyphs.Fail, k.Fail
	if v.Takes {
		sign, ink = k.Glyphs.Pass, k.OK
	}
	l.Put(ink, sign+" ")
	if look.Width >= minWorded {
		l.column(k, ink, takesWord(v), len("preferred"))
	}
	width := s.n.nameWidth(look.Width)
	l.column(k, k.Plain, k.clean(v.Node.Name, width), width)
	reason := v.Reason()
	if v.Node.Ready == placement.NotReady {
		reason = "not ready; " + reason
	}
	l.Put(k.Muted, k.clean(reason, max(1, look.Width-l.Cells)))
	return l.String()
}

// minWorded is the width from which on the state of a node is a word as well.
const minWorded = 72

// copied returns the name of the node under the cursor, or the line about it.
func (n *nodeList) copied() (text, what string) {
	i, ok := n.list.Selected()
	if !ok {
		return "", ""
	}
	s := n.source
	if item := s.items[i]; item.detail > 0 {
		return item.text, item.what
	}
	return plain.Line(s.Key(i).name), "node"
}

// details collects the lines about one node.
type details struct {
	items []nodeItem
	node  int
	lines int
	width int
}

func (d *details) add(ink rows.Ink, text, what string) {
	for i, part := range views.Wrap(text, d.width) {
		if i > 0 {
			part = "  " + part
		}
		d.lines++
		d.items = append(d.items, nodeItem{node: d.node, detail: d.lines, drawn: ink.On(part), text: text, what: what})
	}
}

// addDetails adds what is known of a node: all reasons, taints, labels, what it offers,
// and what would make it take the pods.
func (n *nodeList) addDetails(items []nodeItem, node int, v placement.Verdict, width int) []nodeItem {
	k := &n.inks
	d := &details{items: items, node: node, width: width}
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
		d.add(k.Muted, plain.Line(key+"="+v.Node.Labels[key]), "label")
	}
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
