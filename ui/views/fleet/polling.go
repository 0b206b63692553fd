package fleet

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/fleet"
)

// site is one of config.yaml with the watch that reads it.
type site struct {
	entry   fleet.Entry
	watch   *fleet.Watch
	row     fleet.Row
	reading bool      // a read is under way
	next    time.Time // of the next read; zero for at once
}

// sitesRead is config.yaml as it is now.
type sitesRead struct {
	entries []fleet.Entry
	err     error
	anew    bool // the user requested it: all sites are read now
}

// rowRead is the end of a read.
type rowRead struct {
	watch *fleet.Watch
	row   fleet.Row
	wait  time.Duration
}

// readSites reads config.yaml.
func (m *Model) readSites(anew bool) tea.Cmd {
	read := m.Env.Fleet
	if read == nil {
		return nil
	}
	return m.Scope.Do("sites", func(context.Context) tea.Msg {
		entries, err := read()
		return sitesRead{entries, err, anew}
	})
}

// same reports whether what is known of a site is about another entry, too.
func same(a, b fleet.Entry) bool {
	return a.Name == b.Name && a.Address == b.Address && a.Production == b.Production && a.Locked == b.Locked && a.Slow == b.Slow
}

// readDue reads the sites that are due, all at the same time: none waits for another.
func (m *Model) readDue() tea.Cmd {
	var cmds []tea.Cmd
	now := m.Env.Clock.Now()
	for _, s := range m.sites {
		if s.reading || now.Before(s.next) {
			continue
		}
		s.reading = true
		watch := s.watch
		cmds = append(cmds, m.Scope.Do("read "+s.entry.Name, func(ctx context.Context) tea.Msg {
			step, err := watch.Next(ctx)
			if err != nil {
				return nil // the view is closed
			}
			return rowRead{watch, step.Value, step.Wait}
		}))
	}
	return tea.Batch(cmds...)
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
