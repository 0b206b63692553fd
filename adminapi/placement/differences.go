package placement

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// Difference is a rule that two versions of a policy do not share, in words. All text is
// clean.
type Difference struct {
	Deployment string        // its type and id, empty for bare rules
	Where      string        // such as "term 1" or "toleration 2"
	Old, New   string        // such as "pool In gis" and "pool In gpu"; empty where there is none
	Path       document.Path // in the version after, where it is removed in the one before
	Kind       document.ChangeKind

	whole bool // of a term, a toleration or a deployment, not of a line in it
}

// Text says the difference on one line, such as "term 1: pool In gis → gpu", with that arrow.
func (d Difference) Text(arrow string) string {
	text := d.New
	switch kind := d.Kind; {
	case kind == document.Removed && d.whole, kind == document.Added && d.whole:
		return d.Where + " " + kind.String() + ": " + text + d.Old
	case kind == document.Removed, kind == document.Added:
		return d.Where + ": " + kind.String() + " " + text + d.Old
	case kind == document.Moved:
		return d.Where + ": " + text + " (was " + d.Old + ")"
	case d.Old == d.New:
		return d.Where + ": " + text + " (written differently)"
	}
	same := 0 // what both sides begin with is said once: key and operator
	for i := range min(len(d.Old), len(d.New)) {
		if d.Old[i] != d.New[i] {
			break
		} else if d.Old[i] == ' ' {
			same = i + 1
		}
	}
	return d.Where + ": " + d.Old + " " + arrow + " " + d.New[same:]
}

// Differences returns what is different between two versions of a policy, in the order of
// the version after; a deployment's removed rules come behind its others. Rules that are
// only written in another way are none.
func Differences(before, after Policy) []Difference {
	d := differ{before: before, after: after}
	matched := make([]bool, len(before.items))
	for n, item := range after.items {
		d.deployment = deploymentText(item)
		was, ok := before.Counterpart(item, n)
		if ok = ok && !matched[was]; !ok {
			d.add(true, document.Added, after, AtItem(n), "deployment", "", d.deployment)
			continue
		}
		matched[was] = true
		d.was, d.now = was, n
		d.item(before.items[was], item)
	}
	for n, known := range matched {
		if !known {
			d.deployment = deploymentText(before.items[n])
			d.add(true, document.Removed, before, AtItem(n), "deployment", d.deployment, "")
		}
	}
	d.others()
	return d.found
}

func deploymentText(i Item) string {
	return strings.TrimSpace(plain.Clip(i.DeploymentType, 60) + " " + plain.Clip(i.DeploymentID, 60))
}

// differ compares two policies.
type differ struct {
	before, after Policy
	deployment    string
	was, now      int // the items that are compared
	found         []Difference
}

func (d *differ) add(whole bool, kind document.ChangeKind, of Policy, at Place, where, old, new string) {
	n, err := of.element(at)
	if err != nil && of.form == WholePolicy { // a deployment
		n = of.at(document.Path(keyPolicy).Index(at.Item))
	}
	d.found = append(d.found, Difference{d.deployment, where, old, new, n.Path(), kind, whole})
}

// item compares the rules of a deployment.
func (d *differ) item(was, now Item) {
	d.terms(Required, was.Required.Terms, now.Required.Terms)
	d.terms(Preferred, was.Preferred.Terms, now.Preferred.Terms)
	compareLists(was.Tolerations, now.Tolerations, func(a, b Toleration) bool { return a == b }, func(c pair) {
		d.element(c, AtToleration(d.was, c.old), AtToleration(d.now, c.new), "toleration ", true,
			textAt(was.Tolerations, c.old, TolerationText), textAt(now.Tolerations, c.new, TolerationText))
	})
}

// terms compares the terms of a kind.
func (d *differ) terms(kind Kind, old, terms []Term) {
	name := kind.term()
	sameLines := func(a, b Term) bool { return slices.EqualFunc(a.Lines, b.Lines, Line.Same) }
	compareLists(old, terms, sameLines, func(c pair) {
		at, atOld := AtTerm(d.now, kind, c.new), AtTerm(d.was, kind, c.old)
		if c.old < 0 || c.new < 0 || c.moved {
			d.element(c, atOld, at, name, true, textAt(old, c.old, TermText), textAt(terms, c.new, TermText))
		}
		if c.old < 0 || c.new < 0 {
			return
		}
		where, before, after := name+ordinal(c.new), &old[c.old], &terms[c.new]
		if before.Weight > 0 && after.Weight > 0 && before.Weight != after.Weight {
			d.add(false, document.Changed, d.after, at, where, "weight "+strconv.Itoa(before.Weight), "weight "+strconv.Itoa(after.Weight))
		}
		compareLists(before.Lines, after.Lines, Line.Same, func(c pair) {
			if c.moved { // lines have no order
				return
			}
			oldText, newText := textAt(before.Lines, c.old, LineText), textAt(after.Lines, c.new, LineText)
			if c.old >= 0 && c.new >= 0 {
				oldText, newText = lineChange(before.Lines[c.old], after.Lines[c.new])
			}
			d.element(c, AtLine(d.was, kind, atOld.Term, c.old), AtLine(at.Item, kind, at.Term, c.new), where, false, oldText, newText)
		})
	})
}

// lineChange says both sides of a line; of long lists of values those that differ.
func lineChange(old, new Line) (was, now string) {
	if old.Key != new.Key || old.Operator != new.Operator || max(len(old.Values), len(new.Values)) <= maxValues {
		return LineText(old), LineText(new)
	}
	without := func(values, other []string) string {
		rest := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(other, v) })
		return plain.Listed(cleanWords(rest), maxValues, ", ", ", ")
	}
	now = plain.Plural(len(new.Values), "value")
	if more := without(new.Values, old.Values); more != "" {
		now += ", " + more + " added"
	}
	if less := without(old.Values, new.Values); less != "" {
		now += ", " + less + " removed"
	}
	return cleanWord(old.Key) + " " + cleanWord(old.Operator) + " " + plain.Plural(len(old.Values), "value"), now
}

// element adds what happened to one element of a list; where the place is named by it, the
// element is one of those that are named.
func (d *differ) element(c pair, atOld, at Place, where string, named bool, old, new string) {
	number := func(i int) string {
		if named {
			return where + ordinal(i)
		}
		return where
	}
	switch {
	case c.same:
	case c.new < 0:
		d.add(named, document.Removed, d.before, atOld, number(c.old), old, "")
	case c.old < 0:
		d.add(named, document.Added, d.after, at, number(c.new), "", new)
	case c.moved:
		d.add(named, document.Moved, d.after, at, number(c.new), ordinal(c.old), new)
	default:
		d.add(named, document.Changed, d.after, at, number(c.new), old, new)
	}
}

func textAt[T any](list []T, i int, text func(T) string) string {
	if i < 0 {
		return ""
	}
	return text(list[i])
}

// others adds what differs and is no rule, such as keys that are not known here.
func (d *differ) others() {
	if d.before.doc == nil || d.after.doc == nil {
		return
	}
	rules := d.found
	for _, c := range document.Masked(document.Diff(d.before.doc, d.after.doc)) {
		told := func(r Difference) bool { return c.Path.Within(r.Path) || r.Path.Within(c.Path) }
		if c.Kind == document.Rewritten || slices.ContainsFunc(rules, told) {
			continue
		}
		d.found = append(d.found, Difference{Where: plain.Clip(c.Path.String(), 200), Old: plain.Clip(c.Old, 200), New: plain.Clip(c.New, 200), Path: c.Path, Kind: c.Kind})
	}
}

// pair is an element of two lists: its index in each, -1 where it is not there.
type pair struct {
	old, new    int
	same, moved bool // it is unchanged; at another place among the others
}

// compareLists tells of each element of two lists; those that are gone come last.
func compareLists[T any](was, now []T, equal func(a, b T) bool, tell func(pair)) {
	pairs := equalPairs(was, now, equal)
	used, same := make([]bool, len(was)), make([]bool, len(now))
	for i, old := range pairs {
		if same[i] = old >= 0; same[i] {
			used[old] = true
		}
	}
	free := func(from, to int, fits func(T) bool) int {
		for old := from; old < to; old++ {
			if !used[old] && fits(was[old]) {
				used[old] = true
				return old
			}
		}
		return -1
	}
	moved := make([]bool, len(now))
	for i := range now {
		if !same[i] && len(was)*len(now) <= maxPaired {
			pairs[i] = free(0, len(was), func(old T) bool { return equal(old, now[i]) })
			moved[i] = pairs[i] >= 0
		}
	}
	from := 0 // behind the last element that both share in order
	for i := range now {
		if same[i] {
			from = pairs[i] + 1
			tell(pair{pairs[i], i, true, false})
			continue
		}
		if pairs[i] < 0 {
			to := len(was)
			if next := slices.Index(same[i:], true); next >= 0 {
				to = pairs[i+next]
			}
			pairs[i] = free(from, to, func(T) bool { return true })
		}
		tell(pair{pairs[i], i, false, moved[i]})
	}
	for old, known := range used {
		if !known {
			tell(pair{old, -1, false, false})
		}
	}
}

// TermText returns a term in short, such as `pool In gis and gpu Exists`; clean.
func TermText(t Term) string {
	if len(t.Lines) == 0 {
		return "a term without lines"
	}
	return plain.Listed(lists.Each(t.Lines, LineText), maxLines, " and ", " and ")
}

// Words says what a policy has at a path, each term, line and toleration on a line of its
// own; nil where no rule is there. Both sides of a conflict read so.
func (p Policy) Words(path document.Path) (words []string) {
	here := func(at Place) bool {
		n, err := p.element(at)
		return err == nil && n.Path().Within(path)
	}
	for n, item := range p.items {
		for _, kind := range []Kind{Required, Preferred} {
			for k, t := range item.Affinity(kind).Terms {
				name := kind.term() + ordinal(k) + ": "
				if here(AtTerm(n, kind, k)) {
					words = append(words, name+TermText(t))
					continue
				}
				for i, l := range t.Lines {
					if here(AtLine(n, kind, k, i)) {
						words = append(words, name+LineText(l))
					}
				}
			}
		}
		for k, t := range item.Tolerations {
			if here(AtToleration(n, k)) {
				words = append(words, "toleration "+ordinal(k)+": "+TolerationText(t))
			}
		}
	}
	return words
}
