package progress

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
)

// State is what a status of the Upgrades resource means.
type State int

// The states.
const (
	StateUnknown State = iota // neither running nor a success
	StateIdle                 // no upgrade yet
	StateRunning
	StateSucceeded
	StateFailed
)

// String returns the state in words.
func (s State) String() string {
	return [...]string{"unknown", "no upgrade", "in progress", "succeeded", "failed"}[s]
}

// Over reports whether a run has ended, well or not.
func (s State) Over() bool { return s == StateSucceeded || s == StateFailed }

// MayRun reports whether a run may go on: a state without a known meaning is no end.
func (s State) MayRun() bool { return s == StateRunning || s == StateUnknown }

// CodeSuccess is the code of a status that has succeeded.
const CodeSuccess = 3

// StateOf returns what a status means by its state; the code decides only where there is
// no state. Contradictory ones are StateUnknown. A code of 0 contradicts nothing, since it
// may not have been sent.
func StateOf(s adminapi.UpgradeStatus) State {
	const codeNone, codeInProgress = 0, 1
	switch state, code := strings.ToLower(strings.TrimSpace(s.State)), s.Code; {
	case state == adminapi.UpgradeNone && code == codeNone:
		return StateIdle
	case state == adminapi.UpgradeInProgress && code == codeNone,
		(state == adminapi.UpgradeInProgress || state == "") && code == codeInProgress:
		return StateRunning
	case state == adminapi.UpgradeSuccess && code == codeNone,
		(state == adminapi.UpgradeSuccess || state == "") && code == CodeSuccess:
		return StateSucceeded
	case (state == "failed" || state == "failure" || state == "error") && code != codeInProgress && code != CodeSuccess:
		return StateFailed
	}
	return StateUnknown
}

// Runs reports whether an upgrade is known to run.
func Runs(s adminapi.UpgradeStatus) bool { return StateOf(s) == StateRunning }

// StartedSince reports whether the upgrade in the log now, which may have ended, is the
// one that was submitted at a moment of the server's clock: nothing ran right before it
// was sent, and the newest message that begins a run is new and not older than the submit.
// Message times and the Date header, which has whole seconds, are compared by the second.
func StartedSince(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	if StateOf(before).MayRun() {
		return false
	}
	start, found := lastStart(now)
	return found && !submitted.IsZero() && start.When/1000 >= submitted/1000 && !containsMessage(before, start)
}

// Theirs reports whether the upgrade that runs now is certainly not the one that was
// submitted: its first message is new, and older than the submit. One that was there before
// belongs to an earlier run.
func Theirs(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	start, found := lastStart(now)
	return Runs(now) && found && !containsMessage(before, start) && start.When/1000 < submitted/1000
}

func containsMessage(s adminapi.UpgradeStatus, message adminapi.UpgradeMessage) bool {
	return slices.ContainsFunc(s.Messages, func(m adminapi.UpgradeMessage) bool {
		return m.Code == message.Code && m.When == message.When && m.Message == message.Message
	})
}

// lastStart returns the newest message that an upgrade or a rollback started.
func lastStart(s adminapi.UpgradeStatus) (last adminapi.UpgradeMessage, found bool) {
	for _, m := range s.Messages {
		if IsStart(m) && (!found || m.When >= last.When) {
			last, found = m, true
		}
	}
	return last, found
}

// Run is the newest run in a log.
type Run struct {
	Began, Last adminapi.Millis // of its first and its last message; zero without messages
	From, To    string          // the versions; empty where no message tells both
	text        string          // of its first message
	codes       RunKind         // by its codes alone
}

// Kind is what kind of run it is: by the codes of a release or a rollback, which leave no doubt, else
// by the versions: patches change only the build, and only patches are rolled back.
func (r Run) Kind() RunKind {
	a, okA := adminapi.ParseVersion(r.From)
	b, okB := adminapi.ParseVersion(r.To)
	switch {
	case r.codes == ReleaseRun || r.codes == RollbackRun || !okA || !okB || a == b:
		return r.codes
	case a.AtLeast(b):
		return RollbackRun
	case [3]int(a[:3]) != [3]int(b[:3]):
		return ReleaseRun
	}
	return PatchRun
}

// LastRun returns the newest run in the messages of a status. A later first message
// begins a new run; without one the log is taken for a single run.
func LastRun(s adminapi.UpgradeStatus) Run {
	r, started := newestRun(s).run, LastStart(s)
	r.From, r.To = started.From, started.To
	return r
}

// LastStart is [LastRun] as far as its first message tells.
func LastStart(s adminapi.UpgradeStatus) (r Run) {
	if start, found := lastStart(s); found {
		r.Began, r.Last = start.When, start.When
		r.text, r.codes = start.Message, kindByCode("", byCode[start.Code])
		r.From, r.To = VersionsIn(start.Message)
	}
	return r
}

// Elsewhere says that a run leads to another version than was confirmed, in words without an end; it
// is empty where confirmed is.
func (r Run) Elsewhere(confirmed string) string {
	if confirmed == "" {
		return ""
	}
	return confirmed + " was confirmed, but the site goes from " + r.From + " to " + r.To
}

// MayBe reports whether a run may be the upgrade to a version, or back to it, as far as the
// versions in its text tell, in any order: the higher of two is that version, of a rollback the
// lower one. A release may bring a patch along: its build does not count.
func (r Run) MayBe(version string, back bool) bool {
	wanted, named := versionNumbers(version), []numbered{versionNumbers(r.From), versionNumbers(r.To)}
	if r.text != "" {
		named = nil
		for _, each := range versionsOf(r.text) {
			named = append(named, versionNumbers(each))
		}
	}
	if len(named) < 2 || wanted.release == nil || slices.ContainsFunc(named, func(v numbered) bool { return v.release == nil }) {
		return true
	}
	two := len(named) == 2
	apart := two && slices.Compare(named[0].release, named[1].release) != 0
	found := false
	for _, v := range named {
		order := slices.Compare(v.release, wanted.release)
		if order == 0 && !apart && v.build != 0 && wanted.build != 0 {
			order = cmp.Compare(v.build, wanted.build)
		}
		if two && (order > 0 && !back || order < 0 && back) {
			return false
		}
		found = found || order == 0
	}
	return found
}

// numbered is a version by its numbers; the release has no zeros at its end, and is nil for
// what is no version. A build of 0 is not known.
type numbered struct {
	release []int
	build   int
}

// versionNumbers reads 12.0, 12.0.0.7286 and 12.0.7286, which is a short version with a build.
func versionNumbers(text string) (v numbered) {
	if !versionLike().MatchString(text) {
		return v
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "v"), ".") {
		n, _ := strconv.Atoi(part)
		v.release = append(v.release, n)
	}
	const leastBuild = 1000
	if last := len(v.release) - 1; last >= 3 || last == 2 && v.release[last] >= leastBuild {
		v.build, v.release = v.release[last], v.release[:last]
	}
	for len(v.release) > 1 && v.release[len(v.release)-1] == 0 {
		v.release = v.release[:len(v.release)-1]
	}
	return v
}

// LeftReadOnly returns when the newest run spoke last, and reports whether it has failed and
// left the site in read-only mode.
func LeftReadOnly(s adminapi.UpgradeStatus) (ended adminapi.Millis, left bool) {
	f := newestRun(s)
	return f.run.Last, StateOf(s) == StateFailed && f.readOnly.Lasts()
}

// LeftBetween reports whether the newest run has left stores between two releases, see [Progress.Between].
func LeftBetween(s adminapi.UpgradeStatus) bool {
	f := newestRun(s)
	p := f.progress(StateOf(s))
	p.RolledBack = LastRun(s).Kind() == PatchRun && f.goesBack()
	return p.Between()
}

// LastReadOnly returns how long the newest run kept the site in read-only mode, and what kind of
// run it was; 0 where its log does not tell.
func LastReadOnly(s adminapi.UpgradeStatus) (time.Duration, RunKind) {
	f, last := newestRun(s), LastRun(s)
	if f.readOnly.To.IsZero() {
		return 0, ""
	}
	return time.Duration(f.readOnly.To-f.readOnly.From) * time.Millisecond, last.Kind()
}

// OpenPhase returns the phase of the step of the newest run that was started last and not
// completed, or in which it was when it was rolled back: where a failed upgrade has stopped.
// It is empty where the log has none. What spans several phases, such as the whole upgrade,
// does not count.
func OpenPhase(s adminapi.UpgradeStatus) string {
	run, last := newestRun(s), LastRun(s)
	open := run.steps.open
	switch {
	case run.goesBack() && last.Kind() == PatchRun:
		return Phases[run.stoppedIn()]
	case len(open) == 0:
		return ""
	}
	return open[len(open)-1].Phase
}

// newestRun folds the newest run in the messages of a single status.
func newestRun(s adminapi.UpgradeStatus) *runFold {
	messages := slices.Clone(s.Messages)
	if start, found := lastStart(s); found {
		messages = slices.DeleteFunc(messages, func(m adminapi.UpgradeMessage) bool { return m.When < start.When })
	}
	slices.SortStableFunc(messages, func(a, b adminapi.UpgradeMessage) int { return cmp.Compare(a.When, b.When) })
	f := newRunFold()
	for _, m := range messages {
		f.take(m)
	}
	return f
}

// StoppedIn returns the phase in which a run has failed: that of the step begun last, as
// [OpenPhase], or of the newest message where no step is open or the run was rolled back.
// It is empty where the log has neither, and of a run that has not failed, nor is rolled back.
func (p Progress) StoppedIn() string {
	switch n := len(p.Open); {
	case p.Meaning != StateFailed && !(p.RolledBack && p.Meaning == StateRunning):
		return ""
	case n > 0 && !p.RolledBack:
		return p.Open[n-1].Phase
	}
	return p.stopped
}

// IsStart reports whether a message begins a run.
func IsStart(m adminapi.UpgradeMessage) bool { return m.Code == codeStart || m.Code == codeRollback }

// EndedSince returns the time of the newest message that ends a run, unless it is older
// than since or another run has begun after it.
func (l Log) EndedSince(since adminapi.Millis) (adminapi.Millis, bool) {
	for i := l.Len() - 1; i >= 0; i-- {
		switch m := l.At(i).UpgradeMessage; {
		case m.When < since, IsStart(m):
			return 0, false
		case m.Code == codeEnd, m.Code == codeUpgraded:
			return m.When, true
		}
	}
	return 0, false
}
