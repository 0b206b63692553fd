package operation

import (
	"context"

	"geodeck/adminapi"
)

// AllReports reads every page of the list, newest first by start time.
func (s Site) AllReports(ctx context.Context) ([]adminapi.ReportSummary, error) {
	panic("contract only")
}

// EarlierReport reads the newest report before r that holds the same suites,
// nil where there is none.
func (s Site) EarlierReport(ctx context.Context, r adminapi.Report) (*adminapi.Report, error) {
	panic("contract only")
}
