package change

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
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
			{ID: "services.many", Binding: views.Key("", "M"), Hint: f.manyHint, Name: "same change on marked services", Group: plan.Group, Run: views.Do(f.planMarked),
				Shown: func() bool { return at(stepReview)() || f.plan.Several && f.step == stepResult }, Enabled: f.notSeveral,
				Help: "Plan the same change, a batch, on marked services for one review."},
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

// manyHint counts the services that the same change is planned for.
func (f *Flow) manyHint() string {
	if f.step == stepResult {
		return "continue with " + plain.Plural(len(f.result.Left()), "service")
	}
	return f.review.ForAllHint()
}

// notSeveral says why the change is not planned for other services, empty where it can be.
func (f *Flow) notSeveral() string {
	switch {
	case f.step == stepReview:
		return f.review.NotForAll()
	case f.searching():
		return "Wait until the outcome is known."
	case !f.canContinue():
		return "Every service has the change."
	}
	return ""
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
	return f.step == stepConflict || f.step == stepResult && f.result.WentWrong() || f.step == stepReview && f.review.Blocked()
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
