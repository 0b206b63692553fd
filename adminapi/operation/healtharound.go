package operation

import (
	"context"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// HealthAround is the health of a site before and after a run: the newest report
// that ended before it began, and the first of the same suites that began after its
// end.
type HealthAround struct {
	Before, After *adminapi.Report   // nil where there is none
	Comparison    *health.Comparison // nil unless both are there
}

// HealthAround reads the reports around a run that began and ended so by the
// server's clock; ended is zero while it goes on. Times are compared by the second:
// the platform writes those of reports and of messages with different clocks.
func (s Site) HealthAround(ctx context.Context, began, ended adminapi.Millis) (HealthAround, error) {
	var around HealthAround
	reports, err := s.AllReports(ctx)
	if err != nil {
		return around, err
	}
	for _, summary := range reports { // newest first
		if !summary.EndTime.IsZero() && summary.EndTime/1000 <= began/1000 {
			report, err := s.Client.Report(ctx, summary.ID)
			if err != nil {
				return around, err
			}
			around.Before = &report
			break
		}
	}
	if ended.IsZero() {
		return around, nil
	}
	if around.After, err = s.firstAfter(ctx, reports, ended, around.Before); err != nil {
		return around, err
	}
	if around.Before != nil && around.After != nil {
		comparison := health.Compare(*around.Before, *around.After)
		around.Comparison = &comparison
	}
	return around, nil
}

// firstAfter returns the earliest finished report since a moment, of the suites of
// before where there is one.
func (s Site) firstAfter(ctx context.Context, reports []adminapi.ReportSummary, since adminapi.Millis, before *adminapi.Report) (*adminapi.Report, error) {
	looked := 0
	for i := len(reports) - 1; i >= 0 && looked < mostEarlier; i-- {
		if reports[i].StartTime/1000 < since/1000 || reports[i].EndTime.IsZero() {
			continue
		}
		looked++
		report, err := s.Client.Report(ctx, reports[i].ID)
		if err != nil {
			return nil, err
		}
		if before == nil || SameSuites(*before, report) {
			return &report, nil
		}
	}
	return nil, nil
}
