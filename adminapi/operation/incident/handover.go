package incident

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// Origin says where what is handed on comes from, when, and from whom: names and values. name is the
// site's in config.yaml, version the one that is installed; both may be empty.
func Origin(s operation.Site, name, version string) [][2]string {
	where := plain.Line(s.Client.Base().Redacted())
	if name != "" {
		where = plain.Line(name) + ", " + where
	}
	who := journal.Account()
	if user := s.Client.Session.User(); user != "" {
		who = plain.Line(user) + " of the site, " + who
	}
	return [][2]string{{"Site", where}, {"Version", cmp.Or(plain.Line(version), "not known")}, exported(s.ServerNow(), who)}
}

func exported(at time.Time, who string) [2]string {
	return [2]string{"Exported", at.UTC().Format("2006-01-02 15:04:05 UTC") + " by " + who}
}

// Handed is a report that is handed on, and what is known around it.
type Handed struct {
	Report   adminapi.Report
	Before   *adminapi.Report  // that it is compared with; nil: the last good one
	Since    string            // what that is to it
	Earlier  []*health.Results // for trends
	File     string            // that it was read from; empty for one of the site
	SiteName string            // in config.yaml; may be empty
}

// LastGood is what a report is compared with where nobody names another one.
const LastGood = "the last good report"

// Baseline is what a report is to another that a judgement compares with it.
const Baseline = "the baseline"

// maxAdvised bounds the tests for which it is said what to do.
const maxAdvised = 40

// HandOver gathers what goes with a report: the site, who exports it, what changed since the last good
// one, and what to do about each test that did not pass. What cannot be read is said to be not known.
func HandOver(ctx context.Context, s operation.Site, of Handed) health.Handover {
	h := health.Handover{Since: of.Since, Before: of.Before, Earlier: of.Earlier, Next: map[*adminapi.TestResult]health.Advice{}}
	if of.Before != nil && of.Since != Baseline {
		h.Title = "Health comparison"
	}
	worst := slices.DeleteFunc(health.WorstFirst(of.Report), func(e health.Entry) bool {
		return e.Verdict.Good() || e.Verdict == health.Running
	})
	f := explain.HealthFacts{Report: of.Report, Worst: worst}
	var later *health.Results
	if of.File != "" {
		h.Facts = [][2]string{{"Site", "not known: the report was read from " + plain.Line(of.File)}, exported(s.Clock.Now(), journal.Account())}
	} else {
		var parts parallel.Group
		if s.Client.Session.User() == "" { // a token does not tell whose it is
			parts.Go(func() { _, _ = s.Client.Session.Self(ctx) })
		}
		parts.Go(func() { f.Site = siteFacts(ctx, s, Surroundings{}) })
		parts.Go(func() { later = readAround(ctx, s.Reports(), of.Report, &h) })
		parts.Go(func() {
			f.Pods = allPods(ctx, s, func(d adminapi.Deployment) bool {
				return slices.ContainsFunc(worst, func(e health.Entry) bool { return explain.RunsIn(e.Test.Name, d.Name) })
			})
		})
		parts.Wait()
		h.Facts = Origin(s, of.SiteName, f.Site.Version)
	}
	for _, e := range worst[:min(len(worst), maxAdvised)] {
		f.Entry, f.Later = e, later.Point(e.Key())
		x := explain.HealthTest(f)
		h.Next[e.Test] = health.Advice{Text: strings.Join(append([]string{x.Whole(e.Test.Name)}, x.Then...), " "), Kubectl: x.Kubectl}
	}
	return h
}

// readAround reads the last good report before r, unless it is compared with another one, and returns
// the newest one after it; nil where that is not known.
func readAround(ctx context.Context, s reporting.Reader, r adminapi.Report, h *health.Handover) *health.Results {
	all, err := s.All(ctx)
	if h.Before == nil {
		h.Since = LastGood
		if err == nil {
			h.Before, err = s.LastGood(ctx, all, r)
		}
		if h.Why = "none of the same suites is before it"; err != nil {
			h.Why = "not known: " + err.Error()
		}
	}
	newest, _ := s.After(ctx, all, r, nil) // without it nothing has passed since
	if newest == nil {
		return nil
	}
	return health.ResultsOf(*newest)
}
