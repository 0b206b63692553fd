package operation

import (
	"cmp"
	"context"
	"slices"

	"geodeck/adminapi"
)

const (
	// pageSize is what the platform takes by default.
	pageSize = 1000
	// mostPages bounds a list whose server never says that it has ended.
	mostPages = 1000
	// mostEarlier bounds the search for a report of the same suites.
	mostEarlier = 50
)

// AllReports reads every page of the list, newest first by start time.
func (s Site) AllReports(ctx context.Context) ([]adminapi.ReportSummary, error) {
	var all []adminapi.ReportSummary
	query := adminapi.ReportQuery{Start: 1, Num: pageSize}
	for range mostPages {
		page, err := s.Client.Reports(ctx, query)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Runs...)
		if page.Last() {
			break
		}
		query.Start = page.NextStart
	}
	NewestFirst(all)
	return all, nil
}

// NewestFirst sorts reports by their start, the newest first; equal ones keep
// the server's order.
func NewestFirst(reports []adminapi.ReportSummary) {
	slices.SortStableFunc(reports, func(a, b adminapi.ReportSummary) int {
		return cmp.Compare(b.StartTime, a.StartTime)
	})
}

// EarlierReport reads the newest report before r that holds the same suites,
// nil where there is none among the fifty before it.
func (s Site) EarlierReport(ctx context.Context, r adminapi.Report) (*adminapi.Report, error) {
	all, err := s.AllReports(ctx)
	if err != nil {
		return nil, err
	}
	looked := 0
	for _, summary := range all {
		if summary.ID == r.ID || !r.StartTime.IsZero() && summary.StartTime >= r.StartTime {
			continue
		}
		if looked++; looked > mostEarlier {
			break
		}
		earlier, err := s.Client.Report(ctx, summary.ID)
		if err != nil {
			return nil, err
		}
		if SameSuites(earlier, r) {
			return &earlier, nil
		}
	}
	return nil, nil
}

// SameSuites tells whether two reports come from the same suites, in any order.
func SameSuites(a, b adminapi.Report) bool { return slices.Equal(suiteIDs(a), suiteIDs(b)) }

func suiteIDs(r adminapi.Report) []string {
	ids := make([]string, 0, len(r.Suites))
	for _, suite := range r.Suites {
		ids = append(ids, suite.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
