// Package diff is the widget that shows what an edit of a document would do: every
// change as path, old and new value, with what it risks, and the rules that are
// broken. What has to be accepted is accepted here, see open.go.
//
// It does no I/O. Start at [Review].
package diff

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Review is the widget.
type Review struct {
	plans      []document.Review
	list       *rows.List[rowKey]
	tree       *tree
	inks       inks
	folds      map[rowKey]bool
	foldedOnce map[rowKey]bool // rows that were folded for being long: the user decides from then on
	revision   uint64          // counts what changes the looks of rows

	// AboutService says in lines of a width what of the plan of a service is not in its rows; its
	// name is empty in a review of one. Nil for nothing.
	AboutService func(service string, width int) []string
	Head         func() string // what stands above its text; nil for nothing
	AboutBeside  bool          // whether that stands beside the review
	// Below explains the plan in as many lines of a width as stay empty below the rows; nil for nothing.
	Below func(width, height int) []string
	// Correct opens the edited document at the value with a broken rule; nil where that is not open.
	Correct func(document.Path) tea.Cmd

	asks     *views.Base // what findings are accepted with; nil where the review is only read
	accepted widget.Acknowledge
	open     []open           // what has to be accepted
	in       map[member]*open // by what it is in
	seen     rowKey           // the row that was under the cursor while no key came
	table    []views.Command  // all rows

	width, height int
}

// New returns a review of nothing, to be read.
func New(t *theme.Theme) *Review {
	r := &Review{
		list: rows.New[rowKey](t), inks: inks{rows.NewInks(t), " " + t.Glyphs.Arrow + " "},
		folds: map[rowKey]bool{}, foldedOnce: map[rowKey]bool{}, accepted: widget.NewAcknowledge(),
	}
	r.list.SetFolds(r.folds)
	r.arrange()
	r.table = r.rows()
	return r
}

// NewAsking returns a review of nothing whose findings are accepted in it.
func NewAsking(b views.Base) *Review {
	r := New(b.Env.Theme)
	r.asks = &b
	return r
}

// Set shows plans, one below the other, with secrets masked. What was accepted stays accepted where it is
// still found.
func (r *Review) Set(plans ...document.Review) {
	before, left := len(r.plans), r.Open()
	r.plans = slices.Clone(plans)
	for i, plan := range r.plans {
		r.plans[i].Changes = document.Masked(plan.Changes)
	}
	r.gather()
	r.arrange()
	if before != len(r.plans) {
		r.list.GoTop()
	}
	switch {
	case r.Open() > 0 && (r.Open() > left || before != len(r.plans)) && !r.Blocked():
		r.goToFinding(1)
	case before == len(r.plans):
		return
	case len(r.plans) == 1 && r.tree.Len() > 1 && r.tree.items[0].key.part == changesRow:
		r.list.Select(r.tree.items[1].key)
	}
	r.Rested()
}

// arrange lays the plans out for the width there is.
func (r *Review) arrange() {
	r.revision++
	r.tree = newTree(r)
	r.list.SetFolds(r.folds)
	r.list.Set(r.tree)
}

// Blocked reports whether a rule is broken in a way that nothing can be sent.
func (r *Review) Blocked() bool {
	return slices.ContainsFunc(r.plans, func(p document.Review) bool { return finding.Blocked(p.Findings) })
}

// Described returns the service and the path of the row on which the cursor rests.
func (r *Review) Described() (service string, path document.Path) {
	if i, ok := r.list.Rested(); ok {
		return r.tree.items[i].key.service, r.tree.items[i].key.path
	}
	return "", document.Whole
}

// SetSize gives the review its cells.
func (r *Review) SetSize(width, height int) {
	other := width != r.width
	r.width, r.height = width, height
	if other {
		r.arrange()
	}
	r.list.SetSize(width, max(0, height-r.headHeight()-r.statusHeight()))
}

// Copy is the id of the row that copies a review.
const Copy = "diff.copy"

// Commands lists every row of the review.
func (r *Review) Commands() []views.Command { return r.table }

// Footer lists the rows of the footer.
func (r *Review) Footer() []string {
	return []string{rows.Up, rows.Down, "diff.accept", "diff.next-open", "diff.open", Copy, rows.Filter}
}

func (r *Review) rows() []views.Command {
	toAccept := views.Only(func() bool { return r.Open() > 0 || r.Blocked() }, "Nothing is left to accept.")
	unsearched := func() bool { return r.list.Search() == "" } // n and N are its own
	asks := func() bool { return r.asks != nil }
	listed := func() bool { return r.tree.Len() > 0 }
	return views.When(listed, slices.Concat(r.list.Searches(), views.When(asks, views.Grouped("Review", []views.Command{
		{ID: "diff.accept", Key: "space", Hint: r.acceptHint, Name: "accept finding", Enabled: r.notToAccept, Run: r.accept,
			Help: "Accept a caution, or type the word of a danger; again to undo."},
		{ID: "diff.next-open", Key: "n", Word: "next finding", Name: "next finding to accept",
			Shown: unsearched, Enabled: toAccept, Run: views.Call(func() { r.goToFinding(1) }),
			Help: "Go to the next finding that blocks, or is left to accept."},
		{ID: "diff.previous-open", Key: "N", Name: "previous finding to accept",
			Shown: unsearched, Enabled: toAccept, Run: views.Call(func() { r.goToFinding(-1) }),
			Help: "Go to the previous finding that blocks, or is left to accept."},
	})), views.Grouped("Review", []views.Command{
		{ID: "diff.open", Key: "enter", Hint: r.openHint, Name: "open or go to", Shown: r.Opens, Run: r.enter,
			Help: "Open or fold a long value; on a finding, go to its change or value."},
		{ID: "diff.next-change", Key: "}", Name: "next change", Run: views.Call(func() { r.goToChange(1) }),
			Help: "Go to the next change."},
		{ID: "diff.previous-change", Key: "{", Name: "previous change", Run: views.Call(func() { r.goToChange(-1) }),
			Help: "Go to the previous change."},
		{ID: Copy, Key: "y", Word: "copy", Name: "copy the review", Run: r.copy,
			Help: "Copy the whole review as text."},
	}), r.list.Moves(), r.list.Filters(), r.list.Folds()))
}

// Opens reports whether enter does something on the row under the cursor.
func (r *Review) Opens() bool { return r.found() != nil || r.parent() }

// found is the finding under the cursor; nil for none.
func (r *Review) found() *finding.Finding {
	if i, ok := r.list.Selected(); ok {
		return r.tree.items[i].finding
	}
	return nil
}

// parent reports whether the row under the cursor has rows below it.
func (r *Review) parent() bool { return r.list.Len() > 0 && !r.list.Leaf() }

// openHint says what enter does on the row under the cursor.
func (r *Review) openHint() string {
	switch f := r.found(); {
	case r.corrects(f):
		return "correct it"
	case f != nil:
		return "go to it"
	case r.parent() && !r.list.Folded():
		return "fold"
	}
	return "open"
}

// corrects reports whether enter on a finding opens what has to be corrected.
func (r *Review) corrects(f *finding.Finding) bool { return f != nil && f.Blocks() && r.Correct != nil }

// enter opens what breaks a rule where it is edited, goes to the change that another finding is about, and folds or
// unfolds anything else.
func (r *Review) enter() tea.Cmd {
	switch f := r.found(); {
	case f == nil:
		r.list.Toggle()
		return nil
	case r.corrects(f):
		return r.Correct(document.Path(f.At.Path))
	}
	i, _ := r.list.Selected()
	if to := r.tree.causeOf(i); to >= 0 {
		r.list.Select(r.tree.items[to].key)
		return nil
	}
	return views.Tell(views.Info, "This edit does not change that value.")
}

// Rested describes the row under the cursor, which can be accepted from now on.
func (r *Review) Rested() {
	r.list.Rest()
	r.seen, _ = r.list.Key()
	r.accepted.Rested()
}

// CapturesText reports whether typed keys are text at present.
func (r *Review) CapturesText() bool { return r.list.Typing() }

// Filtering reports whether a filter is being typed.
func (r *Review) Filtering() bool { return r.list.Typing() }

// Update takes keys while CapturesText.
func (r *Review) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok && r.list.Typing() {
		r.list.Type(key)
	}
	return nil
}

// copy puts the whole review on the clipboard.
func (r *Review) copy() tea.Cmd {
	what := plain.Plural(len(r.plans), "service")
	if len(r.plans) == 1 {
		what = plain.Plural(len(r.plans[0].Changes), "change")
	}
	return views.CopyText(r.Text(), "review of "+what+" with secrets masked")
}

// textWidth is how wide sentences are in the text of a review, which is not laid out.
const textWidth = 1000

// Text is the review in plain words, with secrets masked.
func (r *Review) Text() string {
	texts := make([]string, len(r.plans))
	for i, plan := range r.plans {
		texts[i] = plan.Text(func(f finding.Finding) bool { return r.Accepts(plan.Service, f) })
		if r.AboutService != nil {
			texts[i] += ansi.Strip(strings.Join(r.AboutService(plan.Service, textWidth), "\n")) + "\n"
		}
	}
	text := strings.Join(texts, "\n")
	if r.Head != nil {
		text = r.Head() + text
	}
	return text
}

// goToChange moves the cursor to the next change, with -1 to the one before it.
func (r *Review) goToChange(by int) {
	r.goTo(by, func(row *item) bool { return row.key.part == changeRow })
}

func (r *Review) goTo(by int, is func(*item) bool) {
	from, _ := r.list.Selected()
	n := r.tree.Len()
	for step := 1; step <= n; step++ {
		if row := &r.tree.items[((from+by*step)%n+n)%n]; is(row) {
			r.list.Select(row.key)
			break
		}
	}
}
