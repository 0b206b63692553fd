package health

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/operation/reporting"
)

// Fresh returns when the list of reports was read.
func (m *Model) Fresh() time.Time {
	if m.list.Kept || m.list.Loading && m.list.Unreachable == nil {
		return time.Time{}
	}
	return m.list.Updated
}

// Keep keeps the list, and the newest reports that were read.
func (m *Model) Keep(when offline.When) func(operation.Site) error {
	list, whole := slices.Clone(m.list.site), []adminapi.Report(nil)
	for key, a := range m.reports.reports {
		if key.origin == fromSite {
			whole = append(whole, *a.report)
		}
	}
	return func(site operation.Site) error { return offline.KeepReports(site, when, list, whole) }
}

// TakeKept shows the reports that were kept, where none was read yet.
func (m *Model) TakeKept() tea.Cmd {
	kept := m.Env.Kept
	if kept == nil || kept.Reports == nil || !m.list.TakeKept(kept.Reports.Read) {
		return nil
	}
	m.list.site = slices.Clone(kept.Reports.List)
	reporting.NewestFirst(m.list.site)
	m.list.arrange()
	whole, by := kept.Reports.Whole, m.order
	return m.Scope.Work("kept reports", func(context.Context) func() tea.Cmd {
		var read []*analysis
		for _, r := range whole {
			read = append(read, analyse(&r, by))
		}
		return func() tea.Cmd {
			if !m.list.Kept {
				return nil
			}
			for _, a := range read {
				key := entryKey{fromSite, a.report.ID}
				m.reports.put(key, a)
				m.kept = append(m.kept, key)
			}
			return m.followNow()
		}
	})
}

// forgetKept lets go the reports that were kept: the site answers, and they are read again.
func (m *Model) forgetKept() tea.Cmd {
	m.Scope.Forget("kept reports")
	for _, key := range m.kept {
		m.reports.drop(key)
	}
	shown := slices.Contains(m.kept, m.tree.key)
	m.kept = nil
	if !shown {
		return m.tree.retry(m.tree.key)
	}
	m.tree.key = entryKey{}
	return tea.Batch(m.tree.show(nil), m.followNow())
}
