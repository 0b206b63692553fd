package simulator

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// world is everything that is true of the simulated site. A request has it for
// itself while it is handled; nothing in it runs on its own: what happens later
// is scheduled, and settled by the first request after it.
type world struct {
	scenario Scenario
	clock    Clock
	wall     func() time.Time // what the life of tokens is counted on
	secrets  io.Reader        // what tokens are made of

	mu        sync.Mutex
	started   time.Time
	scheduled []scheduledEffect // in order of time
	ids       *rand.Rand

	// What several areas read and change.
	version    version
	mode       mode
	components []*component

	// The areas: each has its part of the API, its state and its rules.
	accounts *accounts
	platform *platform
	jobs     *jobs
	health   *health
	services *services
	pods     *pods
	uploads  *uploads
	updates  *updates
	upgrades *upgrades

	address struct {
		sync.Mutex
		origin string
	}
}

// area is a part of the API. A new one is a type with its routes, and a line in
// newWorld and in world.areas.
type area interface{ routes() []route }

func (w *world) areas() []area {
	return []area{w.accounts, w.platform, w.health, w.uploads, w.jobs, w.services, w.pods, w.updates, w.upgrades}
}

// scheduledEffect is what will have happened once its time has come.
type scheduledEffect struct {
	at time.Time
	do func()
}

func newWorld(o Options) *world {
	s, ahead := o.Scenario, o.Scenario.ClockAhead.Duration
	w := &world{scenario: s, clock: shifted{o.Clock, ahead}, wall: func() time.Time { return o.Wall().Add(ahead) }, secrets: o.Secrets}
	w.started = w.clock.Now()
	w.ids = w.random("ids")
	w.version = s.siteVersion()
	w.mode = mode{readOnly: s.ReadOnly, message: s.ReadOnlyMessage}
	w.components = newComponents(w)
	w.accounts = newAccounts(w)
	w.platform = &platform{world: w}
	w.jobs = &jobs{world: w, byID: map[string]*job{}}
	w.services = newServices(w)
	w.pods = &pods{world: w}
	w.uploads = &uploads{world: w, byID: map[string]*upload{}}
	w.health = newHealth(w)
	w.updates = newUpdates(w)
	w.upgrades = &upgrades{world: w}
	w.jobs.addPast()
	w.upgrades.addPast()
	w.scheduleEvents()
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
func (w *world) schedule(at time.Time, do func()) {
	i := len(w.scheduled)
	for i > 0 && w.scheduled[i-1].at.After(at) {
		i--
	}
	w.scheduled = slices.Insert(w.scheduled, i, scheduledEffect{at, do})
}

// settle lets happen, in order, what was due by now.
func (w *world) settle(now time.Time) {
	for len(w.scheduled) > 0 && !w.scheduled[0].at.After(now) {
		due := w.scheduled[0]
		w.scheduled = w.scheduled[1:]
		due.do()
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

const idLetters = "abcdefghijklmnopqrstuvwxyz0123456789"

// shortID is an id of n letters and digits that starts with a letter, as
// reports (10) and deployments (21) have.
func shortID(r *rand.Rand, n int) string {
	id := make([]byte, n)
	for i := range id {
		id[i] = idLetters[r.IntN(len(idLetters))]
	}
	id[0] = idLetters[r.IntN(26)]
	return string(id)
}

// longID is an id in the form of a UUID, as uploads have.
func longID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		uint32(a>>32), uint16(a>>16), uint16(a)&0xfff, uint16(b>>48)&0x3fff|0x8000, b&0xffffffffffff)
}

// hostileTails are what no text of a server may do to a terminal: erase it,
// write its clipboard and title, move the cursor, turn the text around.
var hostileTails = []string{
	"\x1b[2J\x1b[H owned",
	"\x1b]52;c;ZXZpbA==\x07 clipboard",
	"\x1b]0;title\x07 title",
	"\u202egnorw\u202c bidi",
	"line one\nline two\ttabbed\r overwritten",
	"\u009b31m c1 \u0085 nel",
	"<script>alert(1)</script> & \"quotes\"",
	"wide 日本語 combining e\u0301\u0301\u0301 zero\u200bwidth",
}

// hostile adds to a text the n-th of the things that a terminal must not obey.
func hostile(text string, n int) string {
	return text + " " + hostileTails[n%len(hostileTails)]
}

// hostileMessageTails are for messages of an upgrade, beside hostileTails.
var hostileMessageTails = []string{
	"\xff\xfe broken \xc3\x28 UTF-8 \xf0\x9f",
	"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bP$q q\x1b\\ \x1b_apc\x1b\\",
	"\x1b[?1049h\x1b[?1000h\x1b[6n\x1b[c\x1b[>q modes and questions",
	"emoji 👩🏽‍🚒🏳️‍🌈🇩🇪 and a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307 marks",
	"\u2066isolated\u2069 \u200e\u200f\u061c marks \ufeff\u00ad\u2028\u2029 breaks",
	"\x00\x01\x08\x08\x08\x0b\x0c\x7f controls",
	strings.Repeat("\n", 500) + "many lines",
	strings.Repeat("a huge line ", 20_000),
	strings.Repeat("\u202e", 1000) + strings.Repeat("x\u0301", 1000),
	`{"stores":{"a":{"status":"` + "\x1b[2J" + `","fromVersion":[],"toVersion":{}}},"deep":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
}

// hostileMessage is hostile for the n-th message of an upgrade.
func hostileMessage(text string, n int) string {
	if n %= len(hostileTails) + len(hostileMessageTails); n >= len(hostileTails) {
		return text + " " + hostileMessageTails[n-len(hostileTails)]
	}
	return hostile(text, n)
}

// scheduleEvents schedules the events of the scenario that have a time; those
// that follow a message wait for scheduleEventsAfter.
func (w *world) scheduleEvents() {
	for _, e := range w.scenario.Events {
		if e.After == nil {
			w.schedule(w.started.Add(e.At.Duration), func() { w.apply(e) })
		}
	}
}

// scheduleEventsAfter schedules the events that follow a message of a run.
func (w *world) scheduleEventsAfter(r *upgradeRun) {
	for _, e := range w.scenario.Events {
		if e.After == nil {
			continue
		}
		if after, ok := e.After.in(r.lines); ok {
			w.schedule(r.start.Add(after+e.At.Duration), func() { w.apply(e) })
		}
	}
}

func (w *world) apply(e Event) {
	if c := w.component(e.Component); c != nil {
		c.state, c.message = e.State, e.Message
	}
	if e.ReadOnly != nil {
		w.mode = mode{readOnly: *e.ReadOnly}
		if *e.ReadOnly {
			w.mode.message = e.Message
		}
	}
	if e.ExpireTokens {
		w.accounts.expireAll()
	}
}

// timeOf returns when a moment is, and false as long as that is not known.
func (w *world) timeOf(m Moment) (time.Time, bool) {
	if m.Code == 0 {
		return w.started.Add(m.Plus.Duration), true
	}
	run := w.upgrades.first
	if run == nil {
		return time.Time{}, false
	}
	after, ok := m.in(run.lines)
	return run.start.Add(after), ok
}

// within reports whether now is in a window.
func (w *world) within(f Window, now time.Time) bool {
	from, ok := w.started, true
	if f.From != nil {
		from, ok = w.timeOf(*f.From)
	}
	if !ok || now.Before(from) {
		return false
	}
	if f.Till != nil {
		if till, ok := w.timeOf(*f.Till); ok && !now.Before(till) {
			return false
		}
	}
	since := now.Sub(from)
	if f.Every.Duration > 0 {
		since %= f.Every.Duration
	}
	return f.For.Duration == 0 || since < f.For.Duration
}

// setVersion gives the site another version, with the suites that come with it.
func (w *world) setVersion(v version) {
	w.version = v
	w.health.suites = newSuites(w)
}
