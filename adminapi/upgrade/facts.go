package upgrade

import (
	"errors"
	"time"

	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Fact is something that was read, or could not be. The zero value is not known.
type Fact[T any] struct {
	Value T
	Known bool
	Err   error // why it is not known, where something tells
}

// Read returns a fact that is known.
func Read[T any](value T) Fact[T] { return Fact[T]{Value: value, Known: true} }

// Got returns the fact that a call returned: not known where err is set.
func Got[T any](value T, err error) Fact[T] {
	if err != nil {
		return Fact[T]{Err: err}
	}
	return Read(value)
}

// LastReport is the newest health report of the site that has ended.
type LastReport struct {
	Found   bool // false where the site has none
	ID      string
	Name    string
	Verdict string // in words of package health, such as "passed"
	Good    bool   // nothing has to be done (health.Verdict.Good)
	Ended   adminapi.Millis
}

// LastBackup is the newest completed backup of the site.
type LastBackup struct {
	Found bool // false where the site says that there is none
	Name  string
	Store string
	Ended adminapi.Millis // start time where the end is not told
}

// Caller is who would send the upgrade.
type Caller struct {
	Username   string
	Role       string
	Privileges []string // the portal's words, or those of the API's table
}

// Facts is what is known before an upgrade. Everything may be unknown.
type Facts struct {
	Target    adminapi.Update
	Installed Installed
	Now       adminapi.Millis // by the server's clock; by this machine's where that is not known

	Status     Fact[adminapi.UpgradeStatus]
	Mode       Fact[adminapi.Mode]
	Chain      Fact[Chain]
	Settings   Fact[adminapi.UpgradeSettings] // new style only
	Answers    Answers
	Files      map[string]error // new style: checks of answered files by Field.ID, nil for a good one
	Licence    bool             // old style: a licence file is given
	LicenceErr error            // old style: what is wrong with it
	ToAnswer   bool             // settings and licence are still to be asked for: what is missing does not block yet

	Report     Fact[LastReport]
	Backup     Fact[LastBackup]
	Placement  Fact[jsontext.Value] // podPlacementPolicy of the upgrade's pods
	Caller     Fact[Caller]
	ClockAhead Fact[time.Duration] // server's clock minus this machine's
}

var errNotAsked = errors.New("it is not asked for while an upgrade runs")

// FactsWhileRunning are all that is known while an upgrade runs: nothing else is
// asked of the site then.
func FactsWhileRunning(target adminapi.Update, installed Installed, status adminapi.UpgradeStatus) Facts {
	return Facts{
		Target: target, Installed: installed, ToAnswer: true, Status: Read(status),
		Mode: Fact[adminapi.Mode]{Err: errNotAsked}, Chain: Fact[Chain]{Err: errNotAsked},
		Settings: Fact[adminapi.UpgradeSettings]{Err: errNotAsked}, Report: Fact[LastReport]{Err: errNotAsked},
		Backup: Fact[LastBackup]{Err: errNotAsked}, Placement: Fact[jsontext.Value]{Err: errNotAsked},
		Caller: Fact[Caller]{Err: errNotAsked}, ClockAhead: Fact[time.Duration]{Err: errNotAsked},
	}
}
