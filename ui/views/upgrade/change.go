package upgrade

import (
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// change is an upgrade, or a rollback, that is being prepared. The steps of a flow share
// it, so that going back and forth loses nothing.
type change struct {
	ask     operation.UpgradeRequest
	offer   operation.Offer
	offered time.Time // when the offer was read

	containers []upgrade.ContainerChange   // that the update changes
	cache      views.Drawn[told, []string] // below a page

	facts   upgrade.Facts
	checked time.Time // when the facts were read; zero before
	loading bool      // the facts are being read
	checks  []finding.Finding
	widget.Acknowledge
	restored *journal.Draft // that the answers come from; nil for none

	settingsRead bool // at least once
	answered     bool // the settings are filled in: what is missing blocks
	edition      int  // grows with each change of the settings that the site asks for
	problem      string
	refusal      *refusal            // the last of the site; nil for none
	request      adminapi.Request    // as it would be sent, with secrets masked
	usual        progress.UsualTimes // of such runs
}

// title returns the version that the site will have, or the id of the update.
func (c *change) title() string {
	if back := c.ask.Rollback; back != nil {
		return views.NameOf(back.To, back.Listed.ID)
	}
	return views.NameOf(c.ask.Target.FullVersion(), c.ask.Target.ID)
}

// continues reports whether another change is the same: an upgrade to the same update, or a rollback
// that does the same.
func (c *change) continues(other *change) bool {
	mine, theirs := c.ask.Rollback, other.ask.Rollback
	if mine == nil || theirs == nil {
		return mine == theirs && c.ask.Target.ID == other.ask.Target.ID
	}
	return mine.Same(*theirs)
}

// leadsTo returns what the change leads to.
func (c *change) leadsTo() string {
	if c.ask.Rollback != nil {
		return "back to " + c.title()
	}
	return "to " + c.title()
}

// hasSettings reports whether there is something to fill in besides a manifest.
func (c *change) hasSettings() bool {
	return c.ask.Rollback == nil && (c.ask.TakesLicence() || len(upgrade.Form(c.ask.Settings)) > 0)
}

// refuseUploads takes that the site does not take the licence as an upload, where the error of a start says so.
func (c *change) refuseUploads(err error) bool {
	ask, refused := c.ask.WithoutUpload(err)
	if refused {
		c.ask, c.facts.NoUploads = ask, true
		c.problem = views.Sentence(err.Error()) + " Nothing was sent. From now on the licence goes with the request."
	}
	return refused
}

// takeSettings takes the settings that the site asks for now, and keeps the answers to
// those that it still asks for.
func (c *change) takeSettings(now adminapi.UpgradeSettings) {
	c.ask.Unread = false
	if c.settingsRead && len(upgrade.SettingsChanged(c.ask.Settings, now)) == 0 {
		return
	}
	c.ask, c.settingsRead = c.ask.WithSettings(now), true
	c.edition++
	answers := upgrade.Answers{}
	for _, field := range upgrade.Form(now) {
		if a, ok := c.ask.Answers[field.ID]; ok {
			answers[field.ID] = a
		}
	}
	c.ask.Answers = answers
}

// problems returns what keeps the answers from being reviewed.
func (c *change) problems() []finding.Finding {
	if upgrade.StyleOf(c.ask.Target) == upgrade.Old {
		return nil
	}
	return upgrade.Check(upgrade.Form(c.ask.Settings), c.ask.Answers)
}

// runChecks checks the facts. Where a restored licence blocks, it says where that comes
// from.
func (c *change) runChecks(times *views.Times) {
	c.checks = upgrade.Preflight(c.facts)
	for i, check := range c.checks {
		if check.ID != upgrade.CheckLicence || !inSettings(check) || c.restored == nil {
			continue
		}
		whose := "your draft of " + times.Minute(c.restored.Saved)
		if heldElsewhere(c.restored) {
			whose = "the draft of " + c.restored.Program.Who()
		}
		c.checks[i].Text = views.Sentence(check.Text) + " It is from " + whose + "."
		c.checks[i].Do = strings.TrimSpace(check.Do + views.Keys(" Press {key:upgrade.next} to open the settings."))
	}
}

// inSettings reports whether a check blocks because of the settings.
func inSettings(c finding.Finding) bool {
	return c.Blocks() && (c.ID == upgrade.CheckLicence || c.ID == upgrade.CheckSettings)
}

// blocks reports whether a check blocks in a way that the settings cannot change.
func blocks(check finding.Finding) bool {
	return check.Blocks() && !inSettings(check)
}

// stopped reports whether a check blocks that the settings cannot change.
func (c *change) stopped() bool { return slices.ContainsFunc(c.checks, blocks) }

// blockedWords says how many checks block.
func (c *change) blockedWords() string {
	n := len(finding.Those(c.checks, blocks))
	return plain.Plural(n, "check") + yesNo(n == 1, " blocks this ", " block this ") + c.kind().Noun() + "."
}

// left are the checks that are left to accept.
func (c *change) left() []finding.Finding { return finding.Left(c.checks, c.Has) }

// kind is what kind of run the change leads to.
func (c *change) kind() progress.RunKind {
	switch {
	case c.ask.Rollback != nil:
		return progress.RollbackRun
	case upgrade.IsRelease(c.ask.Target):
		return progress.ReleaseRun
	}
	return progress.PatchRun
}

// confirmWords returns what may be typed to start.
func (c *change) confirmWords() []string { return c.ask.ConfirmWords(c.offer) }

func (c *change) confirms(typed string) bool { return upgrade.Confirms(typed, c.confirmWords()) }
