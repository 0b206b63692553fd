package operation

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
)

// The kinds under which the journal keeps definitions: old ones, and edits that go
// on. The key is the path of the service.
const (
	backupDefinition = "definition"
	draftDefinition  = "definition"
)

// errNoJournal says that nothing can be kept, so that nothing may be replaced.
var errNoJournal = errors.New("there is no journal to keep it in")

// KeepDefinition puts a definition into the history, with who asks where the site
// tells. The same one is not kept twice in a row.
func (s Site) KeepDefinition(ctx context.Context, d Definition, why string) (journal.Backup, error) {
	if s.Journal == nil {
		return journal.Backup{}, errNoJournal
	}
	self, _ := s.Client.Self(ctx) // who is not known is left out
	return s.Journal.SaveBackup(backupDefinition, d.Service.Path(), d.Document.Bytes(), self.Username, why)
}

// DefinitionHistory lists the definitions of a service that are kept, the newest
// first.
func (s Site) DefinitionHistory(service adminapi.ServiceRef) ([]journal.Backup, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	return s.Journal.Backups(backupDefinition, service.Path())
}

// OldDefinition reads one of the history.
func (s Site) OldDefinition(service adminapi.ServiceRef, id string) (*document.Document, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	content, err := s.Journal.ReadBackup(backupDefinition, service.Path(), id)
	if err != nil {
		return nil, err
	}
	return document.Parse(content)
}

// DefinitionDraft is an edit that goes on. Both texts are whole definitions; the
// edited one may be broken JSON, and broken UTF-8.
type DefinitionDraft struct {
	Base   string `json:"base"`
	Edited string `json:"edited"`
}

// draftFile is a draft on disk: JSON has no place for broken UTF-8, so that such a
// text stands as bytes.
type draftFile struct {
	DefinitionDraft
	Bytes []byte `json:"editedBytes,omitempty"`
}

// SaveDefinitionDraft keeps an edit on disk.
func (s Site) SaveDefinitionDraft(service adminapi.ServiceRef, draft DefinitionDraft) error {
	if s.Journal == nil {
		return errNoJournal
	}
	file := draftFile{DefinitionDraft: draft}
	if !utf8.ValidString(draft.Edited) {
		file.Edited, file.Bytes = "", []byte(draft.Edited)
	}
	return s.Journal.SaveDraft(draftDefinition, service.Path(), file)
}

// LoadDefinitionDraft returns the edit of a service that was kept, and when.
func (s Site) LoadDefinitionDraft(service adminapi.ServiceRef) (draft DefinitionDraft, saved time.Time, found bool, err error) {
	if s.Journal == nil {
		return draft, saved, false, nil
	}
	var file draftFile
	saved, found, err = s.Journal.LoadDraft(draftDefinition, service.Path(), &file)
	if draft = file.DefinitionDraft; len(file.Bytes) > 0 {
		draft.Edited = string(file.Bytes)
	}
	return draft, saved, found, err
}

// DropDefinitionDraft removes the edit of a service that was applied or given up.
func (s Site) DropDefinitionDraft(service adminapi.ServiceRef) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.DeleteDraft(draftDefinition, service.Path())
}

// DefinitionDrafts lists the services with an edit that goes on, the newest first.
func (s Site) DefinitionDrafts() ([]journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.ListDrafts(draftDefinition)
}
