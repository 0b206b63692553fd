package ui_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
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
	clock := simulator.NewManualClock(uitest.Start)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: inProcess{server}})
	if err != nil {
		t.Fatal(err)
	}
	admin := server.Users()[0]
	if _, err := client.SignIn(context.Background(), admin.Username, adminapi.Secret(admin.Password), time.Hour); err != nil {
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
			v, maker := fake("alpha", "Alpha")
			_, other := fake("beta", "Beta")
			v.status = views.Status{Path: []string{"Reports", "nightly"}, Updated: uitest.Start.Add(-time.Minute)}
			o.Site, o.Name = signedInSite(t, simulator.Scenario{Name: "frame", ReadOnly: true}), "prod"
			o.Clock = o.Site.Clock
			d := start(t, o, size[0], size[1], maker, other)
			d.see("READ-ONLY MODE")
			check(t, d, v)
			uitest.Fits(t, d.model.View(), size[0], size[1])
			uitest.Harmless(t, d.model.View())
			uitest.Golden(t, d.model.View())
		})
	}
}

func TestScreenFrame(t *testing.T) {
	eachSize(t, ui.Options{Demo: true}, func(*testing.T, *driver, *fakeView) {})
}

func TestScreenASCII(t *testing.T) {
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
	v, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Theme: theme.New(theme.Options{Renderer: uitest.Theme().Options().Renderer, ASCII: true})}, 80, 24, maker)
	v.id = strings.Repeat("far too long ", 20)
	if screen := d.model.View(); strings.Contains(screen, "…") || !strings.Contains(screen, "~") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestScreenAway(t *testing.T) {
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, v *fakeView) {
		v.status.Away = &views.Away{Since: uitest.Start.Add(-22 * time.Second), Next: uitest.Start.Add(4 * time.Second)}
		d.send(tea.ResumeMsg{})
	})
}

func TestScreenHelp(t *testing.T) {
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) { d.keys("?") })
}

func TestScreenPalette(t *testing.T) {
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) { d.keys(": o p") })
}

func TestScreenConfirm(t *testing.T) {
	eachSize(t, ui.Options{}, func(_ *testing.T, d *driver, _ *fakeView) {
		d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{
			ID: "q", Text: "Delete the report “夜間ヘルスチェック nightly”?",
			Consequence: "It goes from the site for everybody, and cannot be brought back. Files that were exported from it stay where they are.",
			Yes:         "delete it", No: "keep it",
		})})
	})
}

func TestScreenSignIn(t *testing.T) {
	eachSize(t, ui.Options{User: "jdoe"}, func(_ *testing.T, d *driver, _ *fakeView) {
		d.send(views.SignIn{Reason: "The sign-in has ended."})
		d.see("user and password")
		d.keys("enter")
		d.see("Password")
		d.keys("enter")
		d.text("secret")
		d.see("******")
	})
}

func TestColoursAreDrawn(t *testing.T) {
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Theme: uitest.ColorTheme()}, 80, 24, maker)
	d.see("this is alpha")
	uitest.Fits(t, d.model.View(), 80, 24)
	if !strings.Contains(d.model.View(), "\x1b[") {
		t.Error("nothing has a colour")
	}
}

func TestScreenIsTheSameWhileNothingHappens(t *testing.T) {
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
