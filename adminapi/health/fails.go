package health

import (
	"fmt"
	"strings"

	"geodeck/adminapi"
)

// FailOn says which result of a run counts as failed.
type FailOn string

// What counts as failed: any test that did not pass, critical ones only, or
// only those that an earlier report does not show failing as badly already.
const (
	FailOnAny      FailOn = "any"
	FailOnCritical FailOn = "critical"
	FailOnNew      FailOn = "new"
)

// Fails tells whether the report counts as failed and says why in a sentence
// (empty where it does not). earlier is the newest earlier report of the same
// suites, nil where there is none; only FailOnNew asks for it, and without one
// every failure is new. Skipped tests are no failures.
//
// A report that did not pass never counts as success in silence: one that has
// not ended, one without tests, and one whose own word no test explains fail
// whatever is asked. A value of on that is none of the three counts as any.
func Fails(r adminapi.Report, earlier *adminapi.Report, on FailOn) (failed bool, why string) {
	verdict := Overall(r)
	var all, counted []Entry
	before := index(adminapi.Report{})
	if earlier != nil {
		before = index(*earlier)
	}
	for e := range All(r) {
		old, _ := before.take(identityOf(e))
		if e.Verdict.Good() {
			continue
		}
		all = append(all, e)
		if counts(old, e, on) {
			counted = append(counted, e)
		}
	}
	switch {
	case len(counted) > 0:
		return true, reason(counted, earlier != nil, on)
	case verdict != Passed && (len(all) == 0 || JudgeState(r.Result, r.State) == Running):
		return true, wholeReason(r, verdict)
	}
	return false, ""
}

// counts tells whether a test that did not pass is one that was asked for. old
// is the same test in the earlier report; without a test it was not there.
func counts(old, now Entry, on FailOn) bool {
	switch on {
	case FailOnCritical:
		return now.Critical()
	case FailOnNew:
		return old.Test == nil || old.Verdict.Good() || now.Verdict.Weight() < old.Verdict.Weight()
	}
	return true
}

// reasonNames bounds the tests that a reason names.
const reasonNames = 3

func reason(tests []Entry, compared bool, on FailOn) string {
	noun := "test"
	if on == FailOnCritical {
		noun = "critical test"
	}
	text := numbered(len(tests), noun) + " did not pass"
	if on == FailOnNew && compared {
		text = numbered(len(tests), noun) + " got worse since the earlier report"
	}
	var names []string
	for _, e := range tests[:min(len(tests), reasonNames)] {
		names = append(names, nameOf(e.Test.Name, e.Test.ID)+" ("+e.Verdict.String()+")")
	}
	text += ": " + strings.Join(names, ", ")
	if more := len(tests) - reasonNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func wholeReason(r adminapi.Report, verdict Verdict) string {
	switch {
	case JudgeState(r.Result, r.State) == Running:
		return "the report has not ended"
	case CountReport(r).Total() == 0:
		return "the report holds no test; the server says " + word(r.Result)
	}
	return "the report as a whole is " + verdict.String() + "; the server says " + word(r.Result)
}
