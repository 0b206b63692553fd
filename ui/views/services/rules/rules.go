// Package rules is the widget that builds the rules which place pods: the affinity and
// the tolerations of each deployment of a policy, and beside them, live, which nodes
// take the pods and why, the rules in plain words, what is wrong with them, and their
// JSON. Every edit can be undone; what it does not know of a policy stays.
//
// It does no I/O. Start at [Builder].
package rules

import (
	"bytes"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/views/rows"
)

// Builder is the widget.
type Builder struct {
	theme *theme.Theme
	inks  inks

	policy, base   placement.Policy
	text, baseText []byte // their JSON
	revision       int
	history        history
	turning        turning

	list   *rows.List[rowKey]
	tree   *tree
	folded map[rowKey]bool
	entry  *entry // the row that is typed into; nil where none is
	note   string // what the last key did, clean
	notes  map[string]string

	nodes     []placement.Node
	nodesNote string
	cluster   int // counts the nodes that were given
	known     words
	judged    judged
	pending   pending
	said      said
	side      side

	width, height int
}

// New returns a builder of an empty policy.
func New(t *theme.Theme) *Builder {
	b := &Builder{theme: t, inks: newInks(t), list: rows.New[rowKey](t)}
	b.side = newSide(b)
	b.Set(placement.Policy{}, placement.Policy{})
	return b
}

// Set begins to edit a policy; base is what the site has, against which it is shown
// what is changed. What could be undone is forgotten. The cursor stays where it can.
func (b *Builder) Set(edited, base placement.Policy) {
	b.policy, b.base, b.baseText = edited, base, base.Bytes()
	b.history, b.turning = history{}, turning{}
	b.entry, b.note = nil, ""
	b.folded = map[rowKey]bool{}
	b.list.SetFolds(b.folded)
	b.edited()
}

// Policy returns the policy as it is edited by now.
func (b *Builder) Policy() placement.Policy { return b.policy }

// Base returns what it is compared with.
func (b *Builder) Base() placement.Policy { return b.base }

// Changed tells whether the policy differs from the base, byte for byte.
func (b *Builder) Changed() bool { return !bytes.Equal(b.text, b.baseText) }

// Revision counts the edits: it changes whenever Policy does.
func (b *Builder) Revision() int { return b.revision }

// Replace takes over an edit that was made outside, such as a preset; it can be
// undone. A row that is typed into is given up.
func (b *Builder) Replace(p placement.Policy) {
	b.endEntry()
	b.change(p, b.cursor())
}

// Item returns the index of the deployment under the cursor.
func (b *Builder) Item() int { return b.cursor().at.Item }

// SetNodes gives the nodes of the cluster. note says where they are from and how old
// they are; where there are none, what to do to get them. It is one sentence, clean.
// The very slice that was given before is not judged anew: only its note is.
func (b *Builder) SetNodes(nodes []placement.Node, note string) {
	known := b.cluster > 0 && len(nodes) == len(b.nodes) && (len(nodes) == 0 || &nodes[0] == &b.nodes[0])
	if known && note == b.nodesNote {
		return
	}
	defer b.arrange()
	if b.nodesNote = note; known {
		return
	}
	b.nodes = nodes
	b.cluster++
	b.known = words{nodes: nodes}
	if b.entry != nil {
		b.complete()
	}
}

// SetNotes says of deployments, by their id, what a person should know, such as that
// other services share one; clean. A row shows what stands before a colon, the foot all.
func (b *Builder) SetNotes(notes map[string]string) {
	b.notes = maps.Clone(notes)
	b.list.Redraw()
}

// SetSize gives the builder its cells.
func (b *Builder) SetSize(width, height int) {
	b.width, b.height = max(0, width), max(0, height)
	b.arrange()
}

// CapturesText tells whether typed keys are text at present.
func (b *Builder) CapturesText() bool {
	return b.entry != nil || b.list.Typing() || b.side.typing()
}

// Wary tells whether a question is asked: a burst of keys may then be a paste of a
// terminal that marks none, and comes best as one message.
func (b *Builder) Wary() bool { return b.entry != nil && b.entry.leaving }

// Update takes keys while CapturesText.
func (b *Builder) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case b.entry != nil:
		b.typeKey(key)
	case b.list.Typing():
		b.list.Type(key)
	default:
		b.side.typeKey(key)
	}
	b.arrange()
	return nil
}

// Unsaved tells whether something is typed that is not in the policy yet.
func (b *Builder) Unsaved() bool { return b.entry != nil && b.entry.changed() }

// Back goes one step out inside the builder: out of a panel, a filter, a question;
// false where there is none.
func (b *Builder) Back() bool {
	defer b.arrange()
	switch {
	case b.entry != nil:
		b.leave()
	case b.side.inside && b.side.close():
	case b.side.inside && b.side.clearFilter():
	case b.side.inside:
		b.leavePanel()
	case b.list.Filter() != "":
		b.list.SetFilter("")
	default:
		return false
	}
	return true
}

// cursor returns the row under the cursor; the first deployment where there is none.
func (b *Builder) cursor() rowKey {
	key, ok := b.list.Key()
	if !ok {
		return rowKey{itemRow, placement.AtItem(0)}
	}
	return key
}

// item returns the deployment under the cursor, an empty one where there is none.
func (b *Builder) item() placement.Item { return itemOf(b.policy, b.Item()) }

func itemOf(p placement.Policy, item int) placement.Item {
	if items := p.Items(); item >= 0 && item < len(items) {
		return items[item]
	}
	return placement.Item{}
}

// edited shows a policy that has just become the present one.
func (b *Builder) edited() {
	b.revision++
	b.text = b.policy.Bytes()
	b.show()
	b.arrange()
}

// show lays the rows out anew.
func (b *Builder) show() {
	b.tree = newTree(b)
	b.list.Set(b.tree)
}

// goTo puts the cursor on a row, or where it is gone on the nearest around it; a
// filter must not hide it.
func (b *Builder) goTo(key rowKey) {
	for ok := true; ok; key, ok = key.out() {
		i := slices.IndexFunc(b.tree.rows, func(r row) bool { return r.key == key })
		if i < 0 {
			continue
		}
		if !b.list.Select(key) {
			b.list.SetFilter("")
			b.list.Select(key)
		}
		return
	}
}
