package simulator

import (
	"encoding/json"
	"time"
)

// upgrades is what can be installed, what was, and what is being installed.
type upgrades struct {
	catalogue []*update // all that is known to exist, oldest first
	offered   []*update // those that the site's manifest tells of
	imported  time.Time // when the manifest was imported; zero: it came with the site
	run       *upgradeRun
	past      []*upgradeRun // oldest first, the last one included
	staged    *upgradeRun   // the one that goes as the scenario says: the first in this world
	asked     int           // how often settings were read
	placement json.RawMessage
}

func newUpgrades(w *world) *upgrades {
	u := &upgrades{catalogue: updateCatalogue(), placement: upgradePlacement()}
	plan := w.scenario.Upgrades
	u.extend(w.version, plan.Patches)
	for i, item := range u.catalogue {
		if item.required() || plan.requires(item.ID) {
			yes := true
			item.Mandatory = &yes
		}
		if w.scenario.HostileText {
			item.Name, item.Description = hostile(item.Name, i), hostile(item.Description, i+1)
		}
	}
	if plan.Offer != offerNone {
		u.offered = u.catalogue
	}
	return u
}

func upgradeRoutes(w *world) []route {
	children := offerRoutes(w)
	children = append(children, settingsRoutes(w)...)
	children = append(children, submitRoutes(w)...)
	children = append(children, rollbackRoutes(w)...)
	children = append(children, importRoutes(w)...)
	children = append(children, upgradeConfigRoutes(w)...)
	for i := range children {
		children[i] = w.closedWhileRunning(children[i].needing(privSecurity, privServers))
		if children[i].since == "" {
			children[i].since = "10.9"
		}
	}
	return append(children, get("/system/upgrades", "Upgrades", w.showUpgrades).from("10.9"))
}

// closedWhileRunning closes what is below the Upgrades resource until the
// upgrade ends; that is said before read-only mode is, which belongs to it.
func (w *world) closedWhileRunning(r route) route {
	handle, write := r.handle, r.write
	r.duringRO = true
	r.handle = func(q *request) (answer, error) {
		if err := w.busyUpgrading(q.now); err != nil {
			return answer{}, err
		}
		if write && w.mode.readOnly {
			return answer{}, siteReadOnly(w.mode.message)
		}
		return handle(q)
	}
	return r
}

// busyUpgrading refuses what cannot be done while an upgrade runs.
func (w *world) busyUpgrading(now time.Time) error {
	run := w.upgrades.run
	if run == nil || !run.runs(now) {
		return nil
	}
	return &refusal{code: 409, message: "Another operation is in progress; this is not available until it ends.",
		details: []string{run.what() + " is in progress since " + run.start.UTC().Format(time.RFC3339) + ", started by " + run.user + "."}}
}

// showUpgrades shows the log of the present upgrade, or else of the last one.
func (w *world) showUpgrades(q *request) (answer, error) {
	run := w.upgrades.run
	if run == nil {
		return answer{body: written{[]byte(`{"status":{"code":0,"messages":[],"state":"no_upgrade"}}`)}}, nil
	}
	return answer{body: w.statusOf(run, q.now)}, nil
}
