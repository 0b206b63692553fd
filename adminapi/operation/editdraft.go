package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/editing"
)

// EditDraft is an unsent edit. The texts are whole documents; the edited one may be broken
// JSON, and broken UTF-8.
type EditDraft struct {
	Base   string `json:"base"`
	Edited string `json:"edited"`
	// Before is what was edited before the text was broken, or before an editor has saved
	// another; empty where that was nothing.
	Before string `json:"before,omitzero"`
	// Typed is a text that is being typed, and is not in the edited one yet; nil for none.
	Typed *TypedText `json:"typed,omitempty"`
}

// TypedText is a text that is typed in place of a value.
type TypedText struct {
	Path document.Path `json:"path"`
	Text string        `json:"text"`
	Line bool          `json:"line,omitzero"` // as one line: of a string without its quotes
	Row  int           `json:"row,omitzero"`  // of the cursor, from 0
	Col  int           `json:"col,omitzero"`
}

// draftFile is a draft on disk. JSON cannot hold broken UTF-8: such a text is saved as bytes.
type draftFile struct {
	EditDraft
	Bytes []byte `json:"editedBytes,omitempty"`
}

// SavedEdit is an edit on disk, of this program or of another.
type SavedEdit struct {
	journal.Draft
	Edit EditDraft
	Err  error // why it cannot be read; nil where it can
}

func savedEdit(d journal.Draft) SavedEdit {
	var file draftFile
	saved := SavedEdit{Draft: d, Err: d.Read(&file)}
	if saved.Edit = file.EditDraft; len(file.Bytes) > 0 {
		saved.Edit.Edited = string(file.Bytes)
	}
	if saved.Err == nil && d.Text != nil {
		saved.Edit = saved.Edit.savedOutside(d.Text)
	}
	return saved
}

// onDisk is the edit as it is saved.
func (e EditDraft) onDisk() draftFile {
	file := draftFile{EditDraft: e}
	if !utf8.ValidString(e.Edited) {
		file.Edited, file.Bytes = "", []byte(e.Edited)
	}
	return file
}

// SaveEditDraft saves an edit as the draft of this program. holder is the draft of another
// program that has the same edit open, which stays as it is; nil for none.
func (s Memory) SaveEditDraft(t editing.Target, draft EditDraft) (holder *journal.Draft, err error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	return s.Journal.SaveDraft(t.Part.Kind(), t.Service.Path(), draft.onDisk())
}

// drafts returns the drafts of a kind for a service, none without a journal.
func (s Memory) drafts(kind string, t editing.Target) ([]journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.Drafts(kind, t.Service.Path())
}

// SavedEdits returns the saved edits of a part of a service: this program's first, then
// those of programs that run, then those of programs that have ended, newest first. What an
// editor has saved is one too, once its program has ended; where that program had saved the same as
// its draft, the text goes.
func (s Memory) SavedEdits(t editing.Target) (saved []SavedEdit, err error) {
	drafts, err := s.drafts(t.Part.Kind(), t)
	all := lists.Each(drafts, savedEdit)
	for _, edit := range all {
		has := func(d SavedEdit) bool { // a program that was killed had saved it as its draft too
			return !d.Outside && d.Program == edit.Program && d.Edit.Edited == edit.Edit.Edited
		}
		if !edit.Outside || edit.Err != nil || !slices.ContainsFunc(all, has) || s.Journal.DiscardDraft(edit.Draft) != nil {
			saved = append(saved, edit)
		}
	}
	return saved, err
}

// LeftEdit is an edit that waits to be gone on with.
type LeftEdit struct {
	Target editing.Target
	Draft  journal.Draft
}

// LeftEdits lists the edits of this program, and what programs that have ended since have left: drafts, and
// what editors have saved that is in no draft.
func (s Memory) LeftEdits() (left []LeftEdit) {
	for _, part := range editing.Parts {
		drafts, _ := s.EditDrafts(part) // the list of the services says why they cannot be read
		for _, d := range drafts {
			service, err := adminapi.ParseServicePath(d.Key)
			if err != nil || !d.Mine && d.Liveness != journal.Ended {
				continue
			}
			of := editing.Target{Service: service, Part: part}
			if d.Outside {
				saved, _ := s.SavedEdits(of)
				if !slices.ContainsFunc(saved, func(e SavedEdit) bool { return e.Outside && e.Saved.Equal(d.Saved) }) {
					continue
				}
			}
			left = append(left, LeftEdit{of, d})
		}
	}
	return left
}

// EditDraftHolder returns the draft of another program, running or perhaps running, that
// has the edit of a part open; nil where this program has it, or none.
func (s Memory) EditDraftHolder(t editing.Target) (*journal.Draft, error) {
	drafts, err := s.drafts(t.Part.Kind(), t)
	if holder := journal.Holder(drafts); holder != nil && !holder.Mine {
		return holder, err
	}
	return nil, err
}

// TakeOverEdit gives an edit of [Memory.SavedEdits] to this program, see
// [journal.Journal.TakeDraft], and returns its new draft.
func (s Memory) TakeOverEdit(from journal.Draft) (SavedEdit, error) {
	taken, err := s.Journal.TakeDraft(from)
	if err != nil {
		return SavedEdit{}, err
	}
	return savedEdit(taken), nil
}

// DeleteEditDraft deletes the edit of this program, which was applied or discarded.
func (s Memory) DeleteEditDraft(t editing.Target) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.DeleteDraft(t.Part.Kind(), t.Service.Path())
}

// deleteDraftOf deletes the drafts that hold exactly what was sent: of this program, and of those that have
// ended.
func (s Memory) deleteDraftOf(edit editing.Edit) {
	drafts, _ := s.drafts(edit.Part.Kind(), edit.Target)
	for _, d := range drafts {
		saved := savedEdit(d)
		switch {
		case d.Outside, saved.Err != nil, saved.Edit.Edited != edit.Edited.Text(), saved.Edit.Typed != nil:
		case d.Mine:
			_ = s.DeleteEditDraft(edit.Target)
		case d.Liveness == journal.Ended:
			_ = s.Journal.DiscardDraft(d)
		}
	}
}

// SentDraft returns the newest request of this machine that has sent exactly the text of a saved edit
// since it was saved, and reports whether there is one.
func (s Memory) SentDraft(t editing.Target, saved SavedEdit) (journal.Record, bool) {
	return EditSentSince(s.writes(), t, SumOf(saved.Edit.Edited), saved.Saved)
}

// EditSentSince returns the newest of some records that has sent a text, by its SHA-256, to a part of a
// service since a time, and reports whether there is one.
func EditSentSince(records []journal.Record, t editing.Target, sum string, since time.Time) (journal.Record, bool) {
	return newest(records, func(r journal.Record) bool {
		edited, ok := EditedBy(r)
		return ok && t.Same(edited) && !r.Time.Before(since) && r.Outcome != adminapi.OutcomeNotSent && sendsText(r, sum)
	})
}

// sendsText reports whether a write sends a text, by its SHA-256.
func sendsText(r journal.Record, sum string) bool {
	for _, values := range r.Fields {
		if len(values) > 0 && strings.HasPrefix(values[0], "sha256:"+sum+" ") {
			return true
		}
	}
	return false
}

// EditDrafts lists the unsent edits of a part of all services, newest first.
func (s Memory) EditDrafts(p editing.Part) ([]journal.Draft, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.ListDrafts(p.Kind())
}

// errNoJournal says that no backup can be saved, so nothing may be replaced.
var errNoJournal = errors.New("there is no journal to save it in")

// saveBackup adds the content of a part, which the write under the claim replaces, to its history,
// with the name of the user where the site tells it. The same content is not saved twice in a row.
func (c claimed) saveBackup(ctx context.Context, old editing.Content, why string) (journal.Backup, error) {
	if c.claim == nil {
		return journal.Backup{}, errNoJournal
	}
	self, _ := c.site.Client.Session.Self(ctx) // the name may be missing
	return c.claim.SaveBackup(old.Part.Kind(), old.Service.Path(), old.Document.Bytes(), self.Username, why)
}

// History lists the backups of a part of a service, newest first.
func (s Memory) History(t editing.Target) ([]journal.Backup, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	return s.Journal.Backups(t.Part.Kind(), t.Service.Path())
}

// EditedHere lists the paths of the services of which a part was edited from this machine.
func (s Memory) EditedHere(p editing.Part) (paths []string) {
	for _, r := range s.writes() {
		if of, edits := EditedBy(r); edits && of.Part == p {
			paths = append(paths, of.Service.Path())
		}
	}
	return paths
}

// ReadBackup reads a backup of the history.
func (s Memory) ReadBackup(t editing.Target, id string) (*document.Document, error) {
	if s.Journal == nil {
		return nil, errNoJournal
	}
	content, err := s.Journal.ReadBackup(t.Part.Kind(), t.Service.Path(), id)
	if err != nil {
		return nil, err
	}
	return document.Parse(content)
}

// SumOf is the SHA-256 of a text in hexadecimal.
func SumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Version is an older version of a part, with the change that replaced it.
type Version struct {
	journal.Backup
	Changes []document.Change          // from it to the next newer version
	Words   map[document.Path][]string // of the changes, see [document.Review]
	Err     error                      // why the changes are not known; nil where they are
	Ended   string                     // how the edit ended that was to replace it, where now is this version; else empty
}

// maxVersionBytes bounds what of older versions is read to say what changed.
const maxVersionBytes = 16 << 20

// Versions lists the older versions of a part, newest first, each with what replaced it; now
// is what the site has, nil where that is not known. It reads files.
func (s Memory) Versions(t editing.Target, now *document.Document) ([]Version, error) {
	kept, err := s.History(t)
	versions := make([]Version, len(kept))
	newer, read := now, 0
	for i, b := range kept {
		v := Version{Backup: b}
		var old *document.Document
		if read += b.Bytes; read <= maxVersionBytes {
			old, v.Err = s.ReadBackup(t, b.ID)
		}
		if old != nil && newer != nil {
			v.Changes = document.Diff(old, newer)
			v.Words = editing.Edit{Target: t, Base: old, Edited: newer}.Words(v.Changes)
			if i == 0 && len(v.Changes) == 0 {
				v.Ended = s.standing(t, b)
			}
		} else if v.Err == nil {
			v.Err = errNotCompared
		}
		versions[i], newer = v, old
	}
	return versions, err
}

// standing says how the edit ended before which the newest version was saved.
func (s Memory) standing(t editing.Target, before journal.Backup) string {
	last, edited := s.lastEdit(t)
	edited = edited && !last.Time.Before(before.Saved)
	_, _, sent := s.sentEdit(t)
	switch {
	case edited && ResultOf(last).End() == EndDone:
		return endedWell
	case sent && edited && Accepted(last):
		return "accepted; its job may still run"
	case sent:
		return "outcome unknown"
	}
	return cmp.Or(s.FailedEdit(t, before), "how it ended is not known")
}

// Still is Ended of a version that the site is known to have.
func (v Version) Still() string {
	if v.Ended == "" {
		return ""
	}
	if v.Ended == endedWell { // and another has undone it
		return v.Ended + "; the site has this version again"
	}
	return v.Ended + "; the site has this version"
}

const endedWell = "done"

// FailedEdit says how the last edit of a part failed, as its record says it, where its newest version
// was saved before that; empty where it did not fail, or that is not known. It reads files.
func (s Memory) FailedEdit(t editing.Target, before journal.Backup) string {
	last, edited := s.lastEdit(t)
	if !edited || last.Time.Before(before.Saved) {
		return ""
	}
	if result := ResultOf(last); result.failed() {
		return result.Text()
	}
	return ""
}

// errNotCompared says that one of two versions was not read.
const errNotCompared = notCompared("not compared")

type notCompared string

// Error returns the words.
func (e notCompared) Error() string { return string(e) }

// Summary says in a line what replaced the version: "minInstancesPerNode 2 → 5, +1 more".
func (v Version) Summary() string {
	switch {
	case v.Err != nil:
		return ""
	case v.Ended != "":
		return v.Still()
	}
	return editing.ChangeSummary(v.Changes, v.Words)
}
