package health

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// BaselineDays is how many days before a report the earlier ones reach that it is compared with.
const BaselineDays = 30

// Baseline tells which tests that did not pass in a report are new failures. The reports before
// it are added one by one, the newest first, whoever made them.
//
// A test is new as long as it did better in one of them, whatever was reported in between: a
// failure that stays goes on being new until it passes, or the days are over. A test that did
// better in none is new once. What is not known hides nothing: where a test may have passed in a
// report that cannot be read or contradicts itself, it is new.
type Baseline struct {
	report adminapi.Report
	name   string // what it is, in words
	one    bool   // the only report that counts was named, whenever it was made
	began  adminapi.Millis
	past   []Past
}

// Past is what earlier reports tell of a test that did not pass. Each text is empty for none.
type Past struct {
	Entry
	Better string // how it did in the newest report in which it did better
	Before string // the oldest report that had ended before and in which it did no better
	Doubt  string // where it may have passed since Better, and why that is not known
	absent string // said where none has it
}

// BaselineOf returns the baseline of a report before earlier ones are added. now is the time of
// the site, for a report without times.
func BaselineOf(r adminapi.Report, now adminapi.Millis) *Baseline {
	b := newBaseline(r, "passed", fmt.Sprintf("is in no report of the last %d days", BaselineDays))
	b.began = cmp.Or(r.StartTime, r.EndTime, now)
	return b
}

func newBaseline(r adminapi.Report, name, absent string) *Baseline {
	b := &Baseline{report: r, name: name}
	for e := range All(r) {
		if !e.Verdict.Good() {
			b.past = append(b.past, Past{Entry: e, absent: absent})
		}
	}
	return b
}

// BaselineIn returns the baseline of a report that is one other report, whenever that was made.
func BaselineIn(r, other adminapi.Report) *Baseline {
	title := reportTitle(other.Name, other.ID, other.StartTime)
	b := newBaseline(r, title, "is not in the baseline, "+title)
	b.one = true
	b.Add(other)
	return b
}

// NoBaseline returns the baseline of a report where there is none to compare with: all is new.
func NoBaseline(r adminapi.Report, why string) *Baseline {
	return newBaseline(r, "none", "counts: "+why)
}

// Past returns the tests that did not pass, in the order of the report.
func (b *Baseline) Past() []Past { return b.past }

// Complete reports whether no older report would tell more.
func (b *Baseline) Complete() bool {
	return !slices.ContainsFunc(b.past, func(p Past) bool { return p.Better == "" })
}

// Within returns the reports of a site that count, in their order: those that have ended, at
// most [BaselineDays] before this one began.
func (b *Baseline) Within(all []adminapi.ReportSummary) []adminapi.ReportSummary {
	oldest := b.began - adminapi.Millis(BaselineDays*24*time.Hour/time.Millisecond)
	var within []adminapi.ReportSummary
	for _, s := range all {
		if s.ID != b.report.ID && !s.EndTime.IsZero() && s.EndTime >= oldest && JudgeWhole(s.Result, s.State) != Running {
			within = append(within, s)
		}
	}
	return within
}

// Add adds the next older report.
func (b *Baseline) Add(earlier adminapi.Report) {
	title, before, contradiction := reportTitle(earlier.Name, earlier.ID, earlier.StartTime), index(earlier), contradictions(earlier)
	i := 0
	for e := range All(b.report) {
		old, found := before.take(identityOf(e))
		if e.Verdict.Good() {
			continue
		}
		p := &b.past[i]
		if i++; p.Better != "" {
			continue
		}
		better := found && e.Verdict.Weight() < old.Verdict.Weight()
		switch text := contradiction(e); {
		case better && betterWords[old.Verdict] != "":
			p.Better = betterWords[old.Verdict] + " last on " + title
			continue
		case better:
			p.doubt("in the report of " + title + ", where it is " + old.Verdict.String())
		case text != "":
			p.doubt("in the report of " + title + ", which contradicts itself: " + text)
		}
		if found && (b.one || earlier.EndTime <= b.began) { // one that ran beside it was not before
			p.Before = title
		}
	}
}

// betterWords say how a test did better, where that is known.
var betterWords = map[Verdict]string{Passed: "passed", Skipped: "was skipped", Warning: "had only a warning"}

// Unread says that the next older report cannot be read.
func (b *Baseline) Unread(s adminapi.ReportSummary, err error) {
	b.Doubt("in the report of " + reportTitle(s.Name, s.ID, s.StartTime) + ": " + err.Error())
}

// Doubt says where tests may have passed that did better in no report so far, and why that is
// not known.
func (b *Baseline) Doubt(text string) {
	for i := range b.past {
		if p := &b.past[i]; p.Better == "" {
			p.doubt(text)
		}
	}
}

// doubt keeps the first reason, which is about the newest report.
func (p *Past) doubt(text string) { p.Doubt = cmp.Or(p.Doubt, plain.Line(text)) }

// IsNew reports whether the test is a new failure.
func (p Past) IsNew() bool { return p.Better != "" || p.Before == "" || p.Doubt != "" }

// Words says why the test is new, or since when its failure is known.
func (p Past) Words() string {
	name := nameOf(p.Test.Name, p.Test.ID)
	switch {
	case p.Better != "" && p.Doubt != "":
		return name + " " + p.Better + ", and may have passed " + p.Doubt
	case p.Better != "":
		return name + " " + p.Better
	case p.Doubt != "":
		return name + " may have passed " + p.Doubt
	case p.Before == "":
		return name + " " + p.absent
	}
	return named(p.Entry) + ", since " + p.Before + " or longer"
}

// contradictions returns what tells for a test how a report contradicts itself about it, its suite
// or as a whole; nothing where the report has other suites.
func contradictions(r adminapi.Report) func(Entry) string {
	first, suites := map[string]string{}, map[string]string{} // texts by path, paths by suite
	for _, f := range Check(r) {
		first[f.At.Name] = cmp.Or(first[f.At.Name], f.Text)
	}
	for i := range r.Suites {
		suites[cmp.Or(r.Suites[i].ID, r.Suites[i].Name)] = nameOf(r.Suites[i].Name, r.Suites[i].ID)
	}
	return func(e Entry) string {
		suite, held := suites[identityOf(e).suite]
		if !held && len(suites) > 0 {
			return ""
		}
		return cmp.Or(first[""], first[suite], first[suite+" / "+nameOf(e.Test.Name, e.Test.ID)])
	}
}

// reportTitle says when a report began, and its name.
func reportTitle(name, id string, began adminapi.Millis) string {
	return cmp.Or(readable(began), "an unknown time") + " (" + plain.Clip(nameOf(name, id), 60) + ")"
}
