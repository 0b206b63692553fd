package services_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

// pass lets time go by at the site and here.
func (s *screen) pass(d time.Duration) {
	s.t.Helper()
	if err := s.site.Clock.Sleep(s.t.Context(), d); err != nil {
		s.t.Fatal(err)
	}
}

func TestTheListKeepsItsStatesFreshAFewAtATime(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[0])
	first := s.Status().Updated
	reads := func() int { return s.wire.Sent("GET status") }
	before := reads()
	s.drain(s.Update(views.Freshen))
	if reads() != before {
		t.Error("what was just read is read again")
	}
	s.pass(40 * time.Second)
	if _, r := s.site.SwitchService(t.Context(), operation.Switch{Service: s.Services()[3], Start: false}, nil, nil); r.Err != nil {
		t.Fatal(r.Err)
	}
	before = reads()
	s.drain(s.Update(views.Freshen))
	if n := reads() - before; n < 8 || n > 14 { // and their deployments
		t.Errorf("%d states and deployments are read at once", n)
	}
	for range 4 {
		s.drain(s.Update(views.Freshen))
	}
	if updated := s.Status().Updated; !updated.After(first) {
		t.Errorf("it says updated %v, as at first", updated)
	}
	s.Shows("○ stopped")
	if busy := s.Status().Busy; busy != "" {
		t.Errorf("it says %q", busy)
	}
	s.pass(time.Hour) // it was not shown
	before = reads()
	s.drain(s.Update(views.Shown))
	if n := reads() - before; n < 15 || n > 60 {
		t.Errorf("%d states and deployments are read when it is shown again", n)
	}
	s.cities()
	s.Press("tab tab tab")
	s.pass(time.Minute)
	before = s.wire.Sent("GET status")
	s.drain(s.Update(views.Freshen))
	if n := reads() - before; n != 2 || s.site.Clock.Now().Sub(s.Status().Updated) > 30*time.Second {
		t.Errorf("%d reads for one service, updated %v", n, s.Status().Updated)
	}
}

// What was out of sight is read at once where the cursor goes there; a question has the time of the state it asks about.
func TestTheTimeOfAnUpdateDoesNotRunBackwardsDownTheList(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	s.pass(90 * time.Second)
	for range 3 {
		s.drain(s.Update(views.Freshen))
	}
	before := s.Status().Updated
	if age := s.site.Clock.Now().Sub(before); age > time.Second {
		t.Fatalf("the list is of %v ago", age)
	}
	s.Press("rows.bottom")
	if updated := s.Status().Updated; updated.Before(before) {
		t.Errorf("the end of the list is of %v before its beginning", before.Sub(updated))
	}
	s.pass(20 * time.Second)
	question := uitest.Find[views.Open](t, s.Invoke("services.switch", "Utilities/PrintingTools.GPServer")).Dialog.Hooks()
	if question.Read().Sub(before).Abs() > time.Second {
		t.Errorf("the question about a state of %v has no time, or another", before)
	}
}

func TestTheTimeOfAnUpdateDoesNotRunBackwardsFromTabToTab(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.pass(time.Minute)
	s.cities().set("maxInstancesPerNode", "4").send()
	s.Press("esc")
	s.pass(10 * time.Second)
	s.Press("services.read-again")
	before := s.Status().Updated
	for range 4 {
		if updated := s.Status().Updated; updated.Before(before) {
			t.Errorf("%q is of %v before the last tab", s.Status().Path, before.Sub(updated))
		}
		s.Press("tab")
		s.pass(time.Second)
	}
}

func TestAListKeepsWhatItHasOfASiteThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for what, fault := range map[string]simulator.Fault{
		"silence":    {Path: "/admin/**", What: "close"},
		"no sign-in": {},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var faults []simulator.Fault
			if fault.What != "" {
				fault.Window.From = &simulator.Moment{Plus: simulator.Duration{Duration: 10 * time.Minute}}
				faults = append(faults, fault)
			}
			s := openAt(t, uitest.Scenario(t, "services-down", faults...), uitest.Sizes[0])
			at := s.Status().Updated
			s.pass(20 * time.Minute)
			if fault.What == "" {
				s.site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
			}
			if up := s.drain(s.Update(views.Freshen)); len(up) > 0 {
				t.Errorf("nobody has asked, and it tells %v", up)
			}
			s.Shows("✓ started", "✗ stopped, should run")
			if status := s.Status(); !status.Updated.Equal(at) || (status.Unreachable != nil) != (fault.What != "") {
				t.Errorf("%+v, and it was updated %v", status, at)
			}
			if s.Update(views.Freshen) != nil {
				t.Error("it is tried again without a pause")
			}
		})
	}
}

// misplace has the site keep the pods of a service, and of all that share them, off every node.
func (s *screen) misplace(path string) {
	s.t.Helper()
	for _, service := range s.Services() {
		if service.Path() != path {
			continue
		}
		rules, err := s.site.Client.Services.Placement(s.t.Context(), service)
		if err == nil {
			_, _, err = s.site.Client.Change(s.t.Context(), adminapi.EditServicePlacement(service, bytes.ReplaceAll(rules, []byte(`"gis"`), []byte(`"giss"`))))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.pass(40 * time.Second)
}

// Pods that change have the states on the screen read again at once; those of the hundreds of
// others that share them wait for their turn. No state is green meanwhile.
func TestPodsThatChangeHaveOnlyWhatIsShownReadAgain(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[1])
	for range 10 { // so that many are known to share them
		s.Press("pgdown")
	}
	s.Press("rows.top")
	s.misplace("SampleWorldCities.MapServer")
	before := s.wire.Sent("GET status")
	_, rest := uitest.Run(s.Model, s.Update(views.Freshen), 1)
	for range 20 { // until some pods are known to be missing
		if strings.Contains(s.Draw(), "checking") {
			break
		}
		_, rest = uitest.Run(s.Model, tea.Batch(rest...), 2)
	}
	s.Shows("? started, checking")
	s.drain(rest...)
	s.Hides("checking", "started, pods")
	s.Shows("✗ stopped, should run")
	if n := s.wire.Sent("GET status") - before; n > 60 {
		t.Errorf("%d states and deployments are read", n)
	}
}

// A state that cannot be read again says of when it is, and the others are as fresh as they are.
// The folder of a service that is gone is read again.
func TestAStateThatCannotBeReadAgainSaysOfWhenItIs(t *testing.T) {
	t.Parallel()
	gone := simulator.Fault{Path: "/admin/services/SampleWorldCities.MapServer/status", Method: "GET", What: "status", Status: 404}
	gone.Window.From = &simulator.Moment{Plus: simulator.Duration{Duration: 10 * time.Minute}}
	s := openAt(t, uitest.Scenario(t, "healthy", gone), uitest.Sizes[0])
	at := s.env.Times.Clock(s.site.Clock.Now())
	s.pass(20 * time.Minute)
	before := s.wire.Sent("GET services")
	s.drain(s.Update(views.Freshen))
	s.Shows("✓ started", "? started, "+at)
	if n := s.wire.Sent("GET services") - before; n != 1 {
		t.Errorf("its folder is read %d times", n)
	}
	if age := s.site.Clock.Now().Sub(s.Status().Updated); age > time.Minute {
		t.Errorf("the list is said to be of %v ago", age)
	}
}

// A service that stays listed without a state has its own folder read once, and the list no younger
// than it is; a refresh looks again.
func TestTheFolderOfAServiceWithoutAStateIsReadOnce(t *testing.T) {
	t.Parallel()
	gone := simulator.Fault{Path: "/admin/services/SampleWorldCities.MapServer/status", Method: "GET", What: "status", Status: 404}
	gone.Window.From = &simulator.Moment{Plus: simulator.Duration{Duration: 10 * time.Minute}}
	s := openAt(t, uitest.Scenario(t, "healthy", gone), uitest.Sizes[0])
	lists := func() int { return s.wire.Sent("GET services") + s.wire.Sent("GET Utilities") }
	for turn := range 2 {
		s.pass(20 * time.Minute)
		before := lists()
		for range 3 {
			s.drain(s.Update(views.Freshen))
			s.pass(time.Minute)
		}
		if n := lists() - before; n != 1 {
			t.Errorf("turn %d: folders are read %d times", turn, n)
		}
		s.Press("services.refresh")
	}
}

// The list that is kept is as old as the list that was read: states that were read since make it no newer.
func TestTheKeptListHasTheTimeOfTheList(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	hooks := s.Hooks()
	listed := hooks.Fresh()
	s.pass(2 * time.Hour)
	s.cities()
	s.drain(s.Update(views.Freshen))
	read := hooks.Fresh()
	if !read.After(listed) {
		t.Fatalf("a state was read: %v, after %v", read, listed)
	}
	if err := hooks.Keep(offline.When{Read: read})(s.site); err != nil {
		t.Fatal(err)
	}
	kept := offline.KeptOf(s.site).Services
	if age := read.Sub(kept.Read); age < time.Hour {
		t.Errorf("the list is of %v, and %v is kept", listed, kept.Read)
	}
	var newest time.Time
	for _, service := range kept.Folders[0].Services {
		if service.Read.After(newest) {
			newest = service.Read
		}
	}
	if !newest.After(kept.Read) {
		t.Errorf("the newest state is of %v, as the list", newest)
	}
}

// A state that was kept is as old as its own reading, not as that of the list: what is kept of it anew says so.
func TestAKeptStateStaysAsOldAsItsReading(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.pass(2 * time.Hour)
	s.cities()
	s.drain(s.Update(views.Freshen))
	newest := func(keep *views.Hooks) (read time.Time) {
		if err := keep.Keep(offline.When{Read: s.env.Clock.Now()})(s.site); err != nil {
			t.Fatal(err)
		}
		for _, service := range offline.KeptOf(s.site).Services.Folders[0].Services {
			if service.Read.After(read) {
				read = service.Read
			}
		}
		return read
	}
	read, env := newest(s.Hooks()), uitest.Env(t, s.site, uitest.Theme())
	kept := offline.KeptOf(s.site)
	env.Kept = &kept
	m := services.New(env)
	_ = m.Init()
	if again := newest(m.Hooks()); !again.Equal(read) || !read.After(kept.Services.Read) {
		t.Errorf("a state of %v is kept as of %v, and the list of %v", read, again, kept.Services.Read)
	}
}
