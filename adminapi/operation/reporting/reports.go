// Package reporting reads health reports of a site: whole lists, the one before, those around an upgrade, and
// what tells whether one counts as failed. See [Reader].
package reporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// Reader reads health reports of a site, beyond what one request returns.
type Reader struct {
	Client *adminapi.Client
	Clock  adminapi.Clock
}

const (
	// pageSize is the default of the platform.
	pageSize = 1000
	// maxPages bounds a list whose end the server never reports.
	maxPages = 1000
	// maxEarlier bounds the search for a report of the same suites.
	maxEarlier = 50
)

// What a site may not offer though it runs health checks.
const (
	SuitesOfSite = "its suites"
	ListOfSite   = "its list of reports"
)

// NotOfferedError says that a site does not offer [SuitesOfSite] or [ListOfSite], or not to this user.
// Suites and reports can be named by their ids.
type NotOfferedError struct {
	What string
	Err  error // the answer of the site
}

// Error says what is not offered; of a privilege that is missing, which.
func (e *NotOfferedError) Error() string {
	text := "this site does not offer " + e.What
	if errors.Is(e.Err, adminapi.KindPrivilege) {
		text += " to you: " + e.Err.Error()
	}
	return text
}

// Unwrap returns the answer of the site.
func (e *NotOfferedError) Unwrap() error { return e.Err }

// offered makes a [*NotOfferedError] of an answer that is one.
func offered(what string, err error) error {
	if adminapi.IsNotOffered(err) {
		return &NotOfferedError{what, err}
	}
	return err
}

// Suites fetches the suites of the site. Where it does not offer them the error is a [*NotOfferedError].
func (s Reader) Suites(ctx context.Context) ([]adminapi.Suite, error) {
	suites, err := s.Client.Health.Suites(ctx)
	return suites, offered(SuitesOfSite, err)
}

// Page fetches one page of the list. Where the site does not offer it the error is a [*NotOfferedError].
func (s Reader) Page(ctx context.Context, q adminapi.ReportQuery) (adminapi.ReportPage, error) {
	page, err := s.Client.Health.Reports(ctx, q)
	return page, offered(ListOfSite, err)
}

// All fetches every page of the list, newest first by start time.
func (s Reader) All(ctx context.Context) ([]adminapi.ReportSummary, error) {
	var all []adminapi.ReportSummary
	query := adminapi.ReportQuery{Start: 1, Num: pageSize}
	for range maxPages {
		page, err := s.Page(ctx, query)
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

// NewestFirst sorts reports by their start, newest first; equal ones keep the order of the
// server.
func NewestFirst(reports []adminapi.ReportSummary) {
	slices.SortStableFunc(reports, func(a, b adminapi.ReportSummary) int {
		return cmp.Compare(b.StartTime, a.StartTime)
	})
}

// Newest fetches the newest report that has ended, nil where there is none.
func (s Reader) Newest(ctx context.Context) (*adminapi.Report, error) {
	all, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	ended := func(r adminapi.ReportSummary) bool { return health.JudgeWhole(r.Result, r.State) != health.Running }
	return s.First(ctx, all, ended, nil)
}

// First fetches the first report that is wanted, of the listed ones that fit: nil where none of the
// first fifty is. With wanted nil, the first that fits is.
func (s Reader) First(
	ctx context.Context, all []adminapi.ReportSummary, fits func(adminapi.ReportSummary) bool, wanted func(adminapi.Report) bool,
) (*adminapi.Report, error) {
	looked := 0
	for _, summary := range all {
		if !fits(summary) {
			continue
		}
		if looked++; looked > maxEarlier {
			break
		}
		report, err := s.Client.Health.Report(ctx, summary.ID)
		if err != nil {
			return nil, err
		}
		if wanted == nil || wanted(report) {
			return &report, nil
		}
	}
	return nil, nil
}

// Earlier fetches the newest report before r of the same suites, nil where the fifty
// before it have none.
func (s Reader) Earlier(ctx context.Context, r adminapi.Report) (*adminapi.Report, error) {
	all, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	return s.First(ctx, all, func(summary adminapi.ReportSummary) bool {
		return summary.ID != r.ID && (r.StartTime.IsZero() || summary.StartTime < r.StartTime)
	}, func(earlier adminapi.Report) bool { return health.SameSuites(earlier, r) })
}

// Called fetches the newest report whose name begins with a text, nil where the site has none. Unless of is
// nil, it began before that one.
func (s Reader) Called(ctx context.Context, prefix string, of *adminapi.Report) (*adminapi.Report, error) {
	all, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	return s.First(ctx, all, func(other adminapi.ReportSummary) bool {
		return strings.HasPrefix(other.Name, prefix) && !other.EndTime.IsZero() && health.JudgeWhole(other.Result, other.State) != health.Running &&
			(of == nil || other.ID != of.ID && (of.StartTime.IsZero() || other.StartTime < of.StartTime))
	}, nil)
}

// LastGood fetches the newest report before r of the same suites in which no test failed, whatever it
// warned of; nil where the first fifty listed that may be it are not.
func (s Reader) LastGood(ctx context.Context, all []adminapi.ReportSummary, r adminapi.Report) (*adminapi.Report, error) {
	good := func(v health.Verdict) bool { return v == health.Passed || v == health.Warning }
	return s.First(ctx, all, func(other adminapi.ReportSummary) bool {
		return other.StartTime < r.StartTime && good(health.JudgeWhole(other.Result, other.State))
	}, func(earlier adminapi.Report) bool {
		return health.SameSuites(earlier, r) && good(health.Overall(earlier))
	})
}

// After fetches the newest report after r that has ended and is wanted, of those listed, as [Reader.First]
// does.
func (s Reader) After(ctx context.Context, all []adminapi.ReportSummary, r adminapi.Report, wanted func(adminapi.Report) bool) (*adminapi.Report, error) {
	return s.First(ctx, all, func(other adminapi.ReportSummary) bool {
		return other.StartTime > r.StartTime && !other.EndTime.IsZero()
	}, wanted)
}

// TrendDepth is how many earlier reports the trend of a test is made of.
const TrendDepth = 8

// Before fetches the newest finished reports before r, at most [TrendDepth], newest first.
// With an error it returns those that were fetched before it.
func (s Reader) Before(ctx context.Context, r adminapi.Report) ([]adminapi.Report, error) {
	var before []adminapi.Report
	all, err := s.All(ctx)
	for _, summary := range all {
		if summary.ID == r.ID || summary.StartTime >= r.StartTime || summary.EndTime.IsZero() {
			continue
		}
		if len(before) == TrendDepth {
			break
		}
		report, err := s.Client.Health.Report(ctx, summary.ID)
		if err != nil {
			return before, err
		}
		before = append(before, report)
	}
	return before, err
}

// Around is the health of a site before and after an upgrade run: the newest report
// that ended before it changed the site, and the first of the same suites that began after
// its end.
type Around struct {
	Before, After *adminapi.Report   // nil where there is none
	Comparison    *health.Comparison // nil unless there are both
}

// Around fetches the reports around a run, whose times are by the server's clock; ended
// is zero while it runs. The platform checks its health after the run has begun and before it
// changes anything, see [progress.Progress.ChangesFrom]. Times are compared by the second: the platform writes those of
// reports and of messages with different clocks.
func (s Reader) Around(ctx context.Context, changes, ended adminapi.Millis) (Around, error) {
	var around Around
	reports, err := s.All(ctx)
	if err != nil {
		return around, err
	}
	around.Before, err = s.First(ctx, reports, func(r adminapi.ReportSummary) bool {
		return !r.EndTime.IsZero() && r.EndTime/1000 <= changes/1000
	}, nil)
	if err != nil || ended.IsZero() {
		return around, err
	}
	slices.Reverse(reports) // the earliest first
	around.After, err = s.First(ctx, reports, func(r adminapi.ReportSummary) bool {
		return r.StartTime/1000 >= ended/1000 && !r.EndTime.IsZero()
	}, func(r adminapi.Report) bool { return around.Before == nil || health.SameSuites(*around.Before, r) })
	if err != nil {
		return around, err
	}
	if around.Before != nil && around.After != nil {
		comparison := health.Compare(*around.Before, *around.After)
		around.Comparison = &comparison
	}
	return around, nil
}

// UnknownError says which reports are to be deleted that the site does not have.
// Nothing was sent. Exit code 2.
type UnknownError struct{ IDs []string }

// Error names them.
func (e *UnknownError) Error() string {
	return "the site has no report " + plain.Line(strings.Join(e.IDs, ", ")) + "; nothing was sent"
}

// Named fetches the reports with these ids, each once, in the order in which they are
// named: what a person confirms before they are deleted. One that the site does not have is an
// [*UnknownError].
func (s Reader) Named(ctx context.Context, ids []string) ([]adminapi.ReportSummary, error) {
	all, err := s.All(ctx)
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
		return nil, &UnknownError{unknown}
	}
	return found, nil
}

// Judge judges a report that has ended. Where no baseline is named it fetches the earlier reports that
// tell what is new; those that cannot be fetched hide no failure. The error is that of a cancelled
// context.
func (s Reader) Judge(ctx context.Context, r adminapi.Report, by health.Standard) (health.Judgement, error) {
	var (
		baseline *health.Baseline
		err      error
	)
	switch {
	case !by.Compares():
	case by.Against != nil:
		baseline = health.BaselineIn(r, *by.Against)
	case by.Missing != "":
		baseline = health.NoBaseline(r, by.Missing)
	default:
		if baseline, err = s.baseline(ctx, r); err != nil {
			return health.Judgement{}, err
		}
	}
	return health.JudgeReport(r, baseline, by.On), nil
}

// maxBaseline bounds the reports that are fetched for a baseline: three a day, and some more.
const maxBaseline = 100

// baseline fetches earlier reports, the newest first, until each test that did not pass in r is
// found to have done better: none where all have passed, one on most days.
func (s Reader) baseline(ctx context.Context, r adminapi.Report) (*health.Baseline, error) {
	ahead, _ := s.Client.ServerTime()
	b := health.BaselineOf(r, adminapi.MillisOf(s.Clock.Now().Add(ahead)))
	if b.Complete() {
		return b, nil
	}
	all, err := s.All(ctx)
	if err != nil {
		b.Doubt("before: " + err.Error())
	}
	within := b.Within(all)
	last := min(len(within), maxBaseline)
	for from, to := 0, min(1, last); from < last && !b.Complete(); from, to = to, min(to+parallel.MaxRequests, last) {
		if err = s.add(ctx, b, within[from:to]); err != nil {
			break
		}
	}
	if err == nil && last < len(within) {
		b.Doubt(fmt.Sprintf("before: of the %d reports of %d days only the newest %d were read", len(within), health.BaselineDays, last))
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	return b, nil
}

// add fetches reports and adds them to a baseline. An error is one that the next fetch
// would meet as well.
func (s Reader) add(ctx context.Context, b *health.Baseline, summaries []adminapi.ReportSummary) error {
	reports, errs := make([]adminapi.Report, len(summaries)), make([]error, len(summaries))
	var group parallel.Group
	for i, summary := range summaries {
		group.Go(func() { reports[i], errs[i] = s.Client.Health.Report(ctx, summary.ID) })
	}
	group.Wait()
	var lasting error
	for i, err := range errs {
		if err == nil {
			b.Add(reports[i])
			continue
		}
		b.Unread(summaries[i], err)
		if !adminapi.IsAnswer(err) || errors.Is(err, adminapi.KindSignIn) {
			lasting = err
		}
	}
	return lasting
}
