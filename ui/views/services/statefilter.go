package services

import (
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// stateWords are what a filter may ask for that is only known once states were read.
var stateWords = []string{"started", "stopped", "stopped, should run", "should run", "runs, should not", "should not", "not known", "not as configured"}

// leastStateWord is how much of such a word has to be typed before the states of all
// services are read for it: shorter texts are mostly names.
const leastStateWord = 4

// needle is what the list is filtered by, in lower case.
func (m *Model) needle() string {
	return strings.ToLower(strings.TrimPrefix(m.catalog.list.Filter(), "!"))
}

// asksStates tells whether the filter asks for a state: then it is complete only when
// all states are known.
func (m *Model) asksStates() bool {
	needle := m.needle()
	if len(needle) < leastStateWord || m.catalog.givenUp == needle {
		return false
	}
	for _, word := range stateWords {
		if strings.HasPrefix(word, needle) {
			return true
		}
	}
	return false
}

// inState tells whether the filter finds a service by its state: by the beginning of a
// word, for "art" is not meant to find all that is started.
func (s *serviceRows) inState(row *serviceRow) bool {
	needle := s.m.needle()
	_, text, _ := s.m.stateOf(row.key.path)
	if text == "" || needle == "" {
		return false
	}
	if known := s.m.catalog.states[row.key.path]; amiss(known) {
		text += ", not as configured"
	}
	return strings.HasPrefix(text, needle) || strings.Contains(text, " "+needle)
}

// amiss tells whether a service is known not to be as it is configured.
func amiss(known knownState) bool { return known.RealTime != "" && !known.Settled() }

// unknown tells whether the state of a service has to be read, for the first time or
// again.
func (c *catalog) unknown(path string) bool {
	known, ok := c.states[path]
	return !ok || known.stale
}

// sweeping tells whether states are read for the filter, seen or not.
func (m *Model) sweeping() bool {
	return m.open == nil && m.way == nil && m.catalog.tally.read < m.catalog.count() && m.asksStates()
}

// nextUnknown are a few services whose states the filter still wants.
func (m *Model) nextUnknown() (services []adminapi.ServiceRef) {
	for i := range m.catalog.rows.items {
		row := &m.catalog.rows.items[i]
		if row.service == nil || !m.catalog.unknown(row.key.path) {
			continue
		}
		if services = append(services, *row.service); len(services) == statesAtOnce {
			break
		}
	}
	return services
}

// giveUp ends the reading for a filter where a whole chunk could not be read: the site
// is not asked for thousands that fail alike.
func (r statesRead) giveUp(m *Model) {
	for _, s := range r.states {
		if s.Err == nil || errors.Is(s.Err, adminapi.KindNotFound) {
			return
		}
	}
	if len(r.states) == statesAtOnce {
		m.catalog.givenUp = m.needle()
	}
}

// tally counts the services by what is known of their states.
type tally struct{ read, stopped, amiss int }

func (m *Model) countStates() {
	var n tally
	for i := range m.catalog.rows.items {
		row := &m.catalog.rows.items[i]
		if row.service == nil || m.catalog.unknown(row.key.path) {
			continue
		}
		n.read++
		known := m.catalog.states[row.key.path]
		if known.RealTime == adminapi.ServiceStopped {
			n.stopped++
		}
		if amiss(known) {
			n.amiss++
		}
	}
	m.catalog.tally = n
}

// tallyText says how many services do not run, of those whose states were read.
func (m *Model) tallyText() string {
	n := m.catalog.tally
	var found []string
	if n.stopped > 0 {
		found = append(found, fmt.Sprintf("%d stopped", n.stopped))
	}
	if n.amiss > 0 {
		found = append(found, fmt.Sprintf("%d not as configured", n.amiss))
	}
	text := strings.Join(found, ", ")
	if text != "" && n.read < m.catalog.count() {
		text = fmt.Sprintf("of %d read: %s", n.read, text)
	}
	return text
}

// nothingMatches tells what an empty list means: while states are being read, little.
func (m *Model) nothingMatches() []string {
	switch {
	case m.sweeping():
		return []string{"No service matches so far: states are being read, " + m.sweepText() + ".", "", "esc shows all again."}
	case m.catalog.givenUp != "" && m.catalog.givenUp == m.needle():
		return []string{"No service matches as far as states could be read, " + m.sweepText() + ".", "", "esc shows all again. R asks again."}
	}
	return []string{"No service matches.", "", "esc shows all again."}
}

func (m *Model) sweepText() string {
	return fmt.Sprintf("%d of %s", m.catalog.tally.read, plain.Plural(m.catalog.count(), "service"))
}
