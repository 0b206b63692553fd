package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// askSend asks before the reviewed change is sent.
func (m *Model) askSend() tea.Cmd {
	w := m.way
	switch why := m.noChanges(); {
	case w.step != reviewing:
		return nil
	case w.anew:
		return views.Tell(views.Info, plansAnew)
	case why != "":
		return views.Tell(views.Warning, why)
	case w.review.Blocked():
		return views.Tell(views.Warning, "Nothing can be sent: a rule is broken. The review says which; esc leads back.")
	case w.review.Open() > 0:
		return views.Tell(views.Warning, plain.Plural(w.review.Open(), "key")+" would be lost: confirm each by its name first. c goes to the next.")
	case w.sendable() == 0:
		return views.Tell(views.Info, "Nothing would change anywhere: there is nothing to send.")
	}
	return m.sendQuestion(false)
}

// sendQuestion is asked unasked when a sign-in was needed in between. Where no node
// takes the pods it is answered by typing a word.
func (m *Model) sendQuestion(unasked bool) tea.Cmd {
	w := m.way
	q := views.Question{ID: "services.send", Text: "Send the " + plain.Line(w.target().String()) + "?", Consequence: m.consequence(), Yes: "send", No: "do not send"}
	if w.many {
		q.Text = "Send " + plain.Plural(w.sendable(), "definition") + ", one after the other?"
	}
	if len(w.reviewed().Homeless()) > 0 {
		q.Word = noneWord
	}
	confirmed := sendConfirmed{way: w, plan: w.plan}
	q.Then = m.scope.Do("send confirmed", func(context.Context) tea.Msg { return confirmed })
	return views.Send(views.Open{Unasked: unasked, Dialog: views.NewConfirm(m.env.Theme, q)})
}

// noneWord is typed to send rules that no node fits.
const noneWord = "none"

// consequence says what follows from sending.
func (m *Model) consequence() string {
	w := m.way
	text := "It replaces the whole " + w.target().Part.String() + ". The present one is kept on this machine first."
	switch {
	case w.many:
		text = "Each replaces a whole definition, which is kept on this machine first. It stops at the first that is not done whole."
	case w.target().Part == operation.Placement:
		text += " " + m.podsConsequence()
	}
	if risks := w.risks(); risks != "" {
		text += " Risks: " + risks + "."
	}
	return text
}

// podsConsequence says what becomes of the pods.
func (m *Model) podsConsequence() string {
	plan := m.way.reviewed()
	text := "The pods of " + plain.Plural(len(plan.Moves), "deployment") + " are replaced by new ones."
	if slices.ContainsFunc(plan.Moves, func(move operation.Move) bool { return m.sharerOf(move) != "" }) {
		text += " Other services run in them as well."
	}
	switch homeless := plan.Homeless(); {
	case len(homeless) > 0:
		text += " No node takes those of " + plain.Line(strings.Join(homeless, ", ")) + ": they wait (Pending) until one does, and the service may not answer meanwhile."
	case !m.way.sawNodes():
		text += " " + noNodesLooked
	}
	return text
}

// risks names what weighs, each once.
func (w *way) risks() string {
	var labels []string
	for _, e := range w.edits {
		for _, r := range e.Plan.Risks {
			if label := string(r.Label); r.Severity >= document.Caution && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return strings.Join(labels, ", ")
}

// plansAnew says why nothing can be sent for a moment.
const plansAnew = "Other nodes have come meanwhile, and the plan is made anew with them: look at it, then send."

// sendConfirmed says that a plan of a way was confirmed.
type sendConfirmed struct {
	way    *way
	plan   int
	beside bool // also that another program has one of the edits
}

// apply sends once. That it is under way is noted before anything is sent: a second
// confirmation finds it so.
func (r sendConfirmed) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil || w != r.way || w.step != reviewing {
		return nil
	}
	if why := m.noChanges(); why != "" { // that began while the question was open
		return views.Tell(views.Warning, why)
	}
	if w.anew || r.plan != w.plan { // another one was confirmed than would be sent
		return views.Tell(views.Warning, "Nothing was sent. "+plansAnew)
	}
	w.step, w.began, w.begun = sending, m.env.Clock.Now(), nil
	w.progress = views.NewReports[wayReport]()
	edits := slices.Clone(w.edits)
	for i := range edits {
		confirmed := ""
		if w.many {
			confirmed = edits[i].Service.Path()
		}
		edits[i].AllowLost = w.review.Confirmed(confirmed)
		edits[i].AllowNone = len(w.reviewed().Homeless()) > 0
	}
	site, progress := m.env.Site, w.progress
	send := m.scope.Write(func(ctx context.Context) tea.Msg {
		defer close(progress)
		if of, holder := heldElsewhere(site, edits); holder != nil && !r.beside {
			return heldBack{r, of, *holder}
		}
		return sent{site.ApplyMany(ctx, edits, func(service adminapi.ServiceRef, p operation.EditProgress) {
			progress.Tell(wayReport{service: service, EditProgress: p})
		})}
	})
	return tea.Batch(send, m.listen())
}

// heldElsewhere is the draft of another program that has one of the edits, with what it
// is of; nil where none has. What cannot be read is no reason not to send: what the
// site has is compared in any case.
func heldElsewhere(site operation.Site, edits []operation.PlannedEdit) (of operation.Target, holder *journal.Draft) {
	for _, e := range edits {
		if e.Refused != nil || e.Unchanged() {
			continue
		}
		if holder, _ := site.EditHolder(e.Target); holder != nil {
			return e.Target, holder
		}
	}
	return of, nil
}

// heldBack says that nothing was sent: another program has one of the edits.
type heldBack struct {
	confirmed sendConfirmed
	of        operation.Target
	holder    journal.Draft
}

func (r heldBack) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil || w != r.confirmed.way || w.step != sending {
		return nil
	}
	w.step = reviewing
	m.place()
	again := r.confirmed
	again.beside = true
	return views.Send(views.Open{Unasked: true, Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "services.send-beside", Text: "Nothing was sent. Send it beside the edit of " + r.holder.Program.Who() + "?",
		Consequence: m.hasIt(r.holder, "the "+plain.Line(r.of.String())) +
			" Its text stays. Sending that later leads to a merge.",
		Yes: "send", No: "do not send",
		Then: m.scope.Do("send confirmed", func(context.Context) tea.Msg { return again }),
	})})
}

// sent is what became of the edits that were tried.
type sent struct{ results []operation.AppliedEdit }

func (r sent) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil || w.step != sending || len(r.results) == 0 {
		return nil
	}
	w.step, w.results = ended, r.results
	last := r.results[len(r.results)-1]
	var cmds []tea.Cmd
	for _, result := range r.results {
		cmds = append(cmds, m.settle(w.editOf(result.Target), result.Applied.Now, endingOf(result)))
	}
	switch end := endingOf(last); {
	case end == endLost || end == endUnseen:
		cmds = append(cmds, m.findLost(w.editOf(last.Target), last.Applied.Job.ID, last.Err))
	case errors.Is(last.Err, operation.ErrUnsettled):
		cmds = append(cmds, views.NotSent("", last.Err))
	case errors.Is(last.Err, adminapi.KindSignIn) && len(r.results) == 1:
		w.step = reviewing
		reason := fmt.Errorf("the %s was not sent: %w", last.Part, last.Err)
		return tea.Batch(append(cmds, m.scope.RetryAfterSignIn(reason, "send", m.sendAgain))...)
	case end == endDone || end == endNotKept || end == endFailed && w.isThere(last):
		cmds = append(cmds, m.followPods())
	}
	m.place()
	return tea.Batch(cmds...)
}

// isThere tells whether the site has the change, whatever was answered.
func (w *way) isThere(r operation.AppliedEdit) bool {
	return r.Applied.Now != nil && len(document.Diff(w.editOf(r.Target).Edited, r.Applied.Now)) == 0
}

// sendAgain brings the question back after a sign-in.
func (m *Model) sendAgain() tea.Cmd {
	if m.way == nil || m.way.step != reviewing {
		return nil
	}
	return m.sendQuestion(true)
}

func (w *way) editOf(target operation.Target) operation.Edit {
	for _, e := range w.edits {
		if e.Same(target) {
			return e.Edit
		}
	}
	return operation.Edit{Target: target}
}

// settle takes over what the site has after an edit: what it does not have of it
// stays a draft, what it has needs none.
func (m *Model) settle(edit operation.Edit, now *document.Document, end ending) tea.Cmd {
	if end == endDone || end == endNotKept || end == endFailed {
		m.restarts(edit.Service)
	}
	e := m.editedOf(edit.Target)
	switch {
	case e != nil && now != nil && len(document.Diff(edit.Base, now)) > 0:
		return e.settled(edit, now)
	case e != nil && end == endDone:
		return e.settled(edit, edit.Edited) // it could not be read back
	case end == endDone && m.drafted(edit):
		return m.keep(edit.Target, nil)
	}
	return nil
}

// drafted tells whether the draft of a service is the edit that was sent.
func (m *Model) drafted(edit operation.Edit) bool {
	k := m.keepers[edit.Target.String()]
	return k != nil && k.want != nil && k.want.Edited == edit.Edited.Text()
}

// restarts has the state of a service read again where it is seen.
func (m *Model) restarts(service adminapi.ServiceRef) {
	if known, ok := m.catalog.states[service.Path()]; ok {
		known.stale = true
		m.catalog.states[service.Path()] = known
	}
}

// followPods begins to follow the pods of the deployments whose rules were changed.
func (m *Model) followPods() tea.Cmd {
	w := m.way
	if w.pods != nil {
		return nil
	}
	followed, cmd := m.pods.FollowMoves(w.target().Service, w.reviewed().Moves)
	w.pods = followed
	return cmd
}

// podsAgain follows on where nothing was asked any more.
func (m *Model) podsAgain() tea.Cmd {
	cmd := m.pods.Resume()
	m.place()
	return cmd
}
