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
	open := newestRun(s).steps.open
	if len(open) == 0 {
		return ""
	}
	return open[len(open)-1].Phase
}

// newestRun folds the newest run in the messages of a single status.
func newestRun(s adminapi.UpgradeStatus) *runFold {
	messages := s.Messages
	if start, found := lastStart(s); found {
		messages = slices.DeleteFunc(slices.Clone(messages), func(m adminapi.UpgradeMessage) bool { return m.When < start.When })
	}
	f := newRunFold()
	for _, m := range inOrder(messages) {
		f.take(m)
	}
	return f
}

// inOrder returns the messages by time, as they were told where times are equal.
func inOrder(messages []adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	byTime := func(a, b adminapi.UpgradeMessage) int { return cmp.Compare(a.When, b.When) }
	if slices.IsSortedFunc(messages, byTime) {
		return messages
	}
	return slices.SortedStableFunc(slices.Values(messages), byTime)
}

// StoppedIn is the phase in which a run has failed: [OpenPhase] or, where nothing is
// open, the one of the newest message. It is empty where the log tells none, and of
// any other run.
func (p Progress) StoppedIn() string {
	switch n := len(p.Open); {
	case p.Meaning != ReadFailed:
		return ""
	case n > 0:
		return p.Open[n-1].Phase
	}
	return p.Current
}
