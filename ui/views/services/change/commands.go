package change

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/conflict"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/result"
	"geodeck/ui/widget/whatnow"
)

// Commands lists the rows of the flow, with those of the steps that have begun.
func (f *Flow) Commands() []views.Command { return f.table }

// Rows lists every row, also those of steps that have not begun.
func (f *Flow) Rows() []views.Command {
	all := f.children
	if all.review == nil {
		all.review = f.newReview()
	}
	if all.conflict == nil {
		all.conflict = conflict.New(f.Child(), f.inks, editing.Merge{}, nil, nil)
	}
	if all.result == nil {
		all.result = f.newResult(result.End{})
	}
	return f.rows(all)
}

// Footer lists the rows of the footer.
func (f *Flow) Footer() []string {
	if c := f.shown(); c != nil {
		return c.Footer()
	}
	return nil
}

// rows makes the table of the children that there are.
func (f *Flow) rows(c children) (table []views.Command) {
	at := func(those ...step) func() bool {
		return func() bool { return slices.Contains(those, f.step) && !f.CapturesText() }
	}
	if c.review != nil {
		table = views.When(func() bool { return f.step == stepReview }, c.review.Commands())
	}
	table = append(table,
		editor.BackRow(f.backHint, func() bool { return f.Active() && !f.CapturesText() }, f.back),
		views.Command{ID: "services.stop-sending", Key: "S", Word: "stop after this one", Name: "stop after this service", Group: plan.Group,
			Shown: at(stepSending), Enabled: func() string { return f.sending.Unstoppable() }, Run: func() tea.Cmd { return f.sending.Stop() },
			Help: "Send no further service after the present one."},
		views.Command{ID: "services.stop-waiting", Key: "S", Word: "stop waiting", Name: "stop waiting for the job", Group: plan.Group,
			Shown: func() bool { return f.Active() && f.follows() }, Run: func() tea.Cmd { return f.result.Search.AskStop() },
			Help: "Stop following a job that runs (asks)."},
		views.Command{ID: "services.explain-change", Key: whatnow.Key, Word: "what now", Name: "explain change", Group: plan.Group, Run: f.explain,
			Hint:  views.HintIf(func() bool { return f.step != stepReview }, "what now"),
			Shown: at(stepReview, stepConflict, stepResult), Enabled: views.Only(f.wentWrong, "Nothing has gone wrong."),
			Help: "Explain a change that went wrong, or pods that wait after it."})
	if c.result != nil {
		table = append(table, views.When(at(stepResult), c.result.Commands())...)
	}
	if c.conflict != nil {
		table = append(table, views.When(at(stepConflict), c.conflict.Commands())...)
	}
	return table
}

func (f *Flow) backHint() string {
	switch {
	case f.step == stepSending, f.follows():
		return "list"
	case f.searching():
		return "stop waiting"
	}
	return "back"
}

// wentWrong reports whether a change was not done, or cannot be, or a service waits after it.
func (f *Flow) wentWrong() bool {
	switch f.step {
	case stepReview:
		return f.review.Blocked()
	case stepResult:
		return f.result.WentWrong()
	}
	return f.step == stepConflict
}

// explain opens the panel What now.
func (f *Flow) explain() tea.Cmd {
	switch f.step {
	case stepReview:
		return f.review.Explain()
	case stepConflict:
		return f.conflict.Explain()
	}
	return f.result.Explain()
}
