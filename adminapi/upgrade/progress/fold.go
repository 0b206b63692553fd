package progress

import (
	"math"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
)

// Fold makes the progress of the newest run of a log, message by message. Where the log
// was only extended, its cost is that of the new messages.
type Fold struct {
	log   Log
	start int // of the run in it
	run   *runFold
	texts runTexts
}

// NewFold returns a fold of an empty log.
func NewFold() *Fold { return &Fold{run: newRunFold()} }

// Add returns the progress by a log, which grows between calls, and by the meaning of the
// status. What it returns is not modified later.
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
	f.texts.read(l, from, f.run.run)
	f.run.run.From, f.run.run.To = f.texts.from, f.texts.to
	p := f.run.progress(meaning)
	p.Stores, p.Took = f.texts.stores, f.texts.took
	count, in := f.texts.release, f.run.countedIn.release
	if count.total == 0 {
		count, in = f.texts.patch, f.run.countedIn.patch // modules of a release are counted too, after the release itself
	}
	p.Done, p.Total, p.CountedIn = count.done, count.total, toDuration(in)
	p.Kind = p.Run.Kind()
	for i := range p.Phases {
		if phase := &p.Phases[i]; phase.State == PhaseAhead && !p.Kind.has(phase.Name) {
			phase.State = PhaseAbsent
		}
	}
	p.RolledBack = p.Kind == PatchRun && meaning != StateSucceeded && (f.run.goesBack() || f.run.plansBack && meaning == StateRunning)
	switch {
	case p.RolledBack && f.run.wayBack != countedAgain, // what was counted is of the patch
		p.Kind == RollbackRun && meaning == StateFailed && f.run.countsAgain(): // on which of two versions those are is not known
		p.Done, p.Total = 0, 0
	}
	p.image.back = p.RolledBack || p.Kind == RollbackRun
	for i := range p.Open {
		p.Open[i].back = p.image.back
	}
	return p
}

// runTexts is what is known from the texts of a run, by the newest of each code that can
// be parsed.
type runTexts struct {
	from, to string
	patch    tally // deployments that have the patch
	release  tally // deployments that have the release
	stores   *Table
	took     time.Duration
}

// tally is done of total; the total is 0 where it is not known.
type tally struct{ done, total int }

// read parses the texts of the messages from an index on. It begins with the newest, so
// that most texts of a long log are not parsed.
func (t *runTexts) read(l Log, from int, run Run) {
	var versions, patch, release, stores, took bool
	for i := l.Len() - 1; i >= from && !(versions && patch && release && stores && took); i-- {
		e := &l.entries[i].UpgradeMessage
		switch code := e.Code; {
		case run.isBefore(e.When): // see runFold.take
		case (code == codeStart || code == codeRollback) && !versions:
			if from, to := VersionsIn(e.Message); from != "" {
				t.from, t.to, versions = from, to, true
			}
		case code == codePatchCount && !patch:
			if done, total, ok := CountIn(e.Message); ok {
				t.patch, patch = tally{done, total}, true
			}
		case code == codeReleaseCount && !release:
			if done, total, ok := CountIn(e.Message); ok {
				t.release, release = tally{done, total}, true
			}
		case code == codeStores && !stores:
			if table, ok := TableIn(e.Message); ok {
				t.stores, stores = &table, true
			}
		case code == codeEnd && !took:
			if d, ok := DurationIn(e.Message); ok {
				t.took, took = d, true
			}
		}
	}
}

// runFold is the state of a run after some of its messages. Its size does not grow with
// the log.
type runFold struct {
	run               Run
	phases            []phaseFold // as Phases
	current           int         // index of the phase, -1 before a message of a known code
	stopped           [2]int      // the same, before the way back and with it; see stoppedIn
	steps             openSteps
	readOnly          ReadOnly
	messages, foreign int
	launched          bool   // the upgrader
	ended             bool   // by the log
	wayBack           int    // of a patch that fails, see followWayBack
	plansBack         bool   // a plan says that it is of the way back
	totals            [2]int // of the deployments that the first plan counts, and the second; 0: not known
	image             Step   // see [Progress.Now]
	// countedIn is how long the run was in Components until deployments were counted last.
	countedIn struct{ patch, release adminapi.Millis }
}

type phaseFold struct {
	began          adminapi.Millis
	spent, silence adminapi.Millis // not durations, which sums of hostile times overflow
	silentFrom     adminapi.Millis
	before         adminapi.Millis // see PhaseProgress.Before
	counts         int
	spans          []Span
	messages       int
}

func newRunFold() *runFold {
	return &runFold{phases: make([]phaseFold, len(Phases)), current: -1, stopped: [2]int{-1, -1}}
}

// maxRun is longer than any run lasts, in milliseconds.
const maxRun adminapi.Millis = 30 * 24 * 60 * 60 * 1000

// isBefore reports whether the run was over for certain at a time.
func (r Run) isBefore(when adminapi.Millis) bool { return !r.Began.IsZero() && when-r.Began > maxRun }

// take adds the next message of the run. One whose time is of after any run is counted and
// tells nothing else: it would stay the newest for ever.
func (f *runFold) take(m adminapi.UpgradeMessage) {
	if f.run.isBefore(m.When) {
		f.messages++
		return
	}
	f.advance(m.When, m.LeftOut == 0)
	if m.LeftOut > 0 {
		f.messages += m.LeftOut
		return
	}
	f.messages++
	code, known := CodeOf(m.Code)
	if !known {
		f.foreign++
		return
	}
	f.current = slices.Index(Phases, code.Phase)
	p := &f.phases[f.current]
	if p.messages == 0 {
		p.began = m.When
	}
	p.messages++
	if code.Kind == Counted {
		p.counts++
	}
	switch code.Code {
	case codeImage:
		f.image = Step{Code: code, Since: m.When, Text: m.Message}
	case codePatchCount:
		f.image = Step{}
		f.countedIn.patch = p.spent
	case codeReleaseCount:
		f.countedIn.release = p.spent
	}
	f.steps.take(code, m)
	f.launched = f.launched || code.Code == codeLaunched
	f.ended = f.ended || code.Code == codeEnd
	f.trackReadOnly(code, m.When)
	f.followWayBack(code, m.Message)
	f.run.codes = kindByCode(f.run.codes, code)
}

// advance adds the time until a message to the current phase, and reports whether it was
// silent until then. A message without a time adds none.
func (f *runFold) advance(until adminapi.Millis, silent bool) {
	if until.IsZero() {
		return
	}
	if f.run.Began.IsZero() {
		f.run.Began, f.run.Last = until, until
	}
	if gap := until - f.run.Last; gap > 0 && f.current >= 0 {
		p := &f.phases[f.current]
		p.spent += gap
		p.extend(f.run.Last, until)
		if silent && gap > p.silence {
			if p.counts >= leastCounts {
				p.before = p.silence
			}
			p.silence, p.silentFrom = gap, f.run.Last
		}
	}
	f.run.Last = max(f.run.Last, until)
}

// extend adds the time in which the run was in the phase.
func (p *phaseFold) extend(from, to adminapi.Millis) {
	if n := len(p.spans); n > 0 && (p.spans[n-1].To == from || n == maxSpans) {
		p.spans[n-1].To = to
		return
	}
	p.spans = append(p.spans, Span{from, to})
}

// trackReadOnly follows the read-only mode. A site can enter it a second time, but a
// message that is sent twice does not begin it again.
func (f *runFold) trackReadOnly(code Code, when adminapi.Millis) {
	r := &f.readOnly
	switch {
	case code.Code == codeReadOnly && (r.From.IsZero() || !r.To.IsZero() && when > r.To):
		*r = ReadOnly{From: when}
	case code.Code == codeWritable && r.Lasts():
		r.To = when
	}
}

// How far a patch is that counts deployments, and carries out a second plan afterwards: the
// way back to what was before.
const (
	counted = 1 + iota
	plannedAgain
	countedAgain
)

// followWayBack follows a message. Neither the way back nor the end of read-only mode is
// where a run has stopped.
func (f *runFold) followWayBack(code Code, text string) {
	switch {
	case code.Code == codePatchCount && f.wayBack == 0:
		f.wayBack = counted
		_, f.totals[0], _ = CountIn(text)
	case code.Code == codePlanReady && f.run.codes == PatchRun && strings.Contains(strings.ToLower(text), "rollback"):
		f.wayBack, f.plansBack = plannedAgain, true
	case (code.Code == codePlanReady || code.Code == codePlanRuns) && f.wayBack == counted && f.run.codes != ReleaseRun:
		f.wayBack = plannedAgain
	case code.Code == codePatchCount && f.wayBack == plannedAgain:
		f.wayBack = countedAgain
		_, f.totals[1], _ = CountIn(text)
	}
	if code.Code == codeWritable {
		return
	}
	if f.wayBack <= counted {
		f.stopped[0] = f.current
	}
	f.stopped[1] = f.current
}

// goesBack reports whether a patch is on its way back, or was. Of a rollback that is not known: it may have several plans.
func (f *runFold) goesBack() bool { return f.run.Kind() != RollbackRun && f.countsAgain() }

// countsAgain reports whether deployments are counted by another plan than at first. A second one for as many
// deployments, which does not say what it is, could be the same plan, begun anew.
func (f *runFold) countsAgain() bool {
	return f.wayBack == countedAgain && (f.plansBack || f.totals[0] > 0 && f.totals[1] > 0 && f.totals[0] != f.totals[1])
}

// stoppedIn returns the index of the phase where the run stops if it fails now, -1 before one.
func (f *runFold) stoppedIn() int {
	if f.goesBack() || f.plansBack && f.run.Kind() != RollbackRun {
		return f.stopped[0]
	}
	return f.stopped[1]
}

// progress returns a copy that is not modified later.
func (f *runFold) progress(meaning State) Progress {
	p := Progress{
		Run: f.run, Meaning: meaning, Phases: make([]PhaseProgress, len(Phases)), ReadOnly: f.readOnly,
		Messages: f.messages, UnknownCodes: f.foreign, image: f.image,
	}
	if meaning != StateSucceeded {
		p.Open = make([]Step, len(f.steps.open))
		for i, s := range f.steps.open {
			p.Open[i] = s.Step
		}
	}
	if f.current >= 0 {
		p.Current = Phases[f.current]
	}
	if at := f.stoppedIn(); at >= 0 {
		p.stopped = Phases[at]
	}
	for i, phase := range f.phases {
		p.Phases[i] = PhaseProgress{
			Name: Phases[i], State: f.state(i, meaning), Began: phase.began,
			Spent: toDuration(phase.spent), Silence: toDuration(phase.silence), SilentFrom: phase.silentFrom,
			Before: toDuration(phase.before), Counts: phase.counts, Spans: slices.Clone(phase.spans), Messages: phase.messages,
		}
	}
	return p
}

func (f *runFold) state(phase int, meaning State) PhaseState {
	switch {
	case f.phases[phase].messages == 0:
		return PhaseAhead
	case meaning == StateSucceeded:
		return PhaseDone
	}
	current := f.current
	if meaning == StateFailed {
		current = f.stoppedIn()
	}
	// The launch goes on beside the diagnostics and the plan, until the upgrader is launched.
	later := phase + 1
	if Phases[phase] == PhaseLaunch && !f.launched && meaning == StateRunning {
		later = slices.Index(Phases, PhasePlan) + 1
	}
	// A single message that is early does not make its phase done.
	laterBegan := slices.ContainsFunc(f.phases[later:], func(p phaseFold) bool { return p.messages > 0 })
	openStep := slices.ContainsFunc(f.steps.open, func(s openStep) bool { return s.Phase == Phases[phase] })
	switch {
	case meaning == StateFailed && f.goesBack() && phase > current && !openStep:
		return PhaseAhead // its messages are of the way back
	case phase != current && (laterBegan || current != f.current) && !openStep, f.ended && meaning != StateFailed && !openStep:
		return PhaseDone
	case meaning == StateFailed:
		return PhaseStopped
	}
	return PhaseOpen
}

// toDuration returns milliseconds as a duration, at most the longest there is.
func toDuration(m adminapi.Millis) time.Duration {
	if m > math.MaxInt64/adminapi.Millis(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(m) * time.Millisecond
}
