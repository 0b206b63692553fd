package upgrade

import (
	"cmp"
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// draft saves the answers for an update on disk, without secrets, and restores them.
type draft struct {
	base
	change  *change
	loaded  bool            // the saved draft is in the change
	unsaved bool            // there are answers that are not saved
	holder  journal.Program // another program with a draft of the same, as the user was told
	notice  string          // what was restored, or saved last
}

// loadedDraft is the saved draft of an update.
type loadedDraft struct {
	operation.UpgradeDraft
	from *journal.Draft // nil where there is none
	err  error
}

func loadDraft(site operation.Site, id string) *loadedDraft {
	d := &loadedDraft{}
	if site.Memory.Journal != nil {
		d.UpgradeDraft, d.from, d.err = site.Memory.LoadUpgradeDraft(id)
	}
	return d
}

// into puts the answers into a request.
func (l *loadedDraft) into(ask *operation.UpgradeRequest) {
	if l.from == nil || l.err != nil {
		return
	}
	if l.Answers != nil {
		ask.Answers = l.Answers
	}
	ask.LicencePath, ask.LatestPatch, ask.ManifestPath = l.LicencePath, l.LatestPatch, cmp.Or(ask.ManifestPath, l.ManifestPath)
}

// take restores a draft, once, and says so.
func (d *draft) take(l *loadedDraft) tea.Cmd {
	if l == nil || d.loaded {
		return nil
	}
	d.loaded = true
	switch {
	case d.Env.Site.Memory.Journal == nil:
		d.notice = "Drafts are not saved: this site has no journal."
		return nil
	case l.err != nil:
		d.notice = "The draft could not be read: " + plain.Line(l.err.Error())
		return nil
	case l.from == nil:
		return nil
	}
	l.into(&d.change.ask)
	d.change.restored = l.from
	if heldElsewhere(l.from) {
		d.notice = "Copied from the draft of " + l.from.Program.Who() + "."
		return d.warnOfHolder(l.from)
	}
	saved := d.Env.Times.Minute(l.from.Saved)
	d.notice = "Restored from the draft of " + saved + "."
	return views.Tell(views.Info, "Answers of "+saved+" restored.")
}

// heldElsewhere reports whether a draft is of another program that runs or may run.
func heldElsewhere(d *journal.Draft) bool { return !d.Mine && d.Liveness != journal.Ended }

// warnOfHolder says once that another program has a draft of the same.
func (d *draft) warnOfHolder(other *journal.Draft) tea.Cmd {
	if other == nil || d.holder == other.Program {
		return nil
	}
	d.holder = other.Program
	does := " has been filling in the same update since "
	if other.Liveness == journal.MaybeAlive {
		does = " may still be filling in the same update, since "
	}
	return views.Tell(views.Warning, other.Program.String()+does+d.Env.Times.Minute(other.Since)+". Both drafts are saved.")
}

// typingPause is how long nothing is typed before a draft is saved and files are checked.
const typingPause = 400 * time.Millisecond

// saveSoon saves the answers once typing has paused.
func (d *draft) saveSoon() tea.Cmd {
	d.unsaved = true
	if d.Env.Site.Memory.Journal == nil {
		return nil
	}
	return d.Scope.Later(d.Env.Clock, typingPause, "draft", d.saveNow)
}

// saveNow saves the answers at once, before the open fields are left.
func (d *draft) saveNow() tea.Cmd {
	if !d.unsaved || d.Env.Site.Memory.Journal == nil {
		return nil
	}
	site, ask := d.Env.Site, d.change.ask
	return d.Scope.Work("draft", func(context.Context) func() tea.Cmd {
		beside, err := site.Memory.SaveUpgradeDraft(ask)
		return func() tea.Cmd { return d.saved(beside, err) }
	})
}

// saved notes that the answers were saved; beside is the draft of another program, nil for none.
func (d *draft) saved(beside *journal.Draft, err error) tea.Cmd {
	if err != nil {
		d.notice = "The draft could not be saved: " + plain.Line(err.Error())
		return nil
	}
	d.unsaved = false
	d.notice = "Draft saved " + d.Env.Times.Clock(d.Env.Clock.Now())
	if beside != nil {
		d.notice += ", beside the one of " + beside.Program.Who()
	}
	return d.warnOfHolder(beside)
}

// discard deletes the draft of an upgrade that has begun.
func (d *draft) discard() tea.Cmd {
	d.Scope.Forget("draft")
	site, id := d.Env.Site, d.change.ask.Target.ID
	if site.Memory.Journal == nil || d.change.ask.Rollback != nil {
		return nil
	}
	return d.Scope.Work("draft", func(context.Context) func() tea.Cmd {
		if err := site.Memory.DeleteUpgradeDraft(id); err != nil {
			return func() tea.Cmd { return d.saved(nil, err) }
		}
		return nil
	})
}
