package services

import (
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// lower returns a title in the middle of a sentence.
func lower(s string) string { return strings.ToLower(s) }

// sentence writes an error with a capital and a full stop.
func sentence(err error) string { return views.Sentence(err.Error()) }

// joined writes facts of one line, without those that are not known.
func joined(facts ...string) string {
	var known []string
	for _, f := range facts {
		if f = plain.Line(f); f != "" {
			known = append(known, f)
		}
	}
	return strings.Join(known, ", ")
}

// noChanges says why nothing can be changed at the site at present, empty where
// nothing is known to be in the way.
func (m *Model) noChanges() string {
	switch {
	case m.env.Offline:
		return ""
	case m.env.Site.Client.ReadOnly():
		return "This dashboard was started read-only: everything can be looked at, nothing is sent."
	case m.upgradeRuns():
		return "An upgrade is running: until it ends the site takes no changes. What you edit is kept as a draft."
	case m.mode.ReadOnly:
		text := "The site is in read-only mode: it takes no changes. What you edit is kept as a draft."
		if said := plain.Line(m.mode.Message); said != "" {
			text += " The site says: " + said
		}
		return text
	}
	return ""
}

// offered keeps a command that changes the site out of the footer where that is known
// to be in vain; its key still says why.
func (m *Model) offered(c views.Command) views.Command {
	if m.noChanges() != "" {
		return quiet(c)
	}
	return c
}

func (m *Model) upgradeRuns() bool {
	w := m.env.Upgrade
	return w.On && !w.Reading.At.IsZero() && w.Reading.Meaning == progress.StateRunning
}
