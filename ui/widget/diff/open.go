package diff

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// open is a finding that has to be accepted: of several services the same one is accepted at once, as
// the same change makes it. What accepting is about then names each of them.
type open struct {
	finding.Finding
	members []member
	plan    int // of the first
}

// member is a finding in the plan of one of the services.
type member struct {
	service string
	finding finding.Finding
}

// gather collects what has to be accepted, the heaviest first. What was accepted and is found no longer,
// or in another service, is not accepted any more.
func (r *Review) gather() {
	type kind struct {
		id, path string
		nth      int // of those that a service has at the path
	}
	r.open, r.in = nil, map[member]*open{}
	if r.asks == nil {
		return
	}
	at, several := map[kind]int{}, len(r.plans) > 1
	for i, plan := range r.plans {
		seen := map[kind]int{}
		for _, f := range finding.Those(plan.Found(), finding.Finding.Open) {
			of := kind{id: f.ID, path: f.At.Path}
			if several {
				of.path = withoutNames(document.Path(f.At.Path))
			}
			seen[of]++
			of.nth = seen[of]
			if _, known := at[of]; !known {
				at[of] = len(r.open)
				r.open = append(r.open, open{Finding: f, plan: i})
			}
			o := &r.open[at[of]]
			o.members = append(o.members, member{plan.Service, f})
		}
	}
	slices.SortStableFunc(r.open, func(a, b open) int { return finding.Heaviest(a.Finding, b.Finding) })
	var all []finding.Finding
	for i := range r.open {
		o := &r.open[i]
		o.Text = o.text()
		for _, m := range o.members {
			if m.finding.At.Path != o.At.Path { // each has a deployment of another name
				o.At.Path = withoutNames(document.Path(o.At.Path))
			}
			r.in[m] = o
		}
		all = append(all, o.Finding)
	}
	r.accepted.Keep(all)
}

// withoutNames is a path of rules without the name of the deployment, which each service has of its own.
func withoutNames(path document.Path) string {
	short, steps := document.Whole, path.Steps()
	for i, step := range steps {
		switch {
		case step.Kind == document.ByKey:
			short = short.Key(step.Key)
		case i == 1 && steps[0].Key == "placementPolicy":
		case step.Kind == document.ByIndex:
			short = short.Index(step.Index)
		default:
			return string(path)
		}
	}
	return string(short)
}

// text says what was found, with each of several services.
func (o *open) text() string {
	first, several := o.members[0], len(o.members) > 1
	if !slices.ContainsFunc(o.members, func(m member) bool { return m.finding.Text != first.finding.Text }) {
		if !several {
			return plain.Line(first.finding.Text)
		}
		var paths []string
		for _, m := range o.members {
			paths = append(paths, m.service)
		}
		return plain.Line(fmt.Sprintf("%s In %d services: %s.", first.finding.Text, len(paths), strings.Join(paths, ", ")))
	}
	var texts []string
	for _, m := range o.members {
		texts = append(texts, m.service+": "+m.finding.Text)
	}
	return plain.Line(fmt.Sprintf("In %d services. %s", len(texts), strings.Join(texts, " ")))
}

// Accepts reports whether a finding of the plan of a service was accepted.
func (r *Review) Accepts(service string, f finding.Finding) bool {
	o := r.in[member{service, f}]
	return o != nil && r.accepted.Has(o.Finding)
}

// Left is what is left to accept.
func (r *Review) Left() (left []finding.Finding) {
	for _, o := range r.open {
		if !r.accepted.Has(o.Finding) {
			left = append(left, o.Finding)
		}
	}
	return left
}

// Open counts what is left to accept.
func (r *Review) Open() int { return len(r.Left()) }

// WhyOpen says what is left to accept and how, empty for nothing.
func (r *Review) WhyOpen() string {
	if left := r.Left(); len(left) > 0 {
		return finding.Count(left) + views.Keys(" to accept: press {key:diff.next-open}, then {key:diff.accept}.")
	}
	return ""
}

// notToAccept says why the row under the cursor is not accepted, empty where it can be.
func (r *Review) notToAccept() string {
	switch f := r.found(); {
	case f != nil && f.Blocks():
		return "Nothing gets over this. Correct the value."
	case len(r.Left()) == 0 && (f == nil || !f.Open()):
		return "Nothing has to be accepted."
	case f == nil || !f.Open():
		return views.Keys("Go to a finding first: {key:diff.next-open}.")
	}
	return ""
}

// acceptHint says what the key does on the row under the cursor.
func (r *Review) acceptHint() string {
	switch f := r.found(); {
	case f == nil || !f.Open():
		return ""
	case r.accepted.Has(*f):
		return "withdraw"
	}
	return "accept"
}

// accept accepts the finding under the cursor, once it was to be read, and goes to the next that is left;
// or takes that back.
func (r *Review) accept() tea.Cmd {
	f := *r.found()
	key, _ := r.list.Key()
	return r.accepted.Press(*r.asks, f, key == r.seen, func() tea.Cmd {
		if r.revision++; r.accepted.Has(f) {
			r.goToFinding(1)
		}
		return nil
	})
}

// goToFinding moves the cursor to the next finding that blocks or is left, with -1 to the one before it, round the
// ends.
func (r *Review) goToFinding(by int) {
	r.goTo(by, func(row *item) bool {
		return row.key.part == openRow && !r.accepted.Has(*row.finding) || row.key.part == findingRow && row.finding.Blocks()
	})
}

// causeOf is the row of the change that a finding is about; -1 where none is.
func (t *tree) causeOf(i int) int {
	f, plan := t.items[i].finding, t.items[i].plan
	is := func(row item) bool {
		return row.key.part == changeRow && row.plan == plan && slices.ContainsFunc(row.risks, func(r finding.Finding) bool { return r.ID == f.ID && r.At == f.At })
	}
	if at := slices.IndexFunc(t.items, is); at >= 0 {
		return at
	}
	path := document.Path(f.At.Path)
	return slices.IndexFunc(t.items, func(row item) bool {
		return row.key.part == changeRow && row.plan == plan && (path.Within(row.key.path) || row.key.path.Within(path))
	})
}
