package health

import (
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// running is a health check that goes on.
type running struct {
	name     string
	started  time.Time
	expected expected
	read     time.Time            // when the site last told of it
	run      *operation.HealthRun // nil until the site has answered; used by commands only
	last     operation.HealthReading
	unknown  bool // whether the site took it is not known yet
	stalled  bool // a sign-in is needed to go on reading
	away     *views.Away
}

// part is one of the two lists of tests of a suite.
type part struct{ suite, severity string }

// expected is how many tests a run is to have, as far as the site's suites say.
type expected map[part]int

// expectedOf counts the tests of the suites that were chosen.
func expectedOf(suites []adminapi.Suite, ids []string) expected {
	e := expected{}
	for _, s := range suites {
		if slices.Contains(ids, s.ID) {
			e[part{s.ID, critical}] = len(s.Critical)
			e[part{s.ID, general}] = len(s.General)
		}
	}
	return e
}

func (e expected) total() int {
	n := 0
	for _, tests := range e {
		n += tests
	}
	return n
}

// below is how many tests are expected below a row of the tree.
func (e expected) below(n *node) int {
	if n.key.level == suiteLevel {
		return e[part{n.key.suite, critical}] + e[part{n.key.suite, general}]
	}
	return e[part{n.key.suite, n.key.severity}]
}

func (r *running) key() entryKey { return entryKey{fromRun, r.name} }

func (r *running) entry() entry {
	return entry{r.key(), adminapi.ReportSummary{Name: r.name, StartTime: adminapi.MillisOf(r.started)}}
}

// lost tells whether it is not known that the site took the run.
func (r *running) lost() bool { return r.unknown && !r.last.Adopted }

// troubled tells whether the status is news that matters more than how far the
// run has come.
func (r *running) troubled() bool { return r.stalled || r.lost() || r.away != nil }

// status says in a few words what the run does.
func (r *running) status(now time.Time) string {
	switch {
	case r.run == nil:
		return "being sent"
	case r.stalled:
		return "goes on at the site; sign in to see it, R asks again"
	case r.lost():
		return "looking for it"
	case r.away != nil:
		return r.away.What() + " for " + adminapi.Took(now.Sub(r.away.Since)) + ", it goes on at the site"
	case r.last.Job.Status == "":
		return "accepted"
	}
	return strings.ToLower(plain.Line(r.last.Job.Status))
}

// says tells about a run that shows no tests yet.
func (r *running) says() []string {
	if r.lost() {
		return []string{
			"No answer came: it is not known whether the site took the health check.", "",
			"It is looked for among the jobs and reports there. Nothing is sent again.",
		}
	}
	return []string{
		"Tests appear here once the site reports them.", "",
		"You can go on meanwhile: the run is watched to its end.",
	}
}
