package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// UnknownReportsError says which reports are to be deleted that the site does not have.
// Nothing was sent. Exit code 2.
type UnknownReportsError struct{ IDs []string }

// Error names them.
func (e *UnknownReportsError) Error() string {
	return "the site has no report " + plain.Line(strings.Join(e.IDs, ", ")) + "; nothing was sent"
}

// ReportsToDelete fetches the reports with these ids, each once, in the order in which they are
// named: what a person confirms before they are deleted. One that the site does not have is an
// [*UnknownReportsError].
func (s Site) ReportsToDelete(ctx context.Context, ids []string) ([]adminapi.ReportSummary, error) {
	all, err := s.AllReports(ctx)
	if err != nil {
		return nil, err
	}
	var found []adminapi.ReportSummary
	var unknown []string
	for i, id := range ids {
		at := slices.IndexFunc(all, func(r adminapi.ReportSummary) bool { return r.ID == id })
		switch {
		case slices.Contains(ids[:i], id):
		case at < 0:
			unknown = append(unknown, id)
		default:
			found = append(found, all[at])
		}
	}
	if len(unknown) > 0 {
		return nil, &UnknownReportsError{unknown}
	}
	return found, nil
}

// DeleteReports deletes reports with one request. Where the answer is lost, lost is told, and the
// outcome is searched for: it may stay unknown. It needs no claim: sending it twice does no harm.
func (s Site) DeleteReports(ctx context.Context, ids []string, lost func(error)) (adminapi.Outcome, error) {
	began := s.Clock.Now()
	outcome, err := s.Client.DeleteReports(ctx, ids...)
	if outcome != adminapi.OutcomeUnknown {
		return outcome, err
	}
	return s.find(ctx, s.search(s.unclaimed(adminapi.WriteReportDeletion, began), err, s.lookForReports(ids)), err, lost)
}

// unclaimed returns the record of a write without a claim that was sent since a time of this machine's
// clock: the zero one where it cannot be told.
func (s Memory) unclaimed(kind adminapi.WriteKind, since time.Time) journal.Record {
	if s.Journal == nil {
		return journal.Record{}
	}
	records, _ := s.Journal.Actions(0)
	records = slices.DeleteFunc(records, func(r journal.Record) bool { return r.Kind != kind || r.Time.Before(since) })
	if len(records) != 1 {
		return journal.Record{}
	}
	return records[0]
}

// lookForReports looks for a deletion: done where the site has none of the reports any more.
func (s Site) lookForReports(ids []string) look {
	return func(ctx context.Context, _ bool) (Resolution, error) {
		all, err := s.AllReports(ctx)
		if err != nil {
			return Resolution{}, err
		}
		left := 0
		for _, r := range all {
			if slices.Contains(ids, r.ID) {
				left++
			}
		}
		found := Resolution{How: fmt.Sprintf("the site still has %d of %s", left, plain.Plural(len(ids), "report"))}
		switch left {
		case 0:
			found = Resolution{Outcome: adminapi.OutcomeDone, How: "the site no longer has it"}
		case len(ids):
			found.Shows = ShowsUnchanged
		}
		return found, nil
	}
}
