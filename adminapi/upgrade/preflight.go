package upgrade

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/upgrade/progress"

	"github.com/go-json-experiment/json/jsontext"
)

// The ids of the checks in their fixed order. CheckRequired is about the updates that have
// to be installed first.
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
	CheckImages     = "images"
	CheckPrivileges = "privileges"
	CheckClock      = "clock"
)

// AcceptFailedHealth accepts a health report that failed. One that is old or missing is accepted by
// [CheckHealth].
const AcceptFailedHealth = "failed-health"

// AcceptWords returns the words that accept what a check has found.
func AcceptWords() []string { return Gates.Words(finding.Release, finding.Patch, finding.Rollback) }

// preflightChecks are the checks in their order, each with why it matters to an upgrade and to
// a rollback, which is empty where it does not. Their functions return the state, the finding
// and what to do.
var preflightChecks = []struct {
	id, title, why, rollback string
	check                    func(Facts) finding.Finding
}{
	{CheckRunning, "Running upgrades", "Only one upgrade can run at a time.", "Only one upgrade or rollback can run at a time.", checkRunning},
	{CheckMode, "Read-only mode", "In read-only mode the site may refuse an upgrade.", "In read-only mode the site may refuse a rollback.", checkMode},
	{CheckOrder, "Upgrade path", "Updates build on each other.", "Removing a patch removes all later ones.", checkOrder},
	{CheckRequired, "Required updates", "The platform refuses a release before the updates it requires.", "", checkRequired},
	{CheckLicence, "Licence", "Without a valid licence the upgrade is refused, or members cannot sign in.", "", checkLicence},
	{CheckSettings, "Settings", "The settings are sent with the upgrade.", "", checkSettings},
	{CheckHealth, "Health", "Existing faults can make an upgrade fail midway.", "Existing faults can make a rollback fail midway.", checkHealth},
	{CheckBackup, "Backup", "A release cannot be rolled back. Only a backup restores it.", "Only a backup restores a site whose rollback fails.", checkBackup},
	{CheckPlacement, "Upgrade pods", "If no node fits, they stay Pending until the upgrade times out.", "If no node fits, they stay Pending until the rollback times out.", checkPlacement},
	{CheckImages, "Image checksums", "A checksum shows whether an image is the one that was released.", "", checkImages},
	{CheckPrivileges, "Privileges", "Without the privilege the site refuses the upgrade.", "Without the privilege the site refuses the rollback.", checkPrivileges},
	{CheckClock, "Clocks", "Messages carry the site's times.", "Messages carry the site's times.", checkClock},
}

// Preflight returns all checks of the facts that apply, always in the same order. What could
// not be read has to be accepted, and is never finding.Passed.
func Preflight(f Facts) []finding.Finding {
	var checks []finding.Finding
	for _, c := range preflightChecks {
		if f.Rollback != nil {
			c.why = c.rollback
		}
		if c.why == "" {
			continue
		}
		if c.id == CheckBackup && f.change() == finding.Patch {
			c.why = "A patch may fail and not roll back. Then only a backup restores the site."
		}
		check := c.check(f)
		check.ID, check.Title, check.Why = c.id, c.title, cmp.Or(check.Why, c.why)
		checks = append(checks, check)
	}
	return checks
}

// PreflightVerdict sums up checks in one sentence.
func PreflightVerdict(checks []finding.Finding) string {
	text := "Nothing blocks this upgrade"
	switch n := len(finding.Those(checks, finding.Finding.Blocks)); {
	case n == 1:
		text = "1 check blocks this upgrade"
	case n > 1:
		text = strconv.Itoa(n) + " checks block this upgrade"
	}
	if found := finding.Count(checks); found != "" {
		text += "; " + found
	}
	return text + "."
}

func ok(format string, args ...any) finding.Finding {
	return finding.Finding{Strength: finding.Passed, Text: fmt.Sprintf(format, args...)}
}

// LastReport is the newest health report of the site that has ended.
type LastReport struct {
	Found   bool // false where the site has none
	ID      string
	Name    string
	Verdict string   // in the words of package health, such as "passed"
	Good    bool     // as health.Verdict.Good
	Bad     bool     // as health.Verdict.Bad
	Failed  []string // the names of the tests that failed
	Tests   int
	Ended   adminapi.Millis
}

// LastBackup is the newest completed backup of the site.
type LastBackup struct {
	Found bool // false where the site has none
	Name  string
	Store string
	Ended adminapi.Millis // or the start time where there is no end
}

// BackupOf returns the newest of completed backups. After a failed upgrade it is the newest from
// before that began, where there is one: a later one holds what the upgrade left.
func BackupOf(completed []LastBackup, status adminapi.UpgradeStatus) LastBackup {
	began := adminapi.Millis(0)
	if progress.StateOf(status) == progress.StateFailed {
		began = progress.LastRun(status).Began
	}
	before := func(b LastBackup) int {
		if began.IsZero() || b.Ended <= began {
			return 1
		}
		return 0
	}
	if len(completed) == 0 {
		return LastBackup{}
	}
	return slices.MaxFunc(completed, func(a, b LastBackup) int {
		return cmp.Or(before(a)-before(b), cmp.Compare(a.Ended, b.Ended))
	})
}

// Facts is what is known before an upgrade or a rollback. Everything may be unknown.
type Facts struct {
	Target    adminapi.Update
	Installed Installed
	Now       adminapi.Millis // by the server's clock, or this machine's where that is not known

	Rollback  *Rollback                 // that is to be sent; nil for an upgrade
	Rollbacks adminapi.Fact[[]Rollback] // that the site offers now

	Status    adminapi.Fact[adminapi.UpgradeStatus]
	FailedBy  adminapi.Millis // when the last run was seen to have failed; zero where nobody saw it
	Mode      adminapi.Fact[adminapi.Mode]
	SendsNone bool // this program was started so that it changes nothing
	Locked    bool // it changes nothing before the site's name was typed
	Chain     adminapi.Fact[Chain]
	Settings  adminapi.Fact[adminapi.UpgradeSettings] // new style only
	Answers   Answers
	Files     map[string]GivenFile // by Field.ID; a licence that no setting asks for by that of [LicenceField]
	NoUploads bool                 // the site has none, or refuses them: the licence goes with the request
	ToAnswer  bool                 // a later step asks for settings and licence: what is missing does not block yet

	Report     adminapi.Fact[LastReport]
	Backup     adminapi.Fact[LastBackup]
	Placement  adminapi.Fact[jsontext.Value] // podPlacementPolicy of the upgrade's pods
	Caller     adminapi.Fact[adminapi.Self]  // who would send it
	ClockAhead adminapi.Fact[time.Duration]  // server's clock minus this machine's
}

// Goal names the change that the facts are before, such as "the upgrade to 12.0.0.7286".
func (f Facts) Goal() string {
	if f.Rollback != nil {
		return "the rollback to " + f.Rollback.To
	}
	return "the upgrade to " + displayName(f.Target)
}

var errNotRead = errors.New("not read while an upgrade runs")

// FactsWhileRunning returns the facts while an upgrade runs, when nothing but its status is
// read.
func FactsWhileRunning(target adminapi.Update, installed Installed, status adminapi.Fact[adminapi.UpgradeStatus]) Facts {
	return Facts{
		Target: target, Installed: installed, ToAnswer: true, Status: status,
		Mode: adminapi.Fact[adminapi.Mode]{Err: errNotRead}, Chain: adminapi.Fact[Chain]{Err: errNotRead},
		Settings: adminapi.Fact[adminapi.UpgradeSettings]{Err: errNotRead}, Report: adminapi.Fact[LastReport]{Err: errNotRead},
		Backup: adminapi.Fact[LastBackup]{Err: errNotRead}, Placement: adminapi.Fact[jsontext.Value]{Err: errNotRead},
		Rollbacks: adminapi.Fact[[]Rollback]{Err: errNotRead},
		Caller:    adminapi.Fact[adminapi.Self]{Err: errNotRead}, ClockAhead: adminapi.Fact[time.Duration]{Err: errNotRead},
	}
}
