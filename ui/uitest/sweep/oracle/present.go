package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Truth is what a site is at a time, as far as the head of a screen tells of it.
type Truth struct {
	ReadOnly, Runs bool // its mode, and whether an upgrade does
	Failed         bool // the last one did
	Version        string
	Down           int  // services that should run, and do not
	Restless       bool // others than these may be down for a moment: an upgrade, or a change, restarts them
}

// Followed says that what the site is was looked at all the time, so that screens can be judged by it.
type Followed struct {
	// Services are the paths of those that may be down.
	Services []string
	// Reached reports whether somebody was at the address of the site at some moment of a time.
	Reached func(from, to time.Time) bool

	ran    time.Time            // an upgrade was last seen to run
	began  map[string]time.Time // the first frame of each program
	ahead  time.Duration        // the clock of the machine, less true time
	jumped bool                 // it was set: what the machine says of ages is of no use
	truth  []seen
}

// seen is what the site was from a time on.
type seen struct {
	Truth
	at time.Time
}

// Looks looks at what the site is, and keeps what is new. Whoever changes it lets it be looked at.
func (d *Day) Looks(at time.Time) {
	if d.Followed == nil {
		return
	}
	now := Truth{Runs: d.upgrade() == running, Failed: d.upgrade() == failed, ReadOnly: !takesWrites.MatchString(d.Ask("/mode"))}
	now.Version = d.version()
	for _, service := range d.Followed.Services {
		var state struct{ ConfiguredState, RealTimeState string }
		if json.Unmarshal([]byte(d.Ask("/services/"+service+"/status")), &state) == nil && state.ConfiguredState == "STARTED" && state.RealTimeState == "STOPPED" {
			now.Down++
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Runs {
		d.Followed.ran = at
	}
	now.Restless = at.Sub(d.Followed.ran) < settles || slices.ContainsFunc(d.writes, func(w *Write) bool { return w.Changes() && at.Sub(w.At) < settles })
	if all := d.Followed.truth; len(all) == 0 || all[len(all)-1].Truth != now {
		d.Followed.truth = append(all, seen{now, at})
	}
}

// was reports whether the site was so at some moment of a time. Of a change it is known only that it was before
// it was seen: what was before counts until then.
func (d *Day) was(from, to time.Time, so func(Truth) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.Followed.truth
	for i, one := range all {
		begins, ends := i == 0 || !one.at.After(to), i+1 == len(all) || !all[i+1].at.Before(from)
		if begins && ends && so(one.Truth) {
			return true
		}
	}
	return false
}

// The times by which a screen is judged. The program promises to mark what was not refreshed for a minute, and what
// could not be; the rest is for answers under way.
const (
	settles    = 3 * time.Minute // a service that restarts
	presentFor = 90 * time.Second
	awayFor    = 45 * time.Second  // after which a refresh has failed where nobody is at the address
	silentFrom = 150 * time.Second // after which every screen says so
)

// head is what a screen says of the site in its first lines.
type head struct {
	all     []said   // what it says of the site
	kept    []string // the version that was kept, and its age; nil for none
	text    string
	wide    bool      // enough for all of it
	marked  bool      // it says that something of it is old, or why it is
	program time.Time // its first frame
	jumped  bool
}

// marks say that what is shown is not of this moment, or why it cannot be.
var marks = regexp.MustCompile(`no answer|not reachable|unreachable|not answer|not updated|not found|not signed in|kept from|as of|\bago\b|just now|site (?:answers|returned|sends)|HTTP|session expired|refused|Reading|reading`)

// headOf is the head of a frame, nil where none may be judged.
func headOf(s Saying) *head {
	if !s.Frame || s.Day.Followed == nil || strings.Contains(s.Text, "too small, needs") {
		return nil
	}
	lines := strings.SplitN(s.Text, "\n", 4)
	if len(lines) < 4 || !strings.Contains(lines[1], "Services") {
		return nil
	}
	h := &head{text: strings.Join(lines[:3], "\n"), wide: s.Width >= 120}
	h.marked = marks.MatchString(h.text)
	s.Day.mu.Lock()
	defer s.Day.mu.Unlock()
	f, ahead := s.Day.Followed, s.Clock.Sub(s.At)
	if f.began == nil {
		f.began, f.ahead = map[string]time.Time{}, ahead
	}
	f.jumped = f.jumped || (f.ahead-ahead).Abs() > time.Second
	if _, known := f.began[s.Program]; !known {
		f.began[s.Program] = s.At
	}
	h.program, h.jumped = f.began[s.Program], f.jumped
	h.all = h.says(s.Text)
	return h
}

var (
	aged      = `(?:as of (?:\d\d-\d\d )?\d\d:\d\d: )?`
	down      = regexp.MustCompile(`(` + aged + `)(\d+) services? down`)
	runs      = regexp.MustCompile(`[▲!] (` + aged + `)(?:upgrade|rollback)(?:: (?:\d+ %|in progress|[A-Z])| \d+ %| in progress| STALLED)`)
	mode      = regexp.MustCompile(`[▲!] (` + aged + `)READ-ONLY`)
	version   = regexp.MustCompile(`(?:^|\s)(\d+\.\d+\.\d+(?:\.\d+)?)(?: (just now|\d+ (?:s|min|h|days) ago))?(?: ·|\s*(?:\n|$))`)
	endChip   = regexp.MustCompile(`(as of (?:\d\d-\d\d )?\d\d:\d\d: )✗ (?:upgrade|rollback) failed`)
	keptChip  = regexp.MustCompile(`[▲!] (was read-only|an upgrade ran) (just now|\d+ (?:s|min|h|days) ago)`)
	asOf      = regexp.MustCompile(`as of (?:(\d\d-\d\d) )?(\d\d:\d\d)`)
	runsNow   = regexp.MustCompile(`[Aa]n? (?:upgrade|rollback) is running` + untilItEnds)
	modeIsNow = `The site is in read-only mode: it takes no changes`
)

const untilItEnds = ": until it ends"

// said is one thing that a head says, with its age or without.
type said struct {
	text, age string
	so        func(Truth) bool
	fails     bool // where it cannot be refreshed it is marked at once, not only once it is old
}

// says are the things that a screen says of the site.
func (h *head) says(frame string) (all []said) {
	if m := mode.FindStringSubmatch(h.text); m != nil {
		all = append(all, said{m[0], m[1], func(t Truth) bool { return t.ReadOnly }, true})
	}
	if m := runs.FindStringSubmatch(h.text); m != nil {
		all = append(all, said{m[0], m[1], func(t Truth) bool { return t.Runs }, true})
	}
	if m := down.FindStringSubmatch(h.text); m != nil {
		all = append(all, said{m[0], m[1], func(t Truth) bool { return t.Restless || strconv.Itoa(t.Down) == m[2] }, false})
	}
	if m := endChip.FindStringSubmatch(h.text); m != nil {
		all = append(all, said{m[0], m[1], func(t Truth) bool { return t.Failed }, false})
	}
	m := version.FindStringSubmatch(h.text)
	if m != nil && m[2] != "" {
		h.kept = m
	}
	if m != nil && (m[2] != "" || !h.marked) {
		all = append(all, said{strings.TrimSpace(m[0]), m[2], func(t Truth) bool { return t.Version == m[1] }, false})
	}
	if m := keptChip.FindStringSubmatch(h.text); m != nil {
		all = append(all, said{m[0], m[2], func(t Truth) bool { return m[1] == "was read-only" && t.ReadOnly || m[1] == "an upgrade ran" && t.Runs }, false})
	}
	if strings.Contains(frame, untilItEnds) && runsNow.MatchString(frame) {
		m := runsNow.FindString(frame)
		all = append(all, said{m, "", func(t Truth) bool { return t.Runs }, true})
	}
	if strings.Contains(frame, modeIsNow) {
		all = append(all, said{modeIsNow, "", func(t Truth) bool { return t.ReadOnly }, true})
	}
	return all
}

// presentIsSo judges what a screen says of the site without an age: it was so within the time that the program
// promises, and it could be read then.
func presentIsSo(s Saying) (judged int, wrong []string) {
	h := s.head
	if h == nil {
		return 0, nil
	}
	for _, one := range h.all {
		if one.age != "" {
			continue
		}
		judged++
		switch {
		case !s.Day.was(s.At.Add(-presentFor), s.At, one.so):
			wrong = append(wrong, fmt.Sprintf("%s of %s says %q, which was not so for %s", s.Where, s.Program, one.text, presentFor))
		case !s.Day.Followed.Reached(s.At.Add(-presentFor), s.At), one.fails && !s.Day.Followed.Reached(s.At.Add(-awayFor), s.At):
			wrong = append(wrong, fmt.Sprintf("%s of %s says %q without its age, and nobody is at the address of the site", s.Where, s.Program, one.text))
		}
	}
	if m := version.FindStringSubmatch(h.text); m != nil && !s.Day.Followed.Reached(h.program.Add(-slack), s.At) {
		if judged++; m[2] == "" {
			wrong = append(wrong, fmt.Sprintf("%s of %s shows the version %s without its age, and nobody was at the address of the site since it began", s.Where, s.Program, m[1]))
		}
	}
	return judged, wrong
}

// agedIsSo judges what a screen says with its age: it was so then.
func agedIsSo(s Saying) (judged int, wrong []string) {
	h := s.head
	if h == nil || h.jumped {
		return 0, nil
	}
	for _, one := range h.all {
		from, to, known := s.when(one.age)
		if !known {
			continue
		}
		judged++
		if !s.Day.was(from, to, one.so) {
			wrong = append(wrong, fmt.Sprintf("%s of %s says %q, which was not so between %s and %s before", s.Where, s.Program, one.text, s.At.Sub(from), s.At.Sub(to)))
		}
	}
	return judged, wrong
}

// keptSaysAll judges what is shown of a silent site beside the version that was kept: whether it was read-only, or an
// upgrade ran.
func keptSaysAll(s Saying) (judged int, wrong []string) {
	h := s.head
	if h == nil || !h.wide || h.jumped {
		return 0, nil
	}
	if h.kept == nil || keptChip.MatchString(h.text) || mode.MatchString(h.text) || runs.MatchString(h.text) {
		return 0, nil // what is known by now goes before it
	}
	if from, to, known := s.when(h.kept[2]); known && !s.Day.was(from, to, func(t Truth) bool { return !t.ReadOnly && !t.Runs }) {
		wrong = append(wrong, fmt.Sprintf("%s of %s shows what was kept %s, and not that the site was read-only, or was upgraded", s.Where, s.Program, h.kept[2]))
	}
	return 1, wrong
}

// toldFor is how long a site tells the same until it has to be on the screen: what else is asked beside it may wait for its
// answer so long, on a slow line.
const toldFor = time.Minute

// toldIsShown judges a screen that says nothing of a mode, or of an upgrade, of which the site tells for a while.
func toldIsShown(s Saying) (judged int, wrong []string) {
	h := s.head
	if h == nil || !h.wide || h.marked {
		return 0, nil
	}
	s.Day.mu.Lock()
	closed, begun := s.Day.closed[s.Program], s.Day.runs[s.Program]
	s.Day.mu.Unlock()
	lasts := func(so func(Truth) bool) bool {
		return !s.Day.was(s.At.Add(-slack), s.At, func(t Truth) bool { return !so(t) })
	}
	if !closed.IsZero() && s.At.Sub(closed) > toldFor && lasts(func(t Truth) bool { return t.ReadOnly }) {
		if judged++; !strings.Contains(h.text, "READ-ONLY") {
			wrong = append(wrong, fmt.Sprintf("%s of %s does not say that the site is read-only, as it is told", s.Where, s.Program))
		}
	}
	if !begun.IsZero() && s.At.Sub(begun) > toldFor && lasts(func(t Truth) bool { return t.Runs }) {
		if judged++; !strings.Contains(h.text, "upgrade") && !strings.Contains(h.text, "rollback") {
			wrong = append(wrong, fmt.Sprintf("%s of %s does not say that an upgrade runs, as it is told", s.Where, s.Program))
		}
	}
	return judged, wrong
}

// Dismisses says whether somebody may have taken the end of an upgrade off the screens of the machine.
func (d *Day) Dismisses(off bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = off || len(d.dismissed) > 0
}

// Dismissed says that the screen of a program says so.
func (d *Day) Dismissed(program string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dismissed[program] = at
}

// endStays judges a screen after an upgrade has failed, as the site tells for a while: it says so until that is dismissed,
// and not any more then.
func endStays(s Saying) (judged int, wrong []string) {
	h := s.head
	if h == nil || !h.wide || h.marked {
		return 0, nil
	}
	s.Day.mu.Lock()
	told, dismissed, off := s.Day.failed[s.Program], s.Day.dismissed[s.Program], s.Day.off
	s.Day.mu.Unlock()
	stands := strings.Contains(h.text, "upgrade failed") || strings.Contains(h.text, "rollback failed")
	switch {
	case told.IsZero(), s.At.Sub(told) <= toldFor, s.Day.was(s.At.Add(-slack), s.At, func(t Truth) bool { return !t.Failed }):
		return 0, nil
	case !dismissed.IsZero() && s.At.Sub(dismissed) > slack && stands:
		wrong = append(wrong, fmt.Sprintf("%s of %s shows an end that was dismissed %s before", s.Where, s.Program, s.At.Sub(dismissed)))
	case !off && !stands:
		wrong = append(wrong, fmt.Sprintf("%s of %s does not say that the upgrade has failed, as it is told", s.Where, s.Program))
	}
	return 1, wrong
}

// silenceIsShown judges a screen of a site at whose address nobody is for long: its head says so, or how old it is.
func silenceIsShown(s Saying) (judged int, wrong []string) {
	h, from := s.head, s.At.Add(-silentFrom)
	if h == nil || h.program.After(from) || s.Day.Followed.Reached(from, s.At) {
		return 0, nil
	}
	if !h.marked && !strings.Contains(strings.ToLower(s.Text), "session expired") {
		wrong = append(wrong, fmt.Sprintf("%s of %s does not say that nobody is at the address of the site for %s", s.Where, s.Program, silentFrom))
	}
	return 1, wrong
}

// when is the time that an age names, as far as it is exact.
func (s Saying) when(age string) (from, to time.Time, known bool) {
	least, most := time.Duration(0), 5*time.Second
	switch m := asOf.FindStringSubmatch(age); {
	case m != nil:
		year, day := s.Clock.Format("2006-"), s.Clock.Format("01-02")
		if m[1] != "" {
			day = m[1]
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", year+day+" "+m[2], s.Clock.Location())
		if err != nil {
			return from, to, false
		}
		if at.After(s.Clock) { // of last year
			at = at.AddDate(-1, 0, 0)
		}
		most = s.Clock.Sub(at)
		least = most - time.Minute
	case strings.HasSuffix(age, " ago"):
		parts := strings.Fields(age)
		n, _ := strconv.Atoi(parts[0])
		unit := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[slices.Index([]string{"s", "min", "h", "days"}, parts[1])]
		least = time.Duration(n) * unit
		most = least + unit
	case age != "just now":
		return from, to, false
	}
	return s.At.Add(-most - presentFor), s.At.Add(-least + slack), true
}
