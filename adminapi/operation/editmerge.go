package operation

import (
	"geodeck/adminapi/document"
)

// EditMerge is an edit of a part that the site has another version of by now.
type EditMerge struct {
	Edit      Edit
	Theirs    *document.Document
	Conflicts []document.Conflict // places that both changed in different ways
	Mine      []document.Change   // from the base to the edited version, without the conflicts
	Changes   []document.Change   // from the base to theirs, without the conflicts
}

// Merging compares the edit with what the site has now, place by place.
func (e Edit) Merging(theirs *document.Document) EditMerge {
	m := EditMerge{Edit: e, Theirs: theirs}
	_, m.Conflicts = document.Merge(e.Base, e.Edited, theirs)
	for _, side := range []struct {
		version *document.Document
		changes *[]document.Change
	}{{e.Edited, &m.Mine}, {theirs, &m.Changes}} {
		for _, c := range document.Diff(e.Base, side.version) {
			if !m.conflicts(c.Path) {
				*side.changes = append(*side.changes, c)
			}
		}
	}
	return m
}

func (m EditMerge) conflicts(path document.Path) bool {
	for _, c := range m.Conflicts {
		if path.Within(c.Path) || c.Path.Within(path) {
			return true
		}
	}
	return false
}

// With returns the edit on top of what the site has, with values for the places in
// conflict. Where one has none it returns those conflicts, and the edit as it was.
func (m EditMerge) With(chosen document.Resolutions) (Edit, []document.Conflict) {
	merged, conflicts := document.MergeWith(m.Edit.Base, m.Edit.Edited, m.Theirs, chosen)
	if len(conflicts) > 0 {
		return m.Edit, conflicts
	}
	edit := m.Edit
	edit.Base, edit.Edited = m.Theirs, merged
	return edit, nil
}

// words say changes of a placement policy in the words of rules; a definition has none.
func (e Edit) words(changes []document.Change) map[document.Path][]string {
	return nil
}

// ConflictWords say the versions of a place in conflict, each in some lines.
type ConflictWords struct {
	Place              string
	Base, Mine, Theirs []string
}

// Sides says a conflict in the words of a key, or of rules; secrets are masked.
func (m EditMerge) Sides(c document.Conflict, arrow string) ConflictWords {
	value := func(raw string) string {
		if raw == "" {
			return "(not there)"
		}
		return brief(document.MaskedAt(c.Path, raw))
	}
	changed := func(raw string) []string {
		if raw == "" {
			return []string{"(deleted)"}
		}
		return []string{value(raw)}
	}
	return ConflictWords{Place: c.Path.String(), Base: []string{value(c.Base)}, Mine: changed(c.Mine), Theirs: changed(c.Theirs)}
}

// Words says a change of one side in the words of a key, or of rules.
func (m EditMerge) Words(c document.Change, arrow string) []string {
	return []string{changeWords(c, arrow)}
}
