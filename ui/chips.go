package ui

import (
	"fmt"
	"time"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// clockTolerance is how far the server's clock may be off before it is said.
const clockTolerance = 5 * time.Second

// chip is a short fact in the header; the zero one is not shown.
type chip struct {
	text  string
	style lipgloss.Style
}

// chips are what wants attention, the loudest last, where the eye looks first.
var chips = []func(*header) chip{clockChip, silentChip, writesChip, modeChip, keptChip, upgradeChip, reachChip}

func clockChip(h *header) chip {
	ahead := h.site.ahead
	switch {
	case ahead > clockTolerance:
		return h.alert("server clock " + adminapi.Took(ahead) + " ahead")
	case ahead < -clockTolerance:
		return h.alert("server clock " + adminapi.Took(-ahead) + " behind")
	}
	return chip{}
}

func writesChip(h *header) chip {
	if h.env.Offline || !h.env.Site.Client.ReadOnly() && !h.unrecorded {
		return chip{}
	}
	return chip{"no writes", h.env.Theme.Accent}
}

func modeChip(h *header) chip {
	if !h.site.overview.Mode.ReadOnly {
		return chip{}
	}
	return h.alert("READ-ONLY MODE")
}

func reachChip(h *header) chip {
	if h.site.err == nil {
		return chip{}
	}
	kind, _ := adminapi.KindOf(h.site.err)
	switch kind {
	case adminapi.KindUnreachable:
		return h.alert("site not reachable")
	case adminapi.KindSignIn:
		return chip{} // the user's place says it
	}
	return h.alert("site not read: " + kind.String())
}

func (h *header) alert(text string) chip {
	return chip{h.env.Theme.Glyphs.Alert + " " + text, h.env.Theme.Warn}
}

// roomyWidth is from where on a chip may say more than the most needed.
const roomyWidth = 100

// upgradeChip tells of the upgrade on every screen. An end that nobody here saw
// coming is history and not told.
func upgradeChip(h *header) chip {
	t, w := h.env.Theme, h.env.Upgrade
	r := w.Reading
	switch {
	case w.On && w.Refused() != nil:
		return h.alert("upgrade not known now")
	case w.On && r.Away != nil:
		return h.alert("upgrade away" + h.roomy(" "+here(h.env, r.AwaySince)))
	case w.On && r.Undecided:
		return h.alert("upgrade: end unknown")
	case w.On && w.Stall != nil:
		return h.alert("upgrade STALLED" + stalledIn(*w.Stall) + h.roomy(lasting(" for", w.Stall.Quiet)))
	case w.On && r.Meaning == progress.StateRunning:
		return h.alert("upgrade " + howFar(r.Progress) + h.roomy(h.running(r.Progress.Run)))
	case w.On && r.Meaning == progress.StateUnknown && !r.At.IsZero():
		return h.alert("upgrade: state unknown")
	case progress.Runs(h.site.overview.Upgrade):
		return h.alert("an upgrade runs")
	case r.Ended && r.Meaning == progress.StateSucceeded:
		return chip{t.Glyphs.Pass + " " + r.Progress.Kind.Noun() + " succeeded", t.OK}
	case r.Ended:
		return chip{t.Glyphs.Fail + " " + r.Progress.Kind.Noun() + " failed", t.Fail}
	}
	return chip{}
}

// silentChip says that nobody who looks elsewhere will be called.
func silentChip(h *header) chip {
	if !h.env.Upgrade.On || !h.silent {
		return chip{}
	}
	return chip{"alarms off", h.env.Theme.Muted}
}

// roomy is a text where the screen has room for it.
func (h *header) roomy(text string) string {
	if h.width < roomyWidth {
		return ""
	}
	return text
}

// howFar is how much of an upgrade that goes on is done. Once all deployments are
// upgraded the rest has no count: 100 % would be taken for the end.
func howFar(p progress.Progress) string {
	switch {
	case p.Done >= 0 && p.Done < p.Total:
		return fmt.Sprintf("%d %%", 100*p.Done/p.Total)
	case p.Current != "":
		return "in " + p.Current
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
func (h *header) running(run progress.Run) string {
	if run.Began.IsZero() {
		return ""
	}
	ahead := h.env.Upgrade.Reading.Ahead
	return lasting(" after", h.env.Clock.Now().Add(ahead).Sub(run.Began.Time()))
}

// lasting writes a time in whole minutes, nothing below one.
func lasting(word string, d time.Duration) string {
	switch minutes := int(d.Minutes()); {
	case minutes < 1:
		return ""
	case minutes < 60:
		return fmt.Sprintf("%s %d min", word, minutes)
	default:
		return fmt.Sprintf("%s %d h %02d min", word, minutes/60, minutes%60)
	}
}

func keptChip(h *header) chip {
	what, err := notKept(h.env)
	if err == nil {
		return chip{}
	}
	return h.alert(what + " not kept")
}

// here writes a moment of this machine's clock as the user wants moments: "since
// 14:31:40", "for 5 min".
func here(env *views.Env, at time.Time) string {
	if env.Times.Mode == views.RelativeTime {
		return "for " + span(env.Clock.Now().Sub(at))
	}
	return "since " + env.Times.Here(at)
}
