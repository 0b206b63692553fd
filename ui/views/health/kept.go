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

// fresh returns when the list of reports was read.
func (p *panes) fresh() time.Time {
	if p.list.Kept || p.list.Loading && p.list.Unreachable == nil {
		return time.Time{}
	}
	return p.list.Updated
}

// keep keeps the list, and the newest reports that were read.
func (p *panes) keep(when offline.When) func(operation.Site) error {
	list, whole := slices.Clone(p.list.site), []adminapi.Report(nil)
	for key, a := range p.reports.reports {
		if key.origin == fromSite {
			whole = append(whole, *a.report)
		}
	}
	return func(site operation.Site) error { return offline.KeepReports(site, when, list, whole) }
}

// takeKept shows the reports that were kept, where none was read yet.
func (p *panes) takeKept() tea.Cmd {
	kept := p.Env.Kept
	if kept == nil || kept.Reports == nil || !p.list.TakeKept(kept.Reports.Read) {
		return nil
	}
	p.list.site = slices.Clone(kept.Reports.List)
	reporting.NewestFirst(p.list.site)
	p.list.arrange()
	whole, by := kept.Reports.Whole, p.order
	return p.Scope.Work("kept reports", func(context.Context) func() tea.Cmd {
		var read []*analysis
		for _, r := range whole {
			read = append(read, analyse(&r, by))
		}
		return func() tea.Cmd {
			if !p.list.Kept {
				return nil
			}
			for _, a := range read {
				key := entryKey{fromSite, a.report.ID}
				p.reports.put(key, a)
				p.kept = append(p.kept, key)
			}
			return p.followNow()
		}
	})
}

// forgetKept lets go the reports that were kept: the site answers, and they are read again.
func (p *panes) forgetKept() tea.Cmd {
	p.Scope.Forget("kept reports")
	for _, key := range p.kept {
		p.reports.drop(key)
	}
	shown := slices.Contains(p.kept, p.tree.key)
	p.kept = nil
	if !shown {
		return p.tree.retry(p.tree.key)
	}
	p.tree.key = entryKey{}
	return tea.Batch(p.tree.show(nil), p.followNow())
}
