package header

import (
	"errors"
	"fmt"
	"time"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// clockTolerance is how far the server's clock may be off before the header says so.
const clockTolerance = 5 * time.Second

// chip is a short fact in the header; the zero one is not shown.
type chip struct {
	text  string
	style lipgloss.Style
}

// chipRanks is how many chips there are.
const chipRanks = 12

// chips are in order of importance: the last one is seen first.
func (h *Header) chips() [chipRanks]chip {
	t := h.Env.Theme
	return [chipRanks]chip{
		when(h.Env.Site.Line.Slow(), "slow", t.Muted),
		when(h.Env.Upgrade.On && h.Silent, "alarms off", t.Muted),
		h.clockChip(),
		h.keptChip(),
		h.goesOn(h.Elsewhere),
		when(h.Unrecorded, "no writes", t.Accent), // of a client that sends none the first line begins with it
		h.downChip(),
		h.modeChip(),
		h.recordChip(),
		h.upgradeChip(),
		h.goesOn(h.Working),
		h.reachChip(),
	}
}

// when returns a chip that is shown only where ok is true.
func when(ok bool, text string, style lipgloss.Style) chip {
	if !ok {
		return chip{}
	}
	return chip{text, style}
}

func (h *Header) clockChip() chip {
	switch ahead := h.Env.Times.Ahead; {
	case ahead > clockTolerance:
		return h.alert("site clock " + adminapi.FormatElapsed(ahead) + " ahead")
	case ahead < -clockTolerance:
		return h.alert("site clock " + adminapi.FormatElapsed(-ahead) + " behind")
	}
	return chip{}
}

// goesOn shows what goes on in a view that the user has left.
func (h *Header) goesOn(what string) chip {
	return when(what != "", h.Env.Theme.Glyphs.Running+" "+plain.Clip(what, 40), h.Env.Theme.Running)
}

// downChip counts the services that are down, on the screens that do not list them.
func (h *Header) downChip() chip {
	if h.Down.Value == 0 || h.Shown == "services" {
		return chip{}
	}
	return h.alert(views.AsOf(h.Env, h.Down) + plain.Plural(h.Down.Value, "service") + " down")
}

func (h *Header) modeChip() chip {
	mode := h.Env.State.Mode
	if !mode.Value.ReadOnly {
		return chip{}
	}
	return h.alert(views.AsOf(h.Env, mode) + "READ-ONLY")
}

func (h *Header) reachChip() chip {
	err := h.Env.State.Reach.Err
	if err == nil || h.upgradeAway() || h.toldAway {
		return chip{} // upgradeChip and the line of the tabs say since when
	}
	kind, _ := adminapi.KindOf(err)
	switch kind {
	case adminapi.KindUnreachable:
		return h.alert("site not reachable")
	case adminapi.KindNotFound:
		return h.alert("site not found")
	case adminapi.KindSignIn:
		return chip{} // userFact says it
	case adminapi.KindServer, adminapi.KindNotJSON:
		return h.alert("site " + adminapi.UnreachableText(err))
	}
	return h.alert("site not updated: " + kind.String())
}

func (h *Header) alert(text string) chip {
	return chip{h.Env.Theme.Glyphs.Alert + " " + text, h.Env.Theme.Warn}
}

// roomyWidth is the width from which chips say more.
const roomyWidth = 100

// upgradeChip shows the upgrade on every screen, whoever began it. What only a watch knows comes first.
func (h *Header) upgradeChip() chip {
	w := h.Env.Upgrade
	r, noun := w.Snapshot, w.Snapshot.Progress.Kind.Noun()
	switch {
	case !w.On:
	case w.Refused() != nil:
		if !errors.Is(w.Refused(), adminapi.KindSignIn) {
			return h.alert(noun + ": refused")
		}
		return h.alert(noun + ": not signed in")
	case r.Unreachable != nil && h.Shown == "progress": // which tells the rest
		return h.alert("API unreachable")
	case r.Unreachable != nil:
		return h.alert("API unreachable" + h.ifRoomy(" "+h.Env.Times.Since(r.UnreachableSince, h.Env.Times.Here(r.UnreachableSince))+h.phase(r.Progress)))
	case r.Undecided:
		return h.alert(noun + ": end unknown")
	case h.Env.State.Upgrade.Value.Stall == nil && r.Meaning == progress.StateRunning && r.Confirmed != "":
		return h.alert(noun + " to " + plain.Clip(r.Progress.To, 24) + ", not " + plain.Clip(r.Confirmed, 24))
	}
	return h.runChip()
}

// runChip shows the newest run, as far as it runs or its end is to be shown.
func (h *Header) runChip() chip {
	t, upgrade := h.Env.Theme, h.Env.State.Upgrade
	run, old := upgrade.Value.Progress, views.AsOf(h.Env, upgrade)
	noun := run.Kind.Noun()
	switch {
	case !upgrade.Known():
	case run.Meaning == progress.StateRunning && old != "":
		return h.alert(old + noun + " " + progressText(run))
	case upgrade.Value.Stall != nil:
		s := *upgrade.Value.Stall
		return h.alert(noun + " STALLED" + stalledIn(s) + h.ifRoomy(minutesText(" for", s.Quiet)))
	case run.Meaning == progress.StateRunning:
		return h.alert(noun + ": " + progressText(run) + h.ifRoomy(h.running(run.Run)))
	case run.Meaning == progress.StateUnknown:
		return h.alert(old + noun + ": state unknown")
	case !h.Ended:
	case run.Meaning == progress.StateSucceeded:
		return chip{old + t.Glyphs.Pass + " " + noun + " succeeded", t.OK}
	default:
		return chip{old + t.Glyphs.Fail + " " + noun + " failed", t.Fail}
	}
	return chip{}
}

// phase is the phase of the upgrade that the API was in when it was last reached.
func (h *Header) phase(p progress.Progress) string {
	if p.Current == "" {
		return ""
	}
	return " " + h.Env.Theme.Glyphs.Dot + " " + p.Kind.Noun() + ": " + p.Current
}

// upgradeAway reports whether the API does not answer the watch of an upgrade.
func (h *Header) upgradeAway() bool {
	return h.Env.Upgrade.On && h.Env.Upgrade.Snapshot.Unreachable != nil
}

// keptChip says in what state the site was when it answered last.
func (h *Header) keptChip() chip {
	switch kept := h.Env.Overview(); {
	case kept.Upgrade:
		return h.alert("an upgrade ran " + h.Env.Times.Ago(kept.Read))
	case kept.ReadOnly:
		return h.alert("was read-only " + h.Env.Times.Ago(kept.Read))
	}
	return chip{}
}

// ifRoomy returns a text where the screen has room for it, else nothing.
func (h *Header) ifRoomy(text string) string {
	if h.Width < roomyWidth {
		return ""
	}
	return text
}

// progressText is how much of a running upgrade is done. Once all deployments are
// upgraded the rest has no count: 100 % would look like the end.
func progressText(p progress.Progress) string {
	switch {
	case p.RolledBack:
		return "rolling back"
	case p.Done >= 0 && p.Done < p.Total:
		return fmt.Sprintf("%d %%", 100*p.Done/p.Total)
	case p.Current != "":
		return p.Current
	}
	return "in progress"
}

func stalledIn(s progress.Stall) string {
	if s.Phase == "" {
		return ""
	}
	return " in " + s.Phase
}

// running is how long a run takes by the server's clock, in whole minutes: a
// chip that changes each second would be sent over the line each second.
func (h *Header) running(run progress.Run) string {
	if run.Began.IsZero() {
		return ""
	}
	return minutesText(" after", h.Env.Times.Site().Now().Sub(run.Began.Time()))
}

// minutesText writes a time in whole minutes, nothing below one.
func minutesText(word string, d time.Duration) string {
	switch minutes := int(d.Minutes()); {
	case minutes < 1:
		return ""
	case minutes < 60:
		return fmt.Sprintf("%s %d min", word, minutes)
	default:
		return fmt.Sprintf("%s %d h %02d min", word, minutes/60, minutes%60)
	}
}

func (h *Header) recordChip() chip {
	what, err := h.Env.RecordingProblem()
	if err == nil {
		return chip{}
	}
	return h.alert(what + " not kept")
}
