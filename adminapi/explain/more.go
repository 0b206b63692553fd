package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

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
