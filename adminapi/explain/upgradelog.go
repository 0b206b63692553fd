package explain

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

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
			return progress.ObjectIn(f.Log.At(i).UpgradeMessage.Message)
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
	x.add(at, f.Site.time(m.When)+"  "+plain.Clip(plain.Line(m.UpgradeMessage.Message), 200))
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
