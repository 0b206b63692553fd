package upgrade

import (
	"math"
	"slices"
	"time"

	"geodeck/adminapi"
)

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
		f.leap(m)
		return
	}
	f.pass(m.When)
	f.messages++
	code, known := CodeOf(m.Code)
	if !known {
		f.foreign++
		return
	}
	f.enter(code, m.When)
	f.steps.take(code, m)
	f.write(code, m.When)
	f.codes = kindByCode(f.codes, code)
}

// pass lets the time until a message go by in the phase that was waited in,
// whatever the message is. A message without a time takes none.
func (f *runFold) pass(until adminapi.Millis) {
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

// leap passes over messages that were left out. Their time counts, and was no silence.
func (f *runFold) leap(m adminapi.UpgradeMessage) {
	var silence adminapi.Millis
	if f.current >= 0 {
		silence = f.phases[f.current].silence
	}
	f.pass(m.When)
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

// write follows the read-only mode. A site can go into it a second time; a first
// message that is told twice does not begin it anew.
func (f *runFold) write(code Code, when adminapi.Millis) {
	r := &f.readOnly
	switch {
	case code.Code == codeReadOnly && (r.From.IsZero() || !r.To.IsZero() && when > r.To):
		*r = ReadOnly{From: when}
	case code.Code == codeWritable && !r.From.IsZero() && r.To.IsZero():
		r.To = when
	}
}

// progress is a snapshot: nothing in it is written to later.
func (f *runFold) progress(meaning Reading) Progress {
	p := Progress{
		Run: f.run, Meaning: meaning, Phases: make([]PhaseProgress, len(Phases)), ReadOnly: f.readOnly,
		Messages: f.messages, Foreign: f.foreign,
	}
	if meaning != ReadSuccess {
		p.Open = f.steps.list()
	}
	if f.current >= 0 {
		p.Current = Phases[f.current]
	}
	for i, phase := range f.phases {
		p.Phases[i] = PhaseProgress{
			Name: Phases[i], State: f.state(i, meaning), Began: phase.began,
			Spent: inTime(phase.spent), Silence: inTime(phase.silence), Messages: phase.messages,
		}
	}
	return p
}

func (f *runFold) state(phase int, meaning Reading) PhaseState {
	switch {
	case f.phases[phase].messages == 0:
		return PhaseAhead
	case meaning == ReadSuccess || phase != f.current && !f.steps.openIn(Phases[phase]) && f.laterThan(phase):
		return PhaseDone
	case meaning == ReadFailed:
		return PhaseStopped
	}
	return PhaseOpen
}

// laterThan tells whether a phase after this one, in their order, has begun. A word
// that comes before its time does not make a phase done.
func (f *runFold) laterThan(phase int) bool {
	return slices.ContainsFunc(f.phases[phase+1:], func(p phaseFold) bool { return p.messages > 0 })
}

// inTime is a number of milliseconds as a duration, the longest where it is longer.
func inTime(m adminapi.Millis) time.Duration {
	if m > math.MaxInt64/adminapi.Millis(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(m) * time.Millisecond
}
