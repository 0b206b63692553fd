// Package diff is the widget that shows what an edit of a document would do: every
// change as path, old and new value, with what it risks, the keys that would be
// lost, and the rules that are broken. Lost keys are confirmed here, one by one, by
// typing their names.
//
// It does no I/O. Start at [Review].
package diff

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
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
	confirmed  map[lostKey]bool
	folds      map[rowKey]bool
	foldedOnce map[rowKey]bool // rows that were folded for being long: the user decides from then on
	revision   uint64          // counts what changes the looks of rows

	// AboutService says in lines of a width what of the plan of a service is not in its rows; its
	// name is empty in a review of one. Nil for nothing.
	AboutService func(service string, width int) []string
	AboutBeside  bool // whether that stands beside the review
	// Below explains the plan in as many lines of a width as stay empty below the rows; nil for nothing.
	Below func(width, height int) []string

	input   textinput.Model
	asking  *rowKey         // the lost key whose name is being typed; nil where none is
	problem string          // what is wrong with the name that was typed
	names   []views.Command // the keys of the name
	table   []views.Command // all rows

	width, height int
}

// lostKey is a key that one of the plans would lose.
type lostKey struct {
	service string
	path    document.Path
}

// New returns a review of nothing.
func New(t *theme.Theme) *Review {
	r := &Review{
		list: rows.New[rowKey](t), inks: inks{rows.NewInks(t), " " + t.Glyphs.Arrow + " "}, input: widget.NewInput(t),
		confirmed: map[lostKey]bool{}, folds: map[rowKey]bool{}, foldedOnce: map[rowKey]bool{},
	}
	r.list.SetFolds(r.folds)
	r.arrange()
	r.names = r.nameCommands()
	r.table = r.rows()
	return r
}

// Set shows plans, one below the other, with secrets masked. Keys that were confirmed stay confirmed where
// they are still lost, and so does a name that is being typed.
func (r *Review) Set(plans ...document.Review) {
	before := len(r.plans)
	r.plans = slices.Clone(plans)
	still, asked := map[lostKey]bool{}, false
	for i, plan := range r.plans {
		r.plans[i].Changes = document.Masked(plan.Changes)
		for _, path := range plan.Removed {
			key := lostKey{plan.Service, path}
			if r.confirmed[key] {
				still[key] = true
			}
			asked = asked || r.asking != nil && r.asking.lost() == key
		}
	}
	r.confirmed = still
	if !asked {
		r.stopAsking()
	}
	r.arrange()
	if before == len(r.plans) {
		return
	}
	r.list.GoTop()
	if len(r.plans) == 1 && r.tree.Len() > 1 && r.tree.items[0].key.part == changesRow {
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

// Confirmed returns the lost keys that were confirmed by name, of the plan with that
// service.
func (r *Review) Confirmed(service string) (paths []document.Path) {
	for _, plan := range r.plans {
		if plan.Service == service {
			paths = append(paths, r.confirmedIn(plan)...)
		}
	}
	return paths
}

func (r *Review) confirmedIn(plan document.Review) (paths []document.Path) {
	for _, path := range plan.Removed {
		if r.confirmed[lostKey{plan.Service, path}] {
			paths = append(paths, path)
		}
	}
	return paths
}

// Open counts how many lost keys of all plans wait for their confirmation.
func (r *Review) Open() int {
	n := 0
	for _, plan := range r.plans {
		n += r.openIn(plan)
	}
	return n
}

func (r *Review) openIn(plan document.Review) int {
	return len(plan.Removed) - len(r.confirmedIn(plan))
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

// onKey returns the row under the cursor where that is a lost key.
func (r *Review) onKey() (key rowKey, ok bool) {
	key, ok = r.list.Key()
	return key, ok && key.part == keyRow
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

// Commands lists every row of the review, and the keys of a name while one is typed.
func (r *Review) Commands() []views.Command { return r.table }

// Footer lists the rows of the footer.
func (r *Review) Footer() []string {
	return []string{rows.Up, rows.Down, "diff.name", "diff.leave", "diff.open", "diff.next-key", Copy, rows.Filter}
}

func (r *Review) rows() []views.Command {
	toConfirm := views.Only(func() bool { return r.Open() > 0 }, "No key is to be confirmed.")
	unsearched := func() bool { return r.list.Search() == "" } // n and N are its own
	listed := func() bool { return r.asking == nil && r.tree.Len() > 0 }
	return slices.Concat(views.When(listed, slices.Concat(r.list.Searches(), views.Grouped("Review", []views.Command{
		{ID: "diff.open", Binding: views.Key("", "enter"), Hint: r.openHint, Name: "open or confirm", Shown: r.Opens, Run: views.Call(r.open),
			Help: "Open or fold a long value; confirm a removed key, or undo that."},
		{ID: "diff.next-key", Binding: views.Key("next to confirm", "n"), Name: "next key to confirm",
			Shown: unsearched, Enabled: toConfirm, Run: views.Call(func() { r.goToKey(1) }),
			Help: "Go to the next key to confirm."},
		{ID: "diff.previous-key", Binding: views.Key("", "N"), Name: "previous key to confirm",
			Shown: unsearched, Enabled: toConfirm, Run: views.Call(func() { r.goToKey(-1) }),
			Help: "Go to the previous key to confirm."},
		{ID: "diff.next-change", Binding: views.Key("", "}"), Name: "next change", Run: views.Call(func() { r.goToChange(1) }),
			Help: "Go to the next change."},
		{ID: "diff.previous-change", Binding: views.Key("", "{"), Name: "previous change", Run: views.Call(func() { r.goToChange(-1) }),
			Help: "Go to the previous change."},
		{ID: Copy, Binding: views.Key("copy", "y"), Name: "copy the review", Run: r.copy,
			Help: "Copy the whole review as text."},
	}), r.list.Moves(), r.list.Filters(), r.list.Folds())),
		views.When(func() bool { return r.asking != nil }, views.Unlisted(r.names)))
}

// Opens reports whether enter does something on the row under the cursor.
func (r *Review) Opens() bool {
	_, on := r.onKey()
	return on || r.parent()
}

// parent reports whether the row under the cursor has rows below it.
func (r *Review) parent() bool { return r.list.Len() > 0 && !r.list.Leaf() }

// openHint says what enter does on the row under the cursor.
func (r *Review) openHint() string {
	switch key, on := r.onKey(); {
	case on && r.confirmed[key.lost()]:
		return "undo"
	case on:
		return "confirm"
	case r.parent() && !r.list.Folded():
		return "fold"
	}
	return "open"
}

// open confirms a lost key, or takes that back, and folds or unfolds anything else.
func (r *Review) open() {
	r.Rested()
	key, on := r.onKey()
	if !on {
		r.list.Toggle()
		return
	}
	r.revision++
	if r.confirmed[key.lost()] {
		delete(r.confirmed, key.lost())
		return
	}
	r.asking, r.problem = &key, ""
	r.input.Reset()
	r.input.Width = max(8, r.width/4)
}

// Rested describes the row under the cursor.
func (r *Review) Rested() { r.list.Rest() }

// CapturesText reports whether typed keys are text at present.
func (r *Review) CapturesText() bool { return r.asking != nil || r.list.Typing() }

// Filtering reports whether a filter is being typed.
func (r *Review) Filtering() bool { return r.asking == nil && r.list.Typing() }

// Update takes keys while CapturesText.
func (r *Review) Update(msg tea.Msg) tea.Cmd {
	if r.asking != nil {
		return r.typeName(msg)
	}
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
	return views.Send(views.Copy{Text: r.Text(), What: "review of " + what + " with secrets masked"})
}

// textWidth is how wide sentences are in the text of a review, which is not laid out.
const textWidth = 1000

// Text is the review in plain words, with secrets masked.
func (r *Review) Text() string {
	texts := make([]string, len(r.plans))
	for i, plan := range r.plans {
		texts[i] = plan.Text(r.confirmedIn(plan))
		if r.AboutService != nil {
			texts[i] += ansi.Strip(strings.Join(r.AboutService(plan.Service, textWidth), "\n")) + "\n"
		}
	}
	return strings.Join(texts, "\n")
}

// lost is the lost key that a row is about.
func (k *rowKey) lost() lostKey { return lostKey{k.service, k.path} }

func (r *Review) stopAsking() { r.asking, r.problem = nil, "" }

// typeName takes a key of the name.
func (r *Review) typeName(msg tea.Msg) tea.Cmd {
	r.revision++
	if key, ok := msg.(tea.KeyMsg); ok {
		if row, ok := views.Typed(r.names, key); ok {
			return row.Do("")
		}
		msg, r.problem = widget.Pasted(key), ""
	}
	var cmd tea.Cmd
	r.input, cmd = r.input.Update(msg)
	return cmd
}

// nameCommands are the keys of the name; every other key is text.
func (r *Review) nameCommands() []views.Command {
	return views.Grouped("The name of a removed key", []views.Command{
		{ID: "diff.name", Binding: views.Key("confirm", "enter"), Run: views.Call(func() { r.answer(strings.TrimSpace(r.input.Value())) }),
			Help: "Confirm the deletion by its name, then go to the next key."},
		{ID: "diff.leave", Binding: views.Key("cancel", "esc"), Run: views.Call(r.stopAsking),
			Help: "Leave the key unconfirmed."},
	})
}

// TypingCommands are the keys while the name of a lost key is typed, for help.
func TypingCommands() []views.Command { return (&Review{}).nameCommands() }

// answer confirms where the name is right, and goes on to the next key.
func (r *Review) answer(name string) {
	right := r.asking.path.Name()
	if name != right && name != r.asking.path.String() {
		r.problem = "Its name is " + right + "."
		if name == "" {
			r.problem = "Type its name, " + right + views.Keys("; {key:diff.leave} cancels.")
		}
		return
	}
	r.confirmed[r.asking.lost()] = true
	r.stopAsking()
	r.goToKey(1)
}

// goToKey moves the cursor to the next key that waits, with -1 to the one before it, round
// the ends.
func (r *Review) goToKey(by int) {
	r.goTo(by, func(row *item) bool { return row.key.part == keyRow && !r.confirmed[row.key.lost()] })
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
