package upgrade

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// draft is what was filled in for the update before, as this machine keeps it.
type draft struct {
	operation.UpgradeDraft
	saved time.Time
	found bool
	err   error
	none  bool // this machine keeps no drafts
}

func readDraft(site operation.Site, id string) *draft {
	if site.Journal == nil {
		return &draft{none: true}
	}
	d := &draft{}
	d.UpgradeDraft, d.saved, d.found, d.err = site.LoadUpgradeDraft(id)
	return d
}

// into puts the draft into what is asked for.
func (d *draft) into(ask *operation.UpgradeAsk) {
	if d == nil || !d.found || d.err != nil {
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
	case d.found:
		d.into(&f.ask)
		f.restored = d.saved
		f.notice = "Restored from the draft of " + m.env.Times.Minute(d.saved) + "."
		return views.Tell(views.Info, "The answers of "+m.env.Times.Minute(d.saved)+" are restored.")
	}
	return nil
}

// settle is how long nothing is typed before a draft is kept.
const settle = 400 * time.Millisecond

// draftSaved is what became of keeping a draft.
type draftSaved struct{ err error }

// saveDraft keeps the answers, but for secrets, once typing has paused.
func (m *Model) saveDraft() tea.Cmd {
	f := m.flow
	f.form.unsaved = true
	if m.env.Site.Journal == nil {
		return nil
	}
	site, ask := m.env.Site, f.ask
	return m.scope.After(m.env.Clock, settle, "draft", func(context.Context) tea.Msg {
		return draftSaved{site.SaveUpgradeDraft(ask)}
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
		return draftSaved{site.SaveUpgradeDraft(ask)}
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
	return nil
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
			return draftSaved{err}
		}
		return nil
	})
}
