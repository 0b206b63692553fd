package health

import (
	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// FailOn is which results make a report count as failed.
type FailOn string

// A report fails by any test that did not pass, by those that failed or are not known, only by critical
// ones, or by any that is new as [Baseline] tells it.
const (
	FailOnAny      FailOn = "any"
	FailOnFailed   FailOn = "failed"
	FailOnCritical FailOn = "critical"
	FailOnNew      FailOn = "new"
)

// DefaultFailOn is what files of a report are written by: a warning is no failure there.
const DefaultFailOn = FailOnFailed

// Standard is what decides whether a report counts as failed.
type Standard struct {
	On      FailOn           // empty for [DefaultFailOn]
	OnlyNew bool             // what is known by the baseline does not count; always with FailOnNew
	Against *adminapi.Report // the baseline; nil: for each test, the last report in which it did better
	Missing string           // why there is no report to compare with: all is new then
}

// Compares reports whether the standard needs a baseline.
func (s Standard) Compares() bool { return s.OnlyNew || s.On == FailOnNew }

// Judgement is whether a report counts as failed, and each of its tests. Exit codes and files follow it.
type Judgement struct {
	Failed bool
	Why    string   // in a sentence; empty where it does not fail
	Good   string   // why a report that did not pass does not fail; else empty
	New    []string // why each new failure is one, where there is a baseline
	Known  []string // failures that are not new, and since when
	By     string   // the standard, in words

	tests map[*adminapi.TestResult]ruling
}

// ruling is what is said of a test that did not pass.
type ruling struct {
	counts bool
	why    string // it counts as new, or why it does not count; may be empty
}

// Counts reports whether a test of the report counts as failed.
func (j Judgement) Counts(t *adminapi.TestResult) bool { return j.tests[t].counts }

// Of says why a test of the report is new, or why it does not count; empty for none.
func (j Judgement) Of(t *adminapi.TestResult) string { return j.tests[t].why }

// Words says how the report was judged, and by what; empty where it passed.
func (j Judgement) Words() string {
	switch {
	case j.Failed:
		return "failed: " + j.Why + " (" + j.By + ")"
	case j.Good != "":
		return "good: " + j.Good + " (" + j.By + ")"
	}
	return ""
}

// JudgeReport judges a report. earlier is its baseline, nil for none: then FailOnNew takes every failure
// for new. Skipped tests are not failures.
//
// A report that has not ended, one without tests, and one that says failed although no test did, fail
// with every FailOn; with FailOnFailed also one in which tests only warned. A value of on that is none of
// them is like any; an empty one is the default.
func JudgeReport(r adminapi.Report, earlier *Baseline, on FailOn) Judgement {
	if on == "" {
		on = DefaultFailOn
	}
	verdict := Overall(r)
	j := Judgement{By: "--fail-on " + string(on), tests: map[*adminapi.TestResult]ruling{}}
	if earlier != nil {
		j.By += ", baseline " + earlier.name
	}
	var counted []Entry
	all, explained := 0, false
	for e := range All(r) {
		if e.Verdict.Good() {
			continue
		}
		of := ruling{counts: true}
		switch {
		case on == FailOnCritical && !e.critical():
			of = ruling{why: "it is not critical, so it does not count"}
		case on == FailOnFailed && e.Verdict == Warning:
			of = ruling{why: "a warning does not count"}
		case earlier == nil:
		case earlier.past[all].IsNew():
			of.why = earlier.past[all].Words()
			j.New = append(j.New, of.why)
		default:
			known := earlier.past[all].Words()
			of = ruling{why: "it does not count as it is known: " + known}
			j.Known = append(j.Known, known)
		}
		if of.counts {
			counted = append(counted, e)
		}
		j.tests[e.Test] = of
		explained = explained || e.Verdict.Bad()
		all++
	}
	j.New, j.Known = firstLines(j.New), firstLines(j.Known)
	running := verdict == Running
	switch {
	case len(counted) > 0:
		j.Failed, j.Why = true, reason(counted, on, earlier != nil)
	case verdict != Passed && (all == 0 || running || on == FailOnFailed && verdict.Bad() && !explained):
		j.Failed, j.Why = true, reportReason(r, verdict)
	case verdict != Passed:
		j.Good = whyGood(on, len(j.Known))
	}
	return j
}

// whyGood says why a report counts as good that did not pass.
func whyGood(on FailOn, known int) string {
	switch {
	case known > 0:
		return "no failure is new"
	case on == FailOnCritical:
		return "every critical test passed or was skipped"
	}
	return "no test failed, and warnings do not count"
}

// maxJudged is how many tests a judgement names of a kind.
const maxJudged = 20

func firstLines(lines []string) []string {
	if more := len(lines) - maxJudged; more > 0 {
		return append(lines[:maxJudged:maxJudged], "and "+plain.Plural(more, "more test"))
	}
	return lines
}

// maxReasonNames is how many tests a reason names.
const maxReasonNames = 3

func reason(tests []Entry, on FailOn, onlyNew bool) string {
	what := "test"
	if on == FailOnCritical {
		what = "critical test"
	}
	text := plain.Plural(len(tests), what) + " did not pass"
	switch {
	case on == FailOnNew, onlyNew && on != FailOnCritical:
		text = plain.Plural(len(tests), "new failure")
	case onlyNew:
		text = plain.Plural(len(tests), "new failure") + " of critical tests"
	}
	return text + ": " + plain.Listed(lists.Each(tests, named), maxReasonNames, ", ", " and ")
}

// named returns the name of a test and how it ended.
func named(e Entry) string { return nameOf(e.Test.Name, e.Test.ID) + " (" + e.Verdict.String() + ")" }

func reportReason(r adminapi.Report, verdict Verdict) string {
	switch {
	case verdict == Running:
		return "the report has not ended"
	case CountReport(r).Total() == 0:
		return "the report has no tests; the site says " + word(r.Result)
	}
	return "the report as a whole is " + verdict.String() + "; the site says " + word(r.Result)
}
