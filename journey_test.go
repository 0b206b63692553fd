package main

import (
	"bytes"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// journey is somebody at the dashboard: the whole program but its keyboard, on a
// simulated site whose clock moves by itself. It is drawn in both ways, and after each
// step both have to show the same.
type journey struct {
	t       *testing.T
	site    *uitest.Site
	root    *ui.Model
	program *uitest.BothWays
	folder  string
	width   int
	height  int
	options ui.Options
	film    *uitest.Film
}

// journeys bounds how many go on at once: each keeps half a processor busy.
var journeys = make(slots, 2*runtime.GOMAXPROCS(0))

// parallel lets a journey run beside other tests.
func parallel(t *testing.T) {
	t.Helper()
	t.Parallel()
	t.Cleanup(journeys.take())
}

// setOut opens the dashboard on a scenario. Without a site it is offline.
func setOut(t *testing.T, scenario string, width, height int, change ...func(*ui.Options)) *journey {
	t.Helper()
	return setOutAt(t, uitest.Start, scenario, width, height, change...)
}

// setOutAt is setOut where all clocks begin at a moment, in the moment's own zone.
func setOutAt(t *testing.T, begin time.Time, scenario string, width, height int, change ...func(*ui.Options)) *journey {
	t.Helper()
	script, found := simulator.BuiltIn(scenario)
	if !found {
		t.Fatalf("no scenario %s", scenario)
	}
	j := &journey{t: t, site: uitest.NewSiteAt(t, script, begin), folder: t.TempDir(), width: width, height: height}
	memory, err := journal.OpenThrowaway(journal.WithClock(j.site.Steps))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	j.site.Memory.Journal = memory
	options := ui.Options{
		Site: j.site.Site, Name: "journey", Theme: uitest.ColorTheme(), Clock: j.site.Steps,
		Pace: simtest.NewManualClock(begin), Local: begin.Location(), Folder: j.folder,
		Nodes: nodesource.Source{Demo: j.site.Server.Nodes},
	}
	for _, c := range change {
		c(&options)
	}
	j.options = options
	return j.opens()
}

// opens starts the dashboard, a second time where it has ended.
func (j *journey) opens() *journey {
	j.t.Helper()
	j.root = ui.New(j.options)
	j.t.Cleanup(j.root.Close)
	j.film = uitest.NewFilm(j.t)
	j.program = uitest.RunBothWays(j.t, j.root, j.width, j.height, j.film.Add)
	return j
}

// golden compares the screen as it is with testdata/<test>/<name>.golden, but for its
// first two lines, and what they have no room for in the rule below: the clock that every wait
// moves on shows in them, and a port of four or five digits. A text that passes is not on that screen: by the
// time that another one is taken the clock may have brought it back. That what is shown is old passes on each:
// the clock may be ahead of the answers.
func (j *journey) golden(name string, passes ...string) *journey {
	j.t.Helper()
	if before, behind := uitest.Focus(j.program.Equal()); before+behind == "" {
		j.t.Errorf("%s: the cursor of the terminal is hidden", name)
	}
	_, screen, _ := strings.Cut(j.without(append(passes, "last seen")...), "\n")
	_, screen, _ = strings.Cut(screen, "\n")
	rule, rest, _ := strings.Cut(screen, "\n")
	if at := strings.LastIndex(rule, "─ "); at >= 0 && !strings.HasSuffix(rule, "─") {
		screen = rule[:at] + strings.Repeat("─", ansi.StringWidth(rule[at:])) + "\n" + rest
	}
	j.t.Run(name, func(t *testing.T) { uitest.Golden(t, settled(screen)) })
	return j
}

// screen returns what both ways show, without its colours.
func (j *journey) screen() string {
	j.t.Helper()
	return ansi.Strip(j.program.Equal())
}

// sees waits until a text has been shown since the last keys.
func (j *journey) sees(text string) *journey {
	j.t.Helper()
	j.film.Until(text, func(shown []byte) bool { return bytes.Contains(shown, []byte(text)) })
	return j
}

// seesAtRest waits until a text is on the screen once no key has come for a moment.
func (j *journey) seesAtRest(text string) *journey {
	j.t.Helper()
	for range 1_000 {
		if strings.Contains(j.screen(), text) {
			return j
		}
		j.pause()
	}
	j.t.Fatalf("there never was %s on the screen\n%s", text, j.screen())
	return j
}

// leaves waits until a text of a page is gone.
func (j *journey) leaves(text string) *journey {
	j.t.Helper()
	if text != "" {
		j.without(text)
	}
	return j
}

// without returns the first screen that has none of the texts.
func (j *journey) without(texts ...string) string {
	j.t.Helper()
	for range 1_000 {
		screen := j.screen()
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(screen, text) }) {
			return screen
		}
		j.pause()
	}
	j.t.Fatalf("%q stay on the screen\n%s", texts, j.screen())
	return ""
}

// presses sends keys by name.
func (j *journey) presses(keys string) *journey { return j.send(uitest.Keys(keys)) }

// pause lets nobody type for a moment: keys that were meant for something else do
// not answer a question that comes unasked.
func (j *journey) pause() { j.options.Pace.(*simtest.ManualClock).Advance(2 * time.Second) }

// types sends text, a key for each character.
func (j *journey) types(text string) *journey { return j.send(uitest.Text(text)) }

func (j *journey) send(keys []tea.KeyMsg) *journey {
	j.t.Helper()
	j.screen()
	j.film.Cut()
	for _, key := range keys {
		j.program.Send(key)
	}
	return j
}

// resizes gives the terminal another size.
func (j *journey) resizes(width, height int) *journey {
	j.t.Helper()
	j.screen()
	j.film.Cut()
	j.width, j.height = width, height
	j.program.Resize(width, height)
	return j
}

// ends quits and returns the last screen, checked for its size and for anything
// that a terminal would obey.
func (j *journey) ends() string {
	j.t.Helper()
	j.screen()
	j.program.End()
	j.root.Close()
	final := ansi.Strip(j.root.View())
	uitest.Fits(j.t, final, j.width, j.height)
	uitest.Harmless(j.t, final)
	return final
}

// moments are what differs from run to run: the port, and times of the clock
// that every wait moves on.
var moments = regexp.MustCompile(`127\.0\.0\.1:\d{5}|\d\d:\d\d(:\d\d)?`)

// nextRefresh is now or later, by where the clock stands when the screen is taken.
var nextRefresh = regexp.MustCompile(`(Next refresh +)in \d+ s`)

// settled is a last screen with its moments made equal, cell by cell.
func settled(screen string) string {
	screen = nextRefresh.ReplaceAllString(screen, "${1}now")
	return moments.ReplaceAllStringFunc(screen, func(m string) string {
		if strings.HasPrefix(m, "127") {
			return "127.0.0.1:00000"
		}
		return "00:00:00"[:len(m)]
	})
}

// readAt is what the header says beside what is under way, which stands before it.
var readAt = regexp.MustCompile(`updated [-\d ]*\d\d:\d\d`)

// rests waits until the header was drawn again without what was under way.
func (j *journey) rests(busy string) *journey {
	j.t.Helper()
	j.film.Until("an end of "+busy, func(shown []byte) bool {
		at := bytes.LastIndex(shown, []byte(busy))
		return at < 0 || len(readAt.FindAll(shown[at:], 2)) == 2
	})
	return j
}

func TestJourneyAWrongPasswordThenTheRightOne(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24, signedOut(t))
	admin := j.site.Server.Users()[0]
	j.sees("token").presses("enter").sees("Password").types(admin.Username).presses("enter").types("a wrong one").presses("enter")
	j.sees("Wrong user name or password.").types(admin.Password).presses("enter").sees("1 of 12")
	if screen := j.ends(); strings.Contains(screen, admin.Password) {
		t.Errorf("the password is on the screen:\n%s", screen)
	}
}

// signedOut gives the dashboard a client without a token.
func signedOut(t *testing.T) func(*ui.Options) {
	return func(o *ui.Options) {
		transport, err := adminapi.NewTransport(adminapi.TLS{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(transport.CloseIdleConnections)
		client, err := adminapi.New(adminapi.Config{Base: o.Site.Client.Base().String(), Clock: o.Clock, Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		o.Site.Client = client
	}
}

// toTheReview changes how many records a query of a service returns, up to the
// review of it.
func (j *journey) toTheReview() *journey {
	j.sees("1 of 12").presses("3").sees("SampleWorldCities").presses("/").types("SampleWorld").presses("enter enter")
	j.sees("serviceName").presses("/ /").types("maxRecord").presses("enter e").sees("New value")
	j.presses("ctrl+u").types("4321").presses("enter").sees("4321").presses("w").sees("→ 4321")
	return j
}

// editsADefinition changes a value, sends it and sees it read back.
func (j *journey) editsADefinition() *journey {
	j.t.Helper()
	return j.toTheReview().presses("w").sees("is saved in History first").presses("y").sees("Read back")
}

func TestJourneyADefinitionIsEditedReviewedSentAndReadBack(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.editsADefinition()
	if screen := j.ends(); !strings.Contains(screen, "the site has everything that was sent") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestJourneyASessionThatExpiresDuringAnEditLosesNothing(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24)
	admin := j.site.Server.Users()[0]
	j.toTheReview()
	j.site.Client.Session.SetToken(adminapi.Token{Value: "expired"})
	j.presses("w").sees("is saved in History first").presses("y").sees("Press R to sign in").sees("4321")
	j.presses("R").sees("user and password").presses("enter").sees("Password").presses("enter").types(admin.Password).presses("enter")
	j.sees("done: signed in").sees("y send")
	j.ends()
}

func TestJourneyADefinitionThatSomebodyElseChangesMeanwhileIsNotOverwritten(t *testing.T) {
	parallel(t)
	j := setOut(t, "edit-elses", 120, 40)
	j.toTheReview().presses("w").sees("is saved in History first").presses("y").sees("was changed").golden("conflict")
	j.ends()
}

// toTheRules opens the rules that place the pods of the sample service, and lets them
// ask for another pool, up to the review of it.
func (j *journey) toTheRules(pool string) *journey {
	j.sees("1 of 12").presses("3").sees("SampleWorldCities").presses("/").types("SampleWorld").presses("enter enter")
	j.sees("serviceName").presses("tab").sees("4 of 14 nodes take these pods")
	j.presses("G k k e").sees("Key").presses("tab tab ctrl+u").types(pool).presses("enter").sees("draft saved")
	return j.presses("w").sees("after ")
}

func TestJourneyRulesAreBuiltReviewedSentAndThePodsComeBack(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.toTheRules("spot").presses("space").sees("all accepted").presses("w").sees("is saved in History first").presses("y").sees("Read back").sees("since")
	if screen := j.ends(); !strings.Contains(screen, "the site has everything that was sent") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestJourneyRulesThatNoNodeMeetsNeedAWordThatIsTyped(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24)
	j.toTheRules("nowhere").sees("none").golden("review").presses("space").sees("Type no-node").golden("question")
	j.types("yes").presses("enter").sees("Only the word").presses("ctrl+u").types("no-node").presses("enter").sees("all accepted").presses("w").sees("is saved in History first").presses("y").sees("Read back")
	j.ends()
}

// otherDays are moments at which clocks have tripped people before.
var otherDays = []struct {
	name  string
	begin time.Time
}{
	{"next day", uitest.Start.AddDate(0, 0, 1)},
	{"next month", uitest.Start.AddDate(0, 1, 0)},
	{"day before", uitest.Start.AddDate(0, 0, -1)},
	{"leap day", time.Date(2028, 2, 29, 23, 59, 50, 0, time.UTC)},
	{"midnight at +12:45", time.Date(2027, 4, 4, 23, 59, 50, 0, time.FixedZone("+1245", 12*3600+45*60))},
	{"new year at -03:30", time.Date(2026, 12, 31, 23, 59, 50, 0, time.FixedZone("-0330", -(3*3600+30*60)))},
}

// What may differ from one day to another: digits, a report of another year shows its year
// in place of its hour, and which tests took longest.
var (
	digits    = regexp.MustCompile(`\d`)
	otherYear = regexp.MustCompile(`0000-00-00  `)
	slowest   = regexp.MustCompile(`(?m)^   [A-Za-z_…]+ +0+\.0 s`)
)

// anyDay is a screen without what a day changes in it.
func anyDay(screen string) string {
	screen = otherYear.ReplaceAllString(digits.ReplaceAllString(settled(screen), "0"), "00-00 00:00 ")
	return slowest.ReplaceAllString(screen, "   a slow test")
}

func TestHelpOfEachScreenHasThreePagesAtMost(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24)
	for _, to := range []struct{ keys, sees, about string }{
		{"", "Slowest tests", "Reports of health checks"},
		{"enter", "enter fold", "The tests of a report."},
		{"2", "recommended", "choose one and go on to its pre-flight."},
		{"enter", "2 cautions", "accept findings, mend what blocks."},
		{"3", "enter open", "open one, start or stop it"},
		{"j enter", "Definition", "edit a draft, review it, write it."},
		{"tab", "Placement", "Which nodes run the pods"},
		{"tab", "History", "w restores one."},
		{"tab", "Status", "Why the service runs or not"},
		{"4", "The site shows no log", "The upgrade that runs, or the last one"},
	} {
		j.presses(to.keys).seesAtRest(to.sees).presses("?").sees("Help for").sees(to.about)
		n := regexp.MustCompile(`1 of (\d+)`).FindStringSubmatch(j.screen())
		if rows, err := strconv.Atoi(n[1]); err != nil || rows > 45 {
			t.Errorf("%d rows of help on the screen %q\n%s", rows, to.about, j.screen())
		}
		j.presses("q").leaves("Help for").seesAtRest(to.sees)
	}
}

func TestJourneysGoTheSameWayOnAnyDay(t *testing.T) {
	t.Parallel()
	var usual string
	t.Run("as usual", func(t *testing.T) {
		t.Cleanup(journeys.take())
		usual = anyDay(setOut(t, "healthy", 120, 40).checksHealth().ends())
	})
	for _, day := range otherDays {
		t.Run(day.name, func(t *testing.T) {
			parallel(t)
			screen := setOutAt(t, day.begin, "healthy", 120, 40).checksHealth().ends()
			if got := anyDay(screen); got != usual {
				t.Errorf("the screen is\n%s\nwant, but for its digits,\n%s", screen, usual)
			}
			setOutAt(t, day.begin, "healthy", 200, 60).exports().ends()
			setOutAt(t, day.begin, "healthy", 120, 40).installsAPatch().ends()
			setOutAt(t, day.begin, "healthy", 120, 40).editsADefinition().ends()
			setOutAt(t, day.begin, "upgrade-stalls-for-good", 80, 24).resumesAWatch().ends()
		})
	}
}

func TestJourneyQClosesEveryPageAndQuitsFromAViewOnly(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24).sees("13 of 13 passed")
	for _, page := range []struct{ keys, shows, below string }{
		{"?", "Help for Health", "Reports"},
		{"enter", "Basic health checks", "Reports"},
		{"v", "suiteStatus", "Reports"},
		{"enter enter v", "JSON ─", "Basic health checks"},
		{"", "", "Reports"},
		{"2", "recommended", ""},
		{"v", "── JSON", "Offered"},
		{"enter", "pre-flight ›", "Offered"},
		{"?", "Help for Upgrades", "Offered"},
		{"3", "SampleWorldCities", ""},
		{"/ w o r l d enter enter", "› definition", "SampleWorldCities"},
		{"enter tab", "› placement", "SampleWorldCities"},
		{"enter tab tab", "› history", "SampleWorldCities"},
		{"enter tab tab tab", "› status", "SampleWorldCities"},
		{"4", "The site shows no log", ""},
		{"!", "no notices yet", ""},
		{"?", "Help for Progress", "The site shows no log"},
	} {
		j.presses(page.keys).seesAtRest(page.shows)
		if page.below != "" {
			j.presses("q").leaves(page.shows).seesAtRest(page.below)
		}
	}
	j.ends()
}
