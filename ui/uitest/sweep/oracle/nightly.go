package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Report is a report of a health check as the site has it.
type Report struct {
	ID, Name     string
	Began, Ended int64          // in milliseconds, by the clock of the site
	Tests        map[string]int // how each has done: 0 passed, 1 with a warning, 2 failed, or NoResult
}

// NoResult is how a test has done whose result is a word that nobody knows: it may have passed.
const NoResult = -1

// Night is a check that fails by what is new, as a command has judged it.
type Night struct {
	Day     *Day
	Name    string // of its report
	Code    int    // 0 or 1
	Said    string // by its messages
	Reports []Report
	Unread  map[string]bool // by their ids: those that the site shows to no program
	Blind   bool            // others may not have been shown, either
}

// Judged judges what a check has called new.
func (d *Day) Judged(n Night) {
	n.Day = d
	judge(d, atNight, n)
}

var atNight = []rule[Night]{{"a check fails by what is new, and by nothing else", newIsSo}}

// reach is how far back the reports count.
const reach = 30 * 24 * time.Hour

// news are the tests of a report that are new: they did better within the days, whoever saw that, or are in no report that had
// ended before, or may have passed in one that cannot be read.
func (n Night) news(of Report) (all []string) {
	for id, now := range of.Tests {
		if now == 0 {
			continue
		}
		better, before, doubt := false, false, false
		for _, r := range n.Reports {
			if r.ID == of.ID || r.Ended < of.Began-reach.Milliseconds() {
				continue
			}
			if n.Unread[r.ID] {
				doubt = true
				continue
			}
			was, has := r.Tests[id]
			doubt = doubt || has && was == NoResult
			better = better || has && was != NoResult && was < now
			before = before || has && (was == NoResult || was >= now) && r.Ended <= of.Began
		}
		if better || doubt || !before {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// countOfNew is how many a command says are new.
var countOfNew = regexp.MustCompile(`(\d+) new failures?`)

// knownFailure stands before each that is not new.
const knownFailure = "known failure, which does not count: "

// failures is how many tests have not passed.
func (r Report) failures() (n int) {
	for _, result := range r.Tests {
		if result > 0 {
			n++
		}
	}
	return n
}

func newIsSo(n Night) (int, []string) {
	at := slices.IndexFunc(n.Reports, func(r Report) bool { return r.Name == n.Name })
	if at < 0 {
		return 0, nil
	}
	news := n.news(n.Reports[at])
	said := countOfNew.FindStringSubmatch(n.Said)
	switch {
	case n.Code == 0 && len(news) > 0:
		return 1, []string{fmt.Sprintf("the check %s ends with 0, and %v are new", n.Name, news)}
	case n.Blind:
	case n.Code == 1 && len(news) == 0:
		return 1, []string{fmt.Sprintf("the check %s ends with 1, and nothing in it is new: %.200s", n.Name, n.Said)}
	case strings.Count(n.Said, knownFailure) != n.Reports[at].failures()-len(news):
		return 1, []string{fmt.Sprintf("the check %s has %d failures, new are %v, and it tells of %d that are known", n.Name, n.Reports[at].failures(), news, strings.Count(n.Said, knownFailure))}
	case said != nil && said[1] != strconv.Itoa(len(news)):
		return 1, []string{fmt.Sprintf("the check %s tells of %s new failures, and new are %v", n.Name, said[1], news)}
	}
	return 1, nil
}
