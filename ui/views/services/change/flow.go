// Package change is the one way to change a service: nothing is sent that was not
// reviewed, and nothing twice. Start at [Flow]: check, review, question (question.go), send
// (send.go, and what is shown meanwhile in sending.go) and result (result.go), which may be a
// conflict with an edit by others, or the search for the outcome of a lost answer (search.go);
// the same change on several services is in several.go. All of it is drawn from pages.go.
// [History] is the tab of older versions,
// drawn in historyview.go, which leads to a review too. The keys of the flow are in commands.go.
package change

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// Host is what the flow needs of the view around it.
type Host interface {
	// NoChanges says why nothing can be changed at the site at present, empty where no
	// reason is known.
	NoChanges() string
	// Marked are the services that are marked in the list; MarkOnly marks others.
	Marked() []adminapi.ServiceRef
	MarkOnly([]adminapi.ServiceRef)
	// Batch reports whether the edit was begun for all marked services.
	Batch() bool
	// Settled takes over what the site has after an edit was sent.
	Settled(Settled) tea.Cmd
	// Ended says that sending, or the search for an outcome, has ended.
	Ended() tea.Cmd
	// Restarts says that a service is being changed, which likely restarts it.
	Restarts(adminapi.ServiceRef)
	// Rebased takes over an edit that was brought on top of what the site has; undo leads back to before.
	Rebased(edit editing.Edit, before *document.Document) tea.Cmd
	// Closed shows what was shown before the change; after several services, their list.
	Closed(several bool) tea.Cmd
	// Origin is the title of the tab that the change was made in, empty for the list, and
	// whether the target still has changes that are not at the site.
	Origin(editing.Target) (tab string, changed bool)
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

// Flow is a change from its check to its result. What it looks like is in pages.go, what is
// known of it in state.go.
type Flow struct {
	pages
	folder string        // where plans are written
	run    int           // counts the changes
	others editing.Merge // what others changed since an edit began that was merged and is not sent yet
	table  []views.Command
}

// The titles of changes.
const (
	TitleEdit    = "Edit"
	TitleRestore = "Restore"
)

// NewFlow returns a flow without a change.
func NewFlow(base views.Base, inks *rows.Inks, host Host, nodes *cluster.Nodes, deployments *cluster.Deployments, pods *cluster.Pods) *Flow {
	f := &Flow{folder: base.Env.Folder, pages: pages{Base: base, inks: inks, host: host, nodes: nodes, deployments: deployments, pods: pods,
		pager: rows.NewPager(inks.Glyphs.Ellipsis), requested: rows.NewPager(inks.Glyphs.Ellipsis), places: rows.New[conflictKey](base.Env.Theme)}}
	if whole, err := filepath.Abs(f.folder); err == nil {
		f.folder = whole
	}
	f.begin("", idle)
	return f
}

// begin forgets the change before, and makes the rows of the next.
func (f *Flow) begin(title string, step step) {
	f.state = state{title: title, step: step, review: diff.New(f.Env.Theme)}
	f.pager.Home()
	f.table = f.rows()
}

// Msg is a message of the flow to itself.
type Msg interface{ changeMsg() }

func (planned) changeMsg()       {}
func (notPlanned) changeMsg()    {}
func (report) changeMsg()        {}
func (saved) changeMsg()         {}
func (sendConfirmed) changeMsg() {}
func (heldBack) changeMsg()      {}
func (earlierRead) changeMsg()   {}
func (sent) changeMsg()          {}
func (merged) changeMsg()        {}
func (searched) changeMsg()      {}
func (searchStopped) changeMsg() {}

// Update takes the replies of the flow, and typed keys.
func (f *Flow) Update(msg tea.Msg) tea.Cmd {
	f.News()
	switch msg := msg.(type) {
	case planned:
		return f.planned(msg)
	case notPlanned:
		return f.notPlanned(msg)
	case report:
		return f.reported(msg)
	case saved:
		if msg.err != nil {
			return views.Send(views.Failed("The plan was not saved: "+msg.err.Error(), msg.err))
		}
		return views.Wrote("Saved to ", msg.path, ". Nothing was sent.")
	case sendConfirmed:
		return f.send(msg)
	case earlierRead:
		return f.earlierRead(msg)
	case heldBack:
		return f.askHeld(msg)
	case sent:
		return f.sent(msg)
	case drifted:
		return f.drifted(msg)
	case conflictTyped:
		f.conflictTyped(msg)
		return nil
	case merged:
		return f.merged(msg)
	case searched:
		return f.searched(msg)
	case requestsRead:
		return f.requestsRead(msg)
	case searchStopped:
		if f.Active() && f.search != nil {
			return f.close()
		}
		return nil
	}
	return f.review.Update(msg)
}

// PodsInFront reports whether the pods shown are still followed.
func (f *Flow) PodsInFront() bool { return f.followed != nil && f.followed == f.pods.Now() }

// Start begins a change of one part of a service.
func (f *Flow) Start(edit editing.Edit, title string) tea.Cmd {
	f.run++
	f.begin(title, checking)
	if title == TitleEdit && f.wasMerged(edit) { // it may have been undone, or edited since
		_, f.overwritten = f.others.Others(edit.Edited)
	}
	f.lay()
	return f.check(edit)
}

// Restore begins the change back to a version that was saved.
func (f *Flow) Restore(edit editing.Edit, saved time.Time) tea.Cmd {
	cmd := f.Start(edit, TitleRestore)
	f.restored = saved
	return cmd
}

// Rested has the review describe the row under its cursor, and reads what stands beside it where
// there is room for that now.
func (f *Flow) Rested() tea.Cmd {
	if f.step != reviewing {
		return nil
	}
	f.review.Rested()
	if f.explains() && (f.requests == nil || f.lacksPast()) {
		return f.readRequests(false)
	}
	return nil
}

// ClusterChanged lays the page out again: it shows pods, and what else the rules place.
func (f *Flow) ClusterChanged() { f.lay() }

// back goes back to where the change was made, which keeps it.
func (f *Flow) back() tea.Cmd {
	switch {
	case f.step == sending:
		f.away = true
		return f.host.Closed(true)
	case f.step == reviewing && f.showsRequests:
		return f.toggleRequests()
	case f.searching():
		return f.askStopSearch()
	}
	return f.close()
}

// CloseResult closes the page of a result that is known: it is in the way of nothing.
func (f *Flow) CloseResult() tea.Cmd {
	if !f.Active() || f.step != ended || f.searching() {
		return nil
	}
	return f.close()
}

func (f *Flow) close() tea.Cmd {
	list := f.several && f.step == ended
	if list {
		others := slices.DeleteFunc(slices.Clone(f.host.Marked()), f.edited) // marked since the page was left
		f.host.MarkOnly(append(others, f.remaining()...))
	}
	f.step = idle
	for _, kind := range []string{"plan", "request", "merge", "find", "send confirmed"} {
		f.Scope.Forget(kind)
	}
	return f.host.Closed(list)
}

// The lines above the review or the page: what is changed and the step, and a blank line.
const head = 2

// SetSize gives the flow its cells.
func (f *Flow) SetSize(width, height int) {
	f.Base.SetSize(width, height)
	f.lay()
}

// News says that something has come that may change what is shown: it is laid out anew.
func (f *Flow) News() { f.news++ }

// lay hands out the cells, and makes the lines of what is only read.
func (f *Flow) lay() {
	f.News()
	height := max(1, f.Height-head)
	f.review.AboutBeside, f.review.Below = f.beside() > 0, nil
	if f.explains() && !f.review.AboutBeside {
		f.review.Below = f.explanation
	}
	f.review.SetSize(f.Width-f.beside(), max(1, height-len(f.preface())))
	f.fill(f.pager)
	if c := f.conflicts; f.step == conflicting {
		c.width = f.Width
		c.lay()
		f.places.SetSize(f.Width, max(1, height-len(f.conflictPreface())))
	}
	if f.showsRequests {
		f.requests.lay(f.requested, f.page(), height)
	}
}

// fill puts what is only read into a pager, and returns what stays below it: the keys at the end
// of a result that is longer than the screen.
func (f *Flow) fill(pager *rows.Pager) (keys []string) {
	lines, height := f.pageLines(), max(1, f.Height-head)
	if f.step == ended && len(lines) > height {
		n := len(lines) - 1
		for n > 0 && lines[n] != "" {
			n--
		}
		if len(lines)-n <= height/2 {
			lines, keys = lines[:n], lines[n:]
		}
	}
	pager.SetSize(f.Width, height-len(keys))
	pager.Set(lines)
	return keys
}

// View draws the change, and the step that it is in.
func (f *Flow) View() string {
	k := f.inks
	of := ""
	if f.title == TitleRestore {
		of = " to " + f.Env.Times.Moment(f.restored)
	}
	title := k.Accent.On(f.title) + " " + k.Strong.On(plain.Clip(f.about(), f.Width-30-len(of))+of)
	note := f.step.String()
	if f.step == sending {
		note = f.sendingNote()
	}
	if f.rebased && f.step == reviewing {
		note = "review, merged with the site's version"
	}
	if f.step == reviewing && f.Unknown != nil {
		if unknown := f.Unknown(f.target()); unknown != "" {
			note = k.Unknown.On(k.Glyphs.Unknown + " " + unknown)
		}
	}
	var lines []string
	switch {
	case f.step == reviewing && f.showsRequests:
		note = "request"
		if at := f.requested.Position(); at != "" {
			note += ", lines " + at
		}
		lines = strings.Split(f.requested.View(), "\n")
	case f.step == conflicting:
		lines = append(f.conflictPreface(), strings.Split(f.places.View(), "\n")...)
	case f.step == reviewing:
		at := f.review.Position()
		if longer := note + ", row " + at; at != "" && ansi.StringWidth(title+"  "+longer) <= f.Width {
			note = longer
		}
		lines = append(f.preface(), strings.Split(f.review.View(), "\n")...)
		if beside := f.beside(); beside > 0 {
			left := views.Block(lines, f.Width-beside, len(lines), f.inks.Glyphs.Ellipsis)
			lines = f.inks.Columns(strings.Split(left, "\n"), f.explanation(besideWidth, len(lines)))
		}
	default:
		pager := *f.pager // ages count up, whatever it was laid out with
		keys := f.fill(&pager)
		if at := pager.Position(); at != "" {
			note += ", lines " + at
		}
		lines = append(strings.Split(pager.View(), "\n"), keys...)
	}
	return views.Block(append([]string{k.Beside(title, note, f.Width), ""}, lines...), f.Width, f.Height, k.Glyphs.Ellipsis)
}
