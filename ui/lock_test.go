package ui_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// writeLog passes requests on, and notes those that change the site.
type writeLog struct {
	below http.RoundTripper
	mu    sync.Mutex
	sent  []string
}

// readsByPost are what a site reads though it is posted.
var readsByPost = []string{"available", "getUpgradeSettings", "checkRollback", "generateToken"}

func (w *writeLog) RoundTrip(r *http.Request) (*http.Response, error) {
	segment := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if r.Method != http.MethodGet && !slices.Contains(readsByPost, segment) {
		w.mu.Lock()
		w.sent = append(w.sent, segment)
		w.mu.Unlock()
	}
	return w.below.RoundTrip(r)
}

// writes are the last segments of the writes so far.
func (w *writeLog) writes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// lockedSite is a site that starts locked, and what is sent to it.
func lockedSite(t testing.TB, scenario simulator.Scenario, change ...func(*adminapi.Config)) (operation.Site, *writeLog) {
	t.Helper()
	clock := simtest.NewSteppedClock(uitest.Start)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	wire := &writeLog{below: inProcess{server}}
	cfg := adminapi.Config{Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: wire, Locked: true}
	for _, f := range change {
		f(&cfg)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	admin := server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), admin.Username, secrets.Secret(admin.Password), 12*time.Hour); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: clock, Memory: operation.Memory{Journal: uitest.Journal(t, clock)}}, wire
}

// siteName is the name of the site of these tests, as long as names of sites usually are.
const siteName = "production-emea"

func themeWith(o theme.Options) *theme.Theme {
	o.Renderer = lipgloss.NewRenderer(nil)
	o.Renderer.SetColorProfile(termenv.Ascii)
	return theme.New(o)
}

// What kind of site it is, and whether it takes writes, is the begin of every screen: of views,
// dialogs, the help and the palette, however much else there is to tell.
func TestEveryScreenOfAProductionSiteBeginsWithThat(t *testing.T) {
	t.Parallel()
	for _, size := range append([][2]int{{100, 30}}, sizes...) {
		for _, ascii := range []bool{false, true} {
			t.Run(fmt.Sprintf("%dx%d ascii=%v", size[0], size[1], ascii), func(t *testing.T) {
				t.Parallel()
				v, alpha := fake("alpha", "Alpha")
				other, beta := fake("beta", "Beta")
				site, _ := lockedSite(t, simulator.Scenario{Name: "frame", ReadOnly: true}, func(c *adminapi.Config) {
					c.Base, c.Insecure = "http://"+strings.Repeat("long.", 40)+"example.org/geodeck/admin", true
				})
				o := ui.Options{Site: site, Clock: site.Clock, Name: siteName, Production: true, Theme: themeWith(theme.Options{ASCII: ascii})}
				d := start(t, o, size[0], size[1], alpha, beta)
				d.see("READ-ONLY")
				d.keys("2 1")
				v.status = views.Status{Path: []string{strings.Repeat("p", 300)}, Busy: "reading", Updated: uitest.Start}
				other.working = "sending a change"
				begins := func(lock string) {
					t.Helper()
					screen := d.model.View()
					uitest.Fits(t, screen, size[0], size[1])
					want := "  PRODUCTION   " + lock + "  ! insecure  " + siteName[:5]
					if size[0] >= 100 {
						want = " geodeck  " + strings.TrimPrefix(want, " ")
					}
					if ascii {
						want = strings.NewReplacer("■", "#", "▲", "^").Replace(want)
					}
					if !strings.HasPrefix(screen, want) {
						t.Fatalf("the screen does not begin with %q:\n%s", want, screen)
					}
				}
				everywhere := func(lock string) {
					t.Helper()
					begins(lock)
					for _, keys := range []string{"help", ":", "ctrl+c"} {
						d.keys(keys)
						begins(lock)
						d.keys("esc")
					}
					d.send(views.Open{Dialog: widget.NewConfirm(o.Theme, widget.Question{ID: "q", Text: "Sure?", Yes: "do it"})})
					begins(lock)
					d.keys("n")
					d.next()
				}
				everywhere("■ read-only")
				site.Client.Unlock()
				everywhere("▲ UNLOCKED")
				d.send(tea.WindowSizeMsg{Width: 59, Height: 14})
				if screen := d.model.View(); !strings.HasPrefix(screen, " PRODUCTION  too small") {
					t.Errorf("the screen is\n%s", screen)
				}
			})
		}
	}
}

func TestASiteThatIsNotLockedHasNoWordOfIt(t *testing.T) {
	t.Parallel()
	_, alpha := fake("alpha", "Alpha")
	site := signedInSite(t, simulator.Scenario{Name: "frame"})
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: siteName}, 120, 40, alpha)
	d.see("11.5.0")
	for _, word := range []string{"PRODUCTION", "read-only", "UNLOCKED", "insecure"} {
		if strings.Contains(d.model.View(), word) {
			t.Errorf("%s is on\n%s", word, d.model.View())
		}
	}
	for line, want := range map[string]string{"unlock": "This site is not locked.", "lock": "it cannot be locked."} {
		d.palette(line)
		d.see(want)
	}
}

func TestColoursTellTheKindsOfSitesApart(t *testing.T) {
	t.Parallel()
	for _, b := range []theme.Background{theme.Dark, theme.Light, theme.Unknown} {
		r := lipgloss.NewRenderer(nil)
		r.SetColorProfile(termenv.ANSI)
		th := theme.New(theme.Options{Renderer: r, Background: b})
		seen := map[string]string{}
		for name, style := range map[string]lipgloss.Style{
			"production": th.Production.UnsetPadding(), "locked": th.Locked, "unlocked": th.Unlocked, "insecure": th.Insecure, "demo": th.Demo,
		} {
			text := style.Render("x")
			if as, same := seen[text]; same {
				t.Errorf("background %d: %s looks like %s", b, name, as)
			}
			seen[text] = name
		}
	}
}

// writer is a way to a write of the dashboard by keys.
type writer struct {
	name, scenario string
	leads          []string // to the key that asks, which is the last: of each step the keys, or a text in quotes
	kept           string   // is still on the screen where the question is left
	again          string   // leads to it anew
	then           []string // from there on, once the site is unlocked
	sends          string   // the last segment of the request
}

const newManifest = `{"versions": [{"id": "pat_new_6900", "name": "First", "type": "patch", "version": "11.5.0", "previousVersion": "11.5.0",` +
	`"build": "6900", "previousBuild": "6745", "releaseBuild": "6745", "containers": []}], "signature": "x"}`

// writers are the ways to every kind of write.
var writers = []writer{
	{"a health check", "healthy", []string{"r enter ctrl+u", `"by hand"`, "enter"}, "by hand", "enter enter", nil, "run"},
	{"a report that is deleted", "healthy", []string{"health.delete"}, "passed", "health.delete", []string{`"scheduled-20261118-1205"`, "enter"}, "delete"},
	{"a service that is stopped", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter services.switch"}, "SampleWorldCities", "services.switch", []string{`"SampleWorldCities"`, "enter"}, "stop"},
	{"a service that is started", "services-down", []string{"view.services rows.filter", `"Geometry"`, "enter j services.switch"}, "Geometry", "services.switch", []string{"y"}, "start"},
	{"a definition", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter enter rows.filter rows.filter", `"maxRecord"`, "enter jsonedit.edit ctrl+u", `"4321"`, "enter services.write services.send"}, "4321", "services.send", []string{"y"}, "edit"},
	{"rules", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter enter tab rows.bottom k k rules.edit tab tab ctrl+u", `"spot"`, "enter services.write services.send"}, "spot", "services.send", []string{"y"}, "edit"},
	{"an upgrade", "healthy", []string{"view.upgrade enter space space enter enter"}, "11.5.0.6835", "enter", []string{`"11.5.0.6835"`, "enter"}, "upgrade"},
	{"an upgrade, by another key", "healthy", []string{"view.upgrade enter space space enter w"}, "11.5.0.6835", "w", []string{`"11.5.0.6835"`, "enter"}, "upgrade"},
	{"a rollback", "upgraded", []string{"2 ] j b space space enter enter"}, "11.5.0.6825", "enter", []string{`"11.5.0.6825"`, "enter"}, "rollback"},
	{"a manifest", "empty-manifest", []string{"2 I", `"manifest.dat"`, "enter"}, "manifest.dat", "enter", []string{"y"}, "importManifest"},
}

// does presses the keys of steps, each at rest.
func (d *driver) does(steps ...string) {
	d.t.Helper()
	for _, step := range steps {
		keys := uitest.Keys(step)
		if text, is := strings.CutPrefix(step, `"`); is {
			keys = uitest.Text(strings.TrimSuffix(text, `"`))
		}
		for _, key := range keys {
			d.send(key)
			d.settle()
		}
	}
}

func (d *driver) shows(text string) {
	d.t.Helper()
	if screen := d.model.View(); !strings.Contains(screen, text) {
		d.t.Fatalf("%q is not on the screen:\n%s", text, screen)
	}
}

// dashboardOf opens the dashboard on a site, with its own views.
func dashboardOf(t *testing.T, site operation.Site) *driver {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "manifest.dat"), []byte(newManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: siteName, Production: true, Folder: folder}, 120, 40, ui.Makers()...)
	d.settle()
	return d
}

func TestALockedSiteGetsNothingBeforeItsNameWasTyped(t *testing.T) {
	t.Parallel()
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				site, wire := lockedSite(t, uitest.Scenario(t, w.scenario))
				d := dashboardOf(t, site)
				d.does(w.leads...)
				d.shows("Unlock " + siteName + " at gis.example.org/geodeck?")
				d.does(`"production"`, "enter")
				d.shows("Only the word")
				d.send(uitest.Paste("-emea"))
				d.does("enter")
				d.shows("Type it instead.")
				d.does("esc")
				d.shows("Nothing was sent. " + siteName + " stays read-only.")
				d.shows("PRODUCTION   ■ read-only")
				d.shows(w.kept)
				if sent := wire.writes(); len(sent) > 0 {
					t.Fatalf("sent: %q", sent)
				}
				d.does(w.again)
				d.shows("Unlock ")
				d.does(`"`+siteName+`"`, "enter")
				d.shows("PRODUCTION   ▲ UNLOCKED")
				if sent := wire.writes(); len(sent) > 0 && len(w.then) > 0 {
					t.Fatalf("sent without its own question: %q", sent)
				}
				d.does(w.then...)
				if !slices.Contains(wire.writes(), w.sends) {
					t.Fatalf("unlocked, it sent %q; the screen is\n%s", wire.writes(), d.model.View())
				}
				d.does("palette", `"lock"`, "enter")
				d.shows("PRODUCTION   ■ read-only")
				if _, outcome, err := site.Client.Health.Start(t.Context(), adminapi.HealthRun{Name: "x", SuiteIDs: []string{"x"}}); !errors.Is(err, adminapi.KindLocked) || outcome != adminapi.OutcomeNotSent {
					t.Errorf("once it is locked again: %v, %v", outcome, err)
				}
			})
		})
	}
}

// Where it is not known what config.yaml locks, no word unlocks the site.
func TestASealedSiteGetsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		site, wire := lockedSite(t, uitest.Scenario(t, "healthy"))
		const why = "It is not known whether config.yaml locks this site: line 1"
		d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: siteName, Sealed: why}, 120, 40, ui.Makers()...)
		d.settle()
		for _, keys := range [][]string{{"health.delete"}, {"palette", `"unlock"`, "enter"}} {
			d.does(keys...)
			d.shows(why)
			d.shows("■ read-only")
			if d.root().Dialog() != "" || len(wire.writes()) > 0 {
				t.Errorf("%q: a dialog %q is open, sent: %q", keys, d.root().Dialog(), wire.writes())
			}
		}
	})
}

// places are where commands are tried on a locked site, with some of those that ask for its name
// there: what sends, or leads to the last question before.
var places = []struct {
	name, scenario string
	leads          []string
	asks           []string
}{
	{"reports", "healthy", nil, []string{"health.delete", "health.run"}},
	{"a report", "healthy", []string{"enter"}, []string{"health.run"}},
	{"updates", "healthy", []string{"2"}, nil},
	{"no updates", "empty-manifest", []string{"2"}, []string{"upgrade.import"}},
	{"a pre-flight", "healthy", []string{"view.upgrade enter"}, []string{"upgrade.health"}},
	{"settings", "healthy", []string{"2 G enter space space enter"}, nil},
	{"a review", "healthy", []string{"view.upgrade enter space space enter"}, []string{"upgrade.confirm"}},
	{"a rollback", "upgraded", []string{"2 ] j b space space enter"}, []string{"upgrade.confirm"}},
	{"services", "healthy", []string{"view.services j space j space"}, []string{"services.switch"}},
	{"a definition", "healthy", []string{"view.services enter"}, []string{"services.switch-open"}},
	{"the review of one", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter enter rows.filter rows.filter", `"maxRecord"`, "enter jsonedit.edit ctrl+u", `"4321"`, "enter services.write"}, []string{"services.send"}},
	{"the review of rules", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter enter tab rows.bottom k k rules.edit tab tab ctrl+u", `"spot"`, "enter services.write"}, []string{"services.send"}},
	{"progress", "healthy", []string{"view.progress"}, nil},
	{"activity", "healthy", []string{"view.activity"}, nil},
}

var typedWord = regexp.MustCompile(`Type (\S+) and enter`)

// agrees answers whatever is asked as one does who wants it, but for the name of the site. It
// reports whether that was asked for.
func (d *driver) agrees() (locked bool) {
	d.t.Helper()
	for range 6 {
		if d.root().Dialog() == "" {
			return locked
		}
		switch word := typedWord.FindStringSubmatch(d.model.View()); {
		case d.root().Dialog() == "unlock":
			locked = true
			d.does(`"other"`, "enter esc")
		case word != nil:
			d.does(`"`+word[1]+`"`, "enter")
		default:
			d.does("y", "enter")
		}
	}
	for d.root().Dialog() != "" {
		d.does("esc")
	}
	return locked
}

// root is the dashboard of the one site.
func (d *driver) root() *ui.Model { return d.model.(*ui.Model) }

// body is the screen less its header and its footer.
func (d *driver) body() string {
	lines := strings.Split(d.model.View(), "\n")
	return strings.Join(lines[3:len(lines)-2], "\n")
}

// Every row of the tables of commands is tried in many places, those first that can be used there;
// keys and the palette know no other way to a write.
func TestNoCommandOfAnyViewSendsAnythingToALockedSite(t *testing.T) {
	t.Parallel()
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var d *driver
				var wire *writeLog
				begin := func() {
					var site operation.Site
					site, wire = lockedSite(t, uitest.Scenario(t, p.scenario))
					d = dashboardOf(t, site)
					d.does(p.leads...)
				}
				begin()
				body, asked := d.body(), map[string]bool{}
				all := slices.DeleteFunc(views.Rows(d.root().Active()), func(c views.Command) bool { return strings.HasPrefix(c.ID, "rows.") }) // of lists, which know no site
				try := func(row views.Command) {
					argument := ""
					if row.Argument != "" {
						argument = "manifest.dat"
					}
					if row.Choices != nil && len(row.Choices()) > 0 {
						argument = row.Choices()[0].Text
					}
					d.run(views.Invoke(d.root().Active(), row.ID, argument))
				}
				nothingSent := func(by string) {
					t.Helper()
					if sent := wire.writes(); len(sent) > 0 {
						t.Fatalf("%s sent %q", by, sent)
					}
				}
				usable := views.Distinct(views.Usable(all))
				for _, row := range usable {
					if d.body() != body {
						d.close()
						begin()
					}
					try(row)
					d.settle()
					asked[row.ID] = d.agrees()
					nothingSent(row.ID)
				}
				for _, row := range views.Distinct(all) { // what cannot be used says so
					if _, tried := asked[row.ID]; !tried {
						try(row)
					}
				}
				d.settle()
				d.agrees()
				nothingSent("what cannot be used")
				for _, id := range p.asks {
					if !asked[id] {
						t.Errorf("%s did not ask for the name of the site", id)
					}
				}
			})
		})
	}
}
