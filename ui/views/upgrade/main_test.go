package upgrade_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/upgrade"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is the view under test.
type screen struct {
	*upgrade.Model
	*uitest.Screen
	t    testing.TB
	env  *views.Env
	wire *uitest.Wire // counts requests; nil unless recorded made the screen
}

// show shows the view on a scenario, without a journal, and lets it come to rest.
func show(t testing.TB, scenario string) *screen {
	t.Helper()
	return open(t, siteOf(t, scenario), 120, 35)
}

// recorded is show with a journal and counted requests.
func recorded(t testing.TB, scenario string) *screen {
	t.Helper()
	return recordedOf(t, uitest.Scenario(t, scenario))
}

func recordedOf(t testing.TB, scenario simulator.Scenario) *screen {
	t.Helper()
	sim := uitest.NewSite(t, scenario)
	sim.Recorded = true
	site, wire := sim.Counted(t)
	s := open(t, site, 120, 35)
	s.wire = wire
	return s
}

func siteOf(t testing.TB, scenario string) operation.Site {
	t.Helper()
	return uitest.NewSite(t, uitest.Scenario(t, scenario)).Site
}

// open shows the view on a site and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openIn(t, uitest.Env(t, site, uitest.Theme()), width, height)
}

func openIn(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	s := unopened(t, env, width, height)
	s.Start()
	return s
}

// unopened is the view before it has read anything.
func unopened(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	uitest.Refresh(env)
	m := upgrade.New(env)
	return &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env}
}

// restarted is the view of another program on the same site and journal.
func (s *screen) restarted() *screen {
	s.t.Helper()
	return open(s.t, s.env.Site, 120, 35)
}

// pass lets time go by.
func (s *screen) pass(d time.Duration) { _ = s.env.Clock.Sleep(s.t.Context(), d) }

// Do runs a command by its id, as the palette does, and returns its command.
func (s *screen) Do(id, argument string) tea.Cmd { return views.Invoke(s.Model, id, argument) }

// upgrades has the state of the site say what its newest run does.
func (s *screen) upgrades(meaning progress.State, kind progress.RunKind) {
	run := watching.Upgrade{Progress: progress.Progress{Meaning: meaning, Kind: kind}}
	s.env.State.Upgrade = adminapi.FactOf(s.env.Clock.Now(), run, nil)
	uitest.Drain(s.t, s.Model, s.Update(views.StateChanged))
}

// table is every row of the view.
func table(t testing.TB) []views.Command {
	t.Helper()
	return uitest.Rows(t, upgrade.Maker, uitest.Env(t, operation.Site{}, uitest.Theme()))
}

// sent checks how often a request was sent.
func (s *screen) sent(request string, times int) {
	s.t.Helper()
	if n := s.wire.Sent(request); n != times {
		s.t.Errorf("%s was sent %d times, not %d", request, n, times)
	}
}

// choose goes from the picker to the pre-flight of the last offer, or the first.
func (s *screen) choose(last bool) {
	s.t.Helper()
	if last {
		s.Press("rows.bottom")
	} else {
		s.Press("rows.top")
	}
	s.Invoke("upgrade.begin", "")
	s.Shows("Pre-flight")
}

// clear acknowledges what the checks have found, one by one, and goes on.
func (s *screen) clear() {
	s.t.Helper()
	for range 12 {
		if !strings.Contains(s.Draw(), "to accept") {
			break
		}
		s.accept(s.Press("space"))
	}
	s.Press("enter")
}

// accept types the word of a danger, where it is asked for.
func (s *screen) accept(up []tea.Msg) {
	s.t.Helper()
	if !slices.ContainsFunc(up, func(msg tea.Msg) bool { _, asks := msg.(views.Open); return asks }) {
		return
	}
	_, rest, _ := strings.Cut(s.Dialog(up, 78, 16), "Type ")
	word, _, _ := strings.Cut(rest, " and enter to accept it")
	s.Answer(up, strings.Join(strings.Split(word, ""), " ")+" enter")
	s.Rest()
}

// toSettings goes from the picker to the settings of the last offer, or the first.
func (s *screen) toSettings(last bool) {
	s.t.Helper()
	s.choose(last)
	s.clear()
}

// patchReview goes to the review of the first patch.
func (s *screen) patchReview() {
	s.t.Helper()
	s.toSettings(false)
	s.Shows("Request  POST /geodeck/admin/system/upgrades/upgrade")
}

// releaseReview goes to the review of the release, with its licence.
func (s *screen) releaseReview() {
	s.t.Helper()
	path := s.licence("12.0.0")
	s.toSettings(true)
	s.Type(path)
	s.Press("enter")
	s.Shows("Nothing has been sent yet")
}

// licence writes the licence file of a version and returns its path.
func (s *screen) licence(version string) string {
	s.t.Helper()
	return s.file("licence.json", simtest.Licence(version))
}

// file writes a file into the folder of the view and returns its path.
func (s *screen) file(name string, content []byte) string {
	s.t.Helper()
	path := filepath.Join(s.env.Folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// confirmed types the version in the review and returns the command that sends.
func (s *screen) confirmed(version string) tea.Cmd {
	s.t.Helper()
	s.Press("enter")
	s.Type(version)
	return s.Update(uitest.Key("enter"))
}

// confirm starts with the version and lets the view come to rest.
func (s *screen) confirm(version string) []tea.Msg {
	s.t.Helper()
	return uitest.Drain(s.t, s.Model, s.confirmed(version))
}

// startElsewhere starts the first offer as another program does.
func (s *screen) startElsewhere() {
	s.t.Helper()
	site, ctx := s.env.Site, s.t.Context()
	offer, err := site.Offers(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	ask := operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update}
	if ask.Settings, err = site.UpgradeSettings(ctx, ask); err != nil {
		s.t.Fatal(err)
	}
	if _, r := site.StartUpgrade(ctx, ask, nil); !r.Done() {
		s.t.Fatal(r.Err)
	}
}

// healthElsewhere runs a health check as another program does.
func (s *screen) healthElsewhere() {
	s.t.Helper()
	suites, err := s.env.Site.Client.Health.Suites(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	run, r := s.env.Site.StartHealthRun(s.t.Context(), adminapi.HealthRun{SuiteIDs: []string{suites[0].ID}, Name: "another"})
	if !r.Done() {
		s.t.Fatal(r.Err)
	}
	if _, err := polling.Wait(s.t.Context(), s.env.Clock, run, nil); err != nil {
		s.t.Fatal(err)
	}
}

// goesReadOnly switches read-only mode on, as another administrator does.
func (s *screen) goesReadOnly() {
	s.t.Helper()
	s.setMode("true")
}

// goesWritable switches it off.
func (s *screen) goesWritable() {
	s.t.Helper()
	s.setMode("false")
}

func (s *screen) setMode(readOnly string) {
	s.t.Helper()
	client := s.env.Site.Client
	r, err := http.PostForm(client.Base().String()+"/mode/update", url.Values{"isReadOnly": {readOnly}, "f": {"json"}, "token": {string(client.Session.Token().Value)}})
	if err != nil {
		s.t.Fatal(err)
	}
	r.Body.Close()
}

// leavesWith checks what leaving the view asks: a question with the text, or nothing.
func (s *screen) leavesWith(text string) {
	s.t.Helper()
	if question := s.Leave(); (question == "") != (text == "") || !strings.Contains(question, text) {
		s.t.Errorf("leaving asks %q", question)
	}
}

// notices checks the text of the first notice.
func notices(t testing.TB, up []tea.Msg, text string) {
	t.Helper()
	if got := uitest.NoticeText(t, up); !strings.Contains(got, text) {
		t.Errorf("the notice is %q, not %q", got, text)
	}
}

// leadsTo checks which view it leads to.
func leadsTo(t testing.TB, up []tea.Msg, view string) {
	t.Helper()
	if to := uitest.Find[views.Navigate](t, up); to.View != view {
		t.Errorf("it leads to %q", to.View)
	}
}

// started checks that a start led to the watch.
func started(t testing.TB, up []tea.Msg) {
	t.Helper()
	if watch := uitest.Find[views.WatchUpgrade](t, up); watch.Run == nil {
		t.Error("the watch takes the end of this upgrade for history")
	}
	leadsTo(t, up, "progress")
}
