// Package sending is the step of a change in which it is sent, once, and the search for the outcome of
// one whose answer was lost. Start at [Model]; the search is a [Search].
package sending

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

// Model is the step. It sends a plan that was confirmed; another confirmation makes another one.
type Model struct {
	plan.Step
	plan.Plan
	handlers Handlers
	began    time.Time
	progress views.Reports[report]
	begun    []report        // the steps of sending, each as last reported
	settled  map[string]bool // by path: what was told of what is sent
	stopped  atomic.Bool     // nothing is sent behind the present service
}

// Stop sends nothing behind the present service.
func (m *Model) Stop() tea.Cmd {
	m.stopped.Store(true)
	return views.Tell(views.Info, "It stops after this service. The rest is not sent.")
}

// Unstoppable says why nothing is stopped; empty where services wait.
func (m *Model) Unstoppable() string {
	switch {
	case m.stopped.Load():
		return "It stops after this service."
	case !m.Several || m.at()+1 >= m.Sendable():
		return "No service waits to be sent."
	}
	return ""
}

// Handlers are what sending leads to.
type Handlers struct {
	// Settled takes what the site has after an edit: once of each, before the next is sent.
	Settled func(Settled) tea.Cmd
	// Restarts says that a service is being changed, which likely restarts it.
	Restarts func(adminapi.ServiceRef)
	// Held says that nothing was sent: another program has one of the edits.
	Held func(of editing.Target, holder journal.Draft) tea.Cmd
	// Sent takes the results of the edits that were tried, at least one.
	Sent func([]Result) tea.Cmd
}

// Settled is what the site has after an edit was sent.
type Settled struct {
	Edit    editing.Edit
	Now     *document.Document // where it differs from what was edited; else nil
	Done    bool               // it took the change
	Sent    time.Time          // zero where it was not sent, or that is known
	Touched bool               // the site worked on the service: its state may have changed
	Ended   adminapi.Millis    // when the site had done it, by the server's clock; zero where that is not known
}

// Result is the result of one edit, merged with what the site has now.
type Result struct {
	operation.AppliedEdit
	Merge editing.Merge // after a drift
}

// New returns the step of a plan; Send sends it.
func New(base views.Base, inks *rows.Inks, of plan.Plan, handlers Handlers) *Model {
	return &Model{Step: plan.NewStep(base, inks), Plan: of, handlers: handlers, settled: map[string]bool{}}
}

// Send sends the plan, however often it is called; beside is for one of which another program has an edit.
func (m *Model) Send(beside bool) tea.Cmd {
	if m.progress != nil {
		return nil
	}
	m.began, m.progress = m.Env.Clock.Now(), views.NewReports[report]()
	site, progress, of := m.Env.Site, m.progress, m.Plan
	send := m.Scope.Write(func(ctx context.Context) tea.Msg {
		defer close(progress)
		if target, holder := heldElsewhere(site, of.ToSend()); holder != nil && !beside {
			return views.Retry{Do: m.WhileOpen(func() tea.Cmd {
				m.Close()
				return m.handlers.Held(target, *holder)
			})}
		}
		applied := batching.Apply(ctx, site, of.Edits, of.Several, m.stopped.Load, func(service adminapi.ServiceRef, p operation.EditProgress) {
			progress.Send(report{service: service, EditProgress: p})
		})
		results := mergedResults(applied, of)
		return views.Retry{Do: m.WhileOpen(func() tea.Cmd { return m.sent(results) })}
	})
	return tea.Batch(send, m.progress.Listen(m.Scope, m.reported))
}

// mergedResults runs in a command: definitions may be long.
func mergedResults(applied []operation.AppliedEdit, of plan.Plan) (results []Result) {
	for _, a := range applied {
		r := Result{AppliedEdit: a}
		if drift, ok := errors.AsType[*editing.DriftError](a.Err); ok {
			r.Merge = of.Of(a.Target).Merging(drift.Theirs)
		}
		results = append(results, r)
	}
	return results
}

// heldElsewhere returns the draft of another program that has one of the edits, and its
// target; nil for none. A draft that cannot be read prevents nothing: what the site has
// is compared in any case.
func heldElsewhere(site operation.Site, edits []batching.PlannedEdit) (of editing.Target, holder *journal.Draft) {
	for _, e := range edits {
		if holder, _ := site.Memory.EditDraftHolder(e.Target); holder != nil {
			return e.Target, holder
		}
	}
	return of, nil
}

func (m *Model) sent(results []Result) tea.Cmd {
	m.Close()
	var cmds []tea.Cmd
	for _, r := range results {
		cmds = append(cmds, m.settle(r.AppliedEdit))
	}
	return tea.Batch(append(cmds, m.handlers.Sent(results))...)
}

// settle tells what the site has after an edit, once: of several as each ends, so that none of them is
// called a draft while the next is sent.
func (m *Model) settle(a operation.AppliedEdit) tea.Cmd {
	path := a.Service.Path()
	if m.settled[path] {
		return nil
	}
	m.settled[path] = true
	s := Settled{Edit: m.Of(a.Target), Done: a.Done(), Touched: a.Touched(), Ended: a.Applied.Job.EndTime}
	if s.Ended == 0 && !m.Several && m.Restarts(a.Service) { // it was done at once
		s.Ended = adminapi.MillisOf(m.Env.Times.Site().Now())
	}
	if a.Sent() {
		s.Sent = m.began
	}
	if a.Applied.Stored != operation.StoredOld {
		s.Now = a.Applied.Now
	}
	return m.handlers.Settled(s)
}

// report is a step of sending.
type report struct {
	service adminapi.ServiceRef
	operation.EditProgress
	at time.Time // when the step was reported
}

func (m *Model) reported(r report) tea.Cmd {
	switch {
	case m.Closed(): // the results tell it
		return nil
	case r.Ended != nil:
		return m.settle(*r.Ended)
	}
	r.at = m.Env.Clock.Now()
	if r.Step >= operation.StepSendEdit && r.Step < operation.StepAnswer && m.Restarts(r.service) {
		m.handlers.Restarts(r.service)
	}
	if last := len(m.begun) - 1; last >= 0 && m.begun[last].Step == r.Step && m.begun[last].service.Path() == r.service.Path() {
		m.begun[last] = r
	} else {
		m.begun = append(m.begun, r)
	}
	return nil
}

// at is which of the edits is sent now.
func (m *Model) at() int {
	n := len(m.begun)
	if n == 0 {
		return 0
	}
	return max(0, m.index(m.begun[n-1].service.Path()))
}

func (m *Model) index(path string) int {
	return slices.IndexFunc(m.ToSend(), func(e batching.PlannedEdit) bool { return e.Service.Path() == path })
}

// Sends says whether the service at a path is being sent, or waits for that; empty for neither.
func (m *Model) Sends(path string) string {
	switch i := m.index(path); {
	case i == m.at():
		return "sending"
	case i > m.at() && !m.stopped.Load():
		return "to be sent"
	}
	return ""
}

// Since is when sending began.
func (m *Model) Since() time.Time { return m.began }

// text is a step of sending in words, with the state of its job.
func (r report) text() string {
	text := r.Doing()
	if r.Step == operation.StepEditJob {
		if r.Job.Status != "" {
			text += ": " + strings.ToLower(plain.Line(r.Job.Status))
		}
		if r.Unreachable != nil {
			text += "; the site does not answer, but the job continues"
		}
	}
	return plain.Capital(text)
}

// Footer lists the rows of the footer.
func (m *Model) Footer() []string { return []string{"services.stop-sending", "services.back"} }

// Note names the service that is sent now, and since when something is sent.
func (m *Model) Note(int) string {
	note := "sending"
	if m.Several {
		note += fmt.Sprintf(", service %d of %d", m.at()+1, m.Sendable())
	}
	note += ", " + views.Seconds(m.Env.Clock.Now().Sub(m.began))
	if at := m.page().Position(); at != "" {
		note += ", lines " + at
	}
	return note
}

// View draws the steps, the present one last; of several, one line a service.
func (m *Model) View() string { return m.page().View() }

func (m *Model) page() *rows.Pager {
	p := m.Page()
	how := "Sent once, never retried."
	switch {
	case m.Several && m.stopped.Load():
		how = "Stops after this service. The rest is not sent."
		m.writeServices(p)
	case m.Several:
		how = "Stops at the first failure. Each is sent once, never retried."
		m.writeServices(p)
	default:
		m.writeSteps(p)
	}
	p.Gap()
	if m.silent() {
		p.Text(m.Inks.Warn, "No answer yet. The site is checked when the connection ends.")
	}
	p.Text(m.Inks.Muted, how)
	which := "the service"
	if m.Several {
		which = "one of them"
	}
	p.Text(m.Inks.Muted, views.Keys("You can leave: {key:services.back} shows the list. Open ")+which+" to return.")
	pager := rows.NewPager(m.Inks.Glyphs.Ellipsis)
	pager.SetSize(m.Width, m.Height)
	pager.Set(p.Lines)
	return pager
}

// aroundSent is how many services above and below the present one are listed by name.
const aroundSent = 5

// writeServices writes one line a service: done, the present one with its step, waiting.
func (m *Model) writeServices(p *rows.Page) {
	k, edits, at := m.Inks, m.ToSend(), m.at()
	text := preparing
	if n := len(m.begun); n > 0 {
		text = m.begun[n-1].text()
	}
	line := func(status rows.Status, word, name string) {
		glyph, ink := k.Mark(status)
		p.Line(ink.On(glyph+" "+k.Fit(word, 10)) + plain.ClipMiddle(name, max(8, p.Width-12), k.Glyphs.Ellipsis))
	}
	first := max(0, at-aroundSent)
	if first > 0 {
		line(rows.StatusPassed, "done", plain.Plural(first, "service"))
	}
	for i, e := range edits[first:] {
		switch i += first; {
		case i < at:
			line(rows.StatusPassed, "done", e.Service.Path())
		case i == at:
			line(rows.StatusRunning, "sending", e.Service.Path())
			p.Indented(k.Muted, strings.Repeat(" ", 12), text)
		case i <= at+aroundSent:
			line(rows.StatusSkipped, "waiting", e.Service.Path())
		}
	}
	if left := len(edits) - at - 1 - aroundSent; left > 0 {
		line(rows.StatusSkipped, "waiting", strconv.Itoa(left)+" more")
	}
}

const preparing = "Preparing"

func (m *Model) writeSteps(p *rows.Page) {
	for i, r := range m.begun {
		status := rows.StatusPassed
		if i == len(m.begun)-1 {
			status = rows.StatusRunning
		}
		p.Status(status, r.text())
	}
	if len(m.begun) == 0 {
		p.Status(rows.StatusRunning, preparing)
	}
}

// longSilence is how long an edit is without an answer before that is said.
const longSilence = 30 * time.Second

// silent reports whether an edit has been without its answer for long.
func (m *Model) silent() bool {
	n := len(m.begun)
	return n > 0 && m.begun[n-1].Step == operation.StepSendEdit && m.Env.Clock.Now().Sub(m.begun[n-1].at) >= longSilence
}
