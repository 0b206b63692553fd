package reporting

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// Judgement is whether a report counts as failed.
type Judgement struct {
	Failed bool
	Why    string   // in a sentence; empty where it does not
	New    []string // why each new failure is one; only with [health.FailOnNew]
	Known  []string // failures that are not new, and since when
}

// Judge judges a report that has ended. With [health.FailOnNew] it fetches the earlier
// reports that tell what is new; those that cannot be fetched hide no failure. The error is that
// of a cancelled context.
func (s Reader) Judge(ctx context.Context, r adminapi.Report, on health.FailOn) (Judgement, error) {
	var (
		judged   Judgement
		baseline *health.Baseline
	)
	if on == health.FailOnNew {
		var err error
		if baseline, err = s.baseline(ctx, r); err != nil {
			return judged, err
		}
		for _, p := range baseline.Past() {
			if p.IsNew() {
				judged.New = append(judged.New, p.Words())
			} else {
				judged.Known = append(judged.Known, p.Words())
			}
		}
		judged.New, judged.Known = firstLines(judged.New), firstLines(judged.Known)
	}
	judged.Failed, judged.Why = health.Fails(r, baseline, on)
	return judged, nil
}

// maxJudged is how many tests a judgement names of a kind.
const maxJudged = 20

func firstLines(lines []string) []string {
	if more := len(lines) - maxJudged; more > 0 {
		return append(lines[:maxJudged:maxJudged], "and "+plain.Plural(more, "more test"))
	}
	return lines
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
