package upgrade

import (
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// change is an upgrade, or a rollback, that is being prepared: what is asked for, what is
// known of it, and what was acknowledged. The steps of a flow share it, so that nothing is
// lost on the way back and forth.
type change struct {
	ask      operation.UpgradeRequest
	rollback bool
	later    []string // patches that a rollback uninstalls besides its own
	offer    operation.Offer
	offered  time.Time // when the offer was read

	facts        upgrade.Facts
	checked      time.Time // when the facts were read; zero where they were not
	checks       []upgrade.PreflightCheck
	acknowledged map[string]string // id of a check to the finding that was accepted
	restored     *journal.Draft    // that the answers were restored from; nil for none

	settingsRead bool // at least once
	edition      int  // grows when the site asks for other settings than before
	problem      string
	request      []upgrade.Shown // as it would be sent
	uploads      []upload        // before it
}

// upload is a file that is uploaded for a setting.
type upload struct {
	setting, path string
	size          int64
}

// title is what the update is called.
func (c *change) title() string { return views.NameOf(c.ask.Target.FullVersion(), c.ask.Target.ID) }

// leadsTo says what the change leads to.
func (c *change) leadsTo() string {
	if c.rollback {
		return "rolls back " + c.title()
	}
	return "to " + c.title()
}

// hasSettings reports whether there is something to fill in, besides a manifest.
func (c *change) hasSettings() bool {
	return !c.rollback && (upgrade.StyleOf(c.ask.Target) == upgrade.Old || len(upgrade.Form(c.ask.Settings)) > 0)
}

// takeSettings notes what the site asks for now; answers to what it still asks for
// stay.
func (c *change) takeSettings(now adminapi.UpgradeSettings) {
	if c.settingsRead && len(upgrade.SettingsChanged(c.ask.Settings, now)) == 0 {
		return
	}
	c.ask.Settings, c.settingsRead = now, true
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
func (c *change) problems() []upgrade.Problem {
	if upgrade.StyleOf(c.ask.Target) == upgrade.Old {
		return nil
	}
	return upgrade.Check(upgrade.Form(c.ask.Settings), c.ask.Answers)
}

// weigh weighs the facts that are there. Of a licence that stands in the way it says that
// it was filled in before.
func (c *change) weigh(times *views.Times) {
	c.checks = upgrade.Preflight(c.facts)
	for i, check := range c.checks {
		if check.ID != upgrade.CheckLicence || !inSettings(check) || c.restored == nil {
			continue
		}
		whose := "your draft of " + times.Minute(c.restored.Saved)
		if elsewhere(c.restored) {
			whose = "the draft of " + c.restored.Program.Who()
		}
		c.checks[i].Finding = views.Sentence(check.Finding) + " It was filled in before: it is from " + whose + "."
		c.checks[i].Do = strings.TrimSpace(check.Do + " enter or n leads to the settings from here.")
	}
}

// inSettings reports whether what a check found is put right in the settings.
func inSettings(c upgrade.PreflightCheck) bool {
	return c.State == upgrade.CheckBlocking && (c.ID == upgrade.CheckLicence || c.ID == upgrade.CheckSettings)
}

// stopped reports whether something is in the way that no answer can change.
func (c *change) stopped() bool {
	for _, check := range c.checks {
		if check.State == upgrade.CheckBlocking && !inSettings(check) {
			return true
		}
	}
	return false
}

// unacknowledged returns the checks that a person still has to look at.
func (c *change) unacknowledged() []upgrade.PreflightCheck {
	var open []upgrade.PreflightCheck
	for _, check := range upgrade.Warnings(c.checks) {
		if !c.accepted(check) {
			open = append(open, check)
		}
	}
	return open
}

// accepted reports whether a finding was acknowledged as it is now.
func (c *change) accepted(check upgrade.PreflightCheck) bool {
	return c.acknowledged[check.ID] == withoutNumbers(check)
}

// acknowledge takes a warning as seen, or back.
func (c *change) acknowledge(check upgrade.PreflightCheck, toggle bool) {
	if toggle && c.accepted(check) {
		delete(c.acknowledged, check.ID)
		return
	}
	c.acknowledged[check.ID] = withoutNumbers(check)
}

// withoutNumbers is a finding without its numbers: an age that grew is no news.
func withoutNumbers(c upgrade.PreflightCheck) string {
	rest := []rune{rune('0' + c.State)}
	for _, r := range c.Finding {
		if r < '0' || r > '9' {
			rest = append(rest, r)
		}
	}
	return string(rest)
}

// whatHappens says in a sentence or two what the change does.
func (c *change) whatHappens() string {
	if !c.rollback {
		return c.ask.Sentence(c.offer)
	}
	text := "It rolls back " + c.title() + " (" + views.NameOf(c.ask.Target.Name, c.ask.Target.ID) + ")"
	if n := len(c.later); n > 0 {
		text += ", and with it " + plain.Plural(n, "later patch") + ": " + strings.Join(c.later, ", ")
	}
	if before := c.ask.Target.PreviousBuild; before != "" {
		text += "; the site runs build " + plain.Line(before) + " again"
	}
	return text + ". The site is read-only meanwhile."
}

// words are what may be typed to start.
func (c *change) words() []string {
	if c.rollback {
		return []string{c.ask.Target.FullVersion()}
	}
	return upgrade.ConfirmWords(c.ask.Target, c.offer.Installed, c.offer.Manifest)
}

func (c *change) confirms(typed string) bool {
	if c.rollback {
		return strings.TrimSpace(typed) != "" && strings.TrimSpace(typed) == c.ask.Target.FullVersion()
	}
	return upgrade.Confirms(typed, c.ask.Target, c.offer.Installed, c.offer.Manifest)
}

// rollbackRequest is what is sent to uninstall a patch.
func rollbackRequest(u adminapi.Update) []upgrade.Shown {
	id, err := upgrade.ManifestID(u)
	if err != nil {
		return nil
	}
	return []upgrade.Shown{
		{Name: upgrade.PartManifest, Size: len(id), Text: string(id)},
		{Name: "rollbackSettings", Size: 2, Text: "{}"},
	}
}

// laterThan names the installed patches that go with an earlier one.
func laterThan(u adminapi.Update, installed []adminapi.Update) []string {
	var later []string
	for _, other := range installed {
		order, comparable := upgrade.CompareBuilds(other.Build, u.Build)
		if comparable && order > 0 && !upgrade.IsRelease(other) {
			later = append(later, plain.Line(other.FullVersion()))
		}
	}
	return later
}
