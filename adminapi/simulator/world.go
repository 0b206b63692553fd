package simulator

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"geodeck/adminapi/placement"
)

// world is everything that is true of the simulated site. A request has it for
// itself while it is handled; nothing in it runs on its own: what happens later
// is scheduled, and settled by the first request after it.
type world struct {
	scenario Scenario
	version  version
	clock    Clock
	wall     func() time.Time

	mu          sync.Mutex
	started     time.Time
	events      []event
	ids         *rand.Rand
	users       *users
	tokens      *tokens
	mode        mode
	components  []*component
	jobs        *jobs
	reports     *reports
	services    *services
	deployments *deployments     // see deploymentList
	nodes       []placement.Node // see nodeList
	uploads     *uploads
	upgrades    *upgrades

	address struct {
		sync.Mutex
		origin string
	}
}

// event is something that will have happened once its time has come.
type event struct {
	at   time.Time
	what func()
}

func newWorld(s Scenario, clock Clock, wall func() time.Time) *world {
	w := &world{scenario: s, version: s.siteVersion(), clock: clock, wall: wall, started: clock.Now()}
	w.ids = w.random("ids")
	w.users = newUsers(w)
	w.tokens = newTokens(s.TokenLife.Duration)
	w.mode = mode{readOnly: s.ReadOnly, message: s.ReadOnlyMessage}
	w.components = newComponents(w)
	w.jobs = newJobs()
	w.services = newServices(w)
	w.uploads = newUploads()
	w.reports = newReports(w)
	w.upgrades = newUpgrades(w)
	w.rememberJobs()
	w.rememberUpgrades()
	w.expect(s.Happenings)
	return w
}

// random returns the random numbers for one purpose: the same seed gives each
// part of the world the same numbers, whatever other parts draw.
func (w *world) random(purpose string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(uint64(w.scenario.Seed), h.Sum64()))
}

// schedule lets something happen at a time on the world's clock.
func (w *world) schedule(at time.Time, what func()) {
	i := len(w.events)
	for i > 0 && w.events[i-1].at.After(at) {
		i--
	}
	w.events = slices.Insert(w.events, i, event{at, what})
}

// settle lets happen, in order, what was due by now.
func (w *world) settle(now time.Time) {
	for len(w.events) > 0 && !w.events[0].at.After(now) {
		due := w.events[0]
		w.events = w.events[1:]
		due.what()
	}
}

func (w *world) setOrigin(origin string) {
	w.address.Lock()
	defer w.address.Unlock()
	w.address.origin = origin
}

func (w *world) origin() string {
	w.address.Lock()
	defer w.address.Unlock()
	return w.address.origin
}

func (w *world) adminURL() string { return w.origin() + adminRoot }

// millis is how the API writes a time; a zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
