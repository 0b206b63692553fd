package upgrade

import (
	"cmp"
	"slices"

	"geodeck/adminapi"
)

// OpenPhase returns the phase of the newest run in which something was started
// last and never completed: where an upgrade that failed has stopped. It is empty
// where the log tells none. What spans several phases, such as the whole upgrade,
// is open in all of them and counts for none.
func OpenPhase(s adminapi.UpgradeStatus) string {
	start, found := lastStart(s)
	var open []Code
	for _, m := range inOrder(s.Messages) {
		code, known := CodeOf(m.Code)
		if !known || found && m.When < start.When {
			continue
		}
		switch {
		case code.Kind == Started && byCode[code.Pair].Phase == code.Phase:
			open = append(open, code)
		case code.Kind == Completed:
			open = without(open, code.Pair)
		}
	}
	if len(open) == 0 {
		return ""
	}
	return open[len(open)-1].Phase
}

// inOrder returns the messages by time, as they were told where times are equal.
func inOrder(messages []adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	return slices.SortedStableFunc(slices.Values(messages), func(a, b adminapi.UpgradeMessage) int { return cmp.Compare(a.When, b.When) })
}

// without closes the newest of what was started with a code: deployments run side
// by side, each with a start of its own.
func without(open []Code, started int) []Code {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].Code == started {
			return slices.Delete(open, i, i+1)
		}
	}
	return open
}
