package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
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

// FindDeleted looks for 30 s for the outcome of a deletion whose answer was lost, which sendErr
// tells: done where the site has none of the reports any more; refused, with a [*RefusedError],
// where it has all of them and answered with an error; else unknown.
func (s Site) FindDeleted(ctx context.Context, ids []string, sendErr error) (adminapi.Outcome, error) {
	until := s.Clock.Now().Add(searchTime)
	left, err := Wait(ctx, s.Clock, pollFunc[int](func(ctx context.Context) (Step[int], error) {
		all, err := s.AllReports(ctx)
		over := !s.Clock.Now().Before(until)
		if err != nil && (over || !adminapi.IsTransient(err)) {
			return Step[int]{}, err
		}
		left := 0
		for _, r := range all {
			if slices.Contains(ids, r.ID) {
				left++
			}
		}
		return Step[int]{Value: left, Wait: s.Line.Pause(searchPause), Unreachable: err, Done: err == nil && left == 0 || over}, nil
	}), nil)
	switch {
	case err != nil:
		return adminapi.OutcomeUnknown, fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	case left == 0:
		return adminapi.OutcomeDone, nil
	case left == len(ids) && Answered(sendErr):
		return adminapi.OutcomeRefused, &RefusedError{sendErr}
	}
	return adminapi.OutcomeUnknown, fmt.Errorf("%w: the site still has %d of %s", ErrOutcomeUnknown, left, plain.Plural(len(ids), "report"))
}
