package operation

import (
	"context"
	"errors"
	"unicode/utf8"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// EditDraft is an edit that goes on. Both texts are whole documents; the
// edited one may be broken JSON, and broken UTF-8.
type EditDraft struct {
	Base   string `json:"base"`
	Edited string `json:"edited"`
}

// draftFile is a draft on disk: JSON has no place for broken UTF-8, so that such a
// text stands as bytes.
type draftFile struct {
	EditDraft
	Bytes []byte `json:"editedBytes,omitempty"`
}

// SavedEdit is an edit that a program has kept: this one or another.
type SavedEdit struct {
	journal.Draft
	Edit EditDraft
	Err  error // why it cannot be read; nil where it can
}

func savedEdit(d journal.Draft) SavedEdit {
	var file draftFile
	kept := SavedEdit{Draft: d, Err: d.Read(&file)}
	if kept.Edit = file.EditDraft; len(file.Bytes) > 0 {
		kept.Edit.Edited = string(file.Bytes)
	}
	return kept
}

// SaveEditDraft keeps an edit on disk as this program's. holder is the draft of
// another program that has the edit; this one is kept beside it then.
func (s Memory) SaveEditDraft(t Target, draft EditDraft) (holder *journal.Draft, err error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	file := draftFile{EditDraft: draft}
	if !utf8.ValidString(draft.Edited) {
		file.Edited, file.Bytes = "", []byte(draft.Edited)
	}
	return s.Journal.SaveDraft(t.Part.access().kind, t.Service.Path(), file)
}

// SavedEdits returns the edits of a part of a service that are kept: this program's
// first, then those of programs that run, then those that were left, the newest first.
func (s Memory) SavedEdits(t Target) (kept []SavedEdit, err error) {
	if s.Journal == nil {
		return nil, nil
	}
	drafts, err := s.Journal.Drafts(t.Part.access().kind, t.Service.Path())
	for _, d := range drafts {
		kept = append(kept, savedEdit(d))
	}
	return kept, err
}

// EditDraftHolder is the draft of another program that has the edit of a part of a
// service, which runs or may; nil where this one has it, or nobody.
func (s Memory) EditDraftHolder(t Target) (*journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	drafts, err := s.Journal.Drafts(t.Part.access().kind, t.Service.Path())
	if holder := journal.Holder(drafts); holder != nil && !holder.Mine {
		return holder, err
	}
	return nil, err
}

// TakeOverEdit gives an edit that [Memory.SavedEdits] has told of to this program, see
// [journal.Journal.TakeDraft], and returns this program's own.
func (s Memory) TakeOverEdit(from journal.Draft) (SavedEdit, error) {
	taken, err := s.Journal.TakeDraft(from)
	if err != nil {
		return SavedEdit{}, err
	}
	return savedEdit(taken), nil
}

// DiscardEdit removes an edit that [Memory.SavedEdits] has told of, of a program that
// does not run, see [journal.Journal.DiscardDraft].
func (s Memory) DiscardEdit(d journal.Draft) error { return s.Journal.DiscardDraft(d) }

// DeleteEditDraft removes this program's edit, which was applied or given up.
func (s Memory) DeleteEditDraft(t Target) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.DeleteDraft(t.Part.access().kind, t.Service.Path())
}

// EditDrafts lists the edits of that part of all services that go on, the newest
// first.
func (s Memory) EditDrafts(p Part) ([]journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.ListDrafts(p.access().kind)
}

// errNoJournal says that nothing can be kept, so that nothing may be replaced.
var errNoJournal = errors.New("there is no journal to keep it in")

// SaveBackup puts what a part of a service holds into its history, with who asks
// where the site tells. The same is not kept twice in a row.
func (s Site) SaveBackup(ctx context.Context, c Content, why string) (journal.Backup, error) {
	if s.Journal == nil {
		return journal.Backup{}, errNoJournal
	}
	self, _ := s.Client.Self(ctx) // who is not known is left out
	return s.Journal.SaveBackup(c.Part.access().kind, c.Service.Path(), c.Document.Bytes(), self.Username, why)
}

// History lists what is kept of a part of a service, the newest first. The journal
// names it by the path of the service.
func (s Memory) History(t Target) ([]journal.Backup, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	return s.Journal.Backups(t.Part.access().kind, t.Service.Path())
}

// ReadBackup reads one of the history.
func (s Memory) ReadBackup(t Target, id string) (*document.Document, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	content, err := s.Journal.ReadBackup(t.Part.access().kind, t.Service.Path(), id)
	if err != nil {
		return nil, err
	}
	return document.Parse(content)
}
