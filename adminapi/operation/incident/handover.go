package incident

import (
	"cmp"
	"context"
	"slices"

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
	return [][2]string{{"Site", where}, {"Version", cmp.Or(plain.Line(version), "not known")}, exported(s), {"Exported by", who}}
}

func exported(s operation.Site) [2]string {
	return [2]string{"Exported", s.Clock.Now().UTC().Format("2006-01-02 15:04:05 UTC")}
}

// Handed is a report that is handed on, and what is known around it.
type Handed struct {
	Report   adminapi.Report
	Before   *adminapi.Report  // that it is compared with; nil: the last good one, or else the one before
	Good     bool              // that is known to be the last good one
	Earlier  []adminapi.Report // for trends
	File     string            // that it was read from; empty for one of the site
	SiteName string            // in config.yaml; may be empty
	Version  string            // of the site, as it was last seen; may be empty
	Unread   error             // why the site is not read now; nil: it is
}

// maxAdvised bounds the tests for which it is said what to do.
const maxAdvised = 40

// HandOver gathers what goes with a report: the site, who exports it, what changed since the last good
// one, and what to do about each test that did not pass. What cannot be read is said to be not known.
func HandOver(ctx context.Context, s operation.Site, of Handed) health.Handover {
	h := health.Handover{Before: of.Before, Earlier: of.Earlier, Next: map[*adminapi.TestResult]health.Advice{}}
	switch {
	case of.Good:
		h.Title, h.Note = lastGood, health.GoodWords(*of.Before)
	case of.Before != nil:
		h.Title = "Compared with another report"
	}
	worst := slices.DeleteFunc(health.WorstFirst(of.Report), func(e health.Entry) bool {
		return e.Verdict.Good() || e.Verdict == health.Running
	})
	f := explain.HealthFacts{Report: of.Report, Worst: worst}
	var later *health.Results
	switch {
	case of.File != "":
		h.Facts = [][2]string{{"Site", "not known: the report was read from " + plain.Line(of.File)}, exported(s), {"Exported by", journal.Account()}}
	case of.Unread != nil:
		h.Facts = Origin(s, of.SiteName, of.Version)
		if h.Before == nil {
			h.Title, h.Note = lastGood, "not known: "+of.Unread.Error()
		}
	default:
		var parts parallel.Group
		parts.Go(func() { f.Site = siteFacts(ctx, s, Surroundings{}) })
		parts.Go(func() { later = readAround(ctx, s.Reports(), of.Report, &h) })
		if len(worst) > 0 && !s.Line.Slow() {
			parts.Go(func() {
				f.Pods = allPods(ctx, s, func(d adminapi.Deployment) bool {
					return slices.ContainsFunc(worst, func(e health.Entry) bool { return explain.RunsIn(e.Test.Name, d.Name) })
				})
			})
		}
		parts.Wait()
		h.Facts = Origin(s, of.SiteName, f.Site.Version)
	}
	for _, e := range worst[:min(len(worst), maxAdvised)] {
		f.Entry, f.Later = e, later.Point(health.TestKey{SuiteID: e.Suite.ID, Name: e.Test.Name})
		x := explain.HealthTest(f)
		h.Next[e.Test] = health.Advice{Text: x.Whole(e.Test.Name), Kubectl: x.Kubectl}
	}
	return h
}

const lastGood = "Since the last good report"

// readAround reads the report that r is compared with, unless another one is asked for, and returns the
// newest one after it; nil where that is not known.
func readAround(ctx context.Context, s reporting.Reader, r adminapi.Report, h *health.Handover) *health.Results {
	all, err := s.All(ctx)
	if h.Before == nil {
		h.Title = lastGood
		if err == nil {
			h.Before, err = s.LastGood(ctx, all, r)
		}
		switch {
		case err != nil:
		case h.Before != nil:
			h.Note = health.GoodWords(*h.Before)
		default:
			h.Title, h.Note = "Since the report before", "no earlier one of the same suites is good"
			h.Before, err = s.Earlier(ctx, r)
		}
		if err != nil {
			h.Note = "not known: " + err.Error()
		}
	}
	newest, _ := s.First(ctx, all, func(other adminapi.ReportSummary) bool { // without it nothing has passed since
		return other.StartTime > r.StartTime && !other.EndTime.IsZero()
	}, nil)
	if newest == nil {
		return nil
	}
	return health.ResultsOf(*newest)
}
