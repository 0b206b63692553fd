package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// header draws the first lines of the screen. It is made anew for each frame.
type header struct {
	env        *views.Env
	width      int
	name       string // of the site
	demo       bool
	unrecorded bool // nothing can be recorded, so nothing can be sent
	site       *siteStatus
	session    *session
	silent     bool // no alarm would reach a user who is not looking at the screen
	tabs       []views.Maker
	shown      string        // id of the tab that is shown
	status     *views.Status // of the view that is shown; nil where there is none
	elsewhere  string        // what goes on in a view that is not shown
	working    string        // what goes on in a view that is not shown
}

func (m *Model) header() *header {
	h := &header{
		env: m.env, width: m.layout.width, name: m.options.Name, demo: m.options.Demo, unrecorded: m.unrecorded != nil,
		site: &m.site, session: &m.session, silent: m.alarms.silent(), tabs: m.router.makers, shown: m.router.shown, working: m.router.working(),
	}
	for _, maker := range m.router.makers {
		switch v := m.router.mounted[maker.ID]; {
		case v == nil:
		case maker.ID == m.router.shown:
			status := v.Status()
			h.status = &status
		case h.elsewhere == "":
			h.elsewhere = v.Status().Busy
		}
	}
	if h.elsewhere == h.working {
		h.elsewhere = "" // once is enough
	}
	return h
}

// View draws the site and the user, the tabs, and a rule with the path inside the view.
func (h *header) View() string {
	return h.siteLine() + "\n" + h.tabLine() + "\n" + h.pathLine()
}

func (h *header) siteLine() string {
	t := h.env.Theme
	left := " " + t.Brand.Render("geodeck") + "  " + h.siteName()
	facts := h.facts()
	right := h.joined(facts)
	for len(facts) > 0 && lipgloss.Width(left)+lipgloss.Width(right)+3 > h.width {
		least := 0
		for i, fact := range facts {
			if fact.least > facts[least].least {
				least = i
			}
		}
		facts = slices.Delete(facts, least, least+1)
		right = h.joined(facts)
	}
	return spread(left, right, h.width, t.Glyphs.Ellipsis)
}

func (h *header) siteName() string {
	t := h.env.Theme
	if h.env.Offline {
		return t.Warn.Render("offline") + t.Muted.Render(" "+t.Glyphs.Dot+" saved files only")
	}
	host := plain.Line(h.env.Site.Client.Base().Host)
	if name := plain.Line(h.name); name != "" && name != h.env.Site.Client.Base().Hostname() {
		return t.Strong.Render(name) + t.Muted.Render(" "+t.Glyphs.Dot+" ") + host
	}
	return t.Strong.Render(host)
}

// fact is a part of the right side of the first line.
type fact struct {
	text  string
	least int // the higher, the earlier it gives way
}

// facts returns the right side of the first line. The version gives way first, then the end
// of the session, the user, and the chips from the left.
func (h *header) facts() []fact {
	t := h.env.Theme
	user, session := h.userFact()
	facts := []fact{{t.Muted.Render(plain.Line(h.site.overview.Root.FullVersion)), len(chips) + 3}, {user, len(chips) + 1}, {session, len(chips) + 2}}
	for i, of := range chips {
		if c := of(h); c.text != "" {
			facts = append(facts, fact{c.style.Render(c.text), len(chips) - i})
		}
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.text == "" })
}

func (h *header) joined(facts []fact) string {
	texts := make([]string, len(facts))
	for i, fact := range facts {
		texts[i] = fact.text
	}
	return strings.Join(texts, h.env.Theme.Muted.Render(" "+h.env.Theme.Glyphs.Dot+" ")) + " "
}

// userFact says who is signed in, and until when.
func (h *header) userFact() (user, session string) {
	if h.env.Offline {
		return "", ""
	}
	t, token := h.env.Theme, h.env.Site.Client.Token()
	if h.session.signedOff() {
		return t.Warn.Render("not signed in"), ""
	}
	user = plain.Clip(h.site.overview.Self.Username, 24)
	if user == "" {
		user = "signed in"
	}
	if token.Expires.IsZero() {
		return user, ""
	}
	return user, h.until(token.Expires.Time())
}

// until says when the sign-in ends, with the day if it is not today.
func (h *header) until(end time.Time) string {
	times := h.env.Times
	left, layout := end.Sub(times.Site().Now()), "15:04"
	if left > 20*time.Hour {
		layout = "01-02 15:04"
	}
	switch {
	case left <= 0:
		return h.env.Theme.Warn.Render("session expired")
	case times.Mode == views.RelativeTime:
		return "session for " + strings.TrimPrefix(views.Ago(-left), "in ")
	case times.Mode == views.UTCTime:
		return "session until " + end.UTC().Format(layout) + "Z"
	}
	return "session until " + end.In(times.Local).Format(layout)
}

// tabLine draws the tabs, and how fresh the screen is.
func (h *header) tabLine() string {
	t := h.env.Theme
	tabs := make([]string, len(h.tabs))
	for i, maker := range h.tabs {
		tabs[i] = t.Tab(maker.Title, maker.ID == h.shown)
	}
	left := strings.Join(tabs, " ")
	return spread(left, h.freshness(h.width-lipgloss.Width(left)-2), h.width, t.Glyphs.Ellipsis)
}

// freshness says how old the data on the screen is. Where the tabs leave too little room
// it shortens the demo, leaves out what is under way, then when it was read, and the rest.
func (h *header) freshness(room int) string {
	var status views.Status
	if h.status != nil {
		status = *h.status
	}
	demo := "DEMO: simulated platform"
	text := h.freshnessOf(demo, status)
	for _, shorten := range []func(){
		func() { demo = "DEMO" },
		func() { status.Busy = "" },
		func() { status.Updated = time.Time{} },
		func() { // without the next attempt
			if a := status.Unreachable; a != nil {
				status.Unreachable = &views.Unreachable{Since: a.Since, Err: a.Err}
			}
		},
	} {
		if lipgloss.Width(text) <= room {
			return text
		}
		shorten()
		text = h.freshnessOf(demo, status)
	}
	if lipgloss.Width(text) > room {
		return ""
	}
	return text
}

func (h *header) freshnessOf(demo string, status views.Status) string {
	var parts []string
	if h.demo {
		parts = append(parts, h.env.Theme.Demo.Render(demo))
	}
	return strings.Join(append(parts, h.statusParts(status)...), "  ") + " "
}

func (h *header) statusParts(s views.Status) []string {
	t, times := h.env.Theme, h.env.Times
	var parts []string
	if s.Busy != "" {
		parts = append(parts, t.Running.Render(t.Glyphs.Running+" "+plain.Clip(s.Busy, 40)))
	}
	if s.Unreachable != nil && !h.upgradeAway() {
		parts = append(parts, t.Warn.Render(h.unreachable(*s.Unreachable)))
	}
	if !s.Updated.IsZero() {
		parts = append(parts, t.Muted.Render("updated ")+times.Here(s.Updated))
	}
	return parts
}

func (h *header) unreachable(a views.Unreachable) string {
	now := h.env.Times.Now()
	text := h.env.Theme.Glyphs.Warn + " " + a.What() + " for " + views.Seconds(now.Sub(a.Since))
	if a.Next.After(now) {
		text += ", retrying in " + views.Seconds(a.Next.Sub(now))
	}
	return text
}

// pathLine draws a rule with the path inside the view.
func (h *header) pathLine() string {
	t := h.env.Theme
	if h.status == nil || len(h.status.Path) == 0 {
		return t.Rule.Render(strings.Repeat(t.Glyphs.Rule, h.width))
	}
	parts := h.status.Path
	path := make([]string, len(parts))
	for i, part := range parts {
		path[i] = plain.Line(part)
	}
	text := ansi.Truncate(strings.Join(path, " "+t.Glyphs.Cursor+" "), max(h.width-6, 0), t.Glyphs.Ellipsis)
	rest := max(h.width-3-ansi.StringWidth(text)-1, 0)
	return t.Rule.Render(strings.Repeat(t.Glyphs.Rule, 2)) + " " + t.Muted.Render(text) + " " +
		t.Rule.Render(strings.Repeat(t.Glyphs.Rule, rest))
}

// spread puts left and right at the edges of a line; left gives way.
func spread(left, right string, width int, ellipsis string) string {
	room := width - lipgloss.Width(right)
	if room < 1 {
		return views.Fit(right, width, ellipsis)
	}
	return views.Fit(left, room, ellipsis) + right
}

// clockTolerance is how far the server's clock may be off before the header says so.
const clockTolerance = 5 * time.Second

// chip is a short fact in the header; the zero one is not shown.
type chip struct {
	text  string
	style lipgloss.Style
}

// chips are in order of importance: the last one is seen first.
var chips = []func(*header) chip{alarmsChip, clockChip, elsewhereChip, writesChip, modeChip, recordChip, upgradeChip, workChip, reachChip}

func clockChip(h *header) chip {
	switch ahead := h.env.Times.Ahead; {
	case ahead > clockTolerance:
		return h.alert("site clock " + adminapi.FormatElapsed(ahead) + " ahead")
	case ahead < -clockTolerance:
		return h.alert("site clock " + adminapi.FormatElapsed(-ahead) + " behind")
	}
	return chip{}
}

// elsewhereChip shows what goes on in a view that the user has left.
func elsewhereChip(h *header) chip {
	if h.elsewhere == "" {
		return chip{}
	}
	return chip{h.env.Theme.Glyphs.Running + " " + plain.Clip(h.elsewhere, 40), h.env.Theme.Running}
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
	if h.site.err == nil || h.upgradeAway() {
		return chip{} // upgradeChip says since when
	}
	kind, _ := adminapi.KindOf(h.site.err)
	switch kind {
	case adminapi.KindUnreachable:
		return h.alert("site not reachable")
	case adminapi.KindSignIn:
		return chip{} // userFact says it
	case adminapi.KindServer, adminapi.KindNotJSON:
		return h.alert("site " + adminapi.UnreachableText(h.site.err))
	}
	return h.alert("site not updated: " + kind.String())
}

//go:noinline
func (h *header) alert(text string) chip {
	return chip{h.env.Theme.Glyphs.Alert + " " + text, h.env.Theme.Warn}
}

// roomyWidth is the width from which chips say more.
const roomyWidth = 100

// upgradeChip shows the upgrade on every screen. An end is shown only where the upgrade
// was watched, or has failed and the site is read-only still.
func upgradeChip(h *header) chip {
	t, w := h.env.Theme, h.env.Upgrade
	r, noun := w.Snapshot, w.Snapshot.Progress.Kind.Noun()
	switch {
	case w.On && w.Refused() != nil:
		return h.alert(noun + ": not signed in")
	case w.On && r.Unreachable != nil:
		return h.alert("API unreachable" + h.ifRoomy(" "+momentText(h.env, r.UnreachableSince)+h.phase(r.Progress)))
	case w.On && r.Undecided:
		return h.alert(noun + ": end unknown")
	case w.On && w.Stall != nil:
		return h.alert(noun + " STALLED" + stalledIn(*w.Stall) + h.ifRoomy(minutesText(" for", w.Stall.Quiet)))
	case w.On && r.Meaning == progress.StateRunning:
		return h.alert(noun + ": " + progressText(r.Progress) + h.ifRoomy(h.running(r.Progress.Run)))
	case w.On && r.Meaning == progress.StateUnknown && !r.At.IsZero():
		return h.alert(noun + ": state unknown")
	case progress.Runs(h.site.overview.Upgrade):
		return h.alert("an upgrade is running")
	case r.Ended && r.Meaning == progress.StateSucceeded:
		return chip{t.Glyphs.Pass + " " + r.Progress.Kind.Noun() + " succeeded", t.OK}
	case r.Ended:
		return chip{t.Glyphs.Fail + " " + r.Progress.Kind.Noun() + " failed", t.Fail}
	case h.site.overview.Mode.ReadOnly && progress.StateOf(h.site.overview.Upgrade) == progress.StateFailed:
		return chip{t.Glyphs.Fail + " upgrade failed", t.Fail}
	}
	return chip{}
}

// workChip says what goes on in a view that is not shown.
func workChip(h *header) chip {
	if h.working == "" {
		return chip{}
	}
	return chip{h.env.Theme.Glyphs.Running + " " + plain.Clip(h.working, 40), h.env.Theme.Running}
}

// phase is the phase of the upgrade that the API was in when it was last reached.
func (h *header) phase(p progress.Progress) string {
	if p.Current == "" {
		return ""
	}
	return " " + h.env.Theme.Glyphs.Dot + " " + p.Kind.Noun() + ": " + p.Current
}

// upgradeAway reports whether the API does not answer the watch of an upgrade.
func (h *header) upgradeAway() bool {
	return h.env.Upgrade.On && h.env.Upgrade.Snapshot.Unreachable != nil
}

// alarmsChip says that no alarm is switched on.
func alarmsChip(h *header) chip {
	if !h.env.Upgrade.On || !h.silent {
		return chip{}
	}
	return chip{"alarms off", h.env.Theme.Muted}
}

// ifRoomy returns a text where the screen has room for it, else nothing.
func (h *header) ifRoomy(text string) string {
	if h.width < roomyWidth {
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
func (h *header) running(run progress.Run) string {
	if run.Began.IsZero() {
		return ""
	}
	return minutesText(" after", h.env.Times.Site().Now().Sub(run.Began.Time()))
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

func recordChip(h *header) chip {
	what, err := recordingProblem(h.env)
	if err == nil {
		return chip{}
	}
	return h.alert(what + " not kept")
}

// momentText writes a moment of this machine's clock in the mode the user chose: "since
// 14:31:40", "for 5 min".
func momentText(env *views.Env, at time.Time) string {
	if env.Times.Mode == views.RelativeTime {
		return "for " + views.Seconds(env.Clock.Now().Sub(at))
	}
	return "since " + env.Times.Here(at)
}
