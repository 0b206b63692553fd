package journal

import "time"

// Draft names a draft that is kept.
type Draft struct {
	Kind, Key string
	Saved     time.Time
}

// SaveDraft keeps value, as JSON, in place of an earlier draft of the same kind
// (such as "upgrade settings") and key (such as the id of the update). It is the
// caller's duty to give no secret and no content of a file: its path will do.
func (j *Journal) SaveDraft(kind, key string, value any) error { panic("contract only") }

// LoadDraft reads a draft into what into points to. found is false where there
// is none; a draft that cannot be read as such is an error, and into may hold a
// part of it.
func (j *Journal) LoadDraft(kind, key string, into any) (saved time.Time, found bool, err error) {
	panic("contract only")
}

// DeleteDraft removes a draft; there being none is no error.
func (j *Journal) DeleteDraft(kind, key string) error { panic("contract only") }

// ListDrafts returns the drafts of a kind, newest first. Damaged ones are left
// out.
func (j *Journal) ListDrafts(kind string) ([]Draft, error) { panic("contract only") }
