package services

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// knownState is the state of a service, and when it was read.
type knownState struct {
	availability.State
	read  time.Time
	tried time.Time // when it was read last, with success or not
	stale bool      // it is read again where it is seen
	// doubted is set where its pods have changed: it is freshened at once where it is seen, else
	// before others.
	doubted bool
}

// amiss reports whether a service is known not to be as it is configured.
func (s knownState) amiss() bool { return s.RealTime != "" && !s.Settled() }

// statesAtOnce is how many states are read before they are shown.
const statesAtOnce = 8

// statesRead are the states of some services.
type statesRead struct {
	services []adminapi.ServiceRef
	states   []availability.State
}

// mostUnasked is how many states are read without being in sight or asked for: of three
// thousand services not each is worth a request.
const mostUnasked = 500

// loadShownStates reads the states of the rows on the screen that are not known yet, a
// few at a time, then those of the others: a service that is down may be out of sight.
func (c *catalog) loadShownStates() tea.Cmd {
	if c.Env.Offline || c.Unreachable != nil {
		return nil
	}
	var services []adminapi.ServiceRef
	add := func(i int) (full bool) {
		row := &c.rows.items[i]
		if row.service != nil && c.unknown(row.key.path) {
			services = append(services, *row.service)
		}
		return len(services) == statesAtOnce
	}
	for i := range c.list.OnScreen() {
		if add(i) {
			break
		}
	}
	pods := tea.Cmd(nil)
	if len(services) == 0 {
		pods = c.loadShownPods()
	}
	if len(services) == 0 && (c.sweeping() || c.checking()) {
		for i := range c.rows.items {
			if add(i) {
				break
			}
		}
	}
	if len(services) == 0 || slices.EqualFunc(services, c.asked, samePath) {
		return pods
	}
	return tea.Batch(pods, c.loadStates(services...))
}

func samePath(a, b adminapi.ServiceRef) bool { return a.Path() == b.Path() }

func (c *catalog) loadStates(services ...adminapi.ServiceRef) tea.Cmd {
	site := c.Env.Site
	c.asked = services
	return c.Scope.Do("states", func(ctx context.Context) tea.Msg {
		return statesRead{services, site.Availability().States(ctx, services)}
	})
}

func (c *catalog) statesRead(r statesRead) tea.Cmd {
	now := c.Env.Clock.Now()
	c.asked = nil
	defer c.redrawStates()
	failed, gone := 0, tea.Cmd(nil)
	for i, s := range r.services {
		switch err := r.states[i].Err; {
		case errors.Is(err, adminapi.KindSignIn):
			return c.Scope.RetryAfterSignIn(err, "states", c.loadShownStates)
		case err != nil && !errors.Is(err, adminapi.KindNotFound):
			failed++
		}
		gone = tea.Batch(gone, c.noteState(s.Path(), r.states[i], now))
	}
	c.redrawStates()
	if failed == statesAtOnce { // thousands of others would fail alike
		c.givenUp = cmp.Or(c.needle(), c.order.String())
	}
	return tea.Batch(gone, c.loadShownStates())
}

// forgetState drops the state of a service that was changed: it is fetched again when it is
// in sight, as are those of all services that share its pods.
func (c *catalog) forgetState(service adminapi.ServiceRef) {
	c.pods.stale[service.Path()] = true
	for _, d := range c.pods.scaling[service.Path()].Deployments {
		c.doubt(d.DeploymentID, 0)
		delete(c.pods.status, d.DeploymentID)
	}
	delete(c.states, service.Path())
	delete(c.reasons, service.Path())
	c.redrawStates()
}

// forgetStates has the states of all services fetched again when they are in sight.
func (c *catalog) forgetStates() {
	c.givenUp, c.fresh = "", freshener{}
	c.pods.forget()
	clear(c.reasons)
	for path, known := range c.states {
		known.stale = true
		c.states[path] = known
	}
}

// followed takes what is read of a service that is followed; its state is read where that is
// not, and its pods have changed.
func (c *catalog) followed(service adminapi.ServiceRef, now availability.Snapshot, moved bool) tea.Cmd {
	for _, d := range now.Deployments {
		c.notePods(d)
	}
	var read tea.Cmd
	switch {
	case now.Followed: // of the same age as its pods
		read = c.noteState(service.Path(), now.Service, now.At)
		if now.Service.Err == nil {
			delete(c.pods.behind, service.Path())
		}
	case moved:
		read = c.loadStates(service)
	}
	c.redrawStates()
	return read
}

// redrawStates shows the states that are known; where the filter asks for states, or the
// list is sorted by them, the rows change.
func (c *catalog) redrawStates() {
	if row, ok := c.selected(); ok && c.asksStates() {
		c.kept = row.key
	}
	if c.order == byState || c.order == byPods || c.order == byFolder && c.downChanged() {
		c.lay()
		return
	}
	c.countStates()
	c.list.Redraw()
	if c.asksStates() {
		c.list.Set(c.rows)
	}
}

// letGo lets the row go that stayed under the cursor, once that has left it or the filter.
func (c *catalog) letGo() {
	row, ok := c.selected()
	if c.kept == (rowKey{}) || ok && row.key == c.kept && c.needle() != "" {
		return
	}
	c.kept = rowKey{}
	c.list.Set(c.rows)
}

// stateOf says the state of a service as sign, words and colour.
func (c *catalog) stateOf(path string) (glyph, text string, ink rows.Ink) {
	k := c.inks
	if s := c.switched[path]; s != nil {
		return k.Glyphs.Running, s.word(), k.Running
	}
	known, read := c.states[path]
	switch {
	case c.sends(path) != "":
		return k.Glyphs.Running, c.sends(path), k.Running
	case !read:
		return " ", "", k.Muted
	case known.Err != nil && known.RealTime == "":
		return k.Glyphs.Unknown, "not known", k.Unknown
	case c.restarting(path):
		return k.Glyphs.Running, "restarting", k.Running
	case known.Err != nil && known.Down():
		return k.Glyphs.Fail, "down, " + c.Env.Times.Clock(known.read), k.Fail
	case known.Err != nil:
		return k.Glyphs.Unknown, plain.Line(strings.ToLower(known.RealTime)) + ", " + c.Env.Times.Clock(known.read), k.Unknown
	case known.Settled() && known.Running() && c.pods.behind[path]:
		return k.Glyphs.Unknown, "started, checking", k.Unknown
	case known.Settled() && known.Running() && c.pods.short(path):
		return k.Glyphs.Warn, "started, pods wait", k.Warn
	case known.Settled() && known.Running():
		return k.Glyphs.Pass, "started", k.OK
	case known.Settled() && known.RealTime == adminapi.ServiceStopped:
		return k.Glyphs.Skipped, "stopped", k.Muted
	case known.Down():
		return k.Glyphs.Fail, "stopped, should run", k.Fail
	case known.Running() && known.Configured == adminapi.ServiceStopped:
		return k.Glyphs.Warn, "runs, should not", k.Warn
	}
	return k.Glyphs.Unknown, plain.Line(strings.ToLower(known.RealTime)), k.Unknown
}

// writeState says the state, and how it should be where that differs.
func (c *catalog) writeState(p *rows.Page, path string) {
	glyph, text, ink := c.stateOf(path)
	if text == "" {
		p.Fact("State", "not known yet")
		return
	}
	known := c.states[path]
	if known.Settled() && known.Err == nil && c.switched[path] == nil && c.sends(path) == "" && !c.pods.short(path) && !c.pods.behind[path] {
		text += ", as configured"
	}
	text += c.sinceRestart(path)
	name := "State"
	for _, line := range views.Wrap(glyph+" "+text, max(8, p.Width-factNames)) {
		p.Line(p.Inks.Label.On(p.Inks.Fit(name, factNames)) + ink.On(line))
		name = ""
	}
	if unknown := c.drafts.UnknownOf(path); unknown != "" {
		p.Fact("Edit", p.Inks.Unknown.On(p.Inks.Glyphs.Unknown)+" "+unknown+views.Keys("; {key:services.refresh} looks for it"))
	}
	if known.amiss() {
		p.Fact("Configured", strings.ToLower(plain.Line(known.Configured)))
		p.Fact("Real", strings.ToLower(plain.Line(known.RealTime)))
	}
	if known.Err != nil {
		p.Signed(p.Inks.Glyphs.Warn, p.Inks.Warn, views.Sentence(known.Err.Error()))
	}
}

// stateWords are the words of states that a filter may look for.
var stateWords = []string{"started", "stopped", "stopped, should run", "should run", "runs, should not", "should not", "not known", "not as configured", downWord}

// minStateWord is how much of such a word has to be typed before the states of all
// services are read for it: shorter texts are mostly names.
const minStateWord = 4

// needle is what the list is filtered by, in lower case.
func (c *catalog) needle() string {
	return strings.ToLower(strings.TrimPrefix(c.list.Filter(), "!"))
}

// asksStates reports whether the filter asks for a state: then it is complete only when
// all states are known.
func (c *catalog) asksStates() bool {
	needle := c.needle()
	if len(needle) < minStateWord || c.givenUp == needle {
		return false
	}
	for _, word := range stateWords {
		if strings.HasPrefix(word, needle) {
			return true
		}
	}
	return len(askedStates(needle)) > 0
}

// askedStates are the words of a filter of several that look for a state.
func askedStates(needle string) []string {
	words := strings.Fields(needle)
	if len(words) < 2 {
		return nil
	}
	return slices.DeleteFunc(words, func(word string) bool {
		return len(word) < minStateWord || !slices.ContainsFunc(stateWords, func(state string) bool { return strings.HasPrefix(state, word) })
	})
}

// inState reports whether the filter finds a service by its state: by the beginning of a
// word, so that "art" does not find all that is started.
func (c *catalog) inState(row *serviceRow, has func(string) bool) bool {
	needle := c.needle()
	_, text, _ := c.stateOf(row.key.path)
	if needle != "" && row.key == c.kept {
		return true
	}
	if text == "" || needle == "" {
		return false
	}
	if known := c.states[row.key.path]; known.RealTime != "" && (!known.Running() || known.amiss() || c.pods.short(row.key.path) || c.pods.behind[row.key.path]) {
		text += ", " + downWord
		if known.amiss() {
			text += ", not as configured, " + known.Text()
		}
	}
	begins := func(word string) bool { return strings.HasPrefix(text, word) || strings.Contains(text, " "+word) }
	return begins(needle) || slices.ContainsFunc(askedStates(needle), func(word string) bool { return has(word) && begins(word) })
}

// unknown reports whether the state of a service has to be read, for the first time or
// again.
func (c *catalog) unknown(path string) bool {
	known, ok := c.states[path]
	return !ok || known.stale
}

// sweeping reports whether states are read for the filter, seen or not.
func (c *catalog) sweeping() bool {
	return !c.hidden && c.tally.read < c.count() && (c.asksStates() || c.order == byState && c.givenUp == "")
}

// checking reports whether states are read that nobody asked for: all, as far as that is few
// requests, and none over a slow line.
func (c *catalog) checking() bool {
	return !c.hidden && c.givenUp == "" && c.tally.read < min(c.count(), mostUnasked) && !c.Env.Site.Line.Slow()
}

// tally counts the services by what is known of their states.
type tally struct {
	read, failed, down int
	stopped            int // on purpose
	amiss              int // otherwise not as configured
}

func (c *catalog) countStates() {
	c.tally, c.tallies = tally{}, map[string]tally{}
	for i := range c.rows.items {
		row := &c.rows.items[i]
		if row.service == nil || c.unknown(row.key.path) {
			continue
		}
		n, known := c.tallies[row.key.folder], c.states[row.key.path]
		n.read++
		if known.RealTime == "" {
			n.failed++
		}
		switch {
		case c.restarting(row.key.path): // it may be up by now
		case known.Down():
			n.down++
		case known.Settled() && !known.Running():
			n.stopped++
		case known.amiss():
			n.amiss++
		}
		c.tallies[row.key.folder] = n
	}
	for _, n := range c.tallies {
		c.tally = tally{c.tally.read + n.read, c.tally.failed + n.failed, c.tally.down + n.down, c.tally.stopped + n.stopped, c.tally.amiss + n.amiss}
	}
}

// found says what was found amiss, empty for nothing.
func (n tally) found() string {
	var found []string
	if n.down > 0 {
		found = append(found, fmt.Sprintf("%d down", n.down))
	}
	if n.stopped > 0 {
		found = append(found, fmt.Sprintf("%d stopped on purpose", n.stopped))
	}
	if n.amiss > 0 {
		found = append(found, fmt.Sprintf("%d not as configured", n.amiss))
	}
	return strings.Join(found, ", ")
}

// text says how many services do not run, of those among all whose states were read.
func (n tally) text(all int) string {
	switch {
	case n.read == all || n.found() == "":
		return n.found()
	}
	return fmt.Sprintf("%d checked: %s", n.read, n.found())
}

// checkedText says how many states are known, empty for all.
func (c *catalog) checkedText() string {
	if known := c.tally.read - c.tally.failed; known < c.count() && !c.Env.Offline {
		return fmt.Sprintf("%d of %d checked", known, c.count())
	}
	return ""
}

// nothingMatches says what an empty list means: while states are being read, little.
func (c *catalog) nothingMatches() []string {
	switch {
	case c.sweeping():
		return []string{"No service matches so far: states are being read, " + c.sweepText() + ".", "", views.Keys("{key:services.back} shows all again.")}
	case c.givenUp != "" && c.givenUp == c.needle():
		return []string{"No service matches as far as states could be read, " + c.sweepText() + ".", "", views.Keys("{key:services.back} shows all again. {key:services.refresh} refreshes.")}
	}
	if c.needle() == downWord {
		return []string{"Every service runs.", "", views.Keys("{key:services.back} shows all again.")}
	}
	return []string{"No service matches.", "", views.Keys("{key:services.back} shows all again.")}
}

func (c *catalog) sweepText() string {
	return fmt.Sprintf("%d of %s", c.tally.read, plain.Plural(c.count(), "service"))
}
