package upgrade

import "geodeck/adminapi"

// Reading is what a status of the Upgrades resource means.
type Reading int

// The readings. An unknown state is ReadUnknown: neither running nor success.
const (
	ReadUnknown Reading = iota
	ReadIdle            // no upgrade yet
	ReadRunning
	ReadSuccess
	ReadFailed // a state whose word says so
)

// String returns the reading in words.
func (r Reading) String() string { panic("contract only") }

// ReadStatus returns what a status means by its state; the code decides only where
// there is no state. A state and a code that contradict each other are ReadUnknown.
func ReadStatus(s adminapi.UpgradeStatus) Reading { panic("contract only") }

// Runs tells whether an upgrade runs for certain.
func Runs(s adminapi.UpgradeStatus) bool { return ReadStatus(s) == ReadRunning }

// Mine tells whether the upgrade that runs now is the one that was submitted at a
// moment of the server's clock: nothing ran right before it was sent, and now one
// runs whose last 2010 is new and not older than the submit. Message times and
// the Date header, which has whole seconds, are compared by the second.
func Mine(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	panic("contract only")
}
