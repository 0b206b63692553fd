package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// SiteFacts is what was read of the site itself. All of it may be missing.
type SiteFacts struct {
	Mode    *adminapi.Mode // nil where it is not known
	Upgrade progress.State // of the newest upgrade; Known says whether it was read
	Known   bool
	Kind    progress.RunKind             // of that upgrade, where its log tells
	Version string                       // installed; empty where not known
	Open    []OpenWrite                  // writes of this machine whose outcome is unknown, newest first
	Times   func(adminapi.Millis) string // writes a moment of the server's clock; nil: UTC
}

// OpenWrite is a write of this machine whose outcome is unknown.
type OpenWrite struct {
	What   string          // such as "edit a definition (X.MapServer)"
	Target string          // as [adminapi.TargetService] and the others name it
	When   adminapi.Millis // it was sent, by the server's clock
	Found  string          // what the site shows instead, a sentence without its end; may be empty
	Look   []string        // the words of the command that shows what it would have changed
}

// checkedReadOnly qualifies the advice to run a health check where the site may refuse one, or
// parts of it restart.
func (s SiteFacts) checkedReadOnly(x Explanation) Explanation {
	switch runs := s.runs() && x.Next.Action.ID == RunHealth; {
	case runs && x.Next.Later != "":
		x.Next.Later += " when the " + s.Kind.Noun() + " has ended"
		return x
	case runs:
		x.Next = WatchUpgrade.step("Watch the " + s.Kind.Noun() + "; run a health check when it has ended.")
		return x
	}
	if x.Next.Text == checkHealth.Text && s.Mode != nil && s.Mode.ReadOnly {
		x.Next.Text = "Run a health check; a read-only site may refuse it."
	}
	return x
}

// Unresolved explains the newest write on a target whose outcome is unknown, and reports
// whether there is one.
func (s SiteFacts) Unresolved(target string) (x Explanation, found bool) {
	s.describe(&x)
	found = s.unresolved(&x, target)
	return x, found
}

// unresolved makes it an explanation of the newest write on a target whose outcome is
// unknown; it reports whether there is one. "health run " matches all of them.
func (s SiteFacts) unresolved(x *Explanation, target string) bool {
	for _, w := range s.Open {
		if w.Target != target && !(strings.HasSuffix(target, " ") && strings.HasPrefix(w.Target, target)) {
			continue
		}
		x.Fault, x.Title = true, "Outcome unknown: "+plain.Line(w.What)
		x.Cause = known("answer-lost", "It was sent at "+s.time(w.When)+". No answer came.")
		if w.Found != "" {
			x.add(Place{Kind: Record}, "Seen since: "+said(w.Found))
		} else {
			x.add(Place{Kind: Record}, "Sent from this machine: "+w.What+".")
		}
		x.avoid("Do not send it again before its outcome is known.")
		x.Next = LookForWrite.step("Look for it; this sends nothing.", w.Look...)
		if strings.HasPrefix(w.Target, "service ") {
			x.Next.Action.ID = LookForSwitched
		}
		return true
	}
	return false
}

func (s SiteFacts) time(m adminapi.Millis) string {
	if s.Times != nil {
		return s.Times(m)
	}
	return m.Time().UTC().Format("2006-01-02 15:04:05Z")
}

func (s SiteFacts) runs() bool { return s.Known && s.Upgrade == progress.StateRunning }

// describe adds the state of the site: its mode, and whether an upgrade runs.
func (s SiteFacts) describe(x *Explanation) {
	x.ReadOnly = NotKnown
	switch {
	case s.Mode == nil:
		x.site("It is unknown whether the site is read-only.")
	case s.Mode.ReadOnly:
		x.ReadOnly = Yes
		text := "Read-only: the site accepts no changes."
		if message := said(s.Mode.Message); message != "" {
			text += " It says: " + message
			if s.failed() {
				text += " But the last upgrade has failed."
			}
		}
		x.site(text)
	default:
		x.ReadOnly = No
		x.site("The site accepts changes.")
	}
	if s.Version != "" {
		x.site("Installed: " + plain.Line(s.Version) + ".")
	}
	if s.runs() {
		x.site(s.Kind.One() + " is running: parts of the site restart.")
	}
}

func podsReady(ready, total int) string {
	return strconv.Itoa(ready) + " of " + plain.Plural(total, "pod") + " ready."
}

// failed reports whether the newest upgrade is known to have failed.
func (s SiteFacts) failed() bool { return s.Known && s.Upgrade == progress.StateFailed }

// Part is more of what was read about a fault, for who has room for it. Its lines are clean,
// those to read first come first.
type Part struct {
	Name  string
	Lines []string
}

// JobsPart is the name of the part with the jobs of a service.
const JobsPart = "Jobs, newest first"

// maxMore bounds the lines of a part: no screen has room for more.
const maxMore = 60

// part adds a part of n lines, where it has any.
func (x *Explanation) part(name string, n int, line func(i int) string) {
	var lines []string
	for i := range min(n, maxMore) {
		lines = append(lines, plain.Clip(plain.Line(line(i)), maxText))
	}
	if len(lines) > 0 {
		x.More = append(x.More, Part{plain.Line(name), lines})
	}
}

// more adds the log, and all deployments.
func (f UpgradeFacts) more(x *Explanation) {
	last := f.Log.Len() - 1
	x.part("Log, newest first", last+1-f.Log.Run(), func(i int) string {
		m := f.Log.At(last - i)
		return f.Site.time(m.When) + "  " + m.UpgradeMessage.Message
	})
	x.deployments(f.Pods)
}

// deployments adds how many pods of each are ready, those that lack pods first.
func (x *Explanation) deployments(pods []Pods) {
	var counted []Pods
	for _, d := range pods {
		if d.Err == nil {
			counted = append(counted, d)
		}
	}
	slices.SortStableFunc(counted, func(a, b Pods) int { return cmp.Compare(b.Total-b.Ready, a.Total-a.Ready) })
	x.part("Deployments, pods ready", len(counted), func(i int) string {
		d := counted[i]
		return strconv.Itoa(d.Ready) + " of " + strconv.Itoa(d.Total) + "  " + adminapi.DeploymentName(d.Name, d.ID)
	})
}

// more adds all tests of the report, and all deployments.
func (f HealthFacts) more(x *Explanation) {
	tests := health.WorstFirst(f.Report)
	x.part("Tests of this report", len(tests), func(i int) string {
		return fmt.Sprintf("%-9s", tests[i].Verdict) + cmp.Or(tests[i].Test.Name, tests[i].Test.ID)
	})
	x.deployments(f.Pods)
}

// more adds the jobs of the service, its rules, and the services in its pods.
func (f ServiceFacts) more(x *Explanation) {
	x.part(JobsPart, len(f.Jobs), func(i int) string { return f.jobText(f.Jobs[i]) })
	items := f.Policy.Items()
	x.part("Placement rules", len(items), func(i int) string { return placement.Sentence(items[i]) })
	for _, d := range f.Pods {
		if len(d.Sharing) > 1 {
			x.part("Services in "+adminapi.DeploymentName(d.Name, d.ID), len(d.Sharing), func(i int) string { return d.Sharing[i] })
		}
	}
}

// more adds the requests of this machine that have no answer.
func (s SiteFacts) more(x *Explanation) {
	x.part("Requests without an answer", len(s.Open), func(i int) string {
		return s.time(s.Open[i].When) + "  " + s.Open[i].What
	})
}
