package operation

import (
	"context"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// ReportDeletion is the change that deletes reports.
type ReportDeletion struct {
	IDs  []string
	Name string // of the only one, for sentences; may be empty
}

// Prepare returns it as it would be sent. It has no target: sending it twice does no harm.
func (d ReportDeletion) Prepare(s Site) Prepared {
	return Prepared{Kind: adminapi.WriteReportDeletion, What: "delete " + d.Name}.one(s, CommandLine{Words: []string{"health", "delete"}, Args: d.IDs}, adminapi.DeletionOf(d.IDs...))
}

// DeleteReports deletes reports with one request. Where the answer is lost, lost is told, and the
// outcome is searched for: it may stay unknown.
func (s Site) DeleteReports(ctx context.Context, d ReportDeletion, lost func(error)) Result {
	one, result := s.send(ctx, d.Prepare(s), nil, func(ctx context.Context) (adminapi.Outcome, error) {
		return s.Client.Health.Delete(ctx, d.IDs...)
	})
	return s.find(ctx, one.record, s.lookForReports(d.IDs), result, lost)
}

// lookForReports looks for a deletion: done where the site has none of the reports any more.
func (s Site) lookForReports(ids []string) look {
	return func(ctx context.Context, _ bool) (Resolution, error) {
		all, err := s.Reports().All(ctx)
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
