package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi/plain"
)

// CheckState is how a pre-flight check ended. The zero value is CheckNotKnown.
type CheckState int

// The states of a check, from the zero value on.
const (
	CheckNotKnown CheckState = iota // could not be found out: to be acknowledged like a warning
	CheckOK
	CheckWarning
	CheckBlocking
	CheckToCome // a later step asks for it (Facts.ToAnswer); neither passed nor in the way
)

var checkStateNames = [...]string{"not known", "ok", "warning", "blocking", "to come"}

// String returns "not known", "ok", "warning", "blocking" or "to come".
func (s CheckState) String() string {
	if s < 0 || int(s) >= len(checkStateNames) {
		return checkStateNames[CheckNotKnown]
	}
	return checkStateNames[s]
}

// MarshalText writes the word of [CheckState.String].
func (s CheckState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// The ids of the checks in their fixed order. Required stands for the update that
// has to be installed first.
const (
	CheckRunning    = "running"
	CheckMode       = "mode"
	CheckOrder      = "order"
	CheckRequired   = "required"
	CheckLicence    = "licence"
	CheckSettings   = "settings"
	CheckHealth     = "health"
	CheckBackup     = "backup"
	CheckPlacement  = "placement"
	CheckPrivileges = "privileges"
	CheckClock      = "clock"
)

// PreflightCheck is one check with its finding. Texts are clean sentences.
type PreflightCheck struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	State   CheckState `json:"state"`
	Finding string     `json:"finding"` // what was found
	Why     string     `json:"why"`     // why it matters
	Do      string     `json:"do"`      // what to do; empty where nothing is to be done
}

// result is what one check came to.
type result struct {
	state       CheckState
	finding, do string
}

// steps are all checks in their order.
var steps = []struct {
	id, title, why string
	check          func(Facts) result
}{
	{CheckRunning, "No upgrade is running", "Two upgrades at a time would spoil each other.", checkRunning},
	{CheckMode, "The site takes writes", "In read-only mode the site refuses an upgrade.", checkMode},
	{CheckOrder, "The update fits this site", "Updates build on each other.", checkOrder},
	{CheckRequired, "Nothing has to be installed first", "The platform refuses a release before the updates it requires.", checkRequired},
	{CheckLicence, "Licence", "Without the new licence the upgrade is refused, or members cannot sign in after it.", checkLicence},
	{CheckSettings, "Settings are complete", "The platform asks for them with the upgrade.", checkSettings},
	{CheckHealth, "The site is healthy", "What is broken before an upgrade makes it fail halfway, or is blamed on it.", checkHealth},
	{CheckBackup, "There is a fresh backup", "A release cannot be rolled back: a backup is the only way back.", checkBackup},
	{CheckPlacement, "Where the pods of the upgrade run", "Pods that no node takes wait until the upgrade times out.", checkPlacement},
	{CheckPrivileges, "You may do this", "An upgrade that is refused halfway through its preparation costs time.", checkPrivileges},
	{CheckClock, "Clocks agree", "Times in the log are the server's.", checkClock},
}

// Preflight weighs the facts. It returns all checks, always in the same order.
// What was not read is CheckNotKnown, never CheckOK.
func Preflight(f Facts) []PreflightCheck {
	checks := make([]PreflightCheck, len(steps))
	for i, step := range steps {
		r := step.check(f)
		checks[i] = PreflightCheck{ID: step.id, Title: step.title, State: r.state, Finding: r.finding, Why: step.why, Do: r.do}
	}
	return checks
}

// Blocked tells whether one check stops the upgrade.
func Blocked(checks []PreflightCheck) bool {
	return slices.ContainsFunc(checks, func(c PreflightCheck) bool { return c.State == CheckBlocking })
}

// Warnings returns the checks that a person has to acknowledge one by one:
// warnings and what is not known.
func Warnings(checks []PreflightCheck) []PreflightCheck {
	var found []PreflightCheck
	for _, c := range checks {
		if c.State == CheckWarning || c.State == CheckNotKnown {
			found = append(found, c)
		}
	}
	return found
}

func ok(format string, args ...any) result {
	return result{state: CheckOK, finding: fmt.Sprintf(format, args...)}
}

func warning(do, format string, args ...any) result {
	return result{state: CheckWarning, finding: fmt.Sprintf(format, args...), do: do}
}

func blocking(do, format string, args ...any) result {
	return result{state: CheckBlocking, finding: fmt.Sprintf(format, args...), do: do}
}

// unknown is for what was not read: what, and why where something tells.
func unknown(what string, err error, do string) result {
	finding := what + "."
	if err != nil {
		finding = what + ": " + strings.TrimSuffix(plain.Clip(err.Error(), 300), ".") + "."
	}
	return result{state: CheckNotKnown, finding: finding, do: do}
}
