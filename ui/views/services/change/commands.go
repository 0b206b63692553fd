package change

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/whatnow"
)

// Commands lists every row of the flow, those of its steps among them.
func (f *Flow) Commands() []views.Command { return f.table }

// Footer lists the rows of the footer.
func (f *Flow) Footer() []string {
	if c := f.shown(); c != nil {
		return c.Footer()
	}
	return nil
}

// tabulate makes the table of the children that there are.
func (f *Flow) tabulate() {
	at := func(those ...step) func() bool {
		return func() bool { return slices.Contains(those, f.step) && !f.CapturesText() }
	}
	f.table = slices.Concat(
		views.When(func() bool { return f.step == stepReview }, f.review.Commands()),
		[]views.Command{
			editor.BackRow(f.backHint, func() bool { return f.Active() && !f.CapturesText() }, f.back),
			{ID: "services.explain-change", Binding: views.Key("what now", whatnow.Key), Name: "explain change", Group: plan.Group, Run: views.Do(f.explain),
				Hint:  views.HintIf(func() bool { return f.step != stepReview }, "what now"),
				Shown: at(stepReview, stepConflict, stepResult), Enabled: views.Only(f.wentWrong, "Nothing has gone wrong."),
				Help: "Explain a change that went wrong, or pods that wait after it."},
		},
		views.When(at(stepResult), f.result.Commands()),
		views.When(at(stepConflict), f.conflict.Commands()),
	)
}

func (f *Flow) backHint() string {
	switch {
	case f.step == stepSending:
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
