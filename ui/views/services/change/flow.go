// Package change is the one way to change a service: nothing is sent that was not reviewed, and nothing
// twice. Start at [Flow], which leads from step to step: check (planner.go), review, sending and result,
// or a conflict with an edit by others. Each step is a package beside this one, which is tested without
// the flow; what they hand on is a [plan.Plan]. The keys of several steps are in commands.go, and what is
// asked of a change that goes on is in state.go.
package change

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/conflict"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/result"
	"geodeck/ui/views/services/review"
	"geodeck/ui/views/services/sending"
	"geodeck/ui/widget/rows"
)

// Host is what the flow needs of the view around it.
type Host interface {
	review.Host
	// MarkOnly marks these services in the list and no others.
	MarkOnly([]adminapi.ServiceRef)
	// Settled takes over what the site has after an edit was sent.
	Settled(Settled) tea.Cmd
	// Restarts says that a service is being changed, which likely restarts it.
	Restarts(adminapi.ServiceRef)
	// Rebased takes over an edit that was brought on top of what the site has; undo leads back to before.
	Rebased(edit editing.Edit, before *document.Document) tea.Cmd
	// Correct shows the editor of a part of the open service, at a value.
	Correct(of editing.Target, at document.Path) tea.Cmd
	// Follow shows how an edit of the open service goes on whose end an earlier program did not see.
	Follow(adminapi.ServiceRef) tea.Cmd
	// Closed shows what was shown before the change; after several services, their list.
	Closed(several bool) tea.Cmd
	// Origin is the title of the tab that the change was made in, empty for the list, and
	// whether the target still has changes that are not at the site.
	Origin(editing.Target) (tab string, changed bool)
}

// Settled is what the site has after an edit was sent.
type Settled = sending.Settled

// Flow is a change from its check to its result: which step is shown, and what follows from it.
type Flow struct {
	views.Base
	inks  *rows.Inks
	host  Host
	facts review.Facts
	nodes *cluster.Nodes
	pods  *cluster.Pods

	run      int // counts the changes
	step     step
	away     bool // the page was left while it is sent: opening the service shows it
	plan     plan.Plan
	planner  *planner
	version  int                // of the nodes in the plan
	merge    review.Merge       // what others changed before the plan
	others   editing.Merge      // what others changed since an edit began that was merged and is not sent yet
	resuming bool               // the plan is for those that a sign-in kept from being sent
	left     *conflict.Model    // the last that was left, for what was chosen in it
	read     *review.Model      // the last that was left, for what was accepted in it
	site     *document.Document // what others made of it meanwhile; nil where they did not
	seen     time.Time          // when that was read

	children // of the change, each made when its step begins
	table    []views.Command
}

// children are the steps that have a state of their own; nil before they begin.
type children struct {
	review   *review.Model
	conflict *conflict.Model
	sending  *sending.Model
	result   *result.Model
}

// close has what comes late do nothing.
func (c *children) close() {
	if c.review != nil {
		c.review.Close()
	}
	if c.conflict != nil {
		c.conflict.Close()
	}
	c.sending.Close()
	if c.result != nil {
		c.result.Close()
	}
}

// NewFlow returns a flow without a change.
func NewFlow(base views.Base, inks *rows.Inks, host Host, facts review.Facts,
	nodes *cluster.Nodes, pods *cluster.Pods,
) *Flow {
	f := &Flow{Base: base, inks: inks, host: host, facts: facts, nodes: nodes, pods: pods}
	f.planner = &planner{Base: f.Child(), inks: inks, nodes: nodes, deployments: facts.Deployments, take: f.planned}
	f.sending = &sending.Model{}
	f.table = f.rows(f.children)
	return f
}

func (f *Flow) newReview() *review.Model {
	return review.New(f.Child(), f.inks, f.host, &f.facts, review.Handlers{Send: f.send, ForAll: f.planMarked, Respelled: f.respelled, Correct: f.correct})
}

func (f *Flow) newResult(of result.End) *result.Model {
	return result.New(f.Child(), f.inks, of, f.host, result.Options{Nodes: f.nodes, Pods: f.pods, Drafts: f.facts.Drafts,
		Away: func() bool { return f.away }, Stopped: f.close, Again: f.again, Follow: f.followEarlier, Continue: f.continueLeft, Resume: f.resumeLeft})
}

// begin forgets the change before.
func (f *Flow) begin(restored time.Time) {
	f.run++
	f.children.close()
	f.left, f.read = cmp.Or(f.conflict, f.left), cmp.Or(f.review, f.read)
	f.children = children{sending: &sending.Model{}}
	f.away, f.resuming = false, false
	f.plan, f.merge = plan.Plan{Restored: restored}, review.Merge{}
	f.planner.begin()
	f.site, f.seen = nil, time.Time{}
	f.show(stepCheck)
}

// show shows a step, whose child was made just now or before.
func (f *Flow) show(s step) {
	f.step = s
	f.table = f.rows(f.children)
	f.lay()
}

// ofRun is what is done only while the change is the one that it was made for.
func (f *Flow) ofRun(do func() tea.Cmd) func() tea.Cmd {
	run := f.run
	return func() tea.Cmd {
		if run != f.run {
			return nil
		}
		return do()
	}
}

// Start begins a change of one part of a service.
func (f *Flow) Start(edit editing.Edit) tea.Cmd { return f.start(edit, time.Time{}) }

// Restore begins the change back to a version that was saved.
func (f *Flow) Restore(edit editing.Edit, saved time.Time) tea.Cmd { return f.start(edit, saved) }

func (f *Flow) start(edit editing.Edit, restored time.Time) tea.Cmd {
	f.begin(restored)
	if !f.plan.Restores() && f.wasMerged(edit) { // it may have been undone, or edited since
		_, edit.Drift = f.others.Others(edit.Edited)
	}
	return f.planner.one(edit)
}

// again reviews a change again that very likely never arrived.
func (f *Flow) again(edit editing.Edit) tea.Cmd {
	now, at := f.Read()
	cmd := f.start(edit, f.plan.Restored)
	f.site, f.seen = now, at
	return cmd
}

// StartOn begins a change of a part that the site has another version of by now: the two
// are merged before the review.
func (f *Flow) StartOn(edit editing.Edit, now *document.Document) tea.Cmd {
	f.begin(time.Time{})
	f.plan.Edits = []batching.PlannedEdit{{Edit: edit}}
	var merge editing.Merge
	merged := f.ofRun(func() tea.Cmd {
		if len(merge.Changes)+len(merge.Conflicts) == 0 {
			return f.planner.one(edit)
		}
		return f.conflicted(merge)
	})
	return f.Scope.Work("merge", func(context.Context) func() tea.Cmd {
		merge = edit.Merging(now)
		return merged
	})
}

// conflicted shows what the site has in place of what the edit began with.
func (f *Flow) conflicted(merge editing.Merge) tea.Cmd {
	f.conflict = conflict.New(f.Child(), f.inks, merge, f.left, f.merged)
	f.show(stepConflict)
	return nil
}

// merged plans the edit on top of what the site has now.
func (f *Flow) merged(r conflict.Merged) tea.Cmd {
	var kept tea.Cmd
	all := r.Of // that others changed since the edit began
	if f.wasMerged(r.Of.Edit) {
		all.Edit.Base = f.others.Edit.Base
	}
	if !f.plan.Restores() {
		kept, f.others = f.host.Rebased(r.Edit, r.Before), all
	}
	switch {
	case r.Same:
		text := r.Of.Unsent()
		if kept != nil && len(r.Of.Conflicts) > 0 {
			text += views.Keys(" {key:jsonedit.undo} undoes.")
		}
		return tea.Batch(kept, f.close(), views.Tell(views.Info, text))
	case r.Editing:
		return tea.Batch(kept, f.close(), views.Tell(views.Info, views.Keys("Merged; your version won each conflict. Edit, then press {key:services.send}.")))
	}
	f.conflict.Close()
	f.merge.Done = true
	f.merge.Kept, r.Edit.Drift = all.Others(r.Edit.Edited)
	f.show(stepCheck)
	return tea.Batch(kept, f.planner.one(r.Edit))
}

// respelled plans an edit in which a key has got another name, in place of the one that was reviewed.
func (f *Flow) respelled(edit editing.Edit) tea.Cmd {
	kept := f.host.Rebased(edit, f.plan.First().Edited)
	f.show(stepCheck)
	return tea.Batch(kept, f.planner.one(edit))
}

// correct goes back to the editor, at the value with a broken rule.
func (f *Flow) correct(at document.Path) tea.Cmd {
	return tea.Batch(f.close(), f.host.Correct(f.Target(), at))
}

// wasMerged reports whether an edit is based on what the site had at the last merge.
func (f *Flow) wasMerged(edit editing.Edit) bool {
	theirs := f.others.Theirs
	return theirs != nil && f.others.Edit.Same(edit.Target) && theirs.Text() == edit.Base.Text()
}

// Rested has the review describe the row under its cursor.
func (f *Flow) Rested() tea.Cmd {
	if f.step != stepReview {
		return nil
	}
	return f.review.Rested()
}

// ClusterChanged lays the page out again: it shows pods, and what else the rules place.
func (f *Flow) ClusterChanged() { f.lay() }

// back goes back to where the change was made, which keeps it.
func (f *Flow) back() tea.Cmd {
	switch {
	case f.step == stepSending, f.follows():
		f.away = true
		return f.host.Closed(true)
	case f.step == stepReview && f.review.Back():
		return nil
	case f.searching():
		return f.result.Search.AskStop()
	}
	return f.close()
}

// CloseResult closes the page of a result that is known: it is in the way of nothing.
func (f *Flow) CloseResult() tea.Cmd {
	if !f.Active() || f.step != stepResult || f.searching() {
		return nil
	}
	return f.close()
}

func (f *Flow) close() tea.Cmd {
	list := f.plan.Several && f.step == stepResult
	if list {
		others := slices.DeleteFunc(slices.Clone(f.host.Marked()), f.plan.Changes) // marked since the page was left
		f.host.MarkOnly(append(others, f.result.Left()...))
	}
	f.step = stepNone
	f.children.close()
	for _, kind := range []string{"plan", "request", "merge", "find", "send confirmed"} {
		f.Scope.Forget(kind)
	}
	return f.host.Closed(list)
}

// child is a step as it is shown.
type child interface {
	SetSize(width, height int)
	View() string
	// Note is beside the title, where it has so much room.
	Note(room int) string
	Footer() []string
}

// shown is the step that is shown; nil for none.
func (f *Flow) shown() child {
	switch f.step {
	case stepCheck:
		return f.planner
	case stepReview:
		return f.review
	case stepConflict:
		return f.conflict
	case stepSending:
		return f.sending
	case stepResult:
		return f.result
	}
	return nil
}

// The lines above a step: what is changed, and a blank line.
const head = 2

// SetSize gives the flow its cells.
func (f *Flow) SetSize(width, height int) {
	f.Base.SetSize(width, height)
	f.lay()
}

func (f *Flow) lay() {
	if c := f.shown(); c != nil {
		c.SetSize(f.Width, max(1, f.Height-head))
	}
}

// News says that something has come that may change what is shown.
func (f *Flow) News() {
	if f.review != nil {
		f.review.News()
	}
	if f.result != nil {
		f.result.News()
	}
}

// Update takes typed keys.
func (f *Flow) Update(msg tea.Msg) tea.Cmd {
	if f.step != stepReview {
		return nil
	}
	return f.review.Update(msg)
}

// View draws what is changed, and the step that it is in.
func (f *Flow) View() string {
	c, k, of := f.shown(), f.inks, ""
	if c == nil {
		return ""
	}
	if f.plan.Restores() {
		of = " to " + f.Env.Times.Moment(f.plan.Restored)
	}
	title := k.Accent.On(f.plan.Title()) + " " + k.Strong.On(plain.Clip(f.About(), f.Width-30-len(of))+of)
	note := c.Note(f.Width - ansi.StringWidth(title) - 2)
	lines := append([]string{k.Beside(title, note, f.Width), ""}, strings.Split(c.View(), "\n")...)
	return k.Block(lines, f.Width, f.Height)
}
