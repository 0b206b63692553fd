// Package result is the last step of a change: how it ended at each service, and what follows from that.
// While the outcome of a lost answer is searched for it shows what is known, and after rules how the pods
// come back. Start at [Model]; [End] is what it is about, page.go writes it.
package result

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/sending"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// Host is what the step needs of the view around it.
type Host interface {
	// Origin is the title of the tab behind the step, empty for the list, and whether the target still has
	// changes that are not at the site.
	Origin(editing.Target) (tab string, changed bool)
	// Settled takes over what a search has found at the site.
	Settled(sending.Settled) tea.Cmd
}

// Options are what the step stands on, and what it leads to.
type Options struct {
	Nodes  *cluster.Nodes
	Pods   *cluster.Pods
	Drafts *editor.Drafts // with the outcomes that are unknown
	// Away reports whether the page was left: what comes is told then.
	Away func() bool
	// Stopped says that the search was given up.
	Stopped func() tea.Cmd
	// Again reviews an edit again that very likely never arrived.
	Again func(editing.Edit) tea.Cmd
	// Continue plans the change for the services that are left.
	Continue func() tea.Cmd
	// Follow shows how an earlier edit goes on, whose job kept this one from being sent.
	Follow func(adminapi.ServiceRef) tea.Cmd
	// Resume plans what a sign-in kept from being sent, and asks then.
	Resume func() tea.Cmd
}

// Model is the step.
type Model struct {
	plan.Step
	End
	host     Host
	options  Options
	followed *cluster.Following // pods, after a change of rules; nil for none
	pager    *rows.Pager
	cache    views.Drawn[pageKey, []string]
	news     int // counts what came that may change what is shown
}

// New returns the step for how a plan ended; Begin begins it.
func New(base views.Base, inks *rows.Inks, of End, host Host, options Options) *Model {
	m := &Model{Step: plan.NewStep(base, inks), End: of, host: host, options: options, pager: rows.NewPager(inks.Glyphs.Ellipsis)}
	m.Table = m.rows()
	return m
}

// Begin goes on from the last result: to a search, to the pods, or to a sign-in.
func (m *Model) Begin() tea.Cmd {
	var cmd tea.Cmd
	switch last := m.Last(); {
	case !last.Known():
		m.Search = sending.NewSearch(m.Child(), m.Inks, m.Plan, last, m.sentAt,
			sending.SearchHandlers{Settled: m.host.Settled, Ended: m.found, Stopped: m.options.Stopped})
		cmd = m.Search.Now()
	case errors.Is(last.Err, operation.ErrUnresolved):
		cmd = views.WriteFailed("", last.Result)
	case last.WantsSignIn() && m.CanContinue():
		reason := fmt.Errorf("%s not sent: %w", notSent(len(m.Left())), last.Err)
		cmd = m.Scope.RetryAfterSignIn(reason, "send", m.WhileOpen(m.options.Resume))
	case last.Kept() || last.Applied.Stored == operation.StoredNew:
		cmd = m.follow()
	}
	if m.options.Away() {
		cmd = tea.Batch(cmd, m.Tell())
	}
	return cmd
}

// Close ends the step: what comes late does nothing.
func (m *Model) Close() {
	m.Step.Close()
	if m.Search != nil {
		m.Search.Close()
	}
}

// notSent names so many services with their verb.
func notSent(services int) string {
	if services == 1 {
		return "1 service was"
	}
	return plain.Plural(services, "service") + " were"
}

// Searching reports whether the outcome is still searched for.
func (m *Model) Searching() bool { return m.Search.Goes() }

// CanContinue reports whether the change can be planned for the services that are left.
func (m *Model) CanContinue() bool {
	return m.Plan.Several && !m.Searching() && len(m.Left()) > 0
}

// PodsInFront reports whether the pods shown are still followed.
func (m *Model) PodsInFront() bool { return m.followed != nil && m.followed == m.options.Pods.Now() }

// found takes the end of a search.
func (m *Model) found() tea.Cmd {
	cmds := []tea.Cmd{m.options.Drafts.LoadOpen()}
	if m.Search.Arrived() || m.Search.Partly() {
		cmds = append(cmds, m.follow())
	}
	if m.options.Away() {
		cmds = append(cmds, m.Tell())
	}
	return tea.Batch(cmds...)
}

// follow begins to follow the service until it answers. Of several each was waited for.
func (m *Model) follow() (cmd tea.Cmd) {
	first := m.Plan.First()
	if tab, _ := m.host.Origin(first.Target); m.followed != nil || m.Plan.Several || m.options.Away() && tab != "" { // another service is open
		return nil
	}
	m.followed, cmd = m.options.Pods.FollowEdit(first.Edit, first.Plan.Moves)
	return cmd
}

// sentAt is when the change was sent, as recorded; else when sending it began.
func (m *Model) sentAt() time.Time {
	if at := m.options.Drafts.UnknownSince(m.Last().Service.Path()); !at.IsZero() {
		return at
	}
	return m.Began
}

// next is what is offered first after the result.
type next int

const (
	nextNothing next = iota
	nextSearch       // for the outcome
	nextHealth       // check
	nextEarlier      // change, whose outcome is unknown or which goes on: nothing was sent
)

func (m *Model) next() next {
	if len(m.Results) == 0 {
		return nextNothing
	}
	switch l, last := m.Search, m.Last(); {
	case l != nil && !l.Arrived() && !l.Result().Refused():
		return nextSearch
	case errors.Is(last.Err, operation.ErrUnresolved), errors.As(last.Err, new(*operation.EarlierJobError)):
		return nextEarlier
	case last.Touched() || l != nil || len(m.Results) > 1:
		return nextHealth
	}
	return nextNothing
}

var footer = []string{rows.Up, rows.Down, "services.many", "services.explain-change", "services.stop-waiting", "services.again", "services.look",
	"services.health", "services.pods-again", "services.copy-result", "services.back"}

// Footer lists the rows of the footer.
func (m *Model) Footer() []string { return footer }

func (m *Model) rows() []views.Command {
	offers := func(those ...next) func() bool {
		return func() bool { return slices.Contains(those, m.next()) }
	}
	return slices.Concat(views.When(func() bool { return m.Plan.Several }, []views.Command{
		plan.ManyRow(func() string { return "continue with " + plain.Plural(len(m.Left()), "service") }, m.notContinued, m.options.Continue),
	}), []views.Command{
		{ID: "services.again", Key: "w", Word: "send again", Name: "send again", Group: plan.Group, Run: m.sendAgain,
			Shown: func() bool { return !m.Plan.Several && m.Search.Unchanged() },
			Help:  "Review a change again that very likely never arrived."},
		{ID: "services.look", Key: "R", Word: "look for it", Name: "refresh outcome", Group: plan.Group, Shown: offers(nextSearch, nextEarlier), Run: m.look,
			Help: "Look for a change whose answer was lost. Sends nothing."},
		{ID: "services.health", Key: "r", Hint: views.HintIf(offers(nextHealth), "health check"), Name: "run health check now", Group: plan.Group,
			Shown: offers(nextSearch, nextHealth),
			Run: func() tea.Cmd {
				return views.Send(views.Navigate{View: "health", Command: "health.run"})
			},
			Help: views.Keys("After a change: run a health check; {key:services.back} returns.")},
		{ID: "services.copy-result", Key: "y", Word: "copy", Name: "copy the result", Group: plan.Group, Run: m.copy,
			Help: "Copy the result with site, version, user and time."},
		m.options.Pods.RefreshRow(func() bool { return m.followed.Over() }, m.lay),
	}, m.pager.Moves())
}

// notContinued says why the change is not planned for what is left, empty where it can be.
func (m *Model) notContinued() string {
	switch {
	case m.Searching():
		return "Wait until the outcome is known."
	case !m.CanContinue():
		return "Every service has the change."
	}
	return ""
}

// sendAgain reviews the change again, once it may be sent; sending it is asked for by name.
func (m *Model) sendAgain() tea.Cmd {
	switch from := m.Search.HeldUntil(); {
	case !from.IsZero():
		return views.Tell(views.Warning, "Not before "+m.Env.Times.Clock(from)+"; "+views.Seconds(from.Sub(m.Env.Clock.Now()))+" left.")
	case m.Searching():
		return m.Wait()
	}
	return m.options.Again(m.Search.Edit())
}

// Wait says that one change is sent at a time.
func (m *Model) Wait() tea.Cmd {
	return views.Tell(views.Warning, "The outcome of "+plain.Line(m.Search.Service().Path())+" is not known yet; open it.")
}

// look looks for the outcome that is unknown: of this change, or of the one that prevents it.
func (m *Model) look() tea.Cmd {
	switch last := m.Last(); {
	case m.Search != nil:
		return m.Search.Look()
	case errors.As(last.Err, new(*operation.EarlierJobError)):
		return m.options.Follow(last.Service)
	}
	return m.Earlier(m.Last().Service, func(err error) tea.Cmd {
		if err != nil {
			return views.TellError(err)
		}
		return tea.Batch(m.options.Drafts.LoadOpen(), views.Tell(views.Info, views.Keys("Nothing is in the way now. Go back, then press {key:services.send}.")))
	})
}

// WentWrong reports whether the change that was sent last is not known to be done, or the
// service waits.
func (m *Model) WentWrong() bool { return m.undone() || m.followed.Waits() }

// Explain opens the panel What now about a change that was not done, or a service that waits after it,
// with what the answer says, and reads the state of the site.
func (m *Model) Explain() tea.Cmd {
	r, around := m.Last(), whatnow.Around(m.Env)
	if !m.undone() {
		site, service := m.Env.Site, r.Service
		around.Nodes = m.options.Nodes.List()
		return whatnow.Open(m.Env, explain.Explanation{Title: service.Path(), Next: explain.Step{Text: "Reading the site" + m.Inks.Glyphs.Ellipsis}},
			func(ctx context.Context) explain.Explanation {
				return incident.ExplainService(ctx, site, service, around)
			}, nil)
	}
	r.Result = m.result()
	facts := incident.EditFactsOf(r.AppliedEdit, around)
	if m.Search != nil {
		m.Search.Explain(&facts)
	}
	return whatnow.Write(m.Env, facts)
}

// News says that something has come that may change what is shown.
func (m *Model) News() { m.news++ }

// SetSize gives the step its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.lay()
}

func (m *Model) lay() {
	m.News()
	m.fill(m.pager)
}

// pageKey is what the lines of the page depend on.
type pageKey struct {
	news, width, height int
	times               views.Stamp
	second              int64 // ages count up
}

// fill puts the page into a pager, and returns what stays below it: the keys at the end of a result that is
// longer than the screen.
func (m *Model) fill(pager *rows.Pager) (keys []string) {
	key := pageKey{m.news, m.Width, m.Height, m.Env.Times.Stamp(), m.Env.Clock.Now().Unix()}
	lines := m.cache.For(key, m.written)
	if len(lines) > m.Height {
		n := len(lines) - 1
		for n > 0 && lines[n] != "" {
			n--
		}
		if len(lines)-n <= m.Height/2 {
			lines, keys = lines[:n], lines[n:]
		}
	}
	pager.SetSize(m.Width, m.Height-len(keys))
	pager.Set(lines)
	return keys
}

// Note names the step, and the lines of a long page that are shown.
func (m *Model) Note(int) string {
	pager := *m.pager
	m.fill(&pager)
	if at := pager.Position(); at != "" {
		return "result, lines " + at
	}
	return "result"
}

// View draws the page: ages count up, whatever it was laid out with.
func (m *Model) View() string {
	pager := *m.pager
	keys := m.fill(&pager)
	return strings.Join(append([]string{pager.View()}, keys...), "\n")
}
