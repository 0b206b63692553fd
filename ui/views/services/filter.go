package services

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

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
	_, text, _ := c.states.stateOf(row.key.path)
	if needle != "" && row.key == c.kept {
		return true
	}
	if text == "" || needle == "" {
		return false
	}
	if known := c.states.known[row.key.path]; known.RealTime != "" && (!known.Running() || known.amiss() || c.states.pods.short(row.key.path) || c.states.pods.behind[row.key.path]) {
		text += ", " + downWord
		if known.amiss() {
			text += ", not as configured, " + known.Text()
		}
	}
	begins := func(word string) bool { return strings.HasPrefix(text, word) || strings.Contains(text, " "+word) }
	return begins(needle) || slices.ContainsFunc(askedStates(needle), func(word string) bool { return has(word) && begins(word) })
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
		if row.service == nil || c.states.unknown(row.key.path) {
			continue
		}
		n, known := c.tallies[row.key.folder], c.states.known[row.key.path]
		n.read++
		if known.RealTime == "" {
			n.failed++
		}
		switch {
		case c.states.restarting(row.key.path): // it may be up by now
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
	c.downCount = adminapi.FactOf(c.Fresh(), c.tally.down, nil)
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
