package services

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/rows"
	"geodeck/ui/views/services/cluster"
)

// wayStep is a step of the way out.
type wayStep int

const (
	checking wayStep = iota
	reviewing
	sending
	ended
)

// String names the step for the path of the frame.
func (s wayStep) String() string { return [...]string{"check", "review", "sending", "result"}[s] }

// way is how a change of one part of a service, or the same of several definitions, leaves this
// machine: nothing is sent that was not reviewed, and nothing twice.
type way struct {
	step     wayStep
	title    string // what is done
	edits    []operation.PlannedEdit
	many     bool
	changes  []document.Change // what is changed in each of several
	review   *diff.Review
	merged   bool // what is reviewed was brought onto what the site has now
	progress views.Reports[wayReport]
	begun    []wayReport // the steps of the sending, each as it was last reported
	read     int         // of several: how many definitions were read for the plan
	wanted   int         // of several: how many are to be read
	began    time.Time
	results  []operation.AppliedEdit
	lost     *lost // after a lost answer
	conflict []document.Conflict
	plan     int                // counts the plans: what is confirmed is one of them
	nodes    int                // the version of the nodes that it was planned with
	anew     bool               // it is planned again, with nodes that have come meanwhile
	pods     *cluster.Following // after a change of rules; nil where none is followed
	stays    bool               // somebody wanted to leave while it was sent
	pager    *rows.Pager
}

// What a way does.
const (
	titleEdit    = "Edit"
	titleRestore = "Restore"
)

// wayReport is what a command on the way tells: a step of a sending, or how many
// definitions were read.
type wayReport struct {
	service adminapi.ServiceRef
	operation.EditProgress
	read int
}

var (
	cmdSend  = views.Command{ID: "services.send", Binding: views.Key("send", "w"), Name: "send reviewed change", Help: "Send what was reviewed, once; asks first. Lost keys have to be confirmed by name before.", Group: wayGroup}
	cmdMany  = views.Command{ID: "services.many", Binding: views.Key("on marked", "M"), Name: "same change on marked services", Help: "Plan the same change on all services that are marked in the list, for one review.", Group: wayGroup}
	cmdPlan  = views.Command{ID: "services.plan", Binding: views.Key("save plan", "p"), Name: "save plan", Help: "A dry run: write the reviewed plan to a file. Nothing is sent.", Group: wayGroup}
	cmdMerge = views.Command{ID: "services.merge", Binding: views.Key("merge", "m"), Name: "merge", Help: "After the site's definition was changed meanwhile: bring your change onto it, and review that. Overwrites nothing.", Group: wayGroup}
	cmdLook  = views.Command{ID: "services.look", Binding: views.Key("look now", "R", "r"), Name: "look again", Help: "Look at once what became of a change whose answer was lost. Sends nothing.", Group: wayGroup}
)

// planned is a plan that is ready to be reviewed.
type planned struct {
	edits   []operation.PlannedEdit
	nodes   operation.Nodes // that were read for it; none where they were known
	cluster int             // which of the readings of the nodes it was made with
}

// startWay begins the way of a change of one part of a service. Whether the site takes changes
// is read again: that may be long ago.
func (m *Model) startWay(edit operation.Edit, title string) tea.Cmd {
	m.way = &way{title: title, review: diff.New(m.env.Theme), pager: rows.NewPager(m.inks.Glyphs.Ellipsis)}
	m.place()
	return tea.Batch(m.plan(edit), m.readMode())
}

// plan compares in a command: a definition may be long, and nodes many.
func (m *Model) plan(edit operation.Edit) tea.Cmd {
	nodes := func(context.Context) operation.Nodes { return operation.Nodes{} }
	if edit.Part == operation.Placement {
		nodes = m.nodes.ForPlan()
	}
	cluster := m.nodes.Version()
	return m.scope.Do("plan", func(ctx context.Context) tea.Msg {
		r := planned{nodes: nodes(ctx), cluster: cluster}
		edit.Nodes = r.nodes.List
		r.edits = []operation.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}
		return r
	})
}

func (r planned) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil || w.step != checking && !w.anew {
		return nil
	}
	if err := r.signIn(); err != nil {
		if len(w.results) > 0 { // of those that were left
			w.step = ended
			m.place()
			return m.scope.RetryAfterSignIn(err, "plan", m.goOnWithLeft)
		}
		w.step, w.many = reviewing, false // of the one, as before
		m.place()
		return m.scope.RetryAfterSignIn(err, "plan", m.planAgain)
	}
	if m.nodesCame(r) {
		return m.plan(r.edits[0].Edit)
	}
	w.edits, w.nodes = r.edits, m.nodes.Version()
	w.plan, w.anew = w.plan+1, false
	if !w.many && w.edits[0].Unchanged() {
		m.way = nil
		return views.Tell(views.Info, "Nothing differs by meaning from what the site has: there is nothing to send.")
	}
	w.step, w.results, w.lost, w.pods = reviewing, nil, nil, nil
	w.review.Set(w.plans()...)
	m.place()
	return nil
}

// plans are what is reviewed: those that would change something.
func (w *way) plans() (plans []document.Review) {
	for _, e := range w.edits {
		if e.Refused != nil || w.many && e.Unchanged() {
			continue
		}
		plan := document.Review{Changes: e.Plan.Changes, Risks: e.Plan.Risks, Lost: e.Plan.Lost, Findings: e.Plan.Findings}
		if w.many {
			plan.Service = e.Service.Path()
		}
		plans = append(plans, plan)
	}
	return plans
}

// sendable counts the edits that would be sent.
func (w *way) sendable() (n int) {
	for _, e := range w.edits {
		if e.Refused == nil && !e.Unchanged() {
			n++
		}
	}
	return n
}

// searching tells whether it is still being found out what became of the change.
func (w *way) searching() bool { return w.lost != nil && !w.lost.settled() }

func (w *way) busy() string {
	switch {
	case w.step == checking:
		return "checking"
	case w.step == sending:
		return "sending"
	case w.searching():
		return "looking what became of it"
	}
	return ""
}

// target is what the change of one is of.
func (w *way) target() operation.Target {
	if len(w.edits) == 0 {
		return operation.Target{}
	}
	return w.edits[0].Target
}

// reviewed is what the change of one would do.
func (w *way) reviewed() operation.EditPlan {
	if len(w.edits) == 0 {
		return operation.EditPlan{}
	}
	return w.edits[0].Plan
}

// about names what the change is of.
func (w *way) about() string {
	switch {
	case w.many && w.step == checking:
		return plain.Plural(w.wanted, "service")
	case w.many:
		return plain.Plural(len(w.edits), "service")
	case len(w.edits) > 0:
		return w.edits[0].Service.Path()
	}
	return ""
}

// listen waits for the next report.
func (m *Model) listen() tea.Cmd {
	progress := m.way.progress
	return m.scope.Do("progress", func(ctx context.Context) tea.Msg {
		if report, ok := progress.Next(ctx); ok {
			return report
		}
		return nil
	})
}

func (r wayReport) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil {
		return nil
	}
	if r.read > 0 {
		w.read = r.read
		return m.listen()
	}
	last := len(w.begun) - 1
	if last >= 0 && w.begun[last].Step == r.Step && sameService(w.begun[last].service, r.service) {
		w.begun[last] = r
	} else {
		w.begun = append(w.begun, r)
	}
	return m.listen()
}

// stepText says a step of the sending, with what the job tells.
func (r wayReport) text() string {
	text := r.Doing()
	if r.Step == operation.StepEditJob {
		if r.Job.Status != "" {
			text += ": " + lower(plain.Line(r.Job.Status))
		}
		if r.Away != nil {
			text += "; the site does not answer, it goes on there"
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
