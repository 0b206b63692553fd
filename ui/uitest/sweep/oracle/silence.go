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

// news is what the log of upgrades has told its readers.
type news struct {
	last    string
	state   string    // of the newest answer
	at      time.Time // of the newest answer
	before  string    // the state before it was another one
	turned  time.Time // when it became that
	changed time.Time // of the answer before the newest with a message that none had before: since then something was new
	told    time.Time // of the newest answer that is no error: an error leaves open what was new by then
	isError bool      // the newest answer
	seen    map[string]bool
}

func (n *news) read(answer string, at time.Time) {
	var told struct {
		Status struct {
			State    string
			Messages []json.RawMessage
		}
		Error *struct{ Code int }
	}
	was := n.state
	switch {
	case answer == n.last:
	case json.Unmarshal([]byte(answer), &told) != nil:
		n.state, n.isError = "", false
	default:
		n.state, n.isError = told.Status.State, told.Error != nil
		for _, message := range told.Status.Messages { // another state is no message
			if !n.seen[string(message)] {
				n.changed, n.seen[string(message)] = n.told, true
			}
		}
	}
	if n.state != was {
		n.before, n.turned = was, at
	}
	if n.last, n.at = answer, at; !n.isError {
		n.told = at
	}
}

// The states of an upgrade.
const (
	running   = "in_progress"
	succeeded = "success"
	failed    = "failed"
)

// status is the answer about upgrades.
type status struct {
	Status struct {
		State    string
		Messages []struct{ Code, When int64 }
	}
}

func (d *Day) status() (s status) {
	_ = json.Unmarshal([]byte(d.Ask("/system/upgrades")), &s)
	return s
}

// TurnedAway says that nobody took a connection of a program.
func (d *Day) TurnedAway(program string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away[program] = at
}

// turnedAway reports whether that was so within the time for which a screen may say it.
func (d *Day) turnedAway(program string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := d.away[program]
	return !last.IsZero() && now.Sub(last) <= presentFor
}

// told reports whether the newest answer to a program had this state.
func (d *Day) told(state string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.EqualFold(d.news.state, state)
}

// toldLately reports whether it had, or one had within the time in which a screen takes over what it reads: several requests of a
// slow site, of which some are made again.
func (d *Day) toldLately(state string, now time.Time) bool {
	d.mu.Lock()
	lately := strings.EqualFold(d.news.before, state) && now.Sub(d.news.turned) <= 4*slack
	d.mu.Unlock()
	return lately || d.told(state)
}

// upgrade is the true state of the upgrades.
func (d *Day) upgrade() string { return d.status().Status.State }

var (
	silentFor = regexp.MustCompile(`(?:been silent|STALLED(?: in [^.│]+?)?) for ((?:\d+ (?:h|min|s) ?)+)`)
	longest   = regexp.MustCompile(`Silence\s+longest ((?:\d+ (?:h|min|s) ?)+)`)
	amount    = regexp.MustCompile(`(\d+) (h|min|s)`)
)

// duration reads one as it is shown, such as "1 h 05 min".
func duration(text string) (d time.Duration) {
	for _, part := range amount.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(part[1])
		d += time.Duration(n) * map[string]time.Duration{"h": time.Hour, "min": time.Minute, "s": time.Second}[part[2]]
	}
	return d
}

const (
	unread = 3 * time.Minute // what was not read for so long is not known
	slack  = 5 * time.Second // of times that are shown in seconds, and of an answer under way
)

// silentIsSo judges an alarm that an upgrade is silent: no message came in that time, none grew, and
// the site was there to be asked. What a command prints is read at its end, when that is long past.
func silentIsSo(s Saying) (int, []string) {
	if !s.Frame || !strings.Contains(s.Text, "been silent for ") && !strings.Contains(s.Text, "STALLED") { // faster than the expression
		return 0, nil
	}
	said := silentFor.FindStringSubmatch(s.Text)
	if said == nil {
		return 0, nil
	}
	quiet := duration(said[1])
	s.Day.mu.Lock()
	news := s.Day.news
	s.Day.mu.Unlock()
	since := news.changed
	for _, m := range s.Day.status().Status.Messages {
		if at := time.UnixMilli(m.When).Add(-s.Day.Ahead); at.After(since) && !at.After(news.at) { // a later one was not read yet
			since = at
		}
	}
	switch {
	case quiet > s.At.Sub(since)+slack:
		return 1, []string{fmt.Sprintf("%s says %q, and there was news %s ago", s.Where, said[0], s.At.Sub(since).Round(time.Second))}
	case s.At.Sub(news.at) > unread:
		return 1, []string{fmt.Sprintf("%s says %q, and the site was last read %s ago", s.Where, said[0], s.At.Sub(news.at).Round(time.Second))}
	}
	return 1, nil
}

var (
	readOnly    = regexp.MustCompile(`[^:\s] READ-ONLY`) // on a screen, without an age
	takesWrites = regexp.MustCompile(`"isReadOnly":\s*false`)
	takesNone   = regexp.MustCompile(`"isReadOnly":\s*true`)
)

// modeIsSo judges a screen that says read-only: the site has not told the contrary twice since it became so.
func modeIsSo(s Saying) (int, []string) {
	if !s.Frame || !strings.Contains(s.Text, " READ-ONLY") || !readOnly.MatchString(s.Text) {
		return 0, nil
	}
	s.Day.mu.Lock()
	told := s.Day.open[s.Program]
	s.Day.mu.Unlock()
	if told < 2 || !takesWrites.MatchString(s.Day.Ask("/mode")) {
		return 1, nil
	}
	for _, m := range s.Day.status().Status.Messages {
		if m.Code == 2165 && s.At.Sub(time.UnixMilli(m.When).Add(-s.Day.Ahead)) < time.Minute { // it takes none from then on
			return 1, nil
		}
	}
	return 1, []string{fmt.Sprintf("%s of %s says READ-ONLY, and the site has told twice in a row that it takes writes", s.Where, s.Program)}
}

// longestIsSo judges the longest silence that is shown of a run: between two messages of the site it never was
// longer. One that was seen last some time ago may be another one, and what the site has left out nobody can tell.
func longestIsSo(s Saying) (int, []string) {
	said := longest.FindStringSubmatch(s.Text)
	if said == nil || s.Day.Trimmed || strings.Contains(s.Text, "last seen ") {
		return 0, nil
	}
	var times []int64
	for _, m := range s.Day.status().Status.Messages {
		times = append(times, m.When)
	}
	if len(times) < 2 { // it tells its newest message alone
		return 0, nil
	}
	slices.Sort(times)
	var most time.Duration
	for i := 1; i < len(times); i++ {
		most = max(most, time.Duration(times[i]-times[i-1])*time.Millisecond)
	}
	if n := len(times); n > 0 {
		most = max(most, s.At.Sub(time.UnixMilli(times[n-1]).Add(-s.Day.Ahead)))
	}
	if duration(said[1]) > most+slack {
		return 1, []string{fmt.Sprintf("%s says %q, and the site was silent for at most %s", s.Where, said[0], most)}
	}
	return 1, nil
}
