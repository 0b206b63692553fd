// Package header is the first lines of every screen: the site and its user, the tabs, how fresh the
// screen is, and a rule with where in the view the user is.
//
// Start at [Header.View], which decides what gives way where there is no room. What may stand on the
// right is in chips.go, in its order.
package header

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Header is what the first lines of the screen are drawn from.
type Header struct {
	Env        *views.Env
	Name       string // of the site, such as "demo"
	Production bool
	Width      int
	Unrecorded bool               // nothing can be recorded, so nothing can be sent
	Silent     bool               // no alarm would reach a user who is not looking at the screen
	SignedOff  bool               // requests have no token that the site takes
	Ended      bool               // how the newest run has ended is to be shown
	Down       adminapi.Fact[int] // services that should run and do not
	Tabs       []views.Maker
	Shown      string       // id of the tab that is shown
	Status     views.Status // of the view that is shown
	Elsewhere  string       // what goes on in a view that is not shown
	Working    string       // what goes on there that must not be forgotten
	short      bool         // the first line has no room for all its words
	toldAway   bool         // the line of the tabs says that the site does not answer
}

// Drawn is the header of the last frame. A key that only moves a cursor changes nothing of it
// but the status of its view; its ages follow each second.
type Drawn struct {
	Stale  bool // something else was handled since
	second int64
	header *Header
	lines  string
}

// Lines returns the lines of the header, as they were drawn last where nothing of them may
// have changed since that second.
func (d *Drawn) Lines(h *Header, second int64) string {
	if d.Stale || d.second != second || !h.same(d.header) {
		*d = Drawn{second: second, header: h, lines: h.View()}
	}
	return d.lines
}

// same reports whether the header is drawn as another one; of trouble that is not compared.
func (h *Header) same(other *Header) bool {
	a, b := h.Status, other.Status
	quiet := a.Unreachable == nil && b.Unreachable == nil && a.Err == nil && b.Err == nil
	return quiet && slices.Equal(a.Path, b.Path) && a.Updated.Equal(b.Updated) && a.Busy == b.Busy && a.Kept == b.Kept &&
		h.Width == other.Width && h.Elsewhere == other.Elsewhere && h.Working == other.Working
}

// View draws the site and the user, the tabs, and a rule with the path inside the view. What
// has no room in the first line stands on the rule.
func (h *Header) View() string {
	t, lead := h.Env.Theme, h.lead()
	site := lead + h.siteName()
	tabs := h.tabLine()
	facts, path := h.facts(), h.path()
	room := func(site int) int { return h.Width - site - 2 }
	if lipgloss.Width(h.joined(facts, firstLine)) > room(lipgloss.Width(site)) {
		h.short = true
		facts = h.facts()
	}
	returning := chipRanks + 4
	if crowded := slices.ContainsFunc(facts, func(f fact) bool { return f.least <= chipRanks }); crowded && h.Width < steadyWidth {
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
	h.move(facts, onRule, 0, h.Width-lipgloss.Width(path)-6)
	return spread(site, h.joined(facts, firstLine), h.Width, t.Glyphs.Ellipsis) + "\n" + tabs + "\n" + h.pathLine(path, h.joined(facts, onRule))
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
func (h *Header) lead() string {
	brand, banner := h.Env.Theme.Brand.Render("geodeck")+"  ", h.banner()
	switch {
	case banner == "":
		return " " + brand
	case h.Width < roomyWidth:
		return " " + banner + "  "
	}
	return " " + brand + banner + "  "
}

// banner says what must be known before anything is done. No lack of room leaves it out.
func (h *Header) banner() string {
	t := h.Env.Theme
	var parts []string
	if h.Production {
		parts = append(parts, t.Production.Render(ProductionWord))
	}
	if client := h.Env.Site.Client; client != nil {
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

// ProductionWord marks a production site wherever one is named.
const ProductionWord = "PRODUCTION"

func (h *Header) siteName() string {
	t := h.Env.Theme
	if h.Env.Offline {
		return t.Warn.Render("offline") + t.Muted.Render(" "+t.Glyphs.Dot+" saved files only")
	}
	host := plain.Line(h.Env.Site.Client.Base().Host)
	if name := plain.Line(h.Name); name != "" && name != h.Env.Site.Client.Base().Hostname() {
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
func (h *Header) facts() []fact {
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
func (h *Header) version() string {
	t := h.Env.Theme
	if kept := h.Env.Overview(); kept.Version != "" {
		return t.Warn.Render(plain.Clip(plain.Line(kept.Version), 24) + " " + h.Env.Times.Ago(kept.Read))
	}
	version := h.Env.State.Version
	if version.Known() && version.Value.FullVersion == "" {
		return t.Muted.Render("version not shown")
	}
	return t.Muted.Render(plain.Clip(version.Value.FullVersion, 24))
}

// move makes facts above a rank give way until those in a place fit.
func (h *Header) move(facts []fact, from place, above, room int) {
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
func (h *Header) fill(facts []fact, ranks, room int) {
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

func (h *Header) joined(facts []fact, in place) string {
	var texts []string
	for _, f := range facts {
		if f.place == in {
			texts = append(texts, f.text)
		}
	}
	if texts == nil {
		return ""
	}
	return " " + strings.Join(texts, h.Env.Theme.Muted.Render(" "+h.Env.Theme.Glyphs.Dot+" ")) + " "
}

// userFact says who is signed in, and until when; near is true where that is soon.
func (h *Header) userFact() (user, session string, near bool) {
	if h.Env.Offline {
		return "", "", false
	}
	t, token := h.Env.Theme, h.Env.Site.Client.Session.Token()
	if h.SignedOff {
		if !h.Env.State.Version.Known() && !errors.Is(h.Env.State.Reach.Err, adminapi.KindSignIn) {
			return "", "", false // nobody has asked
		}
		return t.Warn.Render("not signed in"), "", false
	}
	user = plain.Clip(h.Env.State.Self.Value.Username, 24)
	if user == "" {
		user = "signed in"
	}
	if token.Expires.IsZero() {
		return user, "", false
	}
	end := token.Expires.Time()
	near = end.Sub(h.Env.Times.Site().Now()) < sessionNear
	if session = h.until(end, near); near {
		session = t.Warn.Render(session)
	}
	return user, session, near
}

// sessionNear is how long before its end a session is marked.
const sessionNear = 15 * time.Minute

// anotherDay is how far ahead a time of another day is said with how long that is: nearer than that
// nobody takes it for the day's own.
const anotherDay = 12 * time.Hour

// until says when the sign-in ends, with how far away that is if it is not today.
func (h *Header) until(end time.Time, near bool) string {
	times, now := h.Env.Times, h.Env.Times.Site().Now()
	left, word := end.Sub(now), "session until "
	zone, mark := times.Local, ""
	if times.Mode == views.UTCTime {
		zone, mark = time.UTC, "Z"
	}
	if left > anotherDay && end.In(zone).YearDay() != now.In(zone).YearDay() {
		mark += ", " + views.Ago(-left)
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
	return word + end.In(zone).Format("15:04") + mark
}

// tabLine draws the tabs, and how fresh the screen is.
func (h *Header) tabLine() string {
	t := h.Env.Theme
	tabs := make([]string, len(h.Tabs))
	for i, maker := range h.Tabs {
		tabs[i] = t.Tab(maker.Title, maker.ID == h.Shown)
	}
	left := strings.Join(tabs, " ")
	return spread(left, h.freshness(h.Width-lipgloss.Width(left)-2), h.Width, t.Glyphs.Ellipsis)
}

// freshness says how old the data on the screen is. Where the tabs leave too little room
// it shortens the demo, leaves out what is under way, then when it was read, and the rest.
func (h *Header) freshness(room int) string {
	status := h.Status
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

func (h *Header) freshnessOf(demo string, status views.Status) string {
	var parts []string
	if h.Env.Demo {
		parts = append(parts, h.Env.Theme.Demo.Render(demo))
	}
	return strings.Join(append(parts, h.statusParts(status)...), "  ") + " "
}

// oldAfter is the age from which what is shown looks old.
const oldAfter = 10 * time.Minute

func (h *Header) statusParts(s views.Status) []string {
	t, times := h.Env.Theme, h.Env.Times
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

func (h *Header) unreachable(a views.Unreachable) string {
	now := h.Env.Times.Now()
	text := h.Env.Theme.Glyphs.Warn + " " + a.What() + " for " + views.Seconds(now.Sub(a.Since))
	if a.Next.After(now) {
		text += ", retrying in " + views.Seconds(a.Next.Sub(now))
	}
	return text
}

// path is where the user is inside the view; empty at its beginning.
func (h *Header) path() string {
	path := make([]string, len(h.Status.Path))
	for i, part := range h.Status.Path {
		path[i] = plain.Line(part)
	}
	return strings.Join(path, " "+h.Env.Theme.Glyphs.Cursor+" ")
}

// pathLine draws a rule with the path inside the view, and with facts at its end.
func (h *Header) pathLine(path, facts string) string {
	t, left := h.Env.Theme, ""
	rest := h.Width - lipgloss.Width(facts)
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
