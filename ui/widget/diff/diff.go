// Package diff is the widget that shows what an edit of a document would do: every
// change as path, old and new value, with what it risks, the keys that would be
// lost, and the rules that are broken. Lost keys are confirmed here, one by one, by
// typing their names.
//
// It does no I/O. Start at [Review].
package diff

import (
	"slices"

	"github.com/charmbracelet/bubbles/textinput"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Review is the widget.
type Review struct {
	plans      []document.Review
	list       *rows.List[rowKey]
	tree       *tree
	inks       inks
	confirmed  map[lostKey]bool
	folds      map[rowKey]bool
	foldedOnce map[rowKey]bool // rows that were folded for being long: the user decides from then on
	revision   uint64          // counts what changes the looks of rows

	input   textinput.Model
	asking  *rowKey // the lost key whose name is being typed; nil where none is
	problem string  // what is wrong with the name that was typed

	width, height int
}

// lostKey is a key that one of the plans would lose.
type lostKey struct {
	service string
	path    document.Path
}

// New returns a review of nothing.
func New(t *theme.Theme) *Review {
	r := &Review{
		list: rows.New[rowKey](t), inks: newInks(t), input: widget.NewInput(t),
		confirmed: map[lostKey]bool{}, folds: map[rowKey]bool{}, foldedOnce: map[rowKey]bool{},
	}
	r.list.SetFolds(r.folds)
	r.arrange()
	return r
}

// Set shows plans, one below the other. Keys that were confirmed stay confirmed where
// they are still lost, and so does a name that is being typed.
func (r *Review) Set(plans ...document.Review) {
	r.plans = slices.Clone(plans)
	still, asked := map[lostKey]bool{}, false
	for _, plan := range r.plans {
		for _, path := range plan.Removed {
			key := lostKey{plan.Service, path}
			if r.confirmed[key] {
				still[key] = true
			}
			asked = asked || r.asking != nil && r.asking.lost() == key
		}
	}
	r.confirmed = still
	if !asked {
		r.stopAsking()
	}
	r.arrange()
}

// arrange lays the plans out for the width there is.
func (r *Review) arrange() {
	r.revision++
	r.tree = newTree(r)
	r.list.SetFolds(r.folds)
	r.list.Set(r.tree)
}

// Confirmed returns the lost keys that were confirmed by name, of the plan with that
// service.
func (r *Review) Confirmed(service string) (paths []document.Path) {
	for _, plan := range r.plans {
		if plan.Service == service {
			paths = append(paths, r.confirmedIn(plan)...)
		}
	}
	return paths
}

func (r *Review) confirmedIn(plan document.Review) (paths []document.Path) {
	for _, path := range plan.Removed {
		if r.confirmed[lostKey{plan.Service, path}] {
			paths = append(paths, path)
		}
	}
	return paths
}

// Open counts how many lost keys of all plans wait for their confirmation.
func (r *Review) Open() int {
	n := 0
	for _, plan := range r.plans {
		n += r.openIn(plan)
	}
	return n
}

func (r *Review) openIn(plan document.Review) int {
	return len(plan.Removed) - len(r.confirmedIn(plan))
}

// Blocked reports whether a rule is broken in a way that nothing can be sent.
func (r *Review) Blocked() bool {
	return slices.ContainsFunc(r.plans, func(p document.Review) bool { return blocking(p.Findings) > 0 })
}

func blocking(findings []document.Finding) int {
	n := 0
	for _, f := range findings {
		if f.Blocking {
			n++
		}
	}
	return n
}

// Path returns the path under the cursor, that of the whole document where it is on
// a heading.
func (r *Review) Path() document.Path {
	if i, ok := r.list.Selected(); ok {
		return r.tree.items[i].key.path
	}
	return document.Whole
}

// SetSize gives the review its cells.
func (r *Review) SetSize(width, height int) {
	other := width != r.width
	r.width, r.height = width, height
	if other {
		r.arrange()
	}
	r.list.SetSize(width, max(0, height-r.headHeight()-r.statusHeight()))
}
