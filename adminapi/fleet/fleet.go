// Package fleet reads many sites at once: a [Row] for each says how it is, worst first.
//
// Start at [Fleet], whose watches (watch.go) read one site each, and at [Row.State], which
// says what of a row matters most. A site that does not answer holds up no other: each is
// read by a goroutine of its own, with its own deadline and with no sign-in but its own.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

// Entry is a site of config.yaml.
type Entry struct {
	Name, Address string // fit for a terminal
	Production    bool
	Locked        bool // it is read-only until it is unlocked
	Slow          bool // it is asked at half the pace
	Place         int  // in the file, from 0
	// MaxAge is how old the newest report of a healthy site may be; zero means [DefaultMaxAge].
	MaxAge time.Duration
	// Open connects to the site with its own sign-in. It is called once, by the goroutine
	// that reads the site, and again where it failed.
	Open func(context.Context) (Connection, error)
}

// DefaultMaxAge is how old the newest report of a healthy site may be: a day, the pace of a nightly check.
const DefaultMaxAge = 24 * time.Hour

// Connection is how an entry is reached.
type Connection struct {
	Site operation.Site
	// Kept reports whether a token for it is kept anywhere; without, only the user can sign in.
	Kept bool
	// SignIn gives the client the token that is kept, once the site has answered. May be nil.
	SignIn func(context.Context) error
	// Shared means that others use the client too: its connections are not closed after a read.
	Shared bool
}

// OpenError is a site that cannot be connected to as config.yaml says.
type OpenError struct{ Err error }

// Error is that of the settings.
func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap returns it.
func (e *OpenError) Unwrap() error { return e.Err }

// SignIn is how far this machine is signed in to a site.
type SignIn int

// The kinds.
const (
	SignInUnknown SignIn = iota // the site has not answered
	SignedIn
	SignInNeeded  // a token is kept somewhere, and there is none
	SignInRefused // the site refuses the token
	SignInNotKept // only the user can sign in
)

var signInKeys = [...]string{"unknown", "signedIn", "needed", "refused", "notKept"}

// Row is what is known of a site.
type Row struct {
	Name, Address      string
	Production, Locked bool
	Place              int // in config.yaml, from 0

	// What was read at Updated; it stays while the site does not answer.
	Version   string
	ReadOnly  bool // the site is in read-only mode
	Health    *Health
	HealthErr error // why no report could be read, though the site answers
	Upgrade   *Upgrade
	Updated   time.Time     // zero before the first answer
	Ahead     time.Duration // the site's clock less ours
	MaxAge    time.Duration // how old the report of a healthy site may be

	PartErr error // why the mode or the upgrade could not be read, though the site answers: what is known of it is old
	ModeErr error // the same of the mode alone
	// ModeRead says that ReadOnly was read at least once.
	ModeRead bool

	SignIn   SignIn
	TokenErr error           // why the token that is kept could not be got
	Expires  adminapi.Millis // of the token; zero where that is not known

	Err   error     // why the last read failed; nil where it did not
	Since time.Time // of the first of the reads that failed for that reason
}

// Health is the newest report that has ended.
type Health struct {
	ID, Name       string
	Verdict        health.Verdict
	Started, Ended adminapi.Millis // by the site's clock
}

// Upgrade is one that runs, has failed, or of which neither is known.
type Upgrade struct {
	Meaning     progress.State
	Phase       string // of the newest message; where it failed, the one it failed in
	Done, Total int    // deployments; zero where they are not counted
	From, To    string
	Began, Last adminapi.Millis // by the site's clock
	Stalled     bool
	Quiet       time.Duration // since the last message, where it is stalled
}

// Percent is how many of the deployments are upgraded; false where that is not known.
func (u *Upgrade) Percent() (percent int, known bool) {
	if u == nil || u.Total <= 0 {
		return 0, false
	}
	return max(0, min(100, int(int64(100)*int64(u.Done)/int64(u.Total)))), true
}

// State is what matters most of a row. A lower one is worse.
type State int

// The states, worst first.
const (
	UpgradeFailed State = iota
	UpgradeStalled
	UpgradeUnknown // its state is none that is known
	Unhealthy      // the newest report has failed, or its result is not known
	Unreachable
	NeedsSignIn
	Warned // the newest report has warnings
	Upgrading
	ReadOnly
	Unchecked // no report is known
	Outdated  // the newest report has passed, but longer ago than [Row.MaxAge]
	Healthy
	Reading // nothing is known yet
)

var stateWords = [...]string{
	"upgrade failed", "upgrade stalled", "upgrade unknown", "unhealthy", "unreachable", "sign-in needed", "warnings", "upgrading", "read-only", "not checked", "outdated", "healthy", "reading",
}

var stateKeys = [...]string{
	"upgradeFailed", "upgradeStalled", "upgradeUnknown", "unhealthy", "unreachable", "signInNeeded", "warnings", "upgrading", "readOnly", "notChecked", "outdated", "healthy", "reading",
}

// String returns the state in words.
func (s State) String() string { return stateWords[s] }

// Severity is how a state is marked, on the screen and in tables.
type Severity int

// The severities.
const (
	NotKnown Severity = iota
	Good
	Running
	Warning
	Failed
)

// Severity returns how the state is marked.
func (s State) Severity() Severity {
	switch s {
	case UpgradeFailed, UpgradeStalled, Unhealthy, Unreachable:
		return Failed
	case NeedsSignIn, Warned, ReadOnly:
		return Warning
	case Upgrading:
		return Running
	case Healthy:
		return Good
	}
	return NotKnown
}

// Bad reports whether somebody has to look after the site.
func (s State) Bad() bool { return s <= NeedsSignIn }

// State returns what matters most of a row. Whatever was known of a site that does not answer
// any more, it is unreachable.
func (r Row) State() State {
	switch {
	case errors.Is(r.Err, adminapi.KindSignIn), r.SignIn > SignedIn && r.Err == nil:
		return NeedsSignIn
	case r.Err != nil:
		return Unreachable
	case r.Updated.IsZero():
		return Reading
	}
	worst := Healthy
	switch h := r.Health; {
	case h == nil, r.PartErr != nil && h.Verdict.Good():
		worst = Unchecked
	case h.Verdict.Bad():
		worst = Unhealthy
	case h.Verdict == health.Warning:
		worst = Warned
	case !h.Verdict.Good():
		worst = Unchecked
	case !r.Checked():
		worst = Outdated
	}
	if r.ReadOnly {
		worst = min(worst, ReadOnly)
	}
	if u := r.Upgrade; u != nil {
		worst = min(worst, u.state())
	}
	return worst
}

// ModeKnown reports whether the mode is that of the last read: it may be refused, and nobody else reads it without a sign-in.
func (r Row) ModeKnown() bool { return r.SignIn == SignedIn && r.ModeErr == nil }

// ModeTold reports whether the row says in which mode the site is, or was when it was read last.
func (r Row) ModeTold() bool { return r.ModeRead && (r.ModeKnown() || r.Err != nil) }

// Checked reports whether a report was young enough when the row was read.
func (r Row) Checked() bool {
	return r.Health != nil && r.Updated.Add(r.Ahead).Sub(r.Health.Started.Time()) <= r.MaxAge
}

func (u *Upgrade) state() State {
	switch {
	case u.Meaning == progress.StateFailed:
		return UpgradeFailed
	case u.Stalled:
		return UpgradeStalled
	case u.Meaning == progress.StateRunning:
		return Upgrading
	}
	return UpgradeUnknown
}

// WorstFirst sorts rows by their states, and those of one state as config.yaml has them. So a
// row changes its place only when its state, or that of another, does.
func WorstFirst(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.State(), b.State()), cmp.Compare(a.Place, b.Place))
	})
}

// Matches reports whether a filter finds the row: has is called with each text of it.
func (r Row) Matches(has func(string) bool) bool {
	return has(r.Name) || has(r.Address) || has(r.State().String()) || has(r.Version) ||
		r.Production && has("PRODUCTION") || r.Upgrade != nil && (has(r.Upgrade.Phase) || has(r.Upgrade.To))
}

// Filter returns the rows in which each word of a text is found, whatever its case.
func Filter(rows []Row, text string) []Row {
	var found []Row
	for _, row := range rows {
		all := true
		for _, word := range strings.Fields(strings.ToLower(text)) {
			all = all && row.Matches(func(s string) bool { return strings.Contains(strings.ToLower(s), word) })
		}
		if all {
			found = append(found, row)
		}
	}
	return found
}
