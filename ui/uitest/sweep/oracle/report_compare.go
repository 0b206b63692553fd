package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// kindsOfChange are how a test can differ between two reports, the worst first.
var kindsOfChange = []string{"newly failing", "still failing", "gone", "other", "still warned", "slower", "added", "fixed", "same"}

// pairing is a test in two reports; one of both may be missing.
type pairing struct {
	was, is *tested
	how     string
}

// shown is the test as the newer report has it, or else the older.
func (d pairing) shown() *tested { return cmp.Or(d.is, d.was) }

// words are what changed; of what has no word, what it is now.
func (d pairing) words() string {
	if d.how == "other" {
		return "now " + d.is.is
	}
	return d.how
}

// sameTest tells a test from the others of a report.
func (t tested) sameTest() [2]string { return [2]string{cmp.Or(t.suite.ID, t.suite.Name), t.Name} }

// paired pairs the tests of two reports, those that have one name in their order: the worst change first, then in the order of
// the newer report, and what is gone in that of the older.
func paired(before, after *checked) (all []pairing) {
	earlier := map[[2]string][]*tested{}
	old := before.tests()
	for i := range old {
		key := old[i].sameTest()
		earlier[key] = append(earlier[key], &old[i])
	}
	taken := map[*tested]bool{}
	for _, t := range after.tests() {
		var was *tested
		if left := earlier[t.sameTest()]; len(left) > 0 {
			was, earlier[t.sameTest()] = left[0], left[1:]
			taken[was] = true
		}
		all = append(all, pairing{was, &t, changeOf(was, &t)})
	}
	for i := range old {
		if !taken[&old[i]] {
			all = append(all, pairing{&old[i], nil, "gone"})
		}
	}
	slices.SortStableFunc(all, func(a, b pairing) int { return slices.Index(kindsOfChange, a.how) - slices.Index(kindsOfChange, b.how) })
	return all
}

func changeOf(was, is *tested) string {
	switch {
	case bad(is.is) && was != nil && bad(was.is):
		return "still failing"
	case bad(is.is):
		return "newly failing"
	case was == nil:
		return "added"
	case is.is == "passed" && (bad(was.is) || was.is == "warning"):
		return "fixed"
	case was.is != is.is:
		return "other"
	case is.is == "warning":
		return "still warned"
	case is.is == "passed" && muchLonger(was, is):
		return "slower"
	}
	return "same"
}

// muchLonger is twice as long, and a second more.
func muchLonger(was, is *tested) bool {
	before, known := was.span()
	now, knownToo := is.span()
	return known && knownToo && now >= 2*before && now >= before+time.Second
}

// inWords is what changed in one line.
func inWords(all []pairing) string {
	count, now := map[string]int{}, map[string]int{}
	for _, d := range all {
		if count[d.how]++; d.how == "other" {
			now[d.is.is]++
		}
	}
	parts := []string{"No new failures"}
	if n := count["newly failing"]; n > 0 {
		parts[0] = many(n, "new failure")
	}
	for _, how := range kindsOfChange[1 : len(kindsOfChange)-1] {
		if how != "other" && count[how] > 0 {
			parts = append(parts, fmt.Sprint(count[how], " ", how))
		}
		for _, v := range worstFirst {
			switch {
			case how != "other" || now[v] == 0:
			case v == "warning":
				parts = append(parts, many(now[v], "new warning"))
			default:
				parts = append(parts, fmt.Sprint(now[v], " now ", v))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// bothEnds says what a test was and is, with why and how long.
func (d pairing) bothEnds() string {
	said := func(t *tested) string {
		if t == nil {
			return "missing"
		}
		text := t.is
		if span, _ := t.span(); span > 0 && !strings.HasPrefix(d.how, "still") {
			text += " in " + took(t.StartTime, t.EndTime)
		}
		if why := t.reason(); why != "" {
			text += " (" + why + ")"
		}
		return text
	}
	if was, is := said(d.was), said(d.is); was != is {
		return was + " → " + is
	}
	return said(d.is) + ", as before"
}

// judged is whether a report counts as failed, and each of its tests.
type judged struct {
	failed     bool
	why        string              // it fails, or counts as good; empty where it has passed
	by         string              // the standard
	of         map[*checked]string // why a test is new, or does not count
	not        map[*checked]bool   // it does not count
	new, known []string
}

// words say how a report counts.
func (j judged) words() string {
	switch {
	case j.why == "":
		return ""
	case j.failed:
		return "failed: " + j.why + " (" + j.by + ")"
	}
	return "good: " + j.why + " (" + j.by + ")"
}

// judgedBy judges a report by which tests count, and another one in which failures of them are known; nil for none.
func (r *checked) judgedBy(on string, base *checked) judged {
	j := judged{by: "--fail-on " + on, of: map[*checked]string{}, not: map[*checked]bool{}}
	past := func(tested) (string, bool) { return "", true }
	if base != nil {
		j.by += ", baseline " + base.title()
		past = r.pastIn(base)
	}
	var count []string
	failures, explained := 0, false
	for _, t := range r.tests() {
		if good(t.is) {
			continue
		}
		failures++
		explained = explained || bad(t.is)
		said, isNew := past(t)
		switch critical := t.severity == "critical" || lowered(t.Severity) == "critical"; {
		case on == "critical" && !critical:
			j.of[t.checked], j.not[t.checked] = "it is not critical, so it does not count", true
		case on == "failed" && t.is == "warning":
			j.of[t.checked], j.not[t.checked] = "a warning does not count", true
		case !isNew:
			j.of[t.checked], j.not[t.checked] = "it does not count as it is known: "+said, true
			j.known = append(j.known, said)
		default:
			if j.of[t.checked] = said; base != nil {
				j.new = append(j.new, said)
			}
			count = append(count, t.called()+" ("+t.is+")")
		}
	}
	v := r.overall()
	switch {
	case len(count) > 0:
		j.failed, j.why = true, ofCounted(on, base != nil, count)
	case v == "passed":
	case v == "running":
		j.failed, j.why = true, "the report has not ended"
	case len(r.tests()) == 0:
		j.failed, j.why = true, "the report has no tests; the site says "+quotedOr(r.Result)
	case failures == 0, on == "failed" && bad(v) && !explained:
		j.failed, j.why = true, "the report as a whole is "+v+"; the site says "+quotedOr(r.Result)
	case len(j.known) > 0:
		j.why = "no failure is new"
	case on == "critical":
		j.why = "every critical test passed or was skipped"
	default:
		j.why = "no test failed, and warnings do not count"
	}
	return j
}

func quotedOr(word string) string {
	if strings.TrimSpace(word) == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", word)
}

func ofCounted(on string, onlyNew bool, tests []string) string {
	text := many(len(tests), "test") + " did not pass"
	switch {
	case onlyNew && on == "critical":
		text = many(len(tests), "new failure") + " of critical tests"
	case onlyNew || on == "new":
		text = many(len(tests), "new failure")
	case on == "critical":
		text = many(len(tests), "critical test") + " did not pass"
	}
	names := strings.Join(first(tests, 3), ", ")
	if more := len(tests) - 3; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return text + ": " + names
}

// pastIn tells of each test whether its failure is new beside one other report, and says why. One that did no better there is known,
// but where that report contradicts itself about it, it may have passed.
func (r *checked) pastIn(base *checked) func(tested) (said string, isNew bool) {
	pairs, title := map[*checked]*tested{}, base.title()
	for _, d := range paired(base, r) {
		if d.is != nil {
			pairs[d.is.checked] = d.was
		}
	}
	doubts, suites := map[string]string{}, map[string]string{}
	for _, one := range base.contradictions() {
		doubts[one.at] = cmp.Or(doubts[one.at], one.text)
	}
	for i := range base.SuiteStatus {
		s := &base.SuiteStatus[i]
		suites[cmp.Or(s.ID, s.Name)] = s.called()
	}
	return func(t tested) (string, bool) {
		was := pairs[t.checked]
		doubt := ""
		suite, has := suites[t.sameTest()[0]]
		if has || len(suites) == 0 {
			doubt = cmp.Or(doubts[""], doubts[suite], doubts[suite+" / "+t.called()])
		}
		better := was != nil && slices.Index(worstFirst, t.is) < slices.Index(worstFirst, was.is)
		if better {
			switch was.is {
			case "passed":
				return t.called() + " passed last on " + title, true
			case "skipped":
				return t.called() + " was skipped last on " + title, true
			case "warning":
				return t.called() + " had only a warning last on " + title, true
			}
			return t.called() + " may have passed in the report of " + title + ", where it is " + was.is, true
		}
		switch {
		case doubt != "":
			return t.called() + " may have passed in the report of " + title + ", which contradicts itself: " + doubt, true
		case was == nil:
			return t.called() + " is not in the baseline, " + title, true
		}
		return t.called() + " (" + t.is + "), since " + title + " or longer", false
	}
}
