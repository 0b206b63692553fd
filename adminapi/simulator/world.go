package simulator

import (
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sigs.k8s.io/yaml"

	"geodeck/adminapi/lists"
)

// world is the state of the simulated site. A request has it for itself while it is
// handled; nothing in it runs on its own: what happens later is scheduled, and takes
// effect with the first request after its time.
type world struct {
	scenario Scenario
	clock    Clock
	wall     func() time.Time // the time that tokens expire by
	secrets  io.Reader        // the randomness of tokens

	mu        sync.Mutex
	started   time.Time
	scheduled []scheduled // in order of time
	ids       *rand.Rand

	// What several areas read and change.
	version    version
	mode       mode
	components []*component

	// The areas: each has its part of the API, its state and its rules.
	accounts  *accounts
	sharing   *sharing
	oauth     *oauth
	platform  *platform
	documents *documents
	recovery  *recovery
	jobs      *jobs
	health    *health
	services  *services
	pods      *pods
	uploads   *uploads
	updates   *updates
	upgrades  *upgrades

	origin atomic.Value // such as http://127.0.0.1:8080, a string, once the server has started
}

// area is a part of the API. To add one, write a type with its routes and a line in
// newWorld and in world.areas.
type area interface{ routes() []*route }

func (w *world) areas() []area {
	return []area{w.accounts, w.sharing, w.oauth, w.platform, w.documents, w.recovery, w.health, w.uploads, w.jobs,
		w.services, w.pods, w.updates, w.upgrades}
}

// scheduled is a change of the world that is due at a time.
type scheduled struct {
	at time.Time
	do func()
}

func newWorld(o Options) *world {
	s, ahead := o.Scenario, o.Scenario.ClockAhead.Duration
	w := &world{scenario: s, clock: shifted{o.Clock, ahead}, wall: func() time.Time { return o.Wall().Add(ahead) }, secrets: o.Secrets}
	w.started = w.clock.Now()
	w.ids = w.random("ids")
	w.version = s.siteVersion()
	w.mode = mode{ReadOnly: s.ReadOnly, Message: s.ReadOnlyMessage}
	r := w.random("deployments")
	var list []*component
	for _, c := range allComponents() {
		c.deploymentID, c.state, c.version = shortID(r, 21), working, w.version
		for _, spec := range w.scenario.Components {
			if spec.Name == c.Name {
				c.state, c.message = spec.State, spec.Message
			}
		}
		list = append(list, &c)
	}
	w.components = list
	w.accounts = newAccounts(w, o.token)
	w.sharing = &sharing{w}
	w.oauth = &oauth{w, map[string]grant{}}
	w.platform = &platform{world: w}
	w.documents = &documents{w, map[string]object{}}
	w.recovery = newRecovery(w)
	w.jobs = &jobs{world: w}
	w.services = newServices(w)
	w.pods = newPods(w)
	w.uploads = &uploads{world: w, byID: map[string]*upload{}}
	w.health = newHealth(w)
	w.updates = newUpdates(w)
	w.upgrades = &upgrades{world: w}
	w.jobs.addPast()
	w.upgrades.addPast()
	w.recovery.addPast()
	w.scheduleEvents()
	return w
}

// random returns the random numbers for one purpose. They depend on the seed and the
// purpose alone, not on what other parts of the world draw.
func (w *world) random(purpose string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(uint64(w.scenario.Seed), h.Sum64()))
}

// schedule makes a change at a time on the world's clock, after those of the same time.
func (w *world) schedule(at time.Time, do func()) {
	i := len(w.scheduled)
	for i > 0 && w.scheduled[i-1].at.After(at) {
		i--
	}
	w.scheduled = slices.Insert(w.scheduled, i, scheduled{at, do})
}

// settle makes the changes that are due, in order.
func (w *world) settle(now time.Time) {
	for len(w.scheduled) > 0 && !w.scheduled[0].at.After(now) {
		due := w.scheduled[0]
		w.scheduled = w.scheduled[1:]
		due.do()
	}
}

// setVersion gives the site another version, with its health suites.
func (w *world) setVersion(v version) {
	w.version = v
	w.health.suites = newSuites(w)
}

// knowsAsync reports whether services of this version take the parameter async. One
// before ignores it.
func (w *world) knowsAsync() bool { return !w.version.before("10.9.1") }

// url is where a path is; without an origin as long as the server has not started.
func (w *world) url(path string) string {
	origin, _ := w.origin.Load().(string)
	return origin + path
}

// millis writes a time as the API does; the zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

const idLetters = "abcdefghijklmnopqrstuvwxyz0123456789"

// shortID is an id of n letters and digits that starts with a letter: reports have
// 10, deployments 21.
func shortID(r *rand.Rand, n int) string {
	id := make([]byte, n)
	for i := range id {
		id[i] = idLetters[r.IntN(len(idLetters))]
	}
	id[0] = idLetters[r.IntN(26)]
	return string(id)
}

// longID is an id in the form of a UUID, for uploads and jobs.
func longID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		uint32(a>>32), uint16(a>>16), uint16(a)&0xfff, uint16(b>>48)&0x3fff|0x8000, b&0xffffffffffff)
}

//go:embed data
var dataFiles embed.FS

// embedded returns a function that reads a file of data/, JSON or YAML, once.
func embedded[T any](name string) func() T {
	return sync.OnceValue(func() T {
		read := json.Unmarshal
		if path.Ext(name) == ".yaml" {
			read = func(text []byte, into any) error { return yaml.UnmarshalStrict(text, into) }
		}
		var v T
		text, err := dataFiles.ReadFile("data/" + name)
		if err == nil {
			err = read(text, &v)
		}
		if err != nil {
			panic("the embedded file " + name + " is broken: " + err.Error())
		}
		return v
	})
}

// only returns the elements of a list that a function keeps, never nil.
func only[T any](list []T, keeps func(T) bool) []T {
	kept := []T{}
	for _, element := range list {
		if keeps(element) {
			kept = append(kept, element)
		}
	}
	return kept
}

// allOf finds everything that a list in a parameter names.
func allOf[T any](q *request, parameter string, find func(id string) (T, error)) []T {
	q.required(parameter)
	return lists.Each(q.list(parameter), func(id string) T {
		found, err := find(id)
		if err != nil {
			q.refuse(refusalOf(err))
		}
		return found
	})
}

// orNotFound refuses what was not found: kind is what it would be, named how it is called.
func orNotFound[T any](found *T, kind, named string) (*T, error) {
	if found == nil {
		return nil, notFound("no such "+kind, "there is no "+named)
	}
	return found, nil
}

// find returns the first element that has a property, nil where none has.
func find[T any](list []*T, has func(*T) bool) *T {
	if i := slices.IndexFunc(list, has); i >= 0 {
		return list[i]
	}
	return nil
}
