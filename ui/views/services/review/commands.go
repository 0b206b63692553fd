package review

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// The rows of the footer: of a review, and of one in which findings are left to accept.
var (
	reviewFooter = []string{rows.Up, rows.Down, "services.send", "services.respell", "services.many", "services.request", "services.sync", "services.plan", "services.back",
		"diff.accept", "diff.open", diff.Copy, rows.Filter}
	acceptFooter = []string{rows.Up, rows.Down, "diff.accept", "services.respell", "diff.next-open", "diff.open",
		"services.many", "services.request", "services.sync", "services.plan", "services.back", diff.Copy, rows.Filter}
)

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	if m.diff.Open() > 0 {
		return acceptFooter
	}
	return reviewFooter
}

func (m *Model) rows() []views.Command {
	own := slices.Concat([]views.Command{
		{ID: "services.send", Key: "w", Hint: m.sendHint, Name: "send reviewed change", Group: plan.Group, Enabled: m.notSent, Run: m.ask,
			Help: "Send the reviewed change once; asks first. Accept what was found before."},
		{ID: "services.how-to-send", Key: "enter", Name: "next step of review", Group: plan.Group,
			Shown: func() bool { return m.notSent() == "" && (m.showsRequests || !m.diff.Opens()) },
			Run:   m.tellNext,
			Help:  "Say which key sends."},
		{ID: "services.request", Key: "v", Hint: m.requestHint, Name: "show request", Group: plan.Group, Run: m.toggleRequests,
			Enabled: views.Only(func() bool { return m.requests != nil || m.Sendable() > 0 }, "No changes, so there is no request."),
			Help:    "Show the request with secrets masked, or the difference again. Sends nothing."},
		{ID: "services.sync", Key: "space", Hint: views.HintIf(func() bool { return m.showsRequests }, "job or not"), Name: "switch job or answer at the end",
			Group: plan.Group, Shown: func() bool { return m.showsRequests }, Run: m.switchSync,
			Help: "Have the site run a job, or answer at the end. Sends nothing."},
		{ID: "services.plan", Key: "x", Word: "save review", Name: "save review", Group: plan.Group, Run: m.saveReview,
			Help: "Save the review, its request and a plan for commands to files. Nothing is sent."},
		{ID: "services.respell", Key: "m", Hint: views.HintIf(m.suggests, "take suggestion"),
			Name: "take the suggested key", Group: plan.Group, Run: m.respell,
			Enabled: m.noSuggestion,
			Help:    "Give a misspelt key the suggested name, for another review. Sends nothing."},
	}, m.copies().Rows("services", plan.Group), []views.Command{plan.ManyRow(m.manyHint, m.NotForAll, m.handlers.ForAll)})
	return slices.Concat(views.When(func() bool { return !m.CapturesText() }, own),
		views.When(func() bool { return !m.showsRequests }, m.diff.Commands()), views.When(func() bool { return m.showsRequests }, m.requested.Moves()))
}

// misspelt is the finding with another key that is under the cursor, else the first.
func (m *Model) misspelt() (f finding.Finding) {
	_, here := m.diff.Described()
	for _, r := range m.First().Plan.Risks {
		if r.Instead != "" && !m.showsRequests && (f.Instead == "" || r.At.Path == string(here)) {
			f = r
		}
	}
	return f
}

func (m *Model) suggests() bool { return m.noSuggestion() == "" }

// noSuggestion says why no other key is taken here; what to do where the change was made elsewhere.
func (m *Model) noSuggestion() string {
	switch {
	case m.misspelt().Instead == "":
		return "No other key is suggested here."
	case m.Restores():
		return "This version is restored as it was. Correct the key in the editor afterwards."
	case m.Several:
		return "Go back and correct the key in the editor. Then plan it for all again."
	}
	return ""
}

// respell gives that key the suggested name.
func (m *Model) respell() tea.Cmd {
	edit, f := m.First().Edit, m.misspelt()
	edited, err := edit.Edited.Respell(document.Path(f.At.Path), document.Path(f.Instead))
	if err != nil {
		return views.TellFailed("The key keeps its name", err)
	}
	edit.Edited = edited
	return tea.Batch(m.handlers.Respelled(edit), views.Tell(views.Info, plain.Line(f.At.Path+" is now "+f.Instead)+"."))
}

// tellNext says which key goes on.
func (m *Model) tellNext() tea.Cmd {
	if m.forAll() {
		return views.Tell(views.Info, views.Keys("Press {key:services.send} to plan it for all."))
	}
	return views.Tell(views.Info, views.Keys("Press {key:services.send} to send."))
}

// notSent says why the key that sends does nothing, empty where it does.
func (m *Model) notSent() string {
	if m.forAll() {
		return ""
	}
	return m.cannotSend()
}

// sendHint says what the key that sends leads to.
func (m *Model) sendHint() string {
	if m.forAll() {
		return m.onServices()
	}
	if _, is := m.unknownEarlier(); is {
		return "check first"
	}
	if n := m.Sendable(); m.Several && n > 1 {
		return fmt.Sprintf("send to %d", n)
	}
	return "send"
}

func (m *Model) onServices() string { return "on " + plain.Plural(len(m.Same()), "service") }

func (m *Model) requestHint() string {
	if m.showsRequests {
		return "difference"
	}
	return "request"
}
