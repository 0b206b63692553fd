// Package progress follows an upgrade that runs: it keeps the log of its messages
// and finds out how far it is, what it does now and whether it stalls. It is pure:
// no I/O, no clock.
//
// Start at [StateOf], which says what a status means. A [Merger] keeps the one
// [Log] of many snapshots of the messages, a [Fold] makes the [Progress] of its
// newest run, [UsualOf] compares it with earlier runs and [Summary] writes it down.
package progress

import (
	"math"
	"slices"
	"time"

	"geodeck/adminapi"
)

// PhaseState is how a phase stands by the log.
type PhaseState int

// The states of a phase, from the zero value on.
const (
	PhaseAhead   PhaseState = iota // no message of it yet; at the end, and before phases with messages: it was skipped
	PhaseOpen                      // messages, and it is the newest, or something in it was never completed, or nothing later has begun
	PhaseDone                      // a later one goes on and nothing in it is open, or the run has succeeded
	PhaseStopped                   // it was open when the run failed
)

// PhaseProgress is one phase of a run.
type PhaseProgress struct {
	Name  string
	State PhaseState
	Began adminapi.Millis // its first message; zero before it
	// Spent is how long the run was in this phase: from each message of the phase
	// to the next message of a known code, whatever its phase. The time since the newest message is not
	// in it: see [Progress.SpentBy].
	Spent time.Duration
	// Silence is the longest time between two messages that was spent in it.
	Silence  time.Duration
	Messages int
}

// Step is something that was started and not completed.
type Step struct {
	Code
	Since adminapi.Millis
	Text  string // of the message, as the server sent it
}

// ReadOnly is the time in which the site takes no changes.
type ReadOnly struct{ From, To adminapi.Millis } // To is zero while it lasts, both where it never began

// Progress is how far a run is by its messages.
type Progress struct {
	Run
	Meaning  State // of the status; what goes on, and what time it takes, follows from it
	Kind     RunKind
	Phases   []PhaseProgress // all of [Phases], in their order
	Current  string          // phase of the newest message of a known code; empty before one
	Open     []Step          // oldest first, without the run and the read-only time themselves; none after success
	Done     int             // deployments that are upgraded, by the newest 2175, else 2173
	Total    int             // of so many; 0 where no message told
	ReadOnly ReadOnly
	Stores   *Table        // of the newest 2153; nil where none could be read
	Took     time.Duration // as the 2011 says; 0 where it does not
	Messages int           // of the run
	Foreign  int           // of those, with codes that are not of the catalogue
}

// Of is the progress of the newest run of a log.
func Of(l Log, meaning State) Progress { return NewFold().Add(l, meaning) }

// Now returns the step that was begun last and goes on, false where none does.
func (p Progress) Now() (Step, bool) {
	if len(p.Open) == 0 || p.Meaning == StateFailed {
		return Step{}, false
	}
	return p.Open[len(p.Open)-1], true
}

// SpentBy is the time spent in a phase until a moment of the server's clock: while
// the run goes on, the time since its newest message belongs to the current phase.
func (p Progress) SpentBy(phase string, now adminapi.Millis) time.Duration {
	spent := p.phase(phase).Spent
	if phase == p.Current && p.Meaning == StateRunning {
		spent += p.sinceLast(now)
	}
	return spent
}

// ReadOnlyFor is how long the site has taken no changes, until now or its end;
// false where it never stopped. Where the run has succeeded and no message told
// the end, it is until its last message.
func (p Progress) ReadOnlyFor(now adminapi.Millis) (time.Duration, bool) {
	end := p.ReadOnly.To
	switch {
	case p.ReadOnly.From.IsZero():
		return 0, false
	case end.IsZero() && p.Meaning == StateSucceeded:
		end = p.Last
	case end.IsZero():
		end = max(now, p.Last) // a clock that was set back takes no time away
	}
	return toDuration(max(0, end-p.ReadOnly.From)), true
}

// sinceLast is the time since the newest message, 0 where the clock has been set back.
func (p Progress) sinceLast(now adminapi.Millis) time.Duration {
	if p.Last.IsZero() {
		return 0
	}
	return toDuration(max(0, now-p.Last))
}

func (p Progress) phase(name string) PhaseProgress {
	for _, phase := range p.Phases {
		if phase.Name == name {
			return phase
		}
	}
	return PhaseProgress{Name: name}
}

// Fold makes the progress of the newest run of a log, one message after the other.
// Adding to a log that was only extended costs what was added.
type Fold struct {
	log   Log
	start int // of the run in it
	run   *runFold
	texts runTexts
}

// NewFold returns a fold of an empty log.
func NewFold() *Fold { return &Fold{run: newRunFold()} }

// Add brings the progress up to a log, which grows between calls, and returns it
// with the phases as the meaning of the status has them. What it returns is never
// written to again.
func (f *Fold) Add(l Log, meaning State) Progress {
	from, start := f.log.Len(), l.Run()
	if start != f.start || !l.Extends(f.log) {
		*f = Fold{start: start, run: newRunFold()}
		from = start
	}
	f.log = l
	for i := from; i < l.Len(); i++ {
		f.run.take(l.At(i).UpgradeMessage)
	}
	f.texts.read(l, from)
	p := f.run.progress(meaning)
	f.texts.fill(&p)
	p.Kind = runKindOf(f.run.codes, p.From, p.To)
	return p
}

// runTexts is what the texts of a run tell: of each sort the newest that can be
// read counts.
type runTexts struct {
	from, to string
	patch    tally // deployments that have the patch
	release  tally // and the release
	stores   *Table
	took     time.Duration
}

// tally is how many of how many; a total of 0 was not told.
type tally struct{ done, total int }

// read looks at the texts of the messages from an index on. It begins with the
// newest, so that most texts of a long log are not looked at.
func (t *runTexts) read(l Log, from int) {
	var versions, patch, release, stores, took bool
	for i := l.Len() - 1; i >= from && !(versions && patch && release && stores && took); i-- {
		m := l.At(i)
		switch m.Code {
		case codeStart:
			versions = versions || t.readVersions(m.Message)
		case codePatchCount:
			patch = patch || t.patch.read(m.Message)
		case codeReleaseCount:
			release = release || t.release.read(m.Message)
		case codeStores:
			stores = stores || t.readStores(m.Message)
		case codeEnd:
			took = took || t.readTook(m.Message)
		}
	}
}

func (t *runTexts) readVersions(text string) bool {
	from, to := VersionsIn(text)
	if from == "" {
		return false
	}
	t.from, t.to = from, to
	return true
}

func (c *tally) read(text string) bool {
	done, total, ok := CountIn(text)
	if ok {
		*c = tally{done, total}
	}
	return ok
}

func (t *runTexts) readStores(text string) bool {
	table, ok := TableIn(text)
	if ok {
		t.stores = &table
	}
	return ok
}

func (t *runTexts) readTook(text string) bool {
	took, ok := DurationIn(text)
	if ok {
		t.took = took
	}
	return ok
}

func (t *runTexts) fill(p *Progress) {
	p.From, p.To, p.Stores, p.Took = t.from, t.to, t.stores, t.took
	count := t.release
	if count.total == 0 {
		count = t.patch // which modules of a release have, too, after the release itself
	}
	p.Done, p.Total = count.done, count.total
}

// runFold is what the messages of one run, taken in their order, tell. Its size
// does not grow with the log.
type runFold struct {
	run               Run
	phases            []phaseFold // as Phases
	current           int         // index of the phase, -1 before a message of a known code
	steps             openSteps
	readOnly          ReadOnly
	messages, foreign int
	codes             RunKind // what the codes tell of the kind
}

type phaseFold struct {
	began          adminapi.Millis
	spent, silence adminapi.Millis // as milliseconds: sums of hostile times still fit
	messages       int
}

func newRunFold() *runFold { return &runFold{phases: make([]phaseFold, len(Phases)), current: -1} }

// take adds the next message of the run.
func (f *runFold) take(m adminapi.UpgradeMessage) {
	if m.LeftOut > 0 {
		f.skip(m)
		return
	}
	f.advance(m.When)
	f.messages++
	code, known := CodeOf(m.Code)
	if !known {
		f.foreign++
		return
	}
	f.enter(code, m.When)
	f.steps.take(code, m)
	f.trackReadOnly(code, m.When)
	f.codes = kindByCode(f.codes, code)
}

// advance adds the time until a message to the current phase, whatever the message is. A message without a time takes none.
func (f *runFold) advance(until adminapi.Millis) {
	if until.IsZero() {
		return
	}
	if f.run.Began.IsZero() {
		f.run.Began, f.run.Last = until, until
	}
	if gap := until - f.run.Last; gap > 0 && f.current >= 0 {
		p := &f.phases[f.current]
		p.spent += gap
		p.silence = max(p.silence, gap)
	}
	f.run.Last = max(f.run.Last, until)
}

// skip accounts for messages that were left out. Their time counts, and was no silence.
func (f *runFold) skip(m adminapi.UpgradeMessage) {
	var silence adminapi.Millis
	if f.current >= 0 {
		silence = f.phases[f.current].silence
	}
	f.advance(m.When)
	if f.current >= 0 {
		f.phases[f.current].silence = silence
	}
	f.messages += m.LeftOut
}

func (f *runFold) enter(code Code, when adminapi.Millis) {
	f.current = slices.Index(Phases, code.Phase)
	p := &f.phases[f.current]
	if p.messages == 0 {
		p.began = when
	}
	p.messages++
}

// trackReadOnly follows the read-only mode. A site can go into it a second time; a first
// message that is told twice does not begin it anew.
func (f *runFold) trackReadOnly(code Code, when adminapi.Millis) {
	r := &f.readOnly
	switch {
	case code.Code == codeReadOnly && (r.From.IsZero() || !r.To.IsZero() && when > r.To):
		*r = ReadOnly{From: when}
	case code.Code == codeWritable && !r.From.IsZero() && r.To.IsZero():
		r.To = when
	}
}

// progress is a snapshot: nothing in it is written to later.
func (f *runFold) progress(meaning State) Progress {
	p := Progress{
		Run: f.run, Meaning: meaning, Phases: make([]PhaseProgress, len(Phases)), ReadOnly: f.readOnly,
		Messages: f.messages, Foreign: f.foreign,
	}
	if meaning != StateSucceeded {
		p.Open = f.steps.list()
	}
	if f.current >= 0 {
		p.Current = Phases[f.current]
	}
	for i, phase := range f.phases {
		p.Phases[i] = PhaseProgress{
			Name: Phases[i], State: f.state(i, meaning), Began: phase.began,
			Spent: toDuration(phase.spent), Silence: toDuration(phase.silence), Messages: phase.messages,
		}
	}
	return p
}

func (f *runFold) state(phase int, meaning State) PhaseState {
	switch {
	case f.phases[phase].messages == 0:
		return PhaseAhead
	case meaning == StateSucceeded || phase != f.current && !f.steps.openIn(Phases[phase]) && f.laterThan(phase):
		return PhaseDone
	case meaning == StateFailed:
		return PhaseStopped
	}
	return PhaseOpen
}

// laterThan reports whether a phase after this one, in their order, has begun. A word
// that comes before its time does not make a phase done.
func (f *runFold) laterThan(phase int) bool {
	return slices.ContainsFunc(f.phases[phase+1:], func(p phaseFold) bool { return p.messages > 0 })
}

// toDuration is a number of milliseconds as a duration, the longest where it is longer.
func toDuration(m adminapi.Millis) time.Duration {
	if m > math.MaxInt64/adminapi.Millis(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(m) * time.Millisecond
}
