package operation

import (
	"slices"

	"geodeck/adminapi"
)

// recordFound tells the journal that the upgrade runs whose answer was lost, so
// that nobody looks for it again. The upgrade does not depend on it: a journal
// that cannot be written keeps the outcome as not known, which is true as well.
func (r *UpgradeRun) recordFound() {
	if r.site.Journal == nil {
		return
	}
	records, err := r.site.Journal.Actions(0)
	if err != nil {
		return
	}
	at := slices.IndexFunc(records, StartsUpgrade)
	if at >= 0 && !records[at].Pending() && records[at].Outcome == adminapi.OutcomeUnknown {
		_ = r.site.Journal.Resolve(records[at].ID, adminapi.OutcomeDone, "it was found running at the site")
	}
}
