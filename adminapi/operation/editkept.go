package operation

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// errNoJournal says that nothing can be kept, so that nothing may be replaced.
var errNoJournal = errors.New("there is no journal to keep it in")

// KeepContent puts what a part of a service holds into its history, with who asks
// where the site tells. The same is not kept twice in a row.
func (s Site) KeepContent(ctx context.Context, c Content, why string) (journal.Backup, error) {
	if s.Journal == nil {
		return journal.Backup{}, errNoJournal
	}
	self, _ := s.Client.Self(ctx) // who is not known is left out
	return s.Journal.SaveBackup(c.Part.access().kept, c.Service.Path(), c.Document.Bytes(), self.Username, why)
}

// History lists what is kept of a part of a service, the newest first. The journal
// names it by the path of the service.
func (s Site) History(t Target) ([]journal.Backup, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	return s.Journal.Backups(t.Part.access().kept, t.Service.Path())
}

// OldContent reads one of the history.
func (s Site) OldContent(t Target, id string) (*document.Document, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	content, err := s.Journal.ReadBackup(t.Part.access().kept, t.Service.Path(), id)
	if err != nil {
		return nil, err
	}
	return document.Parse(content)
}

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

// SaveEditDraft keeps an edit on disk.
func (s Site) SaveEditDraft(t Target, draft EditDraft) error {
	if s.Journal == nil {
		return errNoJournal
	}
	file := draftFile{EditDraft: draft}
	if !utf8.ValidString(draft.Edited) {
		file.Edited, file.Bytes = "", []byte(draft.Edited)
	}
	return s.Journal.SaveDraft(t.Part.access().kept, t.Service.Path(), file)
}

// LoadEditDraft returns the edit that was kept, and when.
func (s Site) LoadEditDraft(t Target) (draft EditDraft, saved time.Time, found bool, err error) {
	if s.Journal == nil {
		return draft, saved, false, nil
	}
	var file draftFile
	saved, found, err = s.Journal.LoadDraft(t.Part.access().kept, t.Service.Path(), &file)
	if draft = file.EditDraft; len(file.Bytes) > 0 {
		draft.Edited = string(file.Bytes)
	}
	return draft, saved, found, err
}

// DropEditDraft removes an edit that was applied or given up.
func (s Site) DropEditDraft(t Target) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.DeleteDraft(t.Part.access().kept, t.Service.Path())
}

// EditDrafts lists the services with an edit of that part that goes on, the newest
// first.
func (s Site) EditDrafts(p Part) ([]journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.ListDrafts(p.access().kept)
}
