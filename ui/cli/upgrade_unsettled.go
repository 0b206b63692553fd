package cli

import (
	"slices"
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
	if at := slices.IndexFunc(records, operation.StartsUpgrade); at >= 0 && unsettled(records[at]) {
		p.note("warning: an earlier start, at " + records[at].Time.UTC().Format(time.DateTime) +
			" UTC, has no known outcome; look at: geodeck upgrade status")
	}
}

func unsettled(r journal.Record) bool {
	return r.Pending() || r.Outcome == adminapi.OutcomeUnknown
}
