// Package review is the step of a change in which it is read before it is sent: what differs, what that
// risks, who else is affected, and the request. Start at [Model]; question.go asks before it is sent,
// preface.go and effects.go say above the differences what they do not say, and beside.go beside them.
package review

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// Host is what the step needs of the view around it.
type Host interface {
	// NoChanges says why nothing can be changed at the site at present, empty where no
	// reason is known.
	NoChanges() string
	// Marked are the services that are marked in the list.
	Marked() []adminapi.ServiceRef
	// Opened reports whether a service is the open one.
	Opened(adminapi.ServiceRef) bool
	// Batch reports whether the edit was begun for all marked services.
	Batch() bool
}

// Facts are what is known outside a change.
type Facts struct {
	Drafts      *editor.Drafts // with the outcomes that are unknown
	Deployments *cluster.Deployments
	// Sharing says which other services run in the pods of the service at a path, empty where none is known to.
	Sharing func(path string) string
	// Together is how many of the services at paths at most run in the same pods, and whether others run in pods of theirs.
	Together func(paths []string) (most int, others bool)
	// State is what is known of the state of a service.
	State func(adminapi.ServiceRef) availability.State
	// DescribeField writes what the field at a path of a definition is.
	DescribeField func(p *rows.Page, of *document.Document, path document.Path)
}

// Handlers are what a review leads to.
type Handlers struct {
	// Send sends a plan that was confirmed; beside is for one of which another program has an edit.
	Send func(of plan.Plan, beside bool) tea.Cmd
	// ForAll plans the change for all that are marked.
	ForAll func() tea.Cmd
	// Respelled plans the change anew, with another name of a key.
	Respelled func(editing.Edit) tea.Cmd
	// Correct ends the review in the editor of the change, at the value with a broken rule.
	Correct func(document.Path) tea.Cmd
}

// Merge says what others changed at the site before the review.
type Merge struct {
	Done bool     // the change was brought on top of what the site has now
	Kept []string // what of that others changed, in words
}

// Model is the step. It stays for as long as the change: what was confirmed of a plan is confirmed of the
// next.
type Model struct {
	plan.Step
	host     Host
	facts    *Facts
	handlers Handlers
	merge    Merge

	plan.Plan
	count      int  // counts the plans: a confirmation is of one of them
	replanning bool // another plan is made, with newer nodes
	alone      bool // no other service can take the change

	diff          *diff.Review
	showsRequests bool      // in place of the differences
	requests      *requests // that would be sent; nil where they are not read
	requested     *rows.Pager
	pastKnown     bool // of one service: whether its older versions were read
	past          []operation.Version

	news  int // counts what came that may change what is shown
	cache struct {
		above   views.Drawn[pageKey, []string]
		beneath views.Drawn[pageKey, string]
	}
}

// New returns a review of nothing; Set gives it a plan.
func New(base views.Base, inks *rows.Inks, host Host, facts *Facts, handlers Handlers) *Model {
	m := &Model{Step: plan.NewStep(base, inks), host: host, facts: facts, handlers: handlers,
		diff: diff.NewAsking(base), requested: rows.NewPager(inks.Glyphs.Ellipsis)}
	m.Table, m.diff.Head = m.rows(), m.head
	return m
}

// Set begins the review of a plan after a merge, and reads what stands beside it.
func (m *Model) Set(of plan.Plan, after Merge) tea.Cmd {
	m.Plan, m.merge, m.requests, m.showsRequests = of, after, nil, false
	m.past, m.pastKnown = nil, false
	m.count++
	m.replanning = false
	m.Reopen()
	if of.First().Part == editing.Placement {
		m.diff.AboutService = m.effects().aboutService
	}
	if m.diff.Correct = nil; !m.Several && !m.Restores() && m.host.Opened(of.First().Service) {
		m.diff.Correct = m.handlers.Correct
	}
	m.diff.Set(m.reviews()...)
	m.lay()
	if m.explains() {
		return m.readRequests(false)
	}
	return nil
}

// reviews are those of the edits that would change something; of one service its edit, whatever it changes.
func (m *Model) reviews() (reviews []document.Review) {
	for _, e := range m.Edits {
		if e.Refused != nil || m.Several && e.Unchanged() {
			continue
		}
		one := e.Plan.Review("")
		if m.Several {
			one = e.Plan.Review(e.Service.Path())
			one.Summary = m.effects().changeOf(e)
		}
		reviews = append(reviews, one)
	}
	return reviews
}

// Replan says that another plan is made, with newer nodes: until [Model.Set] nothing is sent.
func (m *Model) Replan() { m.replanning = true }

// Replanning reports whether another plan is made.
func (m *Model) Replanning() bool { return m.replanning }

// Alone says that no other service can take the change.
func (m *Model) Alone() { m.alone = true }

// Same are the services that the same change can be planned for: the one it was made in, and the marked
// ones.
func (m *Model) Same() []adminapi.ServiceRef {
	first := m.First().Service
	others := slices.DeleteFunc(m.host.Marked(), func(s adminapi.ServiceRef) bool { return s.Path() == first.Path() })
	return append([]adminapi.ServiceRef{first}, others...)
}

// forAll reports whether the reviewed change is meant for all marked services: sending it goes on
// to their plan.
func (m *Model) forAll() bool {
	return !m.Several && !m.alone && !m.Restores() && m.host.Batch() && len(m.Same()) > 1
}

// NotForAll says why the change is not planned for other services, empty where it can be.
func (m *Model) NotForAll() string {
	switch {
	case m.Several:
		return "This plan already covers all marked services."
	case len(m.Same()) < 2:
		return "Mark other services in the list first (space). Your edit is saved."
	}
	return ""
}

// manyHint counts the services that the same change is planned for.
func (m *Model) manyHint() string {
	if m.forAll() {
		return ""
	}
	return m.onServices()
}

// Back shows the differences again; false where they are shown.
func (m *Model) Back() bool {
	if !m.showsRequests {
		return false
	}
	m.toggleRequests()
	return true
}

// CapturesText reports whether typed keys are text at present.
func (m *Model) CapturesText() bool { return m.diff.CapturesText() }

// Filtering reports whether a filter is being typed.
func (m *Model) Filtering() bool { return m.diff.Filtering() }

// Blocked reports whether a rule is broken, so that nothing can be sent.
func (m *Model) Blocked() bool { return m.diff.Blocked() }

// maxRule bounds a broken rule, in cells.
const maxRule = 300

// Explain opens the panel What now about the rules that are broken.
func (m *Model) Explain() tea.Cmd {
	x := explain.Explanation{Title: "Cannot send: " + m.First().Target.String(), Fault: true, Next: explain.Step{Text: views.Keys("Press {key:services.back}, then correct the named value.")},
		Cause: explain.Cause{Known: true, Sentence: "Your change breaks a rule. Nothing was sent."}}
	for _, one := range m.reviews() {
		for _, f := range finding.Those(one.Findings, finding.Finding.Blocks) {
			x.Evidence = append(x.Evidence, explain.Evidence{Text: plain.Clip(plain.Line(f.At.Words()+": "+f.Text), maxRule)})
		}
	}
	return whatnow.Open(m.Env, x, nil, nil)
}

// Update takes typed keys.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	m.News()
	return m.diff.Update(msg)
}

// Rested describes the row under the cursor, and reads what stands beside it where there is room for that
// now.
func (m *Model) Rested() tea.Cmd {
	m.diff.Rested()
	if m.explains() && (m.requests == nil || m.lacksPast()) {
		return m.readRequests(false)
	}
	return nil
}

// News says that something has come that may change what is shown.
func (m *Model) News() { m.news++ }

// SetSize gives the step its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.lay()
}

// lay hands out the cells, and makes the lines of the requests.
func (m *Model) lay() {
	m.News()
	m.diff.AboutBeside, m.diff.Below = m.beside() > 0, nil
	if m.explains() && !m.diff.AboutBeside {
		m.diff.Below = m.explanation
	}
	m.diff.SetSize(m.Width-m.beside(), max(1, m.Height-len(m.preface())))
	if m.showsRequests {
		m.requests.lay(m.requested, m.page(), m.Height)
	}
}

// pageKey is what lines depend on.
type pageKey struct {
	news, width, height int
	times               views.Stamp
	service             string        // of the row that is explained
	path                document.Path // of it
}

// key is what lines of a size depend on now.
func (m *Model) key(width, height int) pageKey {
	return pageKey{news: m.news, width: width, height: height, times: m.Env.Times.Stamp()}
}

// page collects lines for the whole width, less what stands beside the review.
func (m *Model) page() *rows.Page { return &rows.Page{Inks: m.Inks, Width: m.Width - m.beside()} }

// preface is what stands above the differences.
func (m *Model) preface() []string {
	return m.cache.above.For(m.key(m.Width-m.beside(), m.Height), m.aboveReview)
}

// Note names the step, and where in it the cursor is, as far as there is room.
func (m *Model) Note(room int) string {
	if m.showsRequests {
		if at := m.requested.Position(); at != "" {
			return "request, lines " + at
		}
		return "request"
	}
	note := "review"
	if m.merge.Done {
		note = "review, merged with the site's version"
	}
	if unknown := m.facts.Drafts.Unknown(m.First().Target); unknown != "" {
		note = m.Inks.Unknown.On(m.Inks.Glyphs.Unknown + " " + unknown)
	}
	at := m.diff.Position()
	if longer := note + ", row " + at; at != "" && ansi.StringWidth(longer) <= room {
		note = longer
	}
	return note
}

// View draws the differences with what stands above and beside them, or the requests.
func (m *Model) View() string {
	if m.showsRequests {
		return m.requested.View()
	}
	lines := append(m.preface(), strings.Split(m.diff.View(), "\n")...)
	if beside := m.beside(); beside > 0 {
		left := m.Inks.Block(lines, m.Width-beside, len(lines))
		lines = m.Inks.Columns(strings.Split(left, "\n"), m.explanation(besideWidth, len(lines)))
	}
	return strings.Join(lines, "\n")
}
