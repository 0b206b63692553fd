package ui_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// others are the sites that a deck may go to.
type others struct {
	mu     sync.Mutex
	all    []ui.SiteEntry
	sites  map[string]operation.Site
	closed []string
	found  operation.Contact // at every address
	looks  int
	silent bool // nothing comes back
	slow   chan struct{}
}

func (o *others) All() ([]ui.SiteEntry, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.all), nil
}

func (o *others) Open(_ context.Context, name string) (ui.Options, error) {
	if o.slow != nil && name == "slow" {
		<-o.slow
	}
	site, known := o.sites[name]
	if !known {
		return ui.Options{}, errors.New("the keyring is locked")
	}
	at := slices.IndexFunc(o.all, func(entry ui.SiteEntry) bool { return entry.Name == name })
	return ui.Options{Entry: o.all[max(at, 0)], Site: site, Clock: site.Clock, Name: name, Close: func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.closed = append(o.closed, name)
	}}, nil
}

func (o *others) Demo(context.Context) (ui.Options, error) {
	site := o.sites["demo"]
	return ui.Options{Site: site, Clock: site.Clock, Name: "demo", Demo: true}, nil
}

func (o *others) Look(ctx context.Context, address string) operation.Contact {
	o.mu.Lock()
	o.looks++
	found, silent := o.found, o.silent
	o.mu.Unlock()
	if silent {
		<-ctx.Done()
	}
	return found
}

func (o *others) Add(entry ui.SiteEntry) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if strings.Contains(entry.Name, " ") {
		return errors.New("a name has no spaces")
	}
	o.all = append(o.all, entry)
	return nil
}

func (o *others) left() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.closed)
}

// deckOf opens a deck on the first of some simulated sites.
func deckOf(t *testing.T, scenarios ...string) (*driver, *others) {
	t.Helper()
	o := &others{sites: map[string]operation.Site{}}
	for _, name := range scenarios {
		site := uitest.NewSite(t, uitest.Scenario(t, name)).Site
		o.sites[name] = site
		o.all = append(o.all, ui.SiteEntry{Name: name, Address: site.Client.Base().String(), Production: name == "degraded"})
	}
	var first ui.Options
	if len(scenarios) > 0 {
		first, _ = o.Open(t.Context(), scenarios[0])
	}
	first.Sites = o
	return startAs(t, first, 100, 30, func(o ui.Options) dashboard { return ui.NewDeck(o) }), o
}

func TestTheDashboardGoesFromOneSiteToAnother(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t, "healthy", "degraded")
	d.see("healthy · 127.0.0.1")
	d.keys("sites")
	d.see("Go to a site")
	d.see("PRODUCTION")
	d.keys("/")
	d.text("degr")
	d.keys("enter")
	d.see("degraded · 127.0.0.1")
	if text := d.model.View(); strings.Contains(text, "healthy") {
		t.Errorf("the screen still names the site before:\n%s", text)
	}
	if left := o.left(); !slices.Equal(left, []string{"healthy"}) {
		t.Errorf("closed %v", left)
	}
	d.keys("sites")
	d.see("on the screen")
	d.keys("enter")
	d.see("You are at degraded already")
}

// Neither a long name nor a narrow screen hides that a site is in production.
func TestTheListOfSitesMarksProductionAtEveryWidth(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t, "healthy", "degraded")
	d.see("healthy · 127.0.0.1")
	o.mu.Lock()
	o.all[1].Name, o.all[1].Address = strings.Repeat("n", 60), "https://gis.example.org/a-long-context/admin"
	o.mu.Unlock()
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.keys("sites")
	d.see("Go to a site")
	d.see("PRODUCTION")
}

func TestWhatComesLateFromASiteThatWasLeftIsDropped(t *testing.T) {
	t.Parallel()
	d, _ := deckOf(t, "healthy", "degraded")
	d.see("healthy · 127.0.0.1")
	_, late := d.model.Update(views.Navigate{View: "of the site before"})
	d.send(views.GoToSite{Name: "degraded"})
	d.see("degraded · 127.0.0.1")
	d.emit(late) // its timers have ended with the site
	for len(d.msgs) > 0 {
		d.send(<-d.msgs)
	}
	if text := d.model.View(); strings.Contains(text, "of the site before") {
		t.Errorf("it is shown:\n%s", text)
	}
}

func TestASiteThatCannotBeOpenedLeavesTheDashboardAsItIs(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t, "healthy")
	o.slow = make(chan struct{})
	d.see("healthy · 127.0.0.1")
	d.send(views.GoToSite{Name: "nosuch"})
	d.see("nosuch cannot be opened: the keyring is locked")
	d.keys("sites")
	d.see("Go to a site")
	if left := o.left(); len(left) > 0 {
		t.Errorf("closed %v", left)
	}
}

// Of two sites that are opened at once the one that was asked for last is shown, whichever
// answers first.
func TestTheSiteThatWasAskedForLastIsShown(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t, "healthy", "degraded")
	o.slow = make(chan struct{})
	o.sites["slow"] = o.sites["healthy"]
	d.see("healthy · 127.0.0.1")
	d.send(views.GoToSite{Name: "slow"})
	d.see("Opening slow")
	d.send(views.GoToSite{Name: "degraded"})
	d.see("degraded · 127.0.0.1")
	close(o.slow)
	d.await("end of the other", func() bool { return slices.Contains(o.left(), "slow") })
	d.see("degraded · 127.0.0.1")
}

// Nothing that begins while a slow site is opened is lost without a question, and no key that
// is meant for it goes to the other site.
func TestWhatBeginsWhileASiteIsOpenedIsNotLostUnasked(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t, "healthy", "degraded")
	o.slow = make(chan struct{}, 2)
	o.sites["slow"] = o.sites["degraded"]
	d.see("healthy · 127.0.0.1")
	d.send(views.GoToSite{Name: "slow"})
	d.see("Opening slow")
	d.keys("palette")
	d.text("add site")
	d.keys("enter")
	d.see("Address")
	if text := d.model.View(); strings.Contains(text, "No site is known yet") {
		t.Errorf("sites are known:\n%s", text)
	}
	d.text("half an addr")
	o.slow <- struct{}{}
	d.see("Go to slow?")
	d.see("closed with what is typed there")
	d.pace.Advance(2 * time.Second)
	d.keys("n")
	d.see("half an addr")
	if left := o.left(); !slices.Equal(left, []string{"slow"}) {
		t.Errorf("closed %v", left)
	}
	d.send(views.GoToSite{Name: "slow"})
	o.slow <- struct{}{}
	d.see("Go to slow?")
	d.pace.Advance(2 * time.Second)
	d.keys("y")
	o.slow <- struct{}{}
	d.see("slow · 127.0.0.1")
}

// A site is on the screen only as it was opened: one that config.yaml has changed since, and
// one that is only called as what is shown, can be gone to.
func TestASiteThatIsCalledAsTheOneOnTheScreenIsGoneTo(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(first *ui.Options, all []ui.SiteEntry){
		"the demo, or an address": func(first *ui.Options, _ []ui.SiteEntry) { first.Entry = ui.SiteEntry{} },
		"another address":         func(_ *ui.Options, all []ui.SiteEntry) { all[0].Address = "https://gis.example.org/admin" },
		"production by now":       func(_ *ui.Options, all []ui.SiteEntry) { all[0].Production = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &others{sites: map[string]operation.Site{"demo": uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site}}
			o.all = []ui.SiteEntry{{Name: "demo", Address: "https://lab.example.org/admin"}}
			first, _ := o.Open(t.Context(), "demo")
			first.Sites = o
			change(&first, o.all)
			d := startAs(t, first, 100, 30, func(o ui.Options) dashboard { return ui.NewDeck(o) })
			d.see("demo · 127.0.0.1")
			d.keys("sites")
			d.see("Go to a site")
			if text := d.model.View(); strings.Contains(text, "on the screen") {
				t.Errorf("it is said to be on the screen:\n%s", text)
			}
			d.keys("enter")
			d.await("end of the first", func() bool { return slices.Contains(o.left(), "demo") })
		})
	}
}

func TestWithoutASiteTheFirstScreenAddsOne(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t)
	o.sites["lab"] = uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	o.found = operation.Contact{Platform: true, Sentence: "A platform answers there."}
	d.see("Welcome to geodeck")
	d.keys("enter")
	d.see("Address")
	timers := d.pace.Waiters()
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("https://gis.example.org/arcgis/admin"), Paste: true})
	d.timers(timers + 1)
	d.pace.Advance(time.Second)
	d.see("A platform answers there.")
	d.keys("enter")
	d.text("my lab")
	d.keys("enter enter")
	d.see("A name has no spaces")
	d.see("> https://gis")
	d.keys("enter")
	d.see("> my lab")
	d.keys("ctrl+u")
	d.text("lab")
	d.keys("enter enter")
	d.see("lab · 127.0.0.1")
	all, _ := o.All()
	if want := []ui.SiteEntry{{Name: "lab", Address: "https://gis.example.org/arcgis/admin"}}; !slices.Equal(all, want) {
		t.Errorf("added %+v", all)
	}
}

// An address at which no platform answers is added only by whom that is told, and who says so.
func TestTheFirstScreenAddsNoAddressWithoutAPlatformUnlessToldTo(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t)
	o.sites["lab"] = uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	o.found = operation.Contact{Sentence: "The host name gis.example.org is unknown."}
	d.see("Type its address, or choose.")
	timers := d.pace.Waiters()
	d.text("https://gis.example.org/arcgis/admin") // in the list of what to do
	d.see("> https://gis.example.org/arcgis/admin")
	d.timers(timers + 1)
	d.pace.Advance(time.Second)
	d.see("is unknown.")
	d.keys("enter")
	d.text("lab")
	d.keys("enter enter")
	d.see("Not added. The host name gis.example.org is unknown.")
	d.see("> https://gis.example.org/arcgis/admin")
	d.see("yes: add it")
	if all, _ := o.All(); len(all) != 0 || o.looks != 1 {
		t.Errorf("added %+v after %d looks", all, o.looks)
	}
	d.keys("enter enter enter down enter")
	d.see("lab · 127.0.0.1")
	all, _ := o.All()
	if want := []ui.SiteEntry{{Name: "lab", Address: "https://gis.example.org/arcgis/admin"}}; !slices.Equal(all, want) || o.looks != 1 {
		t.Errorf("added %+v after %d looks", all, o.looks)
	}
}

func TestTheFirstScreenIsLeftWhileTheAddressIsTried(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t)
	o.silent = true
	d.see("Welcome to geodeck")
	d.keys("enter")
	d.see("Address")
	timers := d.pace.Waiters()
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("gis.example.org"), Paste: true})
	d.keys("enter")
	d.text("lab")
	d.keys("enter enter")
	d.timers(timers + 1)
	d.pace.Advance(time.Second)
	d.see("trying gis.example.org, 8s at most")
	d.keys("esc")
	d.see("The address is no longer tried. Nothing was added.")
	d.see("> gis.example.org")
	if all, _ := o.All(); len(all) != 0 {
		t.Errorf("added %+v", all)
	}
}

func TestTheFirstScreenOpensTheDemo(t *testing.T) {
	t.Parallel()
	d, o := deckOf(t)
	o.sites["demo"] = uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	d.see("Welcome to geodeck")
	d.keys("down enter")
	d.see("demo · 127.0.0.1")
}
