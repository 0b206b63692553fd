package views

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/offline"
)

// Front is what keys and messages go to, a view or a dialog.
type Front interface {
	// Init returns the first commands. The size has been set before.
	Init() tea.Cmd
	// Update takes replies of the scope (already opened), each [Event], messages of widgets, and
	// keys and pastes: of a view only while CapturesText.
	Update(tea.Msg) tea.Cmd
	// View draws a view in exactly the size that SetSize gave, and a dialog in at most that.
	View() string
	// SetSize gives the cells. Called before Init and on every resize.
	SetSize(width, height int)
	// Replies returns what the replies are addressed to; nil for a dialog that sends no requests.
	// Closing it ends what is under way.
	Replies() *Scope
	// Hooks returns what only some have, the same value each time.
	Hooks() *Hooks
}

// View is one screen of the dashboard, below the header and above the footer.
type View interface {
	Front
	// Commands lists every row of what is open in the view. The table is made once, not at each call; where
	// two rows have one key, the first that can be used has it.
	Commands() []Command
	// Footer lists the ids of the rows whose keys the footer shows, how to move first, then the
	// most wanted.
	Footer() []string
	// CapturesText reports whether typed keys are text at present.
	CapturesText() bool
	// Status says what the frame shows for the view.
	Status() Status
}

// Dialog is something that takes all keys until it is answered. The root draws
// it in place of the view and keeps the frame around it. It closes by returning [Shut].
type Dialog interface {
	Front
	// ID names the dialog; a second one of the same id replaces the first.
	ID() string
	// Hints are the keys of the dialog for the footer: see [Footer].
	Hints() []Hint
}

// Hooks are what the root asks of a view or a dialog that not each of them has: one without it
// leaves the func nil. They are made once, with their model.
type Hooks struct {
	// About returns a sentence of at most 76 cells about what is on the screen now, for the help.
	About func() string
	// Rows returns every row of a view, also those of its parts that are not open, which are made for
	// that; nil where Commands has them all. See [Rows].
	Rows func() []Command
	// Filtering reports whether the text that is typed is that of a filter or a search: the footer
	// has its keys then. Nil where it always is.
	Filtering func() bool
	// Leave returns what would be lost if the view were closed, empty for nothing.
	Leave func() string
	// Working says what goes on that must not be forgotten while something else is shown, such as
	// a write that is being sent; empty for nothing.
	Working func() string
	// Takes says what a key is for: some terminals do not mark what is pasted, and a paste must
	// not confirm anything.
	Takes func() Takes
	// Busy reports whether no key is taken now: an edit of a long document goes on in a command.
	// The root keeps the keys and presses them in their order after it.
	Busy func() bool
	// Arrange lays out a view that follows the clock, after every message, before drawing.
	Arrange func()
	// Freshens says that the view wants [Freshen], and Rests [Rested]: without, no timer runs.
	Freshens, Rests bool

	// Fresh returns when the site returned what is to be kept on this machine, for when it does not
	// answer: zero where there is nothing, or where it was kept itself. Keep returns what keeps
	// a copy of the data: it runs outside the update loop. A view has both or none.
	Fresh func() time.Time
	Keep  func(offline.When) func(operation.Site) error

	// Read is when what a dialog is about was read; zero for as the screen below it.
	Read func() time.Time
	// Over lays a dialog over the lines of the view, and Line draws it in the place of the footer. A
	// dialog has both or none; one with them is no form: who knows it types ahead.
	Over func(lines []string, width int) []string
	Line func(width int) string
	// Keyed returns the rows of a dialog that the help lists; none while keys are text.
	Keyed func() []Command
}

// Event is what the root tells a view, in Update. Those from UpgradeRead on are told to every view
// that has started, shown or not, before the next frame. Who does not care ignores it.
type Event int

// The events.
const (
	Shown    Event = iota // it is shown, also for the first time, behind Init
	Attended              // a key is about to be pressed in it, or leads out of it; no command follows
	// Rested says that no key has come for a moment: while one is held only the cursor moves, and
	// what is shown beside the selected row follows now. What else changes the selection the view
	// follows itself, at once.
	Rested
	// Freshen comes every few seconds while it is shown, and not while another one is: fetch again
	// what is old by now.
	Freshen
	UpgradeRead   // the watch has changed Env.Upgrade
	StateChanged  // Env.State was refreshed
	KeptRead      // there is Env.Kept, for where nothing has been read yet
	RecordChanged // outcomes of writes were looked for, or another write was allowed
	// HealthEnded says that a health check that was run here has ended. The view that ran it sends
	// it upward.
	HealthEnded
)

// Status is what the frame around a view shows of it.
type Status struct {
	Path        []string           // where in the view the user is, outermost first
	Updated     time.Time          // of the data on the screen; zero where there is none
	Busy        string             // what is going on, such as "reading reports"; empty when nothing
	Unreachable *Unreachable       // the site does not answer; the data shown is the last good one
	Kept        bool               // the data was kept on this machine by an earlier program
	Err         error              // why nothing can be read, if a retry does not help
	Down        adminapi.Fact[int] // services that should run and do not; not known to most views
}

// Unreachable describes a site that does not answer at present.
type Unreachable struct {
	Since time.Time
	Next  time.Time // of the next attempt; zero where the user has to make it
	Err   error
}

// Maker makes a view and says how the dashboard offers it.
type Maker struct {
	ID    string // such as "health"
	Title string // on its tab
	New   func(*Env) View
	// Typing lists the keys of text fields of the view other than lines and forms, for
	// help; nil for none.
	Typing func() []Command
}

// Takes says how keys are taken now.
type Takes struct {
	// Question says that a key may answer one: keys that were read in one go arrive as one
	// message, control characters included.
	Question bool
	// Word says that a word is typed that confirms something. Keys that were read in one go are
	// typed one by one, but an enter behind another of them, which may be the end of a paste,
	// arrives as text, a carriage return: it confirms nothing.
	Word bool
	// Lines says that an enter leads to the next field: lines read in one go are for several.
	Lines bool
}
