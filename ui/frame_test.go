package ui_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
	"geodeck/ui/views/progress"
	"geodeck/ui/views/services"
	"geodeck/ui/views/upgrade"
	"geodeck/ui/widget"
)

// inProcess answers requests by the simulated site itself, so that the site can
// have a name that is the same in every run.
type inProcess struct{ server *simulator.Server }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.server.ServeHTTP(w, r)
	return w.Result(), nil
}

// signedInSite returns a site called gis.example.org with its administrator
// signed in.
func signedInSite(t testing.TB, scenario simulator.Scenario) operation.Site {
	t.Helper()
	clock := simtest.NewManualClock(uitest.Start)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: inProcess{server}})
	if err != nil {
		t.Fatal(err)
	}
	admin := server.Users()[0]
	if _, err := client.Session.SignIn(context.Background(), admin.Username, secrets.Secret(admin.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: clock}
}

var sizes = [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}}

// eachSize opens the dashboard at every size, with a view that has something to
// tell, once its header is complete.
func eachSize(t *testing.T, o ui.Options, check func(t *testing.T, d *driver, v *fakeView)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			o := o // each size has its own site
			v, maker := fake("alpha", "Alpha")
			_, other := fake("beta", "Beta")
			v.status = views.Status{Path: []string{"Reports", "nightly"}, Updated: uitest.Start.Add(-time.Minute)}
			o.Site, o.Name = signedInSite(t, simulator.Scenario{Name: "frame", ReadOnly: true}), "prod"
			o.Clock = o.Site.Clock
			d := start(t, o, size[0], size[1], maker, other)
			d.see("READ-ONLY")
			check(t, d, v)
			uitest.Fits(t, d.model.View(), size[0], size[1])
			uitest.Harmless(t, d.model.View())
			uitest.Golden(t, d.model.View())
		})
	}
}

func TestScreenFrame(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{Demo: true}, func(*testing.T, *driver, *fakeView) {})
}

func TestScreenASCII(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{Theme: theme.New(theme.Options{Renderer: uitest.Theme().Options().Renderer, ASCII: true})}, func(t *testing.T, d *driver, v *fakeView) {
		d.send(views.Notice{Level: views.Failure, Text: "cannot run a health check: " + strings.Repeat("the queue is full, ", 12)})
		for _, r := range d.model.View() {
			if r > '~' {
				t.Fatalf("%q is not ASCII", r)
			}
		}
	})
}

func TestWhatAViewHasCutIsASCIIToo(t *testing.T) {
	t.Parallel()
	v, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Theme: theme.New(theme.Options{Renderer: uitest.Theme().Options().Renderer, ASCII: true})}, 80, 24, maker)
	v.id = strings.Repeat("far too long ", 20)
	if screen := d.model.View(); strings.Contains(screen, "…") || !strings.Contains(screen, "~") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestScreenUnreachable(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, v *fakeView) {
		v.status.Unreachable = &views.Unreachable{Since: uitest.Start.Add(-22 * time.Second), Next: uitest.Start.Add(4 * time.Second)}
		d.send(tea.ResumeMsg{})
	})
}

func TestScreenHelp(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) { d.keys("help") })
}

func TestScreenPalette(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) { d.keys("palette o p") })
}

func TestScreenConfirm(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) {
		d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{
			ID: "q", Text: "Delete the report “夜間ヘルスチェック nightly”?",
			Consequence: "It goes from the site for everybody, and cannot be brought back. Files that were exported from it stay where they are.",
			Yes:         "delete it", No: "keep it",
		})})
	})
}

func TestScreenSignIn(t *testing.T) {
	t.Parallel()
	eachSize(t, ui.Options{User: "jdoe"}, func(_ *testing.T, d *driver, _ *fakeView) {
		d.expire()
		d.keys("R")
		d.see("user and password")
		d.keys("enter")
		d.see("Password")
		d.keys("enter")
		d.text("secret")
		d.see("******")
	})
}

func TestColoursAreDrawn(t *testing.T) {
	t.Parallel()
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Theme: uitest.ColorTheme()}, 80, 24, maker)
	d.see("this is alpha")
	uitest.Fits(t, d.model.View(), 80, 24)
	if !strings.Contains(d.model.View(), "\x1b[") {
		t.Error("nothing has a colour")
	}
}

func TestScreenIsTheSameWhileNothingHappens(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	before := d.model.View()
	d.pace.Advance(time.Hour)
	if d.model.View() != before {
		t.Error("an idle screen changed")
	}
}

// BenchmarkKeyToFrame is one key in the list of reports and the frame after it.
func BenchmarkKeyToFrame(b *testing.B) {
	site := signedInSite(b, simulator.Scenario{Name: "frame"})
	d := start(b, ui.Options{Site: site, Clock: site.Clock, Theme: uitest.ColorTheme()}, 120, 40, health.Maker)
	d.see("1 of 12")
	keys := uitest.Keys("down up")
	for n := 0; b.Loop(); n++ {
		d.model.Update(keys[n%2])
		_ = d.model.View()
	}
}

func TestATerminalBelowTheMinimumIsToldSoInOneLine(t *testing.T) {
	t.Parallel()
	ascii := theme.New(theme.Options{Renderer: uitest.Theme().Options().Renderer, ASCII: true})
	for _, c := range []struct {
		width, height int
		theme         *theme.Theme
		want          string
	}{
		{40, 10, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
		{40, 10, ascii, "too small, needs 60x15; ctrl+c quits"},
		{20, 5, uitest.Theme(), "too small, needs 60…"},
		{20, 5, ascii, "too small, needs 60~"},
		{59, 40, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
		{200, 14, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
	} {
		_, maker := fake("alpha", "Alpha")
		d := start(t, ui.Options{Theme: c.theme}, c.width, c.height, maker)
		screen := d.model.View()
		uitest.Fits(t, screen, c.width, c.height)
		line, rest, _ := strings.Cut(screen, "\n")
		if strings.TrimRight(line, " ") != c.want || strings.TrimSpace(rest) != "" {
			t.Errorf("%dx%d: the screen is\n%q", c.width, c.height, screen)
		}
	}
}

func TestWhatWasTypedIsThereAgainAfterATerminalThatWasTooSmall(t *testing.T) {
	t.Parallel()
	typing := map[string]func(d *driver){
		"nothing":     func(*driver) {},
		"the palette": func(d *driver) { d.keys("palette"); d.text("open alpha my fi") },
		"a sign-in": func(d *driver) {
			d.expire()
			d.keys("R")
			d.see("user and password")
			d.keys("enter")
			d.see("Password")
			d.text("jdoe")
		},
		"a confirmation": func(d *driver) {
			d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "none"})})
			d.keys("n o")
		},
	}
	for name, typed := range typing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, maker := fake("alpha", "Alpha")
			o := ui.Options{Site: signedInSite(t, simulator.Scenario{Name: "small"})}
			o.Clock = o.Site.Clock
			d := start(t, o, 80, 24, maker)
			d.see("admin") // signed in: the header is complete
			typed(d)
			before := d.model.View()
			for _, size := range [][2]int{{40, 10}, {20, 5}, {1, 1}} {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.keys("x y enter") // on a screen that nobody sees
				uitest.Fits(t, d.model.View(), size[0], size[1])
				if screen := d.model.View(); size[0] > 1 && !strings.HasPrefix(screen, "too small") {
					t.Errorf("%v: the screen is\n%s", size, screen)
				}
			}
			d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			if after := d.model.View(); after != before {
				t.Errorf("before\n%s\nand after\n%s", before, after)
			}
		})
	}
}

func TestTheTimeOfAnAbsenceStartsAnewWhenSomethingElseIsWrong(t *testing.T) {
	t.Parallel()
	silent := &adminapi.Error{Kind: adminapi.KindUnreachable}
	page := &adminapi.Error{Kind: adminapi.KindNotJSON}
	first := views.StillUnreachable(nil, uitest.Start, time.Second, silent)
	second := views.StillUnreachable(first, uitest.Start.Add(40*time.Second), time.Second, silent)
	third := views.StillUnreachable(second, uitest.Start.Add(46*time.Second), time.Second, page)
	if second.Since != uitest.Start || third.Since != uitest.Start.Add(46*time.Second) {
		t.Errorf("since %v, then %v", second.Since, third.Since)
	}
	if second.What() != "no answer" || third.What() != "answers with a web page" {
		t.Errorf("%q, then %q", second.What(), third.What())
	}
}

// top returns the first line of the screen.
func (d *driver) top() string { return strings.Split(d.model.View(), "\n")[0] }

// ages are what may change on a screen while nothing happens.
var ages = regexp.MustCompile(`\d+ (s|min|h)\b|\d+:\d\d:\d\d`)

func TestAWatchThatBringsNothingNewChangesNothingButAges(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	site, clock := manualSite(t, p)
	v, alpha := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: clock, Name: "prod"}, 120, 30, alpha, progress.Maker)
	d.see("Watch it?")
	d.keys("y")
	d.see("▲ upgrade: PostgreSQL after 12 min")
	d.await("watch", func() bool { return v.env.Upgrade.Snapshot.Seen })
	for _, view := range []string{"2", "1"} {
		d.keys(view)
		before := ages.ReplaceAllString(d.model.View(), "#")
		for range 5 {
			d.lapse(clock, 1, 10*time.Second)
			d.await("reading", func() bool { return v.env.Upgrade.Snapshot.At.Equal(clock.Now()) })
			if now := ages.ReplaceAllString(d.model.View(), "#"); now != before {
				t.Fatalf("the screen was\n%s\nand is\n%s", before, now)
			}
		}
	}
	if n := d.pace.Waiters(); n > 2 { // the next refresh, and the second hand of the view that counts, if it was armed
		t.Errorf("%d timers beside the watch", n)
	}
}

func TestAnIdleWatchArmsNoTimerButItsOwn(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	before := d.model.View()
	for n := 2; n < 7; n++ {
		d.lapse(clock, 1, 10*time.Second)
		d.heard(w, n)
		if d.model.View() != before {
			t.Errorf("the screen was\n%s\nand is\n%s", before, d.model.View())
		}
	}
	d.lapse(clock, 1, 0)
	if clock.Waiters() != 1 || d.pace.Waiters() != 1 { // the next refresh of the state
		t.Errorf("%d and %d timers", clock.Waiters(), d.pace.Waiters())
	}
}

func TestAPauseThatIsCutShortLeavesNobodyAsleep(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	for n := 1; n < 6; n++ {
		d.heard(w, n)
		d.lapse(clock, 1, 0) // it waits
		d.send(views.WatchUpgrade{})
	}
	d.heard(w, 6)
	d.lapse(clock, 1, 0)
	if n := clock.Waiters(); n != 1 {
		t.Errorf("%d are asleep", n)
	}
}

// What is sent is named once on every screen: by the view that shows it, else by the header.
func TestWhatIsSentIsNamedWhereverItsPageIsNotShown(t *testing.T) {
	t.Parallel()
	d, a, _ := two(t)
	named := func(where string, want int) {
		t.Helper()
		if n := strings.Count(d.model.View(), "● sending a change"); n != want {
			t.Errorf("%s it is named %d times:\n%s", where, n, d.model.View())
		}
	}
	a.working, a.status.Busy = "sending a change", "sending a change"
	named("on its page", 1)
	a.status.Busy = ""
	named("in the list of its view", 1)
	d.keys("2")
	named("in another view", 1)
	a.status.Busy = a.working
	named("in another view, its page in front,", 1)
	a.working, a.status.Busy = "", ""
	named("after its end", 0)
}

func TestOnlyTheViewThatIsShownIsKeptFresh(t *testing.T) {
	t.Parallel()
	v, maker := fake("a", "Alpha")
	v.hooks.Freshens = true
	_, other := fake("b", "Beta")
	d := start(t, ui.Options{}, 80, 24, maker, other)
	pass := func() {
		d.timers(1)
		d.pace.Advance(10 * time.Second)
		d.next()
	}
	pass()
	pass()
	if n := strings.Count(strings.Join(v.told, " "), "freshen"); n != 2 {
		t.Errorf("it is asked %d times: %v", n, v.told)
	}
	d.keys("2")
	pass()
	if d.keys("j"); strings.Count(strings.Join(v.told, " "), "freshen") != 2 || d.pace.Waiters() != 0 {
		t.Errorf("a view that is not shown is asked as well: %v", v.told)
	}
	d.keys("1")
	d.timers(1)
}

// The way back, and all fields, stand in the footer of the settings in the smallest terminal, too.
func TestTheFooterOfTheSettingsNamesTheWayBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		site := signedInSite(t, uitest.Scenario(t, "healthy"))
		d := start(t, ui.Options{Site: site, Clock: site.Clock}, 60, 15, upgrade.Maker)
		d.settle()
		d.does("G enter space space enter")
		for _, key := range []string{"tab complete", "space switch"} {
			if have := d.footer(); !strings.Contains(have, key+"  ctrl+t all fields  esc back") {
				t.Errorf("the footer is %q", have)
			}
			d.does("shift+tab")
		}
	})
}

func TestTheFooterNamesTheKeysOfAFilterWhileItIsTyped(t *testing.T) {
	t.Parallel()
	site := signedInSite(t, simulator.Scenario{Name: "filter"})
	d := start(t, ui.Options{Site: site, Clock: site.Clock}, 80, 24, upgrade.Maker, services.Maker)
	d.keys("2")
	d.see("SampleWorldCities")
	d.keys("enter")
	d.see("serviceName")
	d.keys("rows.filter")
	d.see(" enter keep  esc clear  ")
	d.keys("esc 1")
	d.see("11.5.0.6815")
	d.keys("rows.filter")
	if have := strings.TrimSpace(d.footer()); have != "enter keep  esc clear" {
		t.Errorf("the footer is %q", have)
	}
}
