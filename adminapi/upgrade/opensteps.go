package upgrade

import (
	"slices"

	"geodeck/adminapi"
)

// maxOpen bounds what is kept of a log that begins and never completes: a site has
// far fewer deployments.
const maxOpen = 128

// openSteps are the steps that go on, oldest first.
type openSteps struct {
	open  []openStep
	early []openStep // completions that were told before their start, all of the same moment
}

type openStep struct {
	Step
	names names
}

// take follows a message of a known code.
func (o *openSteps) take(code Code, m adminapi.UpgradeMessage) {
	o.leave(code)
	if len(o.early) > 0 && o.early[0].Since != m.When {
		o.early = o.early[:0]
	}
	if !isStep(code) {
		return
	}
	told := openStep{Step{code, m.When, m.Message}, namesIn(m.Message)}
	switch code.Kind {
	case Started:
		o.begin(told)
	case Completed:
		if !remove(&o.open, told) {
			keep(&o.early, told)
		}
	}
}

// isStep tells whether a code begins or ends something. What spans several phases,
// the whole upgrade and its read-only time, is open in all of them and is no step.
func isStep(code Code) bool {
	if code.Pair == 0 {
		return code.Kind == Started
	}
	return byCode[code.Pair].Phase == code.Phase
}

// begin opens a step, unless its completion was told before it with the same time.
// Of steps whose end nothing tells only the last goes on for all that is known. A
// start that is told twice begins one thing: its end may be told once.
func (o *openSteps) begin(s openStep) {
	same := func(other openStep) bool {
		return other.Code.Code == s.Code.Code && other.Since == s.Since && other.Text == s.Text
	}
	switch {
	case slices.ContainsFunc(o.open, same):
		return
	case s.Pair == 0:
		o.open = slices.DeleteFunc(o.open, func(other openStep) bool { return other.Code.Code == s.Code.Code })
	case remove(&o.early, s):
		return
	}
	keep(&o.open, s)
}

// leave ends what no message ends when a later phase goes on.
func (o *openSteps) leave(code Code) {
	now := slices.Index(Phases, code.Phase)
	o.open = slices.DeleteFunc(o.open, func(s openStep) bool {
		return s.Pair == 0 && slices.Index(Phases, s.Phase) < now
	})
}

func keep(list *[]openStep, s openStep) {
	if len(*list) == maxOpen {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, s)
}

// remove takes the counterpart of a step out of a list: the one whose text names
// most of what the text of the step names, and the newest of those, as deployments
// run side by side.
func remove(list *[]openStep, s openStep) bool {
	best, most := -1, -1
	for i := len(*list) - 1; i >= 0; i-- {
		other := &(*list)[i]
		if other.Code.Code != s.Pair {
			continue
		}
		if shared, fits := s.names.shared(other.names); fits && shared > most {
			best, most = i, shared
		}
	}
	if best < 0 {
		return false
	}
	*list = slices.Delete(*list, best, best+1)
	return true
}

func (o *openSteps) openIn(phase string) bool {
	return slices.ContainsFunc(o.open, func(s openStep) bool { return s.Phase == phase })
}

func (o *openSteps) list() []Step {
	steps := make([]Step, len(o.open))
	for i, s := range o.open {
		steps[i] = s.Step
	}
	return steps
}
