package upgrade

// CheckState is how a pre-flight check ended. The zero value is CheckNotKnown.
type CheckState int

// The states of a check, from the zero value on.
const (
	CheckNotKnown CheckState = iota // could not be found out: to be acknowledged like a warning
	CheckOK
	CheckWarning
	CheckBlocking
)

// String returns "not known", "ok", "warning" or "blocking".
func (s CheckState) String() string { panic("contract only") }

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

// Preflight weighs the facts. It returns all checks, always in the same order.
// What was not read is CheckNotKnown, never CheckOK.
func Preflight(f Facts) []PreflightCheck { panic("contract only") }

// Blocked tells whether one check stops the upgrade.
func Blocked(checks []PreflightCheck) bool { panic("contract only") }

// Warnings returns the checks that a person has to acknowledge one by one:
// warnings and what is not known.
func Warnings(checks []PreflightCheck) []PreflightCheck { panic("contract only") }
