package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// failed explains a run that failed, or that is being rolled back.
func (f UpgradeFacts) failed(x *Explanation) {
	p := f.Progress
	in := p.StoppedIn()
	s, ok := steps[in]
	x.Next = SaveEvidence.step(saving)
	first, last := f.reasons()
	found, at := f.clue(first, last)
	name, look := f.lookFor(in, last)
	switch {
	case found != nil:
		f.blame(x, *found, at)
		x.Next.Text += " " + found.next
	case f.timedOut(last):
		x.Cause = known("container-timeout", "No message for 30 min, then it failed: the platform's container timeout.")
		x.Next.Text += " Find the slow container. If it only needs longer, raise containerStartUpTimeoutSeconds."
	case ok:
		x.Cause = known(s.id, s.failed+" The log gives no reason.")
		if name != "" {
			x.Cause.Sentence = name + " did not reach the new version. The log gives no reason."
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
	x.checks(name)
	x.avoid("Do not start it again before the cause is fixed.")
	if p.Between() {
		x.Then = []string{"Start it again once it is fixed: success ends read-only mode.",
			"If the site refuses, or it fails again, call Esri support.",
			"Restore a backup only together with support."}
		if mode := f.Site.Mode; mode != nil && !mode.ReadOnly { // lifted since
			x.Then[0] = "Start it again once it is fixed."
		} else {
			x.avoid("Do not lift read-only mode by hand: stores may be between releases.")
		}
		return
	}
	again := "Then start the same " + p.Kind.Noun() + " again."
	if p.Kind == progress.PatchRun {
		again = "Then install the same patch again."
	}
	x.Then = []string{"Once the cause is mended, run a health check.", again}
}

// saving begins the next step of a run that failed.
const saving = "Save the evidence."

// InEvidence is the explanation as it stands in the evidence, which is saved by then.
func (x Explanation) InEvidence() Explanation {
	if rest, saves := strings.CutPrefix(x.Next.Text, saving); saves {
		x.Next.Text = cmp.Or(plain.Capital(strings.TrimPrefix(strings.TrimSpace(rest), "Then ")), "Keep this file.")
	}
	return x
}

// lookFor returns what to look at in a phase, and the deployment that it is about, empty where that is
// not known: the one whose step is open, else the last that got its image before a message.
func (f UpgradeFacts) lookFor(phase string, last int) (name string, look []string) {
	look = steps[phase].look
	if phase != progress.PhaseComponents {
		return "", look
	}
	if name = plain.Clip(cmp.Or(f.openName(), f.imageName(last)), 80); name != "" {
		look = slices.Clone(look)
		look[0] = strings.Replace(look[0], "the deployment", name, 1)
	}
	return name, look
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
	first, last := f.reasons()
	found, at := f.clue(first, last)
	name, look := f.lookFor(cmp.Or(stall.Phase, p.Current), last)
	if len(look) > 0 {
		x.Next.Text = "Check " + lookAt(look[0])
	}
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
		x.Next.Text, name = "Check the events and logs of these pods.", waiting[0].Resource
	}
	x.add(Place{}, plain.Capital(quiet)+". "+stall.Basis())
	for _, open := range f.openSteps() {
		f.message(x, open.Since, open.Text)
	}
	for _, d := range waiting {
		x.add(d.place(), d.sentence())
	}
	x.Look = x.Next.beyond(look)
	x.checks(name)
	x.Then = []string{"If the pods are well, or cannot be mended, save the evidence.", "Call Esri support with it."}
	x.avoid("Do not start it again: it may still run.")
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

// planned are the codes with which a patch that has failed begins its way back.
const planReady = 2270

// codeImage says that a deployment of a patch gets its image.
const codeImage = 2038

// reasons returns the messages that may hold the reason: those after the last step that was
// completed, without the way back of a patch.
func (f UpgradeFacts) reasons() (first, last int) {
	first, last = f.Log.Run(), f.Log.Len()
	if f.Progress.RolledBack {
		for i := last - 1; i > first; i-- {
			if f.Log.CodeAt(i) == planReady {
				last = i
				break
			}
		}
	}
	for i := last - 1; i >= first; i-- {
		if code, ok := progress.CodeOf(f.Log.CodeAt(i)); ok && (code.Kind == progress.Completed || code.Kind == progress.Counted) {
			return i + 1, last
		}
	}
	return first, last
}

// maxScan bounds how many messages are searched for a reason, from the newest on.
const maxScan = 2000

// clue returns the newest message with a clue: in a range, or about a deployment whose step
// is still open, wherever it stands.
func (f UpgradeFacts) clue(first, last int) (*clue, int) {
	names := map[string]bool{}
	for _, s := range f.Progress.Open {
		if name := deploymentName().FindString(s.Text); name != "" {
			names[name] = true
		}
	}
	for i := last - 1; i >= max(f.Log.Run(), last-maxScan); i-- {
		m := f.Log.At(i)
		if m.LeftOut > 0 || i < first && !names[deploymentName().FindString(m.UpgradeMessage.Message)] {
			continue
		}
		if c := clueIn(m.UpgradeMessage.Message); c != nil {
			return c, i
		}
	}
	return nil, 0
}

var deploymentName = pattern.New(`\barcgis-[a-z0-9]+(?:-[a-z0-9]+)*`)

// openSteps are the steps that were begun and not completed, newest first.
func (f UpgradeFacts) openSteps() (list []progress.Step) {
	const most = 4
	list = slices.Clone(f.Progress.Open[max(0, len(f.Progress.Open)-most):])
	slices.Reverse(list)
	return list
}

// openName returns the deployment whose step was begun last and not completed.
func (f UpgradeFacts) openName() string {
	for _, s := range slices.Backward(f.Progress.Open) {
		if name := deploymentName().FindString(s.Text); name != "" {
			return name
		}
	}
	return ""
}

// imageName returns the deployment of a patch that got its image last before a message.
func (f UpgradeFacts) imageName(last int) string {
	for i := last - 1; i >= max(f.Log.Run(), last-maxScan); i-- {
		if f.Log.CodeAt(i) == codeImage {
			return deploymentName().FindString(f.Log.At(i).UpgradeMessage.Message)
		}
	}
	return ""
}

// timedOut reports whether a patch was given up after a silence as long as the platform
// waits for a container.
func (f UpgradeFacts) timedOut(last int) bool {
	if last <= f.Log.Run() || last >= f.Log.Len() {
		return false
	}
	gap := f.Log.At(last).When - f.Log.At(last-1).When
	return gap >= adminapi.Millis(progress.ContainerTimeout.Milliseconds())
}

// blame makes a clue the cause, with the deployment that its message names and the message.
func (f UpgradeFacts) blame(x *Explanation, found clue, at int) {
	x.Cause = known(found.id, found.says)
	if name := deploymentName().FindString(f.Log.At(at).UpgradeMessage.Message); name != "" {
		x.Cause.Sentence = name + ": " + found.says
	}
	f.messageAt(x, at)
}

// messageAt adds a message of the log.
func (f UpgradeFacts) messageAt(x *Explanation, i int) {
	m := f.Log.At(i)
	if m.LeftOut > 0 {
		return
	}
	at := Place{Kind: Message, Number: i}
	if slices.ContainsFunc(x.Evidence, func(e Evidence) bool { return e.At == at }) {
		return
	}
	x.add(at, f.Site.time(m.When)+`  "`+plain.Clip(plain.Line(m.UpgradeMessage.Message), 200)+`"`)
}

// message adds the message of a step.
func (f UpgradeFacts) message(x *Explanation, when adminapi.Millis, text string) {
	for i := f.Log.Len() - 1; i >= max(f.Log.Run(), f.Log.Len()-maxScan); i-- {
		if m := f.Log.At(i); m.When == when && m.UpgradeMessage.Message == text {
			f.messageAt(x, i)
			return
		}
	}
}
