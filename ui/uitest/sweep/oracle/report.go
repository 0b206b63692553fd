package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Verdicts, the worst first.
var worstFirst = []string{"failed", "unknown", "warning", "running", "skipped", "passed"}

func worse(a, b string) string {
	return worstFirst[min(slices.Index(worstFirst, a), slices.Index(worstFirst, b))]
}

func good(verdict string) bool { return verdict == "passed" || verdict == "skipped" }
func bad(verdict string) bool  { return verdict == "failed" || verdict == "unknown" }

// The words of sites. A pass is the whole text, a failure or a warning may go on.
var (
	passWords = regexp.MustCompile(`^(pass|passes|passed|passing|success|successful|succeeded|ok|okay)[.!]*$`)
	skipWords = regexp.MustCompile(`^(skip|skipped|ignored|not[ _-]?run)[.!]*$`)
	failWords = regexp.MustCompile(`^(fail|fails|failed|failing|failures?|errors?|errored)($|[^a-z])`)
	warnWords = regexp.MustCompile(`^(warn|warns|warned|warnings?)($|[^a-z])`)
	goesWords = regexp.MustCompile(`^(in[_ ]?progress|running|executing|submitted|started|pending|queued)$`)
	endWords  = regexp.MustCompile(`^completed?$`)
)

func lowered(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

func wordOf(result string) string {
	switch word := lowered(result); {
	case passWords.MatchString(word):
		return "passed"
	case skipWords.MatchString(word):
		return "skipped"
	case failWords.MatchString(word):
		return "failed"
	case warnWords.MatchString(word):
		return "warning"
	}
	return "unknown"
}

// checked is a report or a job, a suite or a test of one.
type checked struct {
	ID, Name, Owner, CreatedBy, Result, State, Description, Severity string
	StartTime, EndTime                                               millis
	SuiteStatus, CriticalTestStatus, GeneralTestStatus               []checked
	raw                                                              any
	more                                                             map[string]json.RawMessage
}

// known are the members of it that have a meaning.
var known = []string{"id", "name", "owner", "createdBy", "result", "state", "description", "severity", "startTime", "endTime", "suiteStatus", "criticalTestStatus", "generalTestStatus"}

// UnmarshalJSON keeps the members that have none, too.
func (r *checked) UnmarshalJSON(text []byte) error {
	type plain checked
	err := json.Unmarshal(text, (*plain)(r))
	if err == nil {
		err = json.Unmarshal(text, &r.more)
	}
	maps.DeleteFunc(r.more, func(name string, _ json.RawMessage) bool { return slices.Contains(known, name) })
	return err
}

// verdict is a result of the site in the words of geodeck. What has not ended may still fail; a pass in a state that nobody knows
// is none.
func (r checked) verdict() string {
	state, v := lowered(r.State), wordOf(r.Result)
	switch {
	case state == "" || endWords.MatchString(state):
	case goesWords.MatchString(state):
		if result := lowered(r.Result); good(v) || result == "" || goesWords.MatchString(result) {
			return "running"
		}
	case wordOf(state) == "failed":
		if v != "warning" {
			return "failed"
		}
	case v == "passed":
		return "unknown"
	}
	return v
}

// listed is the verdict of a report by what a list of them has.
func (r checked) listed() string {
	if goesWords.MatchString(lowered(r.State)) {
		return "running"
	}
	return r.verdict()
}

// tested is a test of a report.
type tested struct {
	*checked
	suite    *checked
	severity string // by the list that has it
	is       string // its verdict
}

func (s *checked) ofSuite() (all []tested) {
	for i := range s.CriticalTestStatus {
		all = append(all, tested{&s.CriticalTestStatus[i], s, "critical", s.CriticalTestStatus[i].verdict()})
	}
	for i := range s.GeneralTestStatus {
		all = append(all, tested{&s.GeneralTestStatus[i], s, "general", s.GeneralTestStatus[i].verdict()})
	}
	return all
}

// tests are those of a report, in its order.
func (r *checked) tests() (all []tested) {
	for i := range r.SuiteStatus {
		all = append(all, r.SuiteStatus[i].ofSuite()...)
	}
	return all
}

// byWorst are the tests of a report, the worst first.
func (r *checked) byWorst() []tested {
	all := r.tests()
	slices.SortStableFunc(all, func(a, b tested) int { return slices.Index(worstFirst, a.is) - slices.Index(worstFirst, b.is) })
	return all
}

func countOf(tests []tested) map[string]int {
	count := map[string]int{}
	for _, t := range tests {
		count[t.is]++
	}
	return count
}

// whole is the worse of what a report or a suite says of itself and of its tests. It has not passed where none of them has.
func whole(own string, tests []tested) string {
	count := countOf(tests)
	if own == "passed" && count["passed"] == 0 {
		own = "unknown"
		if count["skipped"] > 0 {
			own = "skipped"
		}
	}
	for v := range count {
		if v != "skipped" {
			own = worse(own, v)
		}
	}
	return own
}

// overall is the verdict of a report: the worst of what it, its suites and its tests say.
func (r *checked) overall() string {
	if goesWords.MatchString(lowered(r.State)) {
		return "running"
	}
	v := whole(r.verdict(), r.tests())
	for i := range r.SuiteStatus {
		s := &r.SuiteStatus[i]
		own, tests := s.verdict(), s.ofSuite()
		switch {
		case own == "skipped", own == "unknown" && lowered(s.Result) == "" && len(tests) > 0:
		case len(tests) == 0:
			v = worse(v, whole(own, nil))
		default:
			v = worse(v, own)
		}
	}
	return v
}

// saysWhy are members whose text is told without their names.
var saysWhy = []string{"message", "messages", "reason", "reasons", "error", "errors", "detail", "details", "cause", "summary"}

// reasons are what a site says of a test besides what is known, first what needs no name.
func (r checked) reasons() []string {
	var bare, named []string
	for _, member := range slices.Sorted(maps.Keys(r.more)) {
		var texts []string
		if text := ""; json.Unmarshal(r.more[member], &text) == nil {
			texts = []string{text}
		} else {
			_ = json.Unmarshal(r.more[member], &texts)
		}
		for _, text := range texts {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if slices.Contains(saysWhy, strings.ToLower(member)) {
				bare = append(bare, text)
			} else {
				named = append(named, member+": "+text)
			}
		}
	}
	return append(bare, named...)
}

func (r checked) reason() string { return strings.Join(r.reasons(), "; ") }

func (r checked) called() string { return cmp.Or(r.Name, r.ID, "(no name)") }

// span is how long something took; it is not known without both times, or with an end before the start.
func (r checked) span() (took time.Duration, known bool) {
	if r.StartTime == 0 || r.EndTime == 0 || r.EndTime < r.StartTime {
		return 0, false
	}
	return time.Duration(r.EndTime-r.StartTime) * time.Millisecond, true
}

// seconds is that in an export, empty where it is not known.
func (r checked) seconds() string {
	if span, known := r.span(); known {
		return fmt.Sprintf("%.3f", span.Seconds())
	}
	return ""
}

// utc is a time in an export, empty for none.
func (m millis) utc(layout string) string {
	if m == 0 {
		return ""
	}
	return time.UnixMilli(int64(m)).UTC().Format(layout)
}

const forPeople = "2006-01-02 15:04:05 UTC"

// title says when a report began, and its name.
func (r checked) title() string {
	return cmp.Or(r.StartTime.utc(forPeople), "an unknown time") + " (" + r.called() + ")"
}

// contradiction is what does not fit in a report, and where.
type contradiction struct{ at, text string }

// contradictions are all of it. A report that has some cannot be trusted in that.
func (r *checked) contradictions() (all []contradiction) {
	at := ""
	add := func(format string, args ...any) { all = append(all, contradiction{at, fmt.Sprintf(format, args...)}) }
	says := func(what string, one *checked, tests []tested) {
		if state := lowered(one.State); state != "" && !endWords.MatchString(state) && !goesWords.MatchString(state) {
			add("the state %q is unknown", one.State)
		}
		switch word := lowered(one.Result); {
		case one.verdict() == "running":
		case word == "":
			add("%s has no result", what)
		case word != "unknown" && wordOf(word) == "unknown":
			add("the result %q is unknown", one.Result)
		}
		if one.StartTime != 0 && one.EndTime != 0 && one.EndTime < one.StartTime {
			add("%s ends before it starts", what)
		}
		count := countOf(tests)
		not, tell := len(tests)-count["passed"]-count["skipped"], one.verdict()
		switch {
		case len(tests) == 0:
		case tell == "passed" && not > 0:
			add("%s says passed, but %s did not pass", what, many(not, "test"))
		case tell == "passed" && count["passed"] == 0:
			add("%s says passed, but all tests were skipped", what)
		case tell == "failed" && count["passed"] == len(tests):
			add("%s says failed, but all tests passed", what)
		}
	}
	repeated := func(seen map[string]bool, value, what, of string) {
		if seen[value] {
			add("the %s %q belongs to another %s, too", what, value, of)
		}
		seen[value] = value != ""
	}
	tests, suites := r.tests(), map[string]bool{}
	if len(r.SuiteStatus) == 0 {
		add("the report is empty")
	} else if len(tests) == 0 {
		add("the report has no test")
	}
	says("the report", r, tests)
	for _, s := range r.SuiteStatus {
		if v := s.verdict(); r.verdict() == "passed" && !good(v) {
			add("the report says passed, but suite %q is %s", s.called(), v)
		}
	}
	for i := range r.SuiteStatus {
		s := &r.SuiteStatus[i]
		names, ids := map[string]bool{}, map[string]bool{}
		at = s.called()
		if len(s.ofSuite()) == 0 {
			add("the suite has no test")
		}
		says("the suite", s, s.ofSuite())
		for _, t := range s.ofSuite() {
			at = s.called() + " / " + t.called()
			says("the test", t.checked, nil)
			if s.StartTime != 0 && t.StartTime != 0 && t.StartTime < s.StartTime {
				add("the test starts before its suite")
			}
			if s.EndTime != 0 && t.EndTime > s.EndTime {
				add("the test ends after its suite")
			}
			if said := lowered(t.Severity); said != "" && said != t.severity {
				add("the severity is %q, but the test is listed as %s", t.Severity, t.severity)
			}
			if t.Name == "" {
				add("the test has no name")
			}
			repeated(names, t.Name, "name", "test of the suite")
			repeated(ids, t.ID, "id", "test of the suite")
		}
		at = s.called()
		repeated(suites, s.ID, "id", "suite of the report")
	}
	return all
}

// many is a number with its word.
func many(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
