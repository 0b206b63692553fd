package upgrade

import (
	"slices"
	"strings"

	"geodeck/adminapi"
)

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

var readingNames = [...]string{"unknown", "no upgrade", "in progress", "succeeded", "failed"}

// String returns the reading in words.
func (r Reading) String() string {
	if r < 0 || int(r) >= len(readingNames) {
		return readingNames[ReadUnknown]
	}
	return readingNames[r]
}

// The codes that go with the states that are known.
const (
	codeNone       = 0
	codeInProgress = 1
	codeSuccess    = CodeSuccess
)

// CodeSuccess is the code of a status that has succeeded.
const CodeSuccess = 3

// ReadStatus returns what a status means by its state; the code decides only where
// there is no state. A state and a code that contradict each other are ReadUnknown.
// A code of 0 contradicts nothing: it may not have been sent.
func ReadStatus(s adminapi.UpgradeStatus) Reading {
	switch state := strings.ToLower(strings.TrimSpace(s.State)); state {
	case "":
		return readCode(s.Code)
	case adminapi.UpgradeNone:
		return unless(s.Code != codeNone, ReadIdle)
	case adminapi.UpgradeInProgress:
		return unless(s.Code != codeInProgress && s.Code != codeNone, ReadRunning)
	case adminapi.UpgradeSuccess:
		return unless(s.Code != codeSuccess && s.Code != codeNone, ReadSuccess)
	case "failed", "failure", "error":
		return unless(s.Code == codeInProgress || s.Code == codeSuccess, ReadFailed)
	}
	return ReadUnknown
}

func readCode(code int) Reading {
	switch code {
	case codeInProgress:
		return ReadRunning
	case codeSuccess:
		return ReadSuccess
	}
	return ReadUnknown
}

func unless(contradicted bool, r Reading) Reading {
	if contradicted {
		return ReadUnknown
	}
	return r
}

// Runs tells whether an upgrade runs for certain.
func Runs(s adminapi.UpgradeStatus) bool { return ReadStatus(s) == ReadRunning }

// Mine tells whether the upgrade that runs now is the one that was submitted at a
// moment of the server's clock: nothing ran right before it was sent, and now one
// runs whose last 2010 is new and not older than the submit. Message times and
// the Date header, which has whole seconds, are compared by the second.
func Mine(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	return Runs(now) && StartedSince(before, now, submitted)
}

// StartedSince tells the same of an upgrade that may have ended meanwhile: a short
// one can be over before anybody looks.
func StartedSince(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	if r := ReadStatus(before); r == ReadRunning || r == ReadUnknown {
		return false
	}
	start, found := lastStart(now)
	return found && !submitted.IsZero() && start.When/1000 >= submitted/1000 && !tells(before, start)
}

// Elses tells whether the upgrade that runs now is certainly not the one that was
// submitted: its 2010 is older than the submit. Before a 2010 of its own is in the
// log nobody can tell; one that was there before belongs to an earlier run.
func Elses(before, now adminapi.UpgradeStatus, submitted adminapi.Millis) bool {
	start, found := lastStart(now)
	return Runs(now) && found && !tells(before, start) && start.When/1000 < submitted/1000
}

func tells(s adminapi.UpgradeStatus, message adminapi.UpgradeMessage) bool {
	return slices.ContainsFunc(s.Messages, func(m adminapi.UpgradeMessage) bool {
		return m.Code == message.Code && m.When == message.When && m.Message == message.Message
	})
}

// lastStart returns the newest message that an upgrade started.
func lastStart(s adminapi.UpgradeStatus) (last adminapi.UpgradeMessage, found bool) {
	for _, m := range s.Messages {
		if m.Code == codeStart && (!found || m.When >= last.When) {
			last, found = m, true
		}
	}
	return last, found
}
