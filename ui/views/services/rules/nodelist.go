package rules

import (
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

// rebuild lays the rows out: nodes below the head of their group, and what is known of
// opened nodes below them. A node that is alone has no head.
func (n *nodeList) rebuild() {
	s := &nodeSource{n: n, groups: n.judged.groups}
	for g := range s.groups {
		group := &s.groups[g]
		top, depth := nodeItem{group: g, node: -1}, 1
		if len(group.Verdicts) == 1 {
			top.node, depth = 0, 0
		} else {
			n.foldAtFirst(s, top.key(s), group)
		}
		lines := s.reasonLines(top)
		for i, line := range lines {
			row := top
			row.reason, row.more, row.drawn = i, -i, line
			if top.node < 0 { // what folds comes last, right above its nodes
				row.more = i + 1 - len(lines)
			} else if i > 0 {
				row.depth = 1
			}
			s.items = append(s.items, row)
		}
		for i, v := range group.Verdicts {
			if top.node < 0 {
				s.items = append(s.items, nodeItem{group: g, node: i, depth: depth})
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

// foldAtFirst folds a group that was not there before where there is no room for all, unless the cursor is to
// go to a node in it.
func (n *nodeList) foldAtFirst(s *nodeSource, head nodeKey, group *placement.Group) {
	if !n.seen[head] {
		n.seen[head] = true
		if n.judged.summary.Total+len(s.groups) > n.room && group.Standing > placement.Taking {
			n.folds[head] = true
		}
	}
	if slices.ContainsFunc(group.Verdicts, func(v placement.Verdict) bool { return v.Node.Name == n.wanted }) {
		delete(n.folds, head)
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
	return slices.Concat(n.list.Moves(), n.list.Filters(), arrows(leave, open))
}

// fit returns what makes the rules fit what is under the cursor, and says so; nil for nothing.
func (n *nodeList) fit() (hint string, do func()) {
	if missing := n.taints(); len(missing) > 0 {
		return "tolerate its taint", func() { n.tolerate(missing) }
	}
	if l, on := n.label(); on {
		return "require this label", func() { n.require(l) }
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

func (n *nodeList) tolerate(missing []placement.Toleration) {
	item := n.at()
	var added []string
	for _, t := range missing {
		added = append(added, placement.TolerationText(t))
	}
	n.change(func(p placement.Policy) (placement.Policy, error) {
		var err error
		for _, t := range missing {
			if err == nil {
				p, err = p.AddToleration(placement.AtToleration(item, len(itemOf(p, item).Tolerations)), t)
			}
		}
		return p, err
	}, "Tolerated: "+strings.Join(added, ", ")+views.Keys(". {key:rules.undo} undoes."))
}

// label is the label under the cursor, as a line that requires it.
func (n *nodeList) label() (l placement.Line, ok bool) {
	v, item, ok := n.verdict()
	if !ok || item.label == "" {
		return l, false
	}
	return placement.Line{Key: item.label, Operator: placement.In, Values: []string{v.Node.Labels[item.label]}}, true
}

func (n *nodeList) require(l placement.Line) {
	item := n.at()
	n.change(func(p placement.Policy) (placement.Policy, error) {
		if terms := itemOf(p, item).Required.Terms; len(terms) > 0 {
			return p.AddLine(placement.AtLine(item, placement.Required, 0, len(terms[0].Lines)), l)
		}
		return p.AddTerm(placement.AtTerm(item, placement.Required, 0), placement.Term{Lines: []placement.Line{l}})
	}, "Required: "+placement.LineText(l)+views.Keys(". {key:rules.undo} undoes."))
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
