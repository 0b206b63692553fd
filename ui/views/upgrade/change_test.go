package upgrade

import (
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestOnlyWhatTheSettingsPutRightDoesNotStopAChange(t *testing.T) {
	t.Parallel()
	for id, stops := range map[string]bool{upgrade.CheckLicence: false, upgrade.CheckSettings: false, upgrade.CheckMode: true, upgrade.CheckRequired: true} {
		c := &change{checks: []finding.Finding{{ID: id, Strength: finding.Block}}}
		if c.stopped() != stops {
			t.Errorf("%s stops it: %v", id, c.stopped())
		}
	}
}

// What now names the key of what does it.
func TestAdviceOfAPreflightNamesWhatDoesIt(t *testing.T) {
	t.Parallel()
	b, h, c := alone(t)
	c.facts.Status = adminapi.FactOf(time.Unix(1, 0), adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: []adminapi.UpgradeMessage{{Code: 2010, When: 1}, {Code: 2165, When: 2}}}, nil)
	c.facts.Mode = adminapi.FactOf(time.Unix(1, 0), adminapi.Mode{ReadOnly: true, Message: "The upgrade is in progress."}, nil)
	c.facts.Report = adminapi.FactOf(time.Unix(1, 0), upgrade.LastReport{}, nil)
	c.checked = b.Env.Clock.Now()
	c.runChecks(b.Env.Times)
	p := newPreflight(b, h, c, &draft{})
	p.show()
	for id, want := range map[string]struct {
		do    string
		does  explain.ActionID
		space bool
	}{
		upgrade.CheckMode:    {"Do not lift it by hand. Fix the cause first.", explain.ExplainUpgrade, true},
		upgrade.CheckRunning: {"Find out why before you start another one.", explain.ExplainUpgrade, true},
		upgrade.CheckHealth:  {"Run a health check; a read-only site may refuse it.", explain.RunHealth, true},
		upgrade.CheckImages:  {"", "", true},
	} {
		p.list.Select(id)
		check, _ := p.selected()
		hinted := len(views.Footer(p.Commands(), "upgrade.accept")) > 0
		if does := explain.Check(check, c.facts, false, false).Next.Action.ID; does != want.does {
			t.Errorf("%s: what now does %q", id, does)
		}
		if check.Do != want.do || hinted != want.space {
			t.Errorf("%s: %q, space in the footer: %v", id, check.Do, hinted)
		}
	}
}

// asksFor are settings of these ids, all of them JSON.
func asksFor(ids ...string) adminapi.UpgradeSettings {
	var s adminapi.UpgradeSettings
	for _, id := range ids {
		s.Inputs = append(s.Inputs, adminapi.UserInput{ID: id, Type: "volumesConfig"})
	}
	return s
}

func TestAnswersToWhatIsStillAskedForAreKept(t *testing.T) {
	t.Parallel()
	c := &change{ask: operation.UpgradeRequest{Answers: upgrade.Answers{"a": {JSON: "1"}, "b": {JSON: "2"}}}}
	c.takeSettings(asksFor("a", "b"))
	first := c.edition
	c.takeSettings(asksFor("a", "b"))
	if c.edition != first {
		t.Error("the same settings are another edition")
	}
	c.takeSettings(asksFor("b", "c"))
	if c.edition == first || len(c.ask.Answers) != 1 || c.ask.Answers["b"].JSON != "2" {
		t.Errorf("edition %d, answers %v", c.edition, c.ask.Answers)
	}
}

// The licence of a request of unknown settings answers the setting that turns out to ask for it: it is not sent in
// another way behind a field that shows something else.
func TestSettingsThatAskForTheLicenceTakeIt(t *testing.T) {
	t.Parallel()
	c := &change{ask: operation.UpgradeRequest{Unread: true, LicencePath: "/l.json", Answers: upgrade.Answers{}}}
	asks := asksFor("a")
	asks.Inputs = append(asks.Inputs, adminapi.UserInput{ID: "licenseUpload", Type: "File"})
	c.takeSettings(asks)
	if c.ask.Unread || c.ask.LicencePath != "" || c.ask.Answers["licenseUpload"].Path != "/l.json" {
		t.Errorf("%+v", c.ask)
	}
}

// Settings that could not be read for a moment are read again, not left out.
func TestSettingsAreNotLeftOutForAnOutage(t *testing.T) {
	t.Parallel()
	for _, kind := range []adminapi.Kind{adminapi.KindUnreachable, adminapi.KindNotFound} {
		b, h, c := alone(t)
		p := newPreflight(b, h, c, nil)
		c.facts.Settings = adminapi.Fact[adminapi.UpgradeSettings]{Err: &adminapi.Error{Kind: kind}}
		p.advance()
		if missing := kind == adminapi.KindNotFound; c.ask.Unread != missing || c.settingsRead != missing {
			t.Errorf("%v: %+v", kind, c.ask)
		}
	}
}

// backTo is a rollback from 11.5.0.4 to 11.5.0.3.
var backTo = upgrade.Rollback{Listed: adminapi.Update{ID: "p", Version: "11.5.0", Build: "3"}, From: "11.5.0.4", To: "11.5.0.3", Removes: []adminapi.Update{{Version: "11.5.0", Build: "4"}}}

func TestARollbackIsConfirmedByTheVersionThatTheSiteWillHave(t *testing.T) {
	t.Parallel()
	removal := backTo
	removal.Listed.Build = "4"
	for _, back := range []upgrade.Rollback{backTo, removal} {
		c := &change{ask: operation.RollbackRequest(back)}
		for typed, confirms := range map[string]bool{"11.5.0.3": true, " 11.5.0.3 ": true, "11.5.0.4": false, "11.5.0": false, "": false} {
			if c.confirms(typed) != confirms {
				t.Errorf("%q confirms: %v", typed, !confirms)
			}
		}
		if c.hasSettings() || c.title() != "11.5.0.3" || c.leadsTo() != "back to 11.5.0.3" {
			t.Errorf("settings: %v, %s, %s", c.hasSettings(), c.title(), c.leadsTo())
		}
	}
}

func TestAFlowThatWasLeftContinuesForTheSameUpdateOnly(t *testing.T) {
	t.Parallel()
	m := New(uitest.Env(t, operation.Site{}, uitest.Theme()))
	m.begin(m.picker.change(adminapi.Update{ID: "a"}))
	first := m.flow
	m.leave()
	if m.flow == first || !m.choosing() || m.left != first {
		t.Fatal("it was not left")
	}
	m.begin(m.picker.change(adminapi.Update{ID: "b"}))
	if m.flow.change == first.change || m.left != first {
		t.Error("another update continues it, or forgets it")
	}
	m.flow = newFlow(m.child(), m, &change{})
	m.begin(m.picker.change(adminapi.Update{ID: "a"}))
	if m.flow != first || m.left != nil {
		t.Error("it does not continue")
	}
}
