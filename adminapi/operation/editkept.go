package operation

import (
	"context"
	"errors"

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
