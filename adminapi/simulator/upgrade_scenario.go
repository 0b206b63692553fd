package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// UpgradePlan is what a scenario says of upgrades.
type UpgradePlan struct {
	Offer               string            `json:"offer,omitempty"`               // fitting (default), none, all
	Mandatory           []string          `json:"mandatory,omitempty"`           // ids of patches that releases wait for
	Patches             int               `json:"patches,omitempty"`             // so many more after the last one of the site's release
	Entries             []json.RawMessage `json:"entries,omitempty"`             // told as they stand beside what is offered; none can be installed
	Licence             string            `json:"licence,omitempty"`             // the version that licences must name; default the target's
	SettingsChangeAfter int               `json:"settingsChangeAfter,omitempty"` // readings after which a form asks for more
	Past                string            `json:"past,omitempty"`                // id of the update that made the site what it is, a day ago
	Else                *ElsesUpgrade     `json:"else,omitempty"`                // one that somebody else starts
	Course
}

// ElsesUpgrade is an upgrade that somebody else starts.
type ElsesUpgrade struct {
	ID   string   `json:"id"`
	User string   `json:"user,omitempty"` // default operator
	When string   `json:"when"`           // running, settings (once they were read), submit (right before one is taken)
	Ago  Duration `json:"ago,omitempty"`  // of a running one: since when
}

// When somebody else starts an upgrade.
const (
	elseRunning       = "running"
	elseAfterSettings = "settings"
	elseAtSubmit      = "submit"
)

func (p UpgradePlan) requires(id string) bool { return slices.Contains(p.Mandatory, id) }

func (s Scenario) checkUpgrades() error {
	p, known := s.Upgrades, updateCatalogue()
	if offers := []string{"", offerFitting, offerNone, offerAll}; !slices.Contains(offers, p.Offer) {
		return fmt.Errorf("upgrades.offer: %q is none of %s", p.Offer, strings.Join(offers[1:], ", "))
	}
	for i, id := range p.Mandatory {
		if u := find(known, id); u == nil || u.isRelease() {
			return fmt.Errorf("upgrades.mandatory[%d]: there is no patch %q", i, id)
		}
	}
	if _, err := parseVersion(p.Licence); p.Licence != "" && err != nil {
		return fmt.Errorf("upgrades.licence: %w", err)
	}
	if err := inRange("upgrades.settingsChangeAfter", p.SettingsChangeAfter, 0, 1000); err != nil {
		return err
	}
	if err := inRange("upgrades.patches", p.Patches, 0, 100_000); err != nil {
		return err
	}
	if u := find(known, p.Past); p.Past != "" && (u == nil || u.full() != s.siteVersion()) {
		return fmt.Errorf("upgrades.past: no update %q makes a site of %s", p.Past, s.siteVersion())
	}
	if err := p.Course.check(); err != nil {
		return fmt.Errorf("upgrades.%w", err)
	}
	if p.Else == nil {
		return nil
	}
	if err := p.Else.check(known, s.siteVersion()); err != nil {
		return fmt.Errorf("upgrades.else.%w", err)
	}
	return nil
}

func (e ElsesUpgrade) check(known []*update, site version) error {
	u := find(known, e.ID)
	moments := []string{elseRunning, elseAfterSettings, elseAtSubmit}
	switch {
	case u == nil || u.PreviousVersion != site.release():
		return fmt.Errorf("id: there is no update %q for %s", e.ID, site)
	case !slices.Contains(moments, e.When):
		return fmt.Errorf("when: %q is none of %s", e.When, strings.Join(moments, ", "))
	case e.Ago.Duration < 0:
		return fmt.Errorf("ago: %s is less than nothing", e.Ago)
	}
	return nil
}

// rememberUpgrades puts what was upgraded before the world began, or runs by
// then, into the world.
func (w *world) rememberUpgrades() {
	if u := find(w.upgrades.catalogue, w.scenario.Upgrades.Past); u != nil {
		now := w.version
		w.version = earlier(u)
		for _, c := range w.components {
			c.version = w.version
		}
		w.startUpgrade(u, false, "admin", w.started.Add(-26*time.Hour))
		w.version = now
		// What it did is true from the start; the reports around it are new.
		w.settle(w.started)
		w.become(now)
	}
	if e := w.scenario.Upgrades.Else; e != nil && e.When == elseRunning {
		w.startElses(w.started.Add(-e.Ago.Duration))
	}
}

// earlier is the version that an update builds on.
func earlier(u *update) version {
	v, _ := parseVersion(u.PreviousVersion)
	v[3] = u.PreviousBuild.number + u.PreviousReleaseBuild.number
	return v
}

// somebodyElse starts the scenario's other upgrade when its moment has come,
// once, and tells whether it did.
func (w *world) somebodyElse(moment string, now time.Time) bool {
	e := w.scenario.Upgrades.Else
	if e == nil || e.When != moment || len(w.upgrades.past) > 0 {
		return false
	}
	w.startElses(now)
	return true
}

func (w *world) startElses(at time.Time) {
	e := w.scenario.Upgrades.Else
	user := e.User
	if user == "" {
		user = "operator"
	}
	w.startUpgrade(find(w.upgrades.catalogue, e.ID), false, user, at)
}
