package editor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Drafts saves edits on this machine, whatever the screen shows meanwhile, and knows which
// edits are unfinished.
type Drafts struct {
	views.Base
	kept   map[string]journal.Draft // by target: this program's, else the newest
	savers map[string]*saver        // by target
	open   map[string]time.Time     // by target: since when the outcome of an edit is unknown

	interrupted []batching.Interrupted // newest first
}

// NewDrafts returns an empty store; Load reads what is kept.
func NewDrafts(base views.Base) *Drafts {
	return &Drafts{Base: base, kept: map[string]journal.Draft{}, savers: map[string]*saver{}}
}

// PartDraft is the draft of a part of a service.
type PartDraft struct {
	journal.Draft
	Part editing.Part
}

// parts are the parts of a service that can be edited.
var parts = []editing.Part{editing.Definition, editing.Placement}

// Of returns the drafts of a service.
func (d *Drafts) Of(service adminapi.ServiceRef) (kept []PartDraft) {
	for _, part := range parts {
		if draft, ok := d.kept[part.Of(service.Path())]; ok {
			kept = append(kept, PartDraft{draft, part})
		}
	}
	return kept
}

// Kept reports whether there is a draft of a part.
func (d *Drafts) Kept(target editing.Target) bool {
	_, kept := d.kept[target.String()]
	return kept
}

// Unsaved returns a target whose changes are not on this machine's disk.
// Of several it is always the first by name.
func (d *Drafts) Unsaved() (editing.Target, bool) {
	for _, name := range slices.Sorted(maps.Keys(d.savers)) {
		if s := d.savers[name]; s.unsaved() {
			return s.target, true
		}
	}
	return editing.Target{}, false
}

// Sent removes the draft of an edit that the site has, where it is the one on disk. A draft of
// something else that began with the same version goes on from what the site has now.
func (d *Drafts) Sent(edit editing.Edit, now *document.Document) tea.Cmd {
	s := d.savers[edit.Target.String()]
	switch {
	case s == nil || s.want == nil: // that of a program which has ended goes with what was sent
		return d.Load()
	case s.want.Edited == edit.Edited.Text():
		return d.Save(edit.Target, nil)
	case edit.Base == nil || s.want.Base != edit.Base.Text():
		return nil
	}
	was, moved := s.want, *s.want
	return d.Scope.Do("move "+edit.Target.String(), func(context.Context) tea.Msg {
		mine, err := document.Parse([]byte(moved.Edited))
		if err != nil {
			return nil // a broken text stays as it is
		}
		edited, base := afterSent(edit, mine, now)
		if edited == nil {
			return nil
		}
		moved.Base, moved.Edited = base.Text(), edited.Text()
		return views.Retry{Do: func() tea.Cmd {
			if s.want != was { // it was edited meanwhile
				return nil
			}
			return d.Save(edit.Target, &moved)
		}}
	})
}

// WasSent notes an edit that was sent, whatever came of it.
func (d *Drafts) WasSent(edit editing.Edit, at time.Time) {
	s := d.saver(edit.Target)
	s.sent, s.sentAt = edit.Edited.Text(), at
}

// Load reads which drafts there are.
func (d *Drafts) Load() tea.Cmd {
	site := d.Env.Site
	return d.Scope.Do("drafts", func(context.Context) tea.Msg {
		var failed error
		kept := map[string]journal.Draft{}
		for _, part := range parts {
			drafts, err := site.Memory.EditDrafts(part)
			failed = errors.Join(failed, err)
			for _, draft := range drafts {
				if _, newer := kept[part.Of(draft.Key)]; draft.Mine || !newer {
					kept[part.Of(draft.Key)] = draft
				}
			}
		}
		return views.Retry{Do: func() tea.Cmd {
			if failed != nil {
				return views.Send(views.Warned("The drafts on this machine cannot be listed: "+failed.Error(), failed))
			}
			d.kept = kept
			return nil
		}}
	})
}

// saver writes the edit of one part of a service to disk: one write at a time, the newest
// last.
type saver struct {
	target  editing.Target
	want    *operation.EditDraft // nil: the draft is removed
	waits   bool                 // want is newer than what is being written
	writing bool
	err     error  // why the last one is not on disk
	first   bool   // this program had the edit at the last write
	sent    string // the text that was sent last, and when; empty for none
	sentAt  time.Time
	steps   any  // of the edit that can be undone, once its service was left
	here    bool // the edit was made, or gone on with, since the program was started
	// holder is the draft of another program that has the edit; nil where none has.
	holder *journal.Draft
	taken  []*operation.EditorFile // whose texts are in want: closed once it is on disk
}

func (s *saver) unsaved() bool { return s.waits || s.writing || s.err != nil }

// saver returns the saver of a part of a service.
func (d *Drafts) saver(target editing.Target) *saver {
	s := d.savers[target.String()]
	if s == nil {
		s = &saver{target: target}
		d.savers[target.String()] = s
	}
	return s
}

// held is an edit that is not on disk yet, or could not be written; nil where the disk
// has the newest.
func (s *saver) held() *operation.EditDraft {
	if s.unsaved() {
		return s.want
	}
	return nil
}

// Save writes a draft, or removes it where it is nil.
func (d *Drafts) Save(target editing.Target, draft *operation.EditDraft) tea.Cmd {
	s := d.saver(target)
	s.want, s.waits, s.here = draft, true, draft != nil
	if s.writing {
		return nil
	}
	return d.write(s)
}

// take writes a draft with the text of an editor, whose file goes once the draft is on disk.
func (d *Drafts) take(target editing.Target, draft *operation.EditDraft, from *operation.EditorFile) tea.Cmd {
	s := d.saver(target)
	s.taken, s.err = append(s.taken, from), nil // the next error names the file
	return d.Save(target, draft)
}

// draftSaved is the result of writing or removing a draft.
type draftSaved struct {
	holder *journal.Draft // of another program that has the edit; nil for none
	left   *journal.Draft // by others, after this program's own was removed; nil for none
	taken  []*operation.EditorFile
	err    error
}

func (d *Drafts) write(s *saver) tea.Cmd {
	r := draftSaved{taken: s.taken}
	s.waits, s.writing, s.taken = false, true, nil
	site, target, draft := d.Env.Site, s.target, s.want
	return d.Scope.Do("draft "+target.String(), func(context.Context) tea.Msg {
		if draft != nil {
			r.holder, r.err = site.Memory.SaveEditDraft(target, *draft)
		} else {
			r.err = site.Memory.DeleteEditDraft(target)
		}
		if r.err == nil {
			for _, file := range r.taken {
				_ = file.Close() // one that stays is offered again
			}
		}
		if draft == nil {
			if kept, err := site.Memory.SavedEdits(target); err == nil && len(kept) > 0 && !kept[0].Mine {
				r.left = &kept[0].Draft
			}
		}
		return views.Retry{Do: func() tea.Cmd { return d.saved(s, r) }}
	})
}

func (d *Drafts) saved(s *saver, r draftSaved) tea.Cmd {
	target, before := s.target.String(), s.err
	if s.writing = false; r.err == nil || !s.waits { // of two errors, that of the newest is told
		s.err = r.err
	}
	var told tea.Cmd
	if r.err == nil {
		delete(d.kept, target)
		switch {
		case s.want != nil:
			d.kept[target] = journal.Draft{Saved: d.Env.Clock.Now(), Mine: true}
		case r.left != nil:
			d.kept[target] = *r.left
		}
		told = s.heldBy(r.holder)
		s.first = s.want != nil && r.holder == nil
	}
	if r.err != nil {
		s.taken = append(r.taken, s.taken...)
	}
	if s.waits {
		return tea.Batch(d.write(s), told)
	}
	if r.err != nil && before == nil {
		text := "The changes to the " + plain.Line(target) + " are not saved on this machine: " + r.err.Error()
		for _, file := range s.taken {
			text += "; your editor's text stays in " + plain.Line(file.Path())
		}
		return views.Send(views.Failed(text, r.err))
	}
	return told
}

// heldBy notes which other program has the edit, and says so when that changes.
func (s *saver) heldBy(holder *journal.Draft) tea.Cmd {
	was := s.holder
	s.holder = holder
	if holder == nil || was != nil && was.Program == holder.Program {
		return nil
	}
	does, what, takes := " edits the ", plain.Line(s.target.String()), "takes theirs over."
	switch {
	case s.first:
		does, takes = " took over the edit of the ", "takes it back."
	case holder.Liveness == journal.MaybeAlive:
		does = " may still edit the "
	default:
		what += " too"
	}
	return views.Tell(views.Warning, holder.Program.String()+does+what+
		views.Keys(". Yours is saved separately; {key:services.take-over} "+takes))
}
