package upgrade

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// draft is what was filled in for the update before, as this machine keeps it.
type draft struct {
	operation.UpgradeDraft
	from *journal.Draft // whose it is; nil where there is none
	err  error
	none bool // this machine keeps no drafts
}

func readDraft(site operation.Site, id string) *draft {
	if site.Journal == nil {
		return &draft{none: true}
	}
	d := &draft{}
	d.UpgradeDraft, d.from, d.err = site.LoadUpgradeDraft(id)
	return d
}

// into puts the draft into what is asked for.
func (d *draft) into(ask *operation.UpgradeAsk) {
	if d == nil || d.from == nil || d.err != nil {
		return
	}
	if d.Answers != nil {
		ask.Answers = d.Answers
	}
	ask.LicencePath, ask.LatestPatch, ask.ManifestPath = d.LicencePath, d.LatestPatch, d.ManifestPath
}

// takeDraft restores a draft, and says so.
func (m *Model) takeDraft(d *draft) tea.Cmd {
	f := m.flow
	if d == nil || f.draftRead {
		return nil
	}
	f.draftRead = true
	switch {
	case d.none:
		f.notice = "Drafts are not kept: there is no journal of this site."
	case d.err != nil:
		f.notice = "The draft could not be read: " + plain.Line(d.err.Error())
	case d.from == nil:
	case elsewhere(d.from):
		d.into(&f.ask)
		f.restored = d.from
		f.notice = "Copied from the draft of " + d.from.Program.Who() + "; yours is kept beside it."
		return m.sayHolder(d.from)
	default:
		d.into(&f.ask)
		f.restored = d.from
		f.notice = "Restored from the draft of " + m.env.Times.Minute(d.from.Saved) + "."
		return views.Tell(views.Info, "The answers of "+m.env.Times.Minute(d.from.Saved)+" are restored.")
	}
	return nil
}

// elsewhere tells whether a draft is of another program, which runs or may.
func elsewhere(d *journal.Draft) bool { return !d.Mine && d.Life != journal.Ended }

// sayHolder says once that another program fills in the same.
func (m *Model) sayHolder(d *journal.Draft) tea.Cmd {
	if d == nil || m.flow.told == d.Program {
		return nil
	}
	m.flow.told = d.Program
	does := " fills in the same update since "
	if d.Life == journal.MayLive {
		does = " may still fill in the same update, since "
	}
	return views.Tell(views.Warning, d.Program.String()+does+m.env.Times.Minute(d.Since)+". Both drafts are kept.")
}

// settle is how long nothing is typed before a draft is kept.
const settle = 400 * time.Millisecond

// draftSaved is what became of keeping a draft.
type draftSaved struct {
	beside *journal.Draft // of another program that fills in the same; nil for none
	err    error
}

func saveDraft(site operation.Site, ask operation.UpgradeAsk) draftSaved {
	beside, err := site.SaveUpgradeDraft(ask)
	return draftSaved{beside, err}
}

// saveDraft keeps the answers, but for secrets, once typing has paused.
func (m *Model) saveDraft() tea.Cmd {
	f := m.flow
	f.form.unsaved = true
	if m.env.Site.Journal == nil {
		return nil
	}
	site, ask := m.env.Site, f.ask
	return m.scope.After(m.env.Clock, settle, "draft", func(context.Context) tea.Msg {
		return saveDraft(site, ask)
	})
}

// flushDraft keeps the answers at once: the fields that are open go away.
func (m *Model) flushDraft() tea.Cmd {
	f := m.flow
	if f.form == nil || !f.form.unsaved || m.env.Site.Journal == nil {
		return nil
	}
	site, ask := m.env.Site, f.ask
	return m.scope.Do("draft", func(context.Context) tea.Msg {
		return saveDraft(site, ask)
	})
}

func (r draftSaved) apply(m *Model) tea.Cmd {
	f := m.flow
	if f == nil || f.form == nil {
		return nil
	}
	if r.err != nil {
		f.notice = "The draft could not be kept: " + plain.Line(r.err.Error())
		return nil
	}
	f.form.unsaved = false
	f.notice = "Kept as a draft at " + m.env.Times.Clock(m.env.Clock.Now()) + "."
	if r.beside != nil {
		f.notice = "Kept as a draft at " + m.env.Times.Clock(m.env.Clock.Now()) + ", beside the one of " + r.beside.Program.Who() + "."
	}
	return m.sayHolder(r.beside)
}

// dropDraft removes the draft of an upgrade that has begun.
func (m *Model) dropDraft() tea.Cmd {
	site, id := m.env.Site, m.flow.ask.Target.ID
	m.scope.Forget("draft")
	if site.Journal == nil || m.flow.rollback {
		return nil
	}
	return m.scope.Do("draft", func(context.Context) tea.Msg {
		if err := site.DropUpgradeDraft(id); err != nil {
			return draftSaved{err: err}
		}
		return nil
	})
}
