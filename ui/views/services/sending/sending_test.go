package sending_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/sending"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// desk is what is around the step, and remembers what it is told.
type desk struct {
	*uitest.Part
	t        *testing.T
	base     views.Base
	inks     rows.Inks
	site     operation.Site
	wire     *uitest.Wire
	settled  []sending.Settled
	restarts []string
	held     []journal.Draft
	sent     [][]sending.Result
}

func open(t *testing.T, scenario string, faults ...simulator.Fault) *desk {
	t.Helper()
	d := &desk{t: t}
	d.site, d.wire = uitest.NewSite(t, uitest.Scenario(t, scenario, faults...)).Counted(t)
	d.base = views.NewBase(uitest.Env(t, d.site, uitest.Theme()))
	d.inks = rows.NewInks(d.base.Env.Theme)
	return d
}

// of is the plan to give each of some services another idle time.
func (d *desk) of(services ...adminapi.ServiceRef) plan.Plan {
	d.t.Helper()
	p := plan.Plan{Several: len(services) > 1}
	for _, service := range services {
		p.Edits = append(p.Edits, uitest.Edit(d.t, d.site, service, "maxIdleTime", "707"))
	}
	return p
}

// step is the step of a plan.
func (d *desk) step(of plan.Plan) *sending.Model {
	d.t.Helper()
	m := sending.New(d.base, &d.inks, of, sending.Handlers{
		Settled:  func(s sending.Settled) tea.Cmd { d.settled = append(d.settled, s); return nil },
		Restarts: func(s adminapi.ServiceRef) { d.restarts = append(d.restarts, s.Path()) },
		Held:     func(_ editing.Target, by journal.Draft) tea.Cmd { d.held = append(d.held, by); return nil },
		Sent:     func(r []sending.Result) tea.Cmd { d.sent = append(d.sent, r); return nil },
	})
	d.Part = uitest.NewChild(d.t, m, 100, 24)
	return m
}

func (d *desk) posts(want int) {
	d.t.Helper()
	if n := d.wire.Sent("POST edit"); n != want {
		d.t.Errorf("%d edits were sent, want %d", n, want)
	}
}

// utilities are services beside the one that is edited.
func (d *desk) utilities() []adminapi.ServiceRef {
	d.t.Helper()
	folder, err := d.site.Client.Services.Folder(d.t.Context(), "Utilities")
	if err != nil {
		d.t.Fatal(err)
	}
	return folder.Services
}

func TestAPlanIsSentOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	m := d.step(d.of(cities))
	first := m.Send(false)
	d.Shows("Preparing", "Sent once, never retried.", "You can leave: esc shows the list.")
	if again := m.Send(false); again != nil {
		t.Error("it is sent again")
	}
	d.Drain(first)
	d.posts(1)
	if len(d.sent) != 1 || !d.sent[0][0].Done() || len(d.settled) != 1 || !d.settled[0].Done || d.settled[0].Sent.IsZero() {
		t.Errorf("sent %+v, settled %+v", d.sent, d.settled)
	}
}

func TestEachOfSeveralIsSettledBeforeTheNextIsSent(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	services := append([]adminapi.ServiceRef{cities}, d.utilities()[:2]...)
	m := d.step(d.of(services...))
	_, next := uitest.Run(part{m}, m.Send(false), 1)
	send := next[0]
	next = next[1:]
	d.wire.Before = func(r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/edit") || d.wire.Sent("POST edit") != 2 {
			return
		}
		for len(next) > 0 && !strings.Contains(m.Note(0), "service 2 of 3") {
			_, more := uitest.Run(part{m}, next[0], 1)
			next = append(next[1:], more...)
		}
		d.Shows("✓ done", "● sending", services[1].Path(), "○ waiting", "Stops at the first failure.")
		if len(d.settled) != 1 || !d.settled[0].Done {
			t.Errorf("settled before the second is sent: %+v", d.settled)
		}
		for i, want := range []string{"", "sending", "to be sent"} {
			if got := m.Sends(services[i].Path()); got != want {
				t.Errorf("%s is said to be %q, not %q", services[i].Path(), got, want)
			}
		}
	}
	d.Drain(tea.Batch(append([]tea.Cmd{send}, next...)...))
	d.Drain(tea.Batch(next...))
	if !slices.Contains(d.restarts, cities.Path()) {
		t.Errorf("%q are said to restart", d.restarts)
	}
	var settled []string
	for _, s := range d.settled {
		settled = append(settled, s.Edit.Service.Path())
	}
	if want := []string{services[0].Path(), services[1].Path(), services[2].Path()}; !slices.Equal(settled, want) {
		t.Errorf("settled %q", settled)
	}
	d.posts(3)
}

// part is the step as what is around it drives it.
type part struct{ *sending.Model }

func (p part) Update(msg tea.Msg) tea.Cmd {
	if done, is := msg.(views.Retry); is {
		return done.Do()
	}
	return nil
}

// Once sending is stopped, the rest is not said to wait for it.
func TestWhatIsNotSentAnyMoreIsNotToBeSent(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	services := append([]adminapi.ServiceRef{cities}, d.utilities()[:2]...)
	m := d.step(d.of(services...))
	send := m.Send(false)
	if before := m.Sends(services[1].Path()); before != "to be sent" {
		t.Errorf("said to be %q", before)
	}
	m.Stop()
	for i, want := range []string{"sending", "", ""} {
		if got := m.Sends(services[i].Path()); got != want {
			t.Errorf("%s is said to be %q, not %q", services[i].Path(), got, want)
		}
	}
	d.Drain(send)
	d.posts(1)
}

func TestAnEditThatAnotherProgramHasIsSentOnlyWhereThatWasConfirmed(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	of := d.of(cities)
	other, err := journal.Open(strings.TrimSuffix(d.site.Memory.Journal.Folder(), "/"+lastOf(d.site.Memory.Journal.Folder())), "throwaway://journal",
		journal.WithClock(d.site.Clock), journal.WithProgram(journal.Program{User: "bob", Host: "adm1", PID: 4712}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	site := d.site
	site.Memory.Journal = other
	if _, err := site.Memory.SaveEditDraft(of.First().Target, operation.EditDraft{Base: of.First().Base.Text(), Edited: of.First().Edited.Text()}); err != nil {
		t.Fatal(err)
	}
	d.Drain(d.step(of).Send(false))
	d.posts(0)
	if len(d.held) != 1 || d.held[0].Program.User != "bob" || len(d.sent) > 0 {
		t.Fatalf("held %+v, sent %+v", d.held, d.sent)
	}
	d.Drain(d.step(of).Send(true))
	d.posts(1)
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func TestASilenceIsSaid(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	m := d.step(d.of(cities))
	_, next := uitest.Run(part{m}, m.Send(false), 1)
	d.wire.Before = func(r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/edit") {
			return
		}
		reports := next[1:]
		for range 20 { // until the step is reported
			if len(reports) == 0 || strings.Contains(m.View(), "Sending the definition") {
				break
			}
			_, more := uitest.Run(part{m}, reports[0], 1)
			reports = append(reports[1:], more...)
		}
		d.Hides("No answer yet.")
		d.site.Clock.(*simtest.SteppedClock).Advance(31 * time.Second)
		d.Shows("No answer yet.")
	}
	d.Drain(next[0])
	d.posts(1)
}

func TestWhatComesAfterTheStepWasClosedDoesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	m := d.step(d.of(cities))
	late := m.Send(false)
	m.Close()
	d.Drain(late)
	d.posts(1) // a write is never cancelled
	if len(d.sent)+len(d.settled) > 0 {
		t.Errorf("sent %+v, settled %+v", d.sent, d.settled)
	}
}

func TestADriftIsMergedWithWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-elses")
	d.Drain(d.step(d.of(cities)).Send(false))
	d.posts(0)
	if merge := d.sent[0][0].Merge; merge.Theirs == nil || len(merge.Conflicts) != 1 {
		t.Errorf("merged %+v", merge)
	}
	if s := d.settled[0]; s.Done || !s.Sent.IsZero() {
		t.Errorf("settled %+v", s)
	}
}

// search sends an edit and begins the search for its outcome.
func (d *desk) search() (l *sending.Search, ended func() (settled []sending.Settled, ends, stops int)) {
	d.t.Helper()
	of := d.of(cities)
	d.Drain(d.step(of).Send(false))
	began, ends, stops := d.site.Clock.Now(), 0, 0
	d.settled = nil
	l = sending.NewSearch(d.base, &d.inks, of, d.sent[0][0], func() time.Time { return began }, sending.SearchHandlers{
		Settled: func(s sending.Settled) tea.Cmd { d.settled = append(d.settled, s); return nil },
		Ended:   func() tea.Cmd { ends++; return nil },
		Stopped: func() tea.Cmd { stops++; return nil },
	})
	return l, func() ([]sending.Settled, int, int) { return d.settled, ends, stops }
}

// written is what a search writes.
func written(d *desk, l *sending.Search) string {
	p := &rows.Page{Inks: &d.inks, Width: 100}
	l.Write(p, func(p *rows.Page) { p.Line("(pods)") })
	return strings.Join(p.Lines, "\n")
}

func TestTheOutcomeOfALostAnswerIsFoundAndNothingIsSentAgain(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		says    []string
		arrived bool
	}{
		"edit-answer-lost":               {[]string{"The site has the new definition", "only the answer was lost", "(pods)", "Saved before"}, true},
		"edit-answer-lost-not-performed": {[]string{"No answer came, and the site still has the old definition", "you can send it again"}, false},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			d := open(t, scenario)
			l, ended := d.search()
			if !l.Goes() {
				t.Error("it is over before it began")
			}
			if text := written(d, l); !strings.Contains(text, "Nothing is sent again.") {
				t.Error(text)
			}
			d.Drain(l.Now())
			for _, says := range want.says {
				if text := written(d, l); !strings.Contains(text, says) {
					t.Errorf("not %q but\n%s", says, text)
				}
			}
			settled, ends, _ := ended()
			if l.Arrived() != want.arrived || ends != 1 || (len(settled) == 1 && settled[0].Done) != want.arrived {
				t.Errorf("arrived %v, %d ends, settled %+v", l.Arrived(), ends, settled)
			}
			if l.Goes() {
				t.Error("it goes on")
			}
			d.posts(1)
		})
	}
}

func TestASearchAnswersWhoLooks(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed")
	l, _ := d.search()
	d.Drain(l.Now())
	told := uitest.NoticeText(t, d.Drain(l.Look()))
	if _, at := l.Read(); told != "Checked "+at.In(uitest.Zone).Format(time.TimeOnly)+": still the old definition, no job edits it." {
		t.Errorf("told %q, read at %v", told, at)
	}
	if from := l.HeldUntil(); from.IsZero() {
		t.Error("it may be sent at once")
	}
	d.site.Clock.(*simtest.SteppedClock).Advance(time.Hour)
	if from := l.HeldUntil(); !from.IsZero() {
		t.Errorf("it may be sent at %v", from)
	}
}

func TestASearchIsStoppedAfterAQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed")
	l, ended := d.search()
	asked := d.Drain(l.AskStop())
	d.Asks(asked, `Stop waiting for the outcome?

Whether the site has the change is unknown. Nothing is sent again; a refresh
may show it.
`)
	d.Drain(uitest.AnswerOnly(t, asked, uitest.Keys("y")...))
	if _, _, stops := ended(); stops != 1 {
		t.Errorf("stopped %d times", stops)
	}
	late := l.Now()
	l.Close()
	d.Drain(late)
	if _, at := l.Read(); !at.IsZero() || l.Now() != nil {
		t.Error("it goes on")
	}
}

func TestASearchGoesOnAfterASignIn(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost", simulator.Fault{Path: "admin/jobs*", Method: "GET", Times: 1, What: "status", Status: 401})
	l, _ := d.search()
	d.Drain(uitest.Find[views.SignIn](t, d.Drain(l.Now())).Retry)
	if !l.Arrived() {
		t.Error("nothing was found")
	}
}
