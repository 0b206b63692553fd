package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	fleetview "geodeck/ui/views/fleet"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	goleak.VerifyTestMain(m)
}

// screen is the view under test on several sites.
type screen struct {
	*fleetview.Model
	*uitest.Screen
	t       testing.TB
	env     *views.Env
	clock   *simtest.SteppedClock
	entries []fleet.Entry
	err     error // of reading config.yaml
	mu      sync.Mutex
	opened  map[string]int
	asked   map[string]int // requests
	worlds  []*simtest.SteppedClock
}

// open shows the view on sites that are named by their scenarios: name=scenario, with ! behind
// the name of a production site; "dead" answers nothing, and "asks" has no token.
func open(t testing.TB, width, height int, sites ...string) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), width, height, sites...)
}

// openIn is open in a look.
func openIn(t testing.TB, look *theme.Theme, width, height int, sites ...string) *screen {
	t.Helper()
	s := &screen{t: t, clock: simtest.NewSteppedClock(uitest.Start), opened: map[string]int{}, asked: map[string]int{}}
	for _, spec := range sites {
		s.add(spec)
	}
	first, err := s.entries[0].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.opened = map[string]int{}
	s.env = uitest.Env(t, first.Site, look)
	s.env.Clock, s.env.SiteName = s.clock, s.entries[0].Name
	s.env.Times = uitest.Times(s.clock.Now)
	s.env.Fleet = func() ([]fleet.Entry, error) { return append([]fleet.Entry{}, s.entries...), s.err }
	s.Model = fleetview.New(s.env)
	s.Screen = uitest.NewScreen(t, s.Model, width, height)
	s.Start()
	s.focus()
	return s
}

func (s *screen) add(spec string) {
	s.t.Helper()
	var name, scenario string
	for i := range spec {
		if spec[i] == '=' {
			name, scenario = spec[:i], spec[i+1:]
		}
	}
	production := name[len(name)-1] == '!'
	if production {
		name = name[:len(name)-1]
	}
	base, token, clock := "", adminapi.Token{}, s.clock
	switch scenario {
	case "dead":
		closed, release, err := simtest.ClosedPort()
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(release)
		clock = simtest.NewSteppedClock(uitest.Start) // retries take time
		base = "http://" + closed + "/geodeck/admin"
	case "asks":
		base = uitest.NewSite(s.t, uitest.Scenario(s.t, "healthy")).Client.Base().String()
	default:
		site := uitest.NewSite(s.t, uitest.Scenario(s.t, scenario))
		s.worlds = append(s.worlds, site.Steps)
		base, token = site.Client.Base().String(), site.Client.Session.Token()
	}
	maxAge := time.Duration(0) // the reports of a simulated site are two days apart
	if production {
		maxAge = 7 * 24 * time.Hour
	}
	s.entries = append(s.entries, fleet.Entry{
		MaxAge: maxAge,
		Name:   name, Address: "https://" + name + ".example.org/gis/admin", Production: production, Locked: production, Place: len(s.entries),
		Open: func(context.Context) (fleet.Connection, error) {
			s.mu.Lock()
			s.opened[name]++
			s.mu.Unlock()
			client, err := adminapi.New(adminapi.Config{Base: base, Token: token, Clock: clock, Trace: func(adminapi.Exchange) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.asked[name]++
			}})
			return fleet.Connection{Site: operation.Site{Client: client, Clock: s.clock}, Kept: scenario != "asks"}, err
		},
	})
}

// focus shows the view, as the root does.
func (s *screen) focus() { uitest.Drain(s.t, s.Model, s.Model.Update(views.Shown)) }

// pass lets time go by, here and at the sites.
func (s *screen) pass(d time.Duration) {
	for _, clock := range append(s.worlds, s.clock) {
		_ = clock.Sleep(context.Background(), d)
	}
}

// later lets time go by and freshens the view.
func (s *screen) later(d time.Duration) {
	s.pass(d)
	uitest.Drain(s.t, s.Model, s.Model.Update(views.Freshen))
}

// everyState has a site in most states.
var everyState = []string{"staging=healthy", "moving=elses-upgrade", "stiff=readonly", "ancient=old", "production!=healthy", "unsigned=asks", "gone=dead"}

func TestScreens(t *testing.T) {
	t.Parallel()
	sizes := append([]uitest.Size{{Name: "60x15", Width: 60, Height: 10}}, uitest.Sizes...)
	for _, size := range sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			sites := slices.Clone(everyState)
			for i := range max(0, size.Height-35) { // a large screen is for many
				sites = append(sites, fmt.Sprintf("far-%02d=dead", i))
			}
			s := open(t, size.Width, size.Height, sites...)
			uitest.Golden(t, s.Draw())
		})
	}
	t.Run("compared", func(t *testing.T) {
		t.Parallel()
		s := open(t, 80, 19, "staging=healthy", "production!=upgraded")
		s.Press("space fleet.compare")
		uitest.Golden(t, s.Draw())
	})
}

func TestTheWorstSiteIsFirstAndUnderTheCursorUntilSomebodyMovesIt(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, everyState...)
	if before, _ := s.Screen.Focus(); before == "" {
		t.Error("there is no cursor")
	}
	s.Shows("› gone", "✗ unreachable", "7 sites · 2 need you")
	s.Press("down down")
	s.Shows("› moving")
	// The upgrade ends: the row goes below, and the cursor with it.
	s.later(4 * time.Hour)
	s.Shows("› moving")
	s.Hides("upgrading")
}

func TestEnterLeadsToTheSite(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, "staging=healthy", "production!=healthy")
	s.Tells(s.Press("enter"), "already")
	if to := uitest.Find[views.GoToSite](t, s.Press("down enter")); to.Name != "production" {
		t.Errorf("it goes to %q", to.Name)
	}
}

func TestAFilterNarrowsTheSites(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, everyState...)
	s.Press("rows.filter")
	s.Type("sign-in")
	s.Press("enter")
	s.Shows("unsigned", "1 of 1")
	s.Hides("staging")
	s.Press("esc")
	s.Shows("staging")
	s.Press("rows.filter")
	s.Type("nosuch")
	s.Shows("No site matches.")
}

func TestSitesArePolledOnlyWhileTheViewIsShownAndDeadOnesRarely(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, "staging=healthy", "gone=dead")
	first := s.Status().Updated
	s.later(10 * time.Second)
	if got := s.Status().Updated; !got.Equal(first) {
		t.Errorf("read again after 10 s, at %s", got)
	}
	s.later(25 * time.Second)
	second := s.Status().Updated
	if !second.After(first) {
		t.Error("not read again after 30 s")
	}
	s.pass(time.Hour) // another view is shown: nobody freshens this one
	if got := s.Status().Updated; !got.Equal(second) {
		t.Error("it was read while another view was shown")
	}
	s.focus()
	if got := s.Status().Updated; !got.After(second) {
		t.Error("not read when it is shown again")
	}
	if s.opened["staging"] != 1 || s.opened["gone"] != 1 {
		t.Errorf("connected %v times, want once each", s.opened)
	}
}

func TestTheSiteOfTheDashboardIsReadAgainAsSoonAsItHasAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own      string
		offline  bool
		err      error         // of the last refresh
		answered time.Duration // when the site answered last
		again    bool
	}{
		"it has answered since":    {"own", false, nil, 40 * time.Second, true},
		"not since":                {"own", false, nil, 20 * time.Second, false},
		"not the last time":        {"own", false, errors.New("away"), 40 * time.Second, false},
		"another site has":         {"other", false, nil, 40 * time.Second, false},
		"there is no site as such": {"own", true, nil, 40 * time.Second, false},
	} {
		s := open(t, 80, 19, "own=dead", "other=dead")
		s.env.SiteName, s.env.Offline = c.own, c.offline
		began := s.clock.Now()
		s.later(31 * time.Second) // the second read of each; the next is a minute later
		s.pass(20 * time.Second)
		s.env.State.Reach.Err, s.env.State.Mode.At = c.err, began.Add(c.answered)
		before, other := s.asked["own"], s.asked["other"]
		s.later(0)
		if again := s.asked["own"] > before; before == 0 || again != c.again || c.own == "own" && s.asked["other"] != other {
			t.Errorf("%s: read again %v, requests %v", name, again, s.asked)
		}
	}
}

func TestRefreshReadsTheFileAndEverySite(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, "staging=healthy", "gone=dead")
	s.add("added=healthy")
	s.Hides("added")
	before := s.Status().Updated
	s.pass(time.Second)
	s.Press("fleet.refresh")
	s.Shows("added", "3 sites")
	if !s.Status().Updated.After(before) || s.opened["gone"] != 2 {
		t.Errorf("read at %s, connected %v", s.Status().Updated, s.opened)
	}
	s.entries = s.entries[1:]
	s.Press("fleet.refresh")
	s.Hides("staging")
	s.err = errors.New("config.yaml line 3: unknown key")
	s.Press("fleet.refresh")
	s.Shows("line 3")
	s.err = nil
	s.Press("fleet.refresh")
	s.Hides("line 3")
	s.Shows("added")
}

func TestWhatConfigYAMLSaysOfASiteByNowCountsAsSoonAsTheViewIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, "staging=healthy", "other=healthy")
	for _, change := range []struct {
		shows string
		of    func(*fleet.Entry)
	}{
		{"locked", func(e *fleet.Entry) { e.Locked = true }},
		{"PROD", func(e *fleet.Entry) { e.Production = true }},
		{"older than 1 h", func(e *fleet.Entry) { e.MaxAge = time.Hour }},
	} {
		s.Hides(change.shows)
		change.of(&s.entries[0])
		s.focus()
		s.Shows(change.shows)
	}
}

func TestTwoSitesAreComparedByTheirNewestReports(t *testing.T) {
	t.Parallel()
	s := open(t, 120, 35, "staging=healthy", "production!=healthy", "unsigned=asks", "gone=dead")
	s.Tells(s.Press("fleet.compare"), "Mark two sites")
	s.Press("rows.bottom space k fleet.compare")
	s.Shows("Health: production → staging", "tests are the same")
	s.Press("esc")
	s.Shows("4 sites")
	s.Press("esc rows.top space down fleet.compare")
	s.Shows("4 sites") // neither has a report that can be read
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 19, everyState...)
	uitest.Explained(t, uitest.Rows(t, fleetview.Maker, s.env))
	uitest.DistinctKeys(t, "the sites", s.Model, uitest.Rows(t, fleetview.Maker, s.env))
	uitest.Pure(t, s.Model)
}

func TestLongNamesFitAtAnyWidth(t *testing.T) {
	t.Parallel()
	var sites []string
	for i := range 12 {
		sites = append(sites, fmt.Sprintf("a-site-with-quite-a-long-name-that-does-not-fit-%02d=dead", i))
	}
	s := open(t, 80, 19, sites...)
	for width := 30; width < 210; width += 9 {
		s.Resize(width, 12)
		s.Draw()
	}
}

func TestAKeyThatDoesNothingSaysWhy(t *testing.T) {
	t.Parallel()
	filtered := open(t, 80, 19, "staging=healthy", "gone=dead")
	filtered.Press("rows.filter q q q enter")
	empty := open(t, 80, 19, "staging=healthy")
	empty.entries = nil
	empty.Press("fleet.refresh")
	for state, s := range map[string]*screen{"a filter that finds no site": filtered, "no sites": empty} {
		s.Refuses(state, "enter fleet.compare", "No site is selected.")
	}
}

func TestWhatIsWrittenOfSitesFollowsTheFormatOfTimes(t *testing.T) {
	t.Parallel()
	s := open(t, 160, 35, "staging=healthy", "gone=dead")
	s.Press("down")
	s.Shows("Read           15:05:00", "until 11-21 03:05:00")
	s.env.Times.Next()
	s.Shows("Read           14:05:00Z", "until 11-21 02:05:00Z")
	s.Hides("until 11-21 03:05:00")
}
