package change

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

const group = "Change"

// Commands lists every row of the flow.
func (f *Flow) Commands() []views.Command { return f.table }

// The rows of the footer: of a review, of one in which keys are to be confirmed first, and of the
// other steps.
var (
	reviewFooter = []string{rows.Up, rows.Down, "services.send", "services.many", "services.request", "services.plan", "services.back",
		"diff.open", diff.Copy, rows.Filter}
	confirmFooter = []string{rows.Up, rows.Down, "diff.name", "diff.leave", "diff.open", "diff.next-key",
		"services.many", "services.request", "services.plan", "services.back", diff.Copy, rows.Filter}
	conflictFooter = []string{rows.Up, rows.Down, "services.choose", "services.choose-edit", "services.merge", "services.back", "services.explain-change"}
	pageFooter     = []string{rows.Up, rows.Down, "services.many", "services.explain-change", "services.again", "services.look",
		"services.health", "services.pods-again", "services.back"}
)

// Footer lists the rows of the footer.
func (f *Flow) Footer() []string {
	switch {
	case f.step == reviewing && f.review.Open() > 0:
		return confirmFooter
	case f.step == reviewing:
		return reviewFooter
	case f.step == conflicting:
		return conflictFooter
	}
	return pageFooter
}

// rows makes the rows of a change.
func (f *Flow) rows() []views.Command {
	at := func(s step) func() bool { return func() bool { return f.step == s && !f.CapturesText() } }
	reviews := at(reviewing)
	return slices.Concat(
		views.When(reviews, f.reviewRows()), []views.Command{
			{ID: "services.many", Binding: views.Key("", "M"), Hint: f.manyHint, Name: "same change on marked services", Group: group, Run: views.Do(f.planMarked),
				Shown: func() bool { return reviews() || f.several && f.step == ended }, Enabled: f.notSeveral,
				Help: "Plan the same change, a batch, on marked services for one review."},
			editor.BackRow(f.backHint, func() bool { return f.Active() && !f.CapturesText() }, f.back),
		},
		f.resultRows(),
		views.When(at(conflicting), f.conflictRows()),
		views.When(at(ended), f.pager.Moves()),
		views.When(func() bool { return f.step == reviewing && !f.showsRequests }, f.review.Commands()),
		views.When(func() bool { return f.step == reviewing && f.showsRequests }, f.requested.Moves()),
	)
}

// reviewRows are the commands of a review.
func (f *Flow) reviewRows() []views.Command {
	return slices.Concat([]views.Command{
		{ID: "services.send", Binding: views.Key("", "w"), Hint: f.sendHint, Name: "send reviewed change", Group: group, Enabled: f.notSent, Run: views.Do(f.askSend),
			Help: "Send the reviewed change once; asks first. Confirm removed keys by name before."},
		{ID: "services.how-to-send", Binding: views.Key("", "enter"), Name: "next step of review", Group: group,
			Shown: func() bool { return f.notSent() == "" && (f.showsRequests || !f.review.Opens()) },
			Run:   views.Do(f.tellNext),
			Help:  "Say which key sends."},
		{ID: "services.request", Binding: views.Key("", "v"), Hint: f.requestHint, Name: "show request", Group: group, Run: views.Do(f.toggleRequests),
			Enabled: views.Only(func() bool { return f.requests != nil || f.sendable() > 0 }, "No changes, so there is no request."),
			Help:    "Show the request with secrets masked, or the difference again. Sends nothing."},
		{ID: "services.plan", Binding: views.Key("save plan", "x"), Name: "save plan", Group: group, Run: views.Do(f.savePlan),
			Help: "Save the reviewed plan and its request to a file. Nothing is sent."},
	}, f.copies().Rows("services", group))
}

// tellNext says which key goes on.
func (f *Flow) tellNext() tea.Cmd {
	if f.forAll() {
		return views.Tell(views.Info, views.Keys("Press {key:services.send} to plan it for all."))
	}
	return views.Tell(views.Info, views.Keys("Press {key:services.send} to send."))
}

// notSent says why the key that sends does nothing, empty where it does.
func (f *Flow) notSent() string {
	switch {
	case f.step != reviewing:
		return "No change is in review."
	case f.forAll():
		return ""
	}
	return f.cannotSend()
}

// sendHint says what the key that sends leads to.
func (f *Flow) sendHint() string {
	if f.forAll() {
		return f.onServices()
	}
	if _, is := f.unknownEarlier(); is {
		return "check first"
	}
	return "send"
}

// manyHint counts the services that the same change is planned for.
func (f *Flow) manyHint() string {
	switch {
	case f.step == ended:
		return "continue with " + plain.Plural(len(f.remaining()), "service")
	case f.forAll():
		return ""
	}
	return f.onServices()
}

func (f *Flow) onServices() string { return "on " + plain.Plural(len(f.sameChange()), "service") }

func (f *Flow) requestHint() string {
	if f.showsRequests {
		return "difference"
	}
	return "request"
}

func (f *Flow) backHint() string {
	switch {
	case f.step == sending:
		return "list"
	case f.searching():
		return "stop waiting"
	}
	return "back"
}

// resultRows are the commands of a result.
func (f *Flow) resultRows() []views.Command {
	offers := func(those ...next) func() bool {
		return func() bool { return slices.Contains(those, f.next()) }
	}
	return []views.Command{
		{ID: "services.explain-change", Binding: views.Key("what now", whatnow.Key), Name: "explain change", Group: group, Run: views.Do(f.whatNow),
			Hint: views.HintIf(func() bool { return f.step != reviewing }, "what now"),
			Shown: func() bool {
				return (f.step == reviewing || f.step == conflicting || f.step == ended) && !f.CapturesText()
			},
			Enabled: views.Only(f.needsExplaining, "Nothing has gone wrong."),
			Help:    "Explain a change that went wrong, or pods that wait after it."},
		{ID: "services.again", Binding: views.Key("send again", "w"), Name: "send again", Group: group, Shown: f.notArrived, Run: views.Do(f.sendAgain),
			Help: "Review a change again that very likely never arrived."},
		{ID: "services.look", Binding: views.Key("look for it", "R"), Name: "refresh outcome", Group: group, Shown: offers(nextSearch, nextEarlier), Run: views.Do(f.look),
			Help: "Look for a change whose answer was lost. Sends nothing."},
		{ID: "services.health", Binding: views.Key("", "r"), Hint: views.HintIf(offers(nextHealth), "health check"), Name: "run health check now", Group: group,
			Shown: offers(nextSearch, nextHealth),
			Run: views.Do(func() tea.Cmd {
				return views.Send(views.Navigate{View: "health", Command: "health.run"})
			}),
			Help: views.Keys("After a change: run a health check; {key:services.back} returns.")},
		f.pods.RefreshRow(func() bool { return f.step == ended && f.followed.Over() }, f.lay),
	}
}

// needsExplaining reports whether a change was not done, or cannot be, or a service waits after it.
func (f *Flow) needsExplaining() bool {
	return f.wentWrong() || f.step == conflicting || f.step == reviewing && f.review.Blocked()
}

// conflictRows are the commands of the page of conflicts.
func (f *Flow) conflictRows() []views.Command {
	some := views.Only(func() bool { return f.conflicts != nil && len(f.conflicts.merge.Conflicts) > 0 }, "Nothing is in conflict.")
	on := func() string {
		if why := some(); why != "" {
			return why
		}
		if _, _, ok := f.conflicts.at(); !ok {
			return views.Keys("Press {key:services.next-conflict} to go to a conflict first.")
		}
		return ""
	}
	return slices.Concat([]views.Command{
		{ID: "services.choose", Binding: views.Key("mine or theirs", " "), Name: "choose mine or theirs", Group: group, Enabled: on, Run: views.Call(func() { f.conflicts.choose() }),
			Help: "In a conflict: choose your version or the site's."},
		{ID: "services.choose-edit", Binding: views.Key("edit", "e"), Name: "edit value in conflict", Group: group, Enabled: on, Run: views.Do(f.editConflict),
			Help: "In a conflict: type another value. Edit rules and objects in their tab."},
		{ID: "services.merge", Binding: views.Key("", "enter", "m"), Hint: f.mergeHint, Name: "merge", Group: group, Run: views.Do(f.merge),
			Help: "Merge your change with the site's version, for another review. Sends nothing."},
		{ID: "services.next-conflict", Binding: views.Key("", "n"), Name: "next conflict", Group: group, Enabled: some, Run: views.Call(func() { f.conflicts.next() }),
			Help: "Go to the next conflict."},
		{ID: "services.previous-conflict", Binding: views.Key("", "N"), Name: "previous conflict", Group: group, Enabled: some, Run: views.Call(func() { f.conflicts.seek(-1) }),
			Help: "Go to the previous conflict."},
	}, f.places.Moves())
}

func (f *Flow) mergeHint() string {
	if f.conflicts.open() > 0 {
		return "next"
	}
	return "merge"
}
