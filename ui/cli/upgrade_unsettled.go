package cli

import (
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

// noteUnsettled tells of an earlier start of which nobody knows what became. The
// site is asked all the same whether an upgrade runs, so that it stops nothing.
func (p *program) noteUnsettled(site operation.Site) {
	records, err := site.Journal.Actions(0)
	if err != nil {
		return
	}
	if at := slices.IndexFunc(records, startsUpgrade); at >= 0 && unsettled(records[at]) {
		p.note("warning: an earlier start, at " + records[at].Time.UTC().Format(time.DateTime) +
			" UTC, has no known outcome; look at: geodeck upgrade status")
	}
}

// startsUpgrade knows the writes that begin an upgrade or a rollback.
func startsUpgrade(r journal.Record) bool {
	return strings.HasSuffix(r.Path, "/system/upgrades/upgrade") || strings.HasSuffix(r.Path, "/system/upgrades/rollback")
}

func unsettled(r journal.Record) bool {
	return r.Pending() || r.Outcome == adminapi.OutcomeUnknown
}
