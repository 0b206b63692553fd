package operation

import (
	"cmp"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
)

// Version is an older version of a part, with the change that replaced it.
type Version struct {
	journal.Backup
	Changes []document.Change          // from it to the next newer version
	Words   map[document.Path][]string // of the changes, see [document.Review]
	Err     error                      // why the changes are not known; nil where they are
	Still   string                     // in a few words, of a version that the site has; empty where it was replaced
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
				v.Still = s.standing(t, b)
			}
		} else if v.Err == nil {
			v.Err = errNotCompared
		}
		versions[i], newer = v, old
	}
	return versions, err
}

// standing says why the newest version, which was saved before an edit, is what the site has: the
// edit failed, its outcome is unknown, or it was undone.
func (s Memory) standing(t editing.Target, before journal.Backup) string {
	if _, _, sent := s.sentEdit(t); sent {
		return "outcome unknown; the site has this version"
	}
	return cmp.Or(s.FailedEdit(t, before), "nothing") + "; the site has this version"
}

// FailedEdit says how the last edit of a part failed, as its record says it, where its newest version
// was saved before that; empty where it did not fail, or that is not known. It reads files.
func (s Memory) FailedEdit(t editing.Target, before journal.Backup) string {
	if s.Journal == nil {
		return ""
	}
	records, _ := s.Journal.Actions(0) // what cannot be read tells nothing
	last, edited := lastEdit(records, t)
	if !edited || last.Time.Before(before.Saved) {
		return ""
	}
	if result := ResultOf(last); result.Failed() {
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
	case v.Still != "":
		return v.Still
	}
	return editing.ChangeSummary(v.Changes, v.Words)
}
