package fleet

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/fleet"
	"geodeck/ui/views"
)

// site is one of config.yaml with the watch that reads it.
type site struct {
	entry   fleet.Entry
	watch   *fleet.Watch
	row     fleet.Row
	reading bool      // a read is under way
	read    time.Time // when the last one ended
	next    time.Time // of the next read; zero for at once
}

// readSites reads config.yaml; anew where the user requested it: all sites are read now.
func (m *Model) readSites(anew bool) tea.Cmd {
	read := m.Env.Fleet
	if read == nil {
		return nil
	}
	return m.Scope.Work("sites", func(context.Context) func() tea.Cmd {
		entries, err := read()
		return func() tea.Cmd {
			if m.err, m.read = err, true; err != nil {
				m.arrange()
				return nil
			}
			return m.take(entries, anew)
		}
	})
}

// take shows config.yaml as it is now.
func (m *Model) take(entries []fleet.Entry, anew bool) tea.Cmd {
	before := m.sites
	m.sites = nil
	for _, entry := range entries {
		s := &site{entry: entry, watch: m.fleet.Watch(entry), row: entry.Row()}
		for _, old := range before {
			switch {
			case !same(old.entry, entry):
			case anew && !old.reading:
				s.row = old.row // until it is read
			default:
				old.entry.Place, old.row.Place = entry.Place, entry.Place
				s = old
			}
		}
		m.sites = append(m.sites, s)
	}
	m.arrange()
	return m.readDue()
}

// same reports whether what is known of a site is about another entry, too.
func same(a, b fleet.Entry) bool {
	return a.Name == b.Name && a.Address == b.Address && a.Production == b.Production && a.Locked == b.Locked && a.Slow == b.Slow && a.MaxAge == b.MaxAge
}

// readDue reads the sites that are due, all at the same time: none waits for another.
func (m *Model) readDue() tea.Cmd {
	var cmds []tea.Cmd
	now := m.Env.Clock.Now()
	for _, s := range m.sites {
		if s.reading || now.Before(s.next) && !m.answersAgain(s) {
			continue
		}
		s.reading = true
		watch := s.watch
		cmds = append(cmds, m.Scope.Work("read "+s.entry.Name, func(ctx context.Context) func() tea.Cmd {
			step, err := watch.Next(ctx)
			if err != nil {
				return nil // the view is closed
			}
			return views.Call(func() {
				if !slices.Contains(m.sites, s) { // config.yaml has it no more
					return
				}
				place := s.row.Place
				s.row, s.reading, s.read = step.Value, false, m.Env.Clock.Now()
				s.next = s.read.Add(step.Wait)
				s.row.Place = place
				m.arrange()
			})
		}))
	}
	return tea.Batch(cmds...)
}

// answersAgain reports whether a site did not answer, and has answered the dashboard since, which is at it and asks more often.
func (m *Model) answersAgain(s *site) bool {
	own := s.entry.Name == m.Env.SiteName && !m.Env.Offline
	return own && s.row.State() == fleet.Unreachable && m.Env.State.Reach.Err == nil && m.Env.State.Mode.At.After(s.read)
}

// arrange shows the rows, the worst first. The cursor stays on its site, in its line, once
// somebody is at the keys; before, it is on the worst.
func (m *Model) arrange() {
	all := make([]fleet.Row, len(m.sites))
	for i, s := range m.sites {
		all[i] = s.row
	}
	fleet.WorstFirst(all)
	m.table = newTable(all, m.Width-margin, m.inks, m.Env)
	if m.attended {
		m.list.Steady(func() { m.list.Set(m.table) })
		return
	}
	m.list.Set(m.table)
	m.list.GoTop()
}
