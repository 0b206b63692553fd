package ui

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
)

// header draws the first lines of the screen.
type header struct {
	env        *views.Env
	theme      *theme.Theme
	options    *Options
	width      int
	unrecorded bool // nothing can be recorded, so nothing can be sent
	site       *siteStatus
	session    *session
	silent     bool // no alarm would reach a user who is not looking at the screen
	tabs       []views.Maker
	shown      string       // id of the tab that is shown
	status     views.Status // of the view that is shown
	elsewhere  string       // what goes on in a view that is not shown
	working    string       // what goes on in a view that is not shown
	short      bool         // the first line has no room for all its words
	toldAway   bool         // the line of the tabs says that the site does not answer
}

// headerDrawn is the header of the last frame. A key that only moves a cursor changes nothing of it
// but the status of its view; its ages follow each second.
type headerDrawn struct {
	stale  bool // something else was handled since
	second int64
	header *header
	lines  string
}

// headerLines returns the lines of the header, as they were drawn last where nothing of them may
// have changed.
func (m *Model) headerLines() string {
	h, last, second := m.header(), &m.headed, m.pace.Now().Unix()
	if last.stale || last.second != second || !h.same(last.header) {
		*last = headerDrawn{second: second, header: h, lines: h.View()}
	}
	return last.lines
}

// same reports whether the header is drawn as another one; of trouble that is not compared.
func (h *header) same(other *header) bool {
	a, b := h.status, other.status
	quiet := a.Unreachable == nil && b.Unreachable == nil && a.Err == nil && b.Err == nil
	return quiet && slices.Equal(a.Path, b.Path) && a.Updated.Equal(b.Updated) && a.Busy == b.Busy && a.Kept == b.Kept &&
		h.width == other.width && h.elsewhere == other.elsewhere && h.working == other.working
}

func (m *Model) header() *header {
	h := &header{
		env: m.env, theme: m.env.Theme, options: m.options, width: m.screen.layout.width, unrecorded: m.unrecorded != nil, site: &m.site, session: &m.session,
		silent: m.watch.alarms.silent(), tabs: m.screen.router.makers, shown: m.screen.router.shown, working: m.screen.router.working(),
	}
	for id, v := range m.screen.router.started() {
		status := v.Status()
		if id == m.screen.router.shown {
			h.status = status
		} else if h.elsewhere == "" {
			h.elsewhere = status.Busy
		}
	}
	if d := m.screen.dialogs.top(); d != nil && d.Hooks().Read != nil && !d.Hooks().Read().IsZero() {
		h.status.Updated = d.Hooks().Read()
	}
	if h.elsewhere == h.working {
		h.elsewhere = "" // once is enough
	}
	return h
}

// View draws the site and the user, the tabs, and a rule with the path inside the view. What
// has no room in the first line stands on the rule.
func (h *header) View() string {
	t, lead := h.theme, h.lead()
	site := lead + h.siteName()
	tabs := h.tabLine()
	facts, path := h.facts(), h.path()
	room := func(site int) int { return h.width - site - 2 }
	if lipgloss.Width(h.joined(facts, firstLine)) > room(lipgloss.Width(site)) {
		h.short = true
		facts = h.facts()
	}
	returning := chipRanks + 4
	if crowded := slices.ContainsFunc(facts, func(f fact) bool { return f.least <= chipRanks }); crowded && h.width < steadyWidth {
		returning = chipRanks + 2 // a chip that gets longer moves neither the version nor the end of the session
		for i := range facts {
			if facts[i].least >= returning {
				facts[i].place = onRule
			}
		}
	}
	h.move(facts, firstLine, chipRanks, room(min(lipgloss.Width(site), lipgloss.Width(lead)+nameRoom)))
	h.move(facts, firstLine, 0, room(min(lipgloss.Width(site), lipgloss.Width(lead)+nameRoomWithChips)))
	h.fill(facts, returning, room(lipgloss.Width(site)))
	h.move(facts, onRule, 0, h.width-lipgloss.Width(path)-6)
	return spread(site, h.joined(facts, firstLine), h.width, t.Glyphs.Ellipsis) + "\n" + tabs + "\n" + h.pathLine(path, h.joined(facts, onRule))
}

// steadyWidth is the width from which the first line has room for chips of any usual length.
const steadyWidth = 140

// What the name of the site gets however much there is to tell.
const (
	nameRoom          = 30
	nameRoomWithChips = 14
)

// lead is what the first line begins with, on every screen: which kind of site it is, and whether
// it takes writes. On a narrow screen that takes the place of the program's name.
func (h *header) lead() string {
	brand, banner := h.theme.Brand.Render("geodeck")+"  ", h.banner()
	switch {
	case banner == "":
		return " " + brand
	case h.width < roomyWidth:
		return " " + banner + "  "
	}
	return " " + brand + banner + "  "
}

// banner says what must be known before anything is done. No lack of room leaves it out.
func (h *header) banner() string {
	t := h.theme
	var parts []string
	if h.options.Production {
		parts = append(parts, t.Production.Render(productionWord))
	}
	if client := h.env.Site.Client; client != nil {
		switch {
		case client.ReadOnly() || client.Locked():
			parts = append(parts, t.Locked.Render(t.Glyphs.Locked+" read-only"))
		case client.Unlocked():
			parts = append(parts, t.Unlocked.Render(t.Glyphs.Alert+" UNLOCKED"))
		}
		if client.Insecure() {
			parts = append(parts, t.Insecure.Render(t.Glyphs.Warn+" insecure"))
		}
	}
	return strings.Join(parts, "  ")
}

const productionWord = "PRODUCTION"

func (h *header) siteName() string {
	t := h.theme
	if h.env.Offline {
		return t.Warn.Render("offline") + t.Muted.Render(" "+t.Glyphs.Dot+" saved files only")
	}
	host := plain.Line(h.env.Site.Client.Base().Host)
	if name := plain.Line(h.options.Name); name != "" && name != h.env.Site.Client.Base().Hostname() {
		return t.Strong.Render(name) + t.Muted.Render(" "+t.Glyphs.Dot+" ") + host
	}
	return t.Strong.Render(host)
}

// fact is a part of the right side of the header.
type fact struct {
	text  string
	least int  // the higher, the earlier it gives way
	vital bool // never left out
	place place
}

// place is where a fact stands.
type place int

const (
	firstLine place = iota
	onRule
)

// facts returns the right side of the header. The version leaves the first line first, then
// the end of the session, the user, and the chips from the left.
func (h *header) facts() []fact {
	user, session, near := h.userFact()
	facts := []fact{
		{text: h.version(), least: chipRanks + 3, vital: true},
		{text: user, least: chipRanks + 1}, {text: session, least: chipRanks + 2, vital: near},
	}
	for i, c := range h.chips() {
		if c.text != "" {
			facts = append(facts, fact{text: c.style.Render(c.text), least: chipRanks - i})
		}
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return lipgloss.Width(f.text) == 0 })
}

// version is the installed version, with its age where it was kept.
func (h *header) version() string {
	t := h.theme
	if kept := keptOverview(h.env); kept.Version != "" {
		return t.Warn.Render(plain.Clip(plain.Line(kept.Version), 24) + " " + h.env.Times.Ago(kept.Read))
	}
	return t.Muted.Render(plain.Clip(h.env.State.Version.Value.FullVersion, 24))
}

// move makes facts above a rank give way until those in a place fit.
func (h *header) move(facts []fact, from place, above, room int) {
	for lipgloss.Width(h.joined(facts, from)) > room {
		least := -1
		for i, f := range facts {
			if f.place == from && f.least > above && (from == firstLine || !f.vital) && (least < 0 || f.least > facts[least].least) {
				least = i
			}
		}
		if least < 0 {
			return
		}
		facts[least].place++
	}
}

// fill takes back into the first line what has room there after all, of the first ranks, the
// version last.
func (h *header) fill(facts []fact, ranks, room int) {
	for least := range ranks {
		for i := range facts {
			if f := &facts[i]; f.least == least && f.place == onRule {
				if f.place = firstLine; lipgloss.Width(h.joined(facts, firstLine)) > room {
					f.place = onRule
				}
			}
		}
	}
}

func (h *header) joined(facts []fact, in place) string {
	var texts []string
	for _, f := range facts {
		if f.place == in {
			texts = append(texts, f.text)
		}
	}
	if texts == nil {
		return ""
	}
	return " " + strings.Join(texts, h.theme.Muted.Render(" "+h.theme.Glyphs.Dot+" ")) + " "
}

// userFact says who is signed in, and until when; near is true where that is soon.
func (h *header) userFact() (user, session string, near bool) {
	if h.env.Offline {
		return "", "", false
	}
	t, token := h.theme, h.env.Site.Client.Session.Token()
	if h.session.signedOff() {
		if !h.env.State.Version.Known() && !errors.Is(h.env.State.Reach.Err, adminapi.KindSignIn) {
			return "", "", false // nobody has asked
		}
		return t.Warn.Render("not signed in"), "", false
	}
	user = plain.Clip(h.env.State.Self.Value.Username, 24)
	if user == "" {
		user = "signed in"
	}
	if token.Expires.IsZero() {
		return user, "", false
	}
	end := token.Expires.Time()
	near = end.Sub(h.env.Times.Site().Now()) < sessionNear
	if session = h.until(end, near); near {
		session = t.Warn.Render(session)
	}
	return user, session, near
}

// sessionNear is how long before its end a session is marked.
const sessionNear = 15 * time.Minute

// anotherDay is how far ahead a time of another day is said with its day: nearer than that nobody
// takes it for the day's own.
const anotherDay = 12 * time.Hour

// until says when the sign-in ends, with the day if it is not today.
func (h *header) until(end time.Time, near bool) string {
	times, now := h.env.Times, h.env.Times.Site().Now()
	left, layout, word := end.Sub(now), "15:04", "session until "
	zone, mark := times.Local, ""
	if times.Mode == views.UTCTime {
		zone, mark = time.UTC, "Z"
	}
	if left > anotherDay && end.In(zone).YearDay() != now.In(zone).YearDay() {
		layout = "01-02 15:04"
	}
	if h.short && !near {
		word = "until "
	}
	switch {
	case left <= 0:
		return "session expired"
	case times.Mode == views.RelativeTime:
		return "session for " + strings.TrimPrefix(views.Ago(-left), "in ")
	}
	return word + end.In(zone).Format(layout) + mark
}

// tabLine draws the tabs, and how fresh the screen is.
func (h *header) tabLine() string {
	t := h.theme
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
	status := h.status
	demo := "DEMO: simulated platform"
	text := h.freshnessOf(demo, status)
	for _, shorten := range []func(){
		func() { demo = "DEMO" },
		func() { status.Busy = "" },
		func() {
			if !status.Kept { // which is said in any case
				status.Updated = time.Time{}
			}
		},
		func() { // without the next attempt
			if a := status.Unreachable; a != nil {
				status.Unreachable = &views.Unreachable{Since: a.Since, Err: a.Err}
			}
		},
		func() {
			if status.Kept { // the first line says that the site does not answer
				status.Unreachable = nil
			}
		},
	} {
		if lipgloss.Width(text) <= room {
			break
		}
		shorten()
		text = h.freshnessOf(demo, status)
	}
	if lipgloss.Width(text) > room {
		return ""
	}
	h.toldAway = status.Unreachable != nil
	return text
}

func (h *header) freshnessOf(demo string, status views.Status) string {
	var parts []string
	if h.env.Demo {
		parts = append(parts, h.theme.Demo.Render(demo))
	}
	return strings.Join(append(parts, h.statusParts(status)...), "  ") + " "
}

// oldAfter is the age from which what is shown looks old.
const oldAfter = 10 * time.Minute

func (h *header) statusParts(s views.Status) []string {
	t, times := h.theme, h.env.Times
	var parts []string
	if s.Busy != "" {
		parts = append(parts, t.Running.Render(t.Glyphs.Running+" "+plain.Clip(s.Busy, 40)))
	}
	if s.Unreachable != nil && !h.upgradeAway() {
		parts = append(parts, t.Warn.Render(h.unreachable(*s.Unreachable)))
	}
	switch age := times.Now().Sub(s.Updated); {
	case s.Updated.IsZero():
	case s.Kept:
		parts = append(parts, t.Warn.Render("kept from "+views.Ago(age)))
	case age >= oldAfter:
		parts = append(parts, t.Warn.Render("updated "+views.Ago(age)))
	default:
		parts = append(parts, t.Muted.Render("updated ")+times.Here(s.Updated))
	}
	return parts
}

func (h *header) unreachable(a views.Unreachable) string {
	now := h.env.Times.Now()
	text := h.theme.Glyphs.Warn + " " + a.What() + " for " + views.Seconds(now.Sub(a.Since))
	if a.Next.After(now) {
		text += ", retrying in " + views.Seconds(a.Next.Sub(now))
	}
	return text
}

// path is where the user is inside the view; empty at its beginning.
func (h *header) path() string {
	path := make([]string, len(h.status.Path))
	for i, part := range h.status.Path {
		path[i] = plain.Line(part)
	}
	return strings.Join(path, " "+h.theme.Glyphs.Cursor+" ")
}

// pathLine draws a rule with the path inside the view, and with facts at its end.
func (h *header) pathLine(path, facts string) string {
	t, left := h.theme, ""
	rest := h.width - lipgloss.Width(facts)
	if path != "" {
		text := ansi.Truncate(path, max(rest-6, 0), t.Glyphs.Ellipsis)
		left = t.RuleOf(2) + " " + t.Muted.Render(text) + " "
		rest -= lipgloss.Width(left)
	}
	return left + t.RuleOf(max(rest, 0)) + facts
}

// spread puts left and right at the edges of a line; left gives way.
func spread(left, right string, width int, ellipsis string) string {
	room := width - lipgloss.Width(right)
	if room < 1 {
		return views.Fit(right, width, ellipsis)
	}
	return views.Fit(left, room, ellipsis) + right
}
