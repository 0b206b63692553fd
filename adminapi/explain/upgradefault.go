package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// failed explains a run that failed, or that is being rolled back.
func (f UpgradeFacts) failed(x *Explanation) {
	p := f.Progress
	in := p.StoppedIn()
	s, ok := steps[in]
	look := s.look
	if name := f.openName(); name != "" && in == progress.PhaseComponents {
		look = slices.Clone(look)
		look[0] = strings.Replace(look[0], "the deployment", plain.Clip(name, 80), 1)
	}
	x.Next = SaveEvidence.step("Save the evidence.")
	first, last := f.reasons()
	found, at := f.clue(first, last)
	switch {
	case found != nil:
		f.blame(x, *found, at)
		x.Next.Text += " " + found.next
	case f.timedOut(last):
		x.Cause = known("container-timeout", "No message for 30 min, then it failed: the platform's container timeout.")
		x.Next.Text += " Find the slow container. If it only needs longer, raise containerStartUpTimeoutSeconds."
	case ok:
		x.Cause = known(s.id, s.failed+" The log gives no reason.")
		if name := cmp.Or(f.openName(), f.imageName(last)); name != "" && in == progress.PhaseComponents {
			x.Cause.Sentence = plain.Clip(name, 80) + " did not reach the new version. The log gives no reason."
		}
		x.Next.Text += " Then check " + lookAt(look[0])
	default:
		x.Cause = notKnown("The log does not say where or why it failed.")
	}
	for _, open := range f.openSteps() {
		f.message(x, open.Since, open.Text)
	}
	if last > 0 && (found == nil || at != last-1) {
		f.messageAt(x, last-1)
		if f.Log.CodeAt(last-1) == codeImage {
			x.add(Place{}, "It was given the image; no message counts it as upgraded.")
		}
	}
	x.Look = x.Next.beyond(look)
	x.avoid("Do not start it again before the cause is fixed.")
	if !p.RolledBack && began(p, progress.PhasePostgreSQL) {
		x.avoid("Do not lift read-only mode by hand: stores may be between releases.")
		x.Then = []string{"Start it again once it is fixed: success ends read-only mode.",
			"If the site refuses, or it fails again, call Esri support.",
			"Restore a backup only together with support."}
	}
}

// beyond returns what to look at without what the step has.
func (s Step) beyond(look []string) []string {
	if len(look) > 0 && strings.HasSuffix(s.Text, lookAt(look[0])) {
		return look[1:]
	}
	return look
}

// lookAt returns what to look at in the middle of a sentence.
func lookAt(look string) string {
	look = lowered(look)
	if strings.HasPrefix(look, "pods") {
		look = "the " + look
	}
	return look
}

// silence says since when a run is silent: for how long would differ from what goes on counting
// elsewhere on the screen.
func (f UpgradeFacts) silence() string {
	if last := f.Progress.Last; !last.IsZero() {
		return "since " + f.Site.time(last)
	}
	return "for " + adminapi.FormatDuration(f.Stall.Quiet.Truncate(time.Minute))
}

// stalled explains a run that has been silent for too long.
func (f UpgradeFacts) stalled(x *Explanation) {
	p, stall := f.Progress, f.Stall
	s := steps[cmp.Or(stall.Phase, p.Current)]
	quiet := "no message " + f.silence()
	x.noCause(strings.TrimSuffix(cmp.Or(s.runs, "The upgrade is running."), ".")+", but "+quiet+".",
		KeepWatching.step("Check what runs now; keep watching."))
	if len(s.look) > 0 {
		x.Next.Text = "Check " + lookAt(s.look[0])
	}
	first, last := f.reasons()
	found, at := f.clue(first, last)
	waiting := f.waiting()
	none, sum := f.noNode()
	early := p.Current == "" || p.Current == progress.PhaseLaunch || p.Current == progress.PhaseDiagnostics || p.Current == progress.PhasePlan
	switch {
	case found != nil:
		f.blame(x, *found, at)
		x.Next.Text = found.next
	case none && early:
		x.Cause = known("no-node", "No node takes the upgrade's pods: "+sum+".")
		x.Next.Text = "Label or free a node for the upgrade's pods."
	case len(waiting) > 0:
		x.Cause = known("not-ready", waiting[0].sentence())
		x.Next.Text = "Check the events and logs of these pods."
	}
	limit := "The platform waits 30 min for a container."
	if stall.Usual {
		limit = "The usual silence is at most " + adminapi.FormatCoarse(stall.Limit/2) + "."
	}
	x.add(Place{}, plain.Capital(quiet)+". "+limit)
	for _, open := range f.openSteps() {
		f.message(x, open.Since, open.Text)
	}
	for _, d := range waiting {
		x.add(d.place(), d.sentence())
	}
	x.Look = x.Next.beyond(s.look)
	x.avoid("Do not start it again: it still runs.")
	if p.Current == progress.PhasePostgreSQL {
		x.avoid("Do not delete database pods.")
	}
}

// waiting returns the deployments whose pods are not all ready, those of an open step first.
// While deployments are upgraded one by one a few always wait; what stands still for long
// is what is told here, so only those of an open step count, or those without any pod.
func (f UpgradeFacts) waiting() (list []Pods) {
	open := strings.ToLower(f.openName())
	for _, d := range f.Pods {
		if d.lacksPods() && (d.Ready == 0 || open != "" && d.Name != "" && strings.Contains(open, strings.ToLower(d.Name))) {
			list = append(list, d)
		}
	}
	return list
}

// noNode reports whether no known node takes the pods of the upgrade, and why.
func (f UpgradeFacts) noNode() (bool, string) {
	for _, item := range f.Policy.Items() {
		if s := placement.Summarize(placement.Explain(item, f.Nodes)); len(f.Nodes) > 0 && s.None() {
			return true, placement.Sentence(item)
		}
	}
	return false, ""
}
