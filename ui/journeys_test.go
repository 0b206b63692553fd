package ui_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"

	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// journey is somebody at the dashboard, which runs in a program of its own: opens it, presses keys,
// reads, quits. Texts in its output only say when to go on; what is compared is the last screen.
type journey struct {
	t       *testing.T
	site    *uitest.Site
	clock   *simtest.ManualClock // of the dashboard; the site has its own
	folder  string
	program *teatest.TestModel
	output  bytes.Buffer // of the program, since its start
	keyed   int          // how long the text of it was when keys were pressed last
}

// leisure is the pace of somebody who rests after each key, and whom nothing hurries: what lasts longer
// than such a rest never passes.
type leisure struct{ *simtest.ManualClock }

func (l leisure) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 150*time.Millisecond {
		l.Advance(d)
		return ctx.Err()
	}
	return l.ManualClock.Sleep(ctx, d)
}

// fitted is a dashboard that has its size before anything else, as the program's guard gives it: teatest
// sends the size when the first answers may be there.
type fitted struct{ dashboard }

func (f fitted) Init() tea.Cmd {
	started := f.dashboard.Init()
	_, cmd := f.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return tea.Batch(started, cmd)
}

// opens starts the dashboard on a scenario, in a terminal of 120x40.
func opens(t *testing.T, scenario string, change ...func(*ui.Options)) *journey {
	t.Helper()
	t.Parallel()
	site, clock := uitest.NewSite(t, uitest.Scenario(t, scenario)), simtest.NewManualClock(uitest.Start)
	j := &journey{t: t, site: site, clock: clock, folder: t.TempDir()}
	o := ui.Options{
		Site: operation.Site{Client: site.Client, Clock: clock, Memory: operation.Memory{Journal: uitest.Journal(t, clock)}},
		Name: "prod", Theme: uitest.Theme(), Clock: clock, Local: uitest.Zone, Folder: j.folder,
		Nodes: nodesource.Source{Demo: site.Server.Nodes},
		Pace:  leisure{simtest.NewManualClock(uitest.Start)},
	}
	for _, c := range change {
		c(&o)
	}
	deck := ui.NewDeck(o)
	j.program = teatest.NewTestModel(t, fitted{deck}, teatest.WithInitialTermSize(120, 40))
	t.Cleanup(func() {
		_ = j.program.Quit()
		deck.Close()
		j.program.WaitFinished(t, teatest.WithFinalTimeout(patience))
	})
	return j.sees("11.5.0.6745 · ", "admin · ", "until 03:05").rests()
}

// sees waits until every text has been shown since the last keys.
func (j *journey) sees(texts ...string) *journey {
	j.t.Helper()
	return j.waits(func(shown string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown[j.keyed:], text) })
	})
}

// rests waits until the first two lines say no more that something is being read.
func (j *journey) rests() *journey {
	j.t.Helper()
	return j.waits(func(shown string) bool {
		return !slices.ContainsFunc([]string{"geodeck  prod", "Activity"}, func(line string) bool {
			last := shown[max(0, strings.LastIndex(shown, line)):]
			last, _, _ = strings.Cut(last, "\n")
			return strings.Contains(last, "● ")
		})
	})
}

// waits waits until what was shown since the start is what a step waits for.
func (j *journey) waits(done func(shown string) bool) *journey {
	j.t.Helper()
	teatest.WaitFor(j.t, io.TeeReader(j.program.Output(), &j.output), func([]byte) bool {
		return done(ansi.Strip(j.output.String()))
	}, teatest.WithDuration(patience), teatest.WithCheckInterval(5*time.Millisecond))
	return j
}

// reads waits on Health until the results of the last nine reports are there: nothing is under way then,
// not even what no line tells of.
func (j *journey) reads(results string) *journey {
	j.t.Helper()
	return j.sees(results + "  healthcheck_index_synced").rests()
}

// presses presses keys by their names.
func (j *journey) presses(names string) *journey {
	j.t.Helper()
	_, _ = io.Copy(&j.output, j.program.Output())
	j.keyed = len(ansi.Strip(j.output.String()))
	for _, key := range uitest.Keys(names) {
		j.program.Send(key)
	}
	return j
}

// types types a text.
func (j *journey) types(text string) *journey {
	for _, key := range uitest.Text(text) {
		j.program.Send(key)
	}
	return j
}

// pastes pastes a text.
func (j *journey) pastes(text string) *journey {
	j.program.Send(uitest.Paste(text))
	return j
}

// quits leaves the dashboard, and compares its last screen.
func (j *journey) quits() {
	j.t.Helper()
	j.presses("ctrl+c").ends()
}

// ends compares the last screen.
func (j *journey) ends() {
	j.t.Helper()
	screen := j.program.FinalModel(j.t, teatest.WithFinalTimeout(patience)).View()
	uitest.Fits(j.t, screen, 120, 40)
	uitest.Golden(j.t, uitest.AnyPort(screen))
}

// passes lets time go by, here and at the site, once so many wait for it.
func (j *journey) passes(waiters int, d time.Duration) *journey {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.t.Context(), patience)
	defer cancel()
	if err := j.clock.AwaitWaiters(ctx, waiters); err != nil {
		j.t.Fatalf("%d wait for the clock instead of %d", j.clock.Waiters(), waiters)
	}
	j.site.Steps.Advance(d)
	j.clock.Advance(d)
	return j
}

// nine are the results of the test that once failed, newest last.
const nine = "✓✓✓✗✓✓✓✓✓"

func TestJourneyToTheReports(t *testing.T) {
	opens(t, "healthy").sees("13 of 13 passed", "No new failures").reads(nine).quits()
}

func TestJourneyIntoTheTreeOfAReport(t *testing.T) {
	opens(t, "healthy").reads(nine).presses("down down down down down").
		sees("Since 11-07  1 new failure", "passed in 6 of the last 7 up to this one").
		presses("enter").sees("f failed only").quits()
}

// runs runs a health check until it has ended.
func (j *journey) runs() *journey {
	j.t.Helper()
	return j.reads(nine).presses("health.run").sees("Name of the report").presses("enter enter").sees("running").
		passes(1, 10*time.Minute)
}

func TestJourneyARunToItsEnd(t *testing.T) {
	opens(t, "degraded").runs().sees("Health check failed: 1 of 13 tests", "passed in 8 of the last 9").rests().quits()
}

func TestJourneyToTheOffers(t *testing.T) {
	opens(t, "healthy").presses("view.upgrade").sees("recommended", "was arcgis-ingress-controller:11.5.0.6745").rests().quits()
}

// prepares chooses an upgrade that the key leads to, and acknowledges what its pre-flight warns of.
func (j *journey) prepares(choose string) *journey {
	j.t.Helper()
	return j.reads(nine).presses("view.upgrade").sees("recommended").presses(choose).sees("2 cautions to accept").
		presses("space").sees("1 caution to accept", "If no node fits").
		presses("space").sees("nothing else is in the way").presses("enter")
}

func TestJourneyToTheFormOfARelease(t *testing.T) {
	j := opens(t, "healthy")
	if err := os.WriteFile(filepath.Join(j.folder, "licence.json"), simtest.Licence("12.0.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	j.prepares("rows.bottom enter").sees("Licence file *").pastes("licence.json").passes(2, time.Second).
		sees("licence.json, 50 bytes, JSON", "Draft saved").
		presses("ctrl+c").sees("What you type here may not be kept.").presses("y").ends()
}

// reviewsAPatch goes on to the review of the newest patch.
func (j *journey) reviewsAPatch() *journey {
	j.t.Helper()
	return j.prepares("enter").sees("Nothing has been sent yet", "5 parts")
}

// A7: digits on the review show other views, and the review waits.
func TestJourneyToTheReviewOfAPatch(t *testing.T) {
	opens(t, "healthy").reviewsAPatch().presses("4").sees("shows no log of an upgrade").presses("2").sees("then type 11.5.0.6835 to confirm").rests().quits()
}

func TestJourneyAPatchToItsEnd(t *testing.T) {
	opens(t, "healthy").reviewsAPatch().presses("enter").types("11.5.0.6835").presses("enter").sees("6835 begins").rests().
		passes(1, 2*time.Hour).sees("upgrade succeeded", "No new failures", "done: the upgrade has succeeded").rests().quits()
}

func TestJourneyIntoARunningUpgrade(t *testing.T) {
	opens(t, "elses-upgrade").sees("Watch it?").presses("y").sees("Patching a module").
		presses("view.health").reads("✓✓✗✓✓✓✓✓✓").presses("view.progress").sees("after 6 min 00 s").passes(1, 3*time.Minute).
		sees("23 messages", "8 of 13 deployments, first run here", "now 15:08", "upgrade: 61 %").rests().
		presses("ctrl+c").sees("Quit geodeck?").presses("y").ends()
}

// toTheServices waits on the list of services for the pods of the last row that has room.
func (j *journey) toTheServices() *journey {
	j.t.Helper()
	return j.presses("view.services").sees("   40 services   ", "EastParcels_18          TileServer      3      3 of 3  ✓ started").rests()
}

func TestJourneyToTheServices(t *testing.T) {
	opens(t, "healthy").toTheServices().quits()
}

// toTheCities opens the definition of the sample service.
func (j *journey) toTheCities() *journey {
	j.t.Helper()
	return j.toTheServices().presses("rows.filter").types("SampleWorld").presses("enter enter").sees("serviceName").rests()
}

func TestJourneyToAValueOfADefinition(t *testing.T) {
	opens(t, "healthy").toTheCities().presses("rows.filter rows.filter").types("maxRecord").
		sees("The most records that one query returns.").presses("enter").quits()
}

func TestJourneyToTheReviewOfAnEdit(t *testing.T) {
	opens(t, "healthy").toTheCities().presses("rows.filter rows.filter").types("maxRecord").presses("enter jsonedit.edit").sees("New value").
		presses("ctrl+u").types("4321").presses("enter").sees("4321").presses("services.write").
		sees("and 7 more: they restart too", "→ 4321", "and more: v shows the whole request").rests().quits()
}

func TestJourneyToTheRulesOfAService(t *testing.T) {
	opens(t, "healthy").toTheCities().presses("tab").sees("4 of 14 nodes take these pods", "Shared: other services", "1 of 6").
		rests().quits()
}

func TestJourneyToTheActivity(t *testing.T) {
	opens(t, "healthy").runs().sees("13 of 13 tests passed").presses("view.activity").
		sees("1 of 9", "✓ completed", "/geodeck/admin/healthCheck/run").rests().quits()
}

func TestJourneyToAllSites(t *testing.T) {
	clock := simtest.NewManualClock(uitest.Start)
	var entries []fleet.Entry
	for _, scenario := range []string{"healthy", "elses-upgrade", "readonly"} {
		site := uitest.NewSite(t, uitest.Scenario(t, scenario))
		entries = append(entries, fleet.Entry{
			Name: scenario, Address: "https://" + scenario + ".example.org/gis/admin", Place: len(entries), MaxAge: 7 * 24 * time.Hour,
			Open: func(context.Context) (fleet.Connection, error) {
				return fleet.Connection{Site: operation.Site{Client: site.Client, Clock: clock}, Kept: true}, nil
			},
		})
	}
	opens(t, "healthy", func(o *ui.Options) {
		o.Fleet = func() ([]fleet.Entry, error) { return entries, nil }
	}).presses("view.fleet").sees("none needs you", "✓ healthy  ", "began 2026-11-20 14:59").rests().quits()
}
