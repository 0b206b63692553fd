package editing

import (
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// Merge is an edit of a part that the site has another version of by now.
type Merge struct {
	Edit      Edit
	Theirs    *document.Document
	Conflicts []document.Conflict // places that both changed in different ways
	Mine      []document.Change   // from the base to the edited version, without the conflicts
	Changes   []document.Change   // from the base to theirs, without the conflicts

	MyMoves, TheirMoves []Move // of a placement policy, from the base to either version
}

// Merging compares the edit with what the site has now, place by place.
func (e Edit) Merging(theirs *document.Document) Merge {
	m := Merge{Edit: e, Theirs: theirs, MyMoves: e.Moves()}
	other := e
	other.Edited = theirs
	m.TheirMoves = other.Moves()
	_, m.Conflicts = document.Merge(e.Base, e.Edited, theirs, nil)
	inConflict := func(change document.Change) bool {
		return slices.ContainsFunc(m.Conflicts, func(c document.Conflict) bool {
			return change.Path.Within(c.Path) || c.Path.Within(change.Path)
		})
	}
	m.Mine = slices.DeleteFunc(document.Diff(e.Base, e.Edited), inConflict)
	m.Changes = slices.DeleteFunc(document.Diff(e.Base, theirs), inConflict)
	return m
}

// Others says the changes of others: in words those that a merged version keeps, and as dangers those
// that it overwrites.
func (m Merge) Others(merged *document.Document) (kept []string, overwritten []finding.Finding) {
	var stay, gone []document.Change
	for _, c := range document.Diff(m.Edit.Base, m.Theirs) {
		now, ok := merged.Find(c.Path)
		if theirs, there := m.Theirs.Find(c.Path); ok == there && (!ok || sameRules(now.Raw(), theirs.Raw())) {
			stay = append(stay, c)
		} else {
			gone = append(gone, c)
		}
	}
	theirs := m.Edit
	theirs.Edited = m.Theirs
	words := theirs.Words(gone)
	for _, c := range gone {
		said := strings.Join(ChangeLines([]document.Change{c}, words), "; ")
		said = strings.TrimPrefix(strings.ReplaceAll(said, Arrow, "to"), c.Path.String()+" ")
		at := finding.Place{Path: string(c.Path)}
		if m.Edit.Part == Placement {
			at.Name = rulesPlace(c.Path)
		}
		overwritten = append(overwritten, Gates.Finding(finding.Edit, Overwrites, at,
			"Others changed this, and you overwrite it: "+plain.Clip(said, 200)+"."))
	}
	return ChangeLines(stay, theirs.Words(stay)), overwritten
}

// WithMine is the edit on top of what the site has, with your version of each place in conflict.
func (m Merge) WithMine() Edit {
	edit, _ := m.With(m.AllMine())
	_, edit.Drift = m.Others(edit.Edited)
	return edit
}

// AllMine are your versions of the places in conflict.
func (m Merge) AllMine() document.Resolutions {
	mine := document.Resolutions{}
	for _, c := range m.Conflicts {
		mine[c.Path] = c.Mine
	}
	return mine
}

// Before is what undoing a merge leads back to: your version of each conflict, else what the site has.
func (m Merge) Before(merged Edit) *document.Document {
	if mine, left := m.With(m.AllMine()); len(left) == 0 && mine.Edited.Text() != merged.Edited.Text() {
		return mine.Edited
	}
	return m.Theirs
}

// Unsent says what is not sent after a merge that leaves nothing to send.
func (m Merge) Unsent() string {
	var mine []string
	for _, c := range m.Conflicts {
		sides := m.Sides(c)
		if m.Edit.Part != Placement {
			sides.Place += " " + sides.Mine[0]
		}
		mine = append(mine, plain.Clip(sides.Place, 60))
	}
	switch len(mine) {
	case 0:
		return "The site already has all your changes."
	case 1:
		return "You took theirs: your " + mine[0] + " was not sent."
	}
	return "You took theirs: your " + plain.Listed(mine, 3, ", ", " and ") + " were not sent."
}

// With returns the edit on top of what the site has, with values for the places in
// conflict. Where one has none it returns those conflicts, and the edit as it was.
func (m Merge) With(chosen document.Resolutions) (Edit, []document.Conflict) {
	merged, conflicts := document.Merge(m.Edit.Base, m.Edit.Edited, m.Theirs, chosen)
	if len(conflicts) > 0 {
		return m.Edit, conflicts
	}
	edit := m.Edit
	edit.Base, edit.Edited = m.Theirs, merged
	return edit, nil
}

// Arrow stands between an old and a new value in the words of a change.
const Arrow = "→"

// Words say changes of a placement policy in the words of rules; a definition has none.
func (e Edit) Words(changes []document.Change) map[document.Path][]string {
	base, edited, err := e.policies()
	if e.Part != Placement || err != nil {
		return nil
	}
	differences := placement.Differences(base, edited)
	words := map[document.Path][]string{}
	for _, c := range changes {
		if c.Kind == document.Changed || c.Kind == document.Added || c.Kind == document.Removed {
			words[c.Path] = rulesWithin(differences, c.Path)
		}
	}
	return words
}

// rulesWithin says the differences of rules below a path, with their deployment where there
// are several.
func rulesWithin(differences []placement.Difference, path document.Path) (words []string) {
	several := slices.ContainsFunc(differences, func(d placement.Difference) bool { return d.Deployment != differences[0].Deployment })
	for _, d := range differences {
		switch {
		case d.Deployment == "" || !d.Path.Within(path): // it is said by path and values
		case several:
			words = append(words, d.Deployment+", "+d.Text(Arrow))
		default:
			words = append(words, d.Text(Arrow))
		}
	}
	return words
}

// ConflictWords say the versions of a place in conflict, each in some lines.
type ConflictWords struct {
	Place              string
	Base, Mine, Theirs []string
}

// Sides says a conflict in the words of a key, or of rules; secrets are masked.
func (m Merge) Sides(c document.Conflict) ConflictWords {
	value := func(raw, missing string) []string {
		if raw == "" {
			return []string{missing}
		}
		return []string{document.Compact(c.Shown(raw))}
	}
	w := ConflictWords{Place: c.Path.String(), Base: value(c.Base, "(not there)"), Mine: value(c.Mine, "(deleted)"), Theirs: value(c.Theirs, "(deleted)")}
	if m.Edit.Part != Placement {
		return w
	}
	mine, theirs := m.Edit, m.Edit
	theirs.Edited = m.Theirs
	changes := []document.Change{{Path: c.Path, Kind: document.Changed}}
	base, _, err := m.Edit.policies()
	ofMine, ofTheirs := mine.Words(changes)[c.Path], theirs.Words(changes)[c.Path]
	if err != nil || len(ofMine) == 0 || len(ofTheirs) == 0 {
		return w
	}
	w.Mine, w.Theirs = ofMine, ofTheirs
	if was := base.Words(c.Path); len(was) > 0 {
		w.Base = was
	}
	w.Place = rulesPlace(c.Path)
	return w
}

// rulesPlace names a place in the rules of a deployment in short.
func rulesPlace(path document.Path) string {
	deployment, what := "", "rules"
	for _, step := range path.Steps() {
		switch {
		case step.Kind == document.ByName:
			deployment = " of " + plain.Clip(step.Name, 60)
		case step.Key == "nodeAffinity":
			what = "node affinity"
		case step.Key == "tolerations":
			what = "tolerations"
		}
	}
	return what + deployment
}

// Words says a change of one side in the words of a key, or of rules.
func (m Merge) Words(c document.Change, ofTheirs bool) []string {
	edit := m.Edit
	if ofTheirs {
		edit.Edited = m.Theirs
	}
	if words := edit.Words([]document.Change{c})[c.Path]; len(words) > 0 {
		return words
	}
	return []string{changeWords(c)}
}

// ChangeSummary says changes in a line: the first, and how many more there are.
func ChangeSummary(changes []document.Change, words map[document.Path][]string) string {
	if len(changes) == 0 {
		return "no change"
	}
	var all []string
	for _, c := range document.Masked(changes[:1]) {
		if all = words[c.Path]; len(all) == 0 {
			all = []string{changeWords(c)}
		}
	}
	text := plain.Clip(all[0], 200)
	if more := len(all) + len(changes) - 2; more > 0 {
		text += "  " + plain.Plural(more, "more change")
	}
	return text
}

// ChangeLines says changes in lines of a few words each, with secrets masked
// and [Arrow] between old and new.
func ChangeLines(changes []document.Change, words map[document.Path][]string) (lines []string) {
	for _, c := range document.Masked(changes) {
		if said := words[c.Path]; len(said) > 0 {
			lines = append(lines, said...)
		} else {
			lines = append(lines, changeWords(c))
		}
	}
	return lines
}

// changeWords says a change by its path and values, which are masked already.
func changeWords(c document.Change) string {
	path, old, new := c.Path.String(), document.Compact(c.Old), document.Compact(c.New)
	switch c.Kind {
	case document.Added:
		return path + " added: " + new
	case document.Removed:
		return path + " deleted: " + old
	case document.Moved:
		return path + " in another order"
	}
	return path + " " + old + " " + Arrow + " " + new
}
