package views

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
)

// Front is what keys and messages go to, a view or a dialog.
type Front interface {
	// Init returns the first commands. The size has been set before.
	Init() tea.Cmd
	// Update takes replies of the scope (already opened), messages of widgets, and keys and
	// pastes: of a view only while CapturesText.
	Update(tea.Msg) tea.Cmd
	// View draws a view in exactly the size that SetSize gave, and a dialog in at most that.
	View() string
	// SetSize gives the cells. Called before Init and on every resize.
	SetSize(width, height int)
	// Replies returns what the replies are addressed to; nil for a dialog that sends no requests.
	Replies() *Scope
}

// View is one screen of the dashboard, below the header and above the footer.
type View interface {
	Front
	// Focus is called whenever the view is shown, including the first time.
	Focus() tea.Cmd
	// Commands lists every row of the view. The table is made once, not at each call; where two
	// rows have one key, the first that can be used has it.
	Commands() []Command
	// Footer lists the ids of the rows whose keys the footer shows, how to move first, then the
	// most wanted.
	Footer() []string
	// CapturesText reports whether typed keys are text at present.
	CapturesText() bool
	// Filtering reports whether this is the text of a filter or a search: the footer has its
	// keys then.
	Filtering() bool
	// About returns a sentence of at most 76 cells about what is on the screen now, for the help.
	About() string
	// Status says what the frame shows for the view.
	Status() Status
	// Close cancels what is under way.
	Close()
}

// Freshener is a view that keeps what it shows fresh.
type Freshener interface {
	// Freshen fetches again some of what is shown and is old by now. It is called every few
	// seconds while the view is shown, and not while another one is.
	Freshen() tea.Cmd
}

// Keeper is a view whose data is kept on this machine, for when the site does not answer.
type Keeper interface {
	// Fresh returns when the site returned what is to be kept: zero where there is nothing, or
	// where it was kept itself.
	Fresh() time.Time
	// Keep returns what keeps a copy of the data. It runs outside the update loop.
	Keep(offline.When) func(operation.Site) error
	// TakeKept shows Env.Kept, where the view has read nothing yet.
	TakeKept() tea.Cmd
}

// Leaver is a view that may warn before it is closed.
type Leaver interface {
	// Leave returns what would be lost, empty for nothing.
	Leave() string
}

// Status is what the frame around a view shows of it.
type Status struct {
	Path        []string     // where in the view the user is, outermost first
	Updated     time.Time    // of the data on the screen; zero where there is none
	Busy        string       // what is going on, such as "reading reports"; empty when nothing
	Unreachable *Unreachable // the site does not answer; the data shown is the last good one
	Kept        bool         // the data was kept on this machine by an earlier program
	Err         error        // why nothing can be read, if a retry does not help
}

// Unreachable describes a site that does not answer at present.
type Unreachable struct {
	Since time.Time
	Next  time.Time // of the next attempt; zero where the user has to make it
	Err   error
}

// Env is what the root gives every view. It is shared, and only the root
// changes it.
type Env struct {
	Context context.Context
	Site    operation.Site
	Clock   adminapi.Clock
	Theme   *theme.Theme
	Times   *Times
	// Offline means that there is no site: only files can be opened.
	Offline bool
	// Demo means that the site is simulated.
	Demo bool
	// Folder is where files are written and relative names are read from.
	Folder string
	// Getenv reads the environment, such as for the user's editor.
	Getenv func(string) string
	// Kept is what this machine has kept of the site; nil once the site has answered.
	Kept *offline.Kept
	// Nodes is where the nodes of the cluster are read from; the zero source is none.
	Nodes nodesource.Source
	// SiteName is what config.yaml calls the site; empty for one that is not of it.
	SiteName string
	// SiteFlags are how a command names the site and the way to it; nil for its address alone.
	SiteFlags []string
	// Fleet reads the sites of config.yaml; nil where there are fewer than two.
	Fleet func() ([]fleet.Entry, error)
	// Upgrade is the one watch of the site's upgrade, chained by the root.
	Upgrade Watched
	// State is what is known of the site, refreshed by the root whatever view is shown.
	State watching.State
}

// Address says which site a change goes to: its host, port and context.
func (e *Env) Address() string {
	base := e.Site.Client.Base()
	return plain.Line(base.Host + strings.TrimSuffix(base.Path, "/admin"))
}

// AsOf is put before what a fact of the state says where it no longer stands for the present, such
// as "as of 15:47: "; else it is empty. The clock of a demo may run faster than the refreshes: there
// it is one that has failed.
func AsOf[T any](e *Env, fact adminapi.Fact[T]) string {
	if e.Demo && fact.Err == nil || !fact.Old(e.Clock.Now(), e.Site.Line.Pause(watching.StateLimit)) {
		return ""
	}
	return "as of " + e.Times.HereMinute(fact.At) + ": "
}

// LastSeen is a sentence, after a blank, that says when an upgrade was last seen to run; empty where the
// last that was seen is another state.
func (e *Env) LastSeen() string {
	if !e.State.Runs() {
		return ""
	}
	return " As of " + e.Times.HereMinute(e.State.Upgrade.At) + " the " + e.State.Upgrade.Value.Progress.Kind.Noun() + " was running."
}

// Watched is what the one watch has read.
type Watched struct {
	On       bool // whether the upgrade is watched at all
	Started  bool // what is watched was accepted just now
	Snapshot watching.Snapshot
	Next     time.Time // of the next poll; zero during one
	// Err is why the first read failed although the site answers: it requires a sign-in,
	// or refuses.
	Err error
	// Stall is set while the run has been silent for too long.
	Stall *progress.Stall
}

// Refused is why the site answers without a state, nil if it gives one: it requires a
// sign-in, or refuses. The next poll is at Next, unless you are not signed in.
func (w Watched) Refused() error {
	if w.Err != nil {
		return w.Err
	}
	return w.Snapshot.Refused
}

// Failed reports whether the run that was watched has ended otherwise than well, or is stalled.
func (w Watched) Failed() bool {
	return w.Stall != nil || w.Snapshot.Ended && w.Snapshot.Meaning != progress.StateSucceeded
}

// Watcher is a view that follows the watch, also while it is not shown.
type Watcher interface {
	// Watched takes a snapshot of the watch, after Env.Upgrade has changed.
	Watched(Watched) tea.Cmd
}

// StateFollower is a view that follows the state of the site, also while it is not shown.
type StateFollower interface {
	// StateChanged is called after Env.State was refreshed.
	StateChanged() tea.Cmd
}

// HealthFollower is a view whose data depends on the last health report, also while it is not
// shown.
type HealthFollower interface {
	// HealthEnded is called when a health check that was run here has ended.
	HealthEnded() tea.Cmd
}

// OutcomeFollower is a view that shows which writes have an unknown outcome, also while it is
// not shown.
type OutcomeFollower interface {
	// OutcomesKnown is called when outcomes were looked for, or another write was allowed.
	OutcomesKnown() tea.Cmd
}

// Worker is a view in which something goes on that must not be forgotten while something else is
// shown, such as a write that is being sent.
type Worker interface {
	// Working says what goes on, empty for nothing.
	Working() string
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

// Taker is a view or a dialog to which it matters what a key is for: some terminals do not mark
// what is pasted, and a paste must not confirm anything.
type Taker interface{ Takes() Takes }

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
	// Digits says that digits, which otherwise show another view, begin a text.
	Digits bool
}

// Busy is a view that, while it says so, takes no keys: an edit of a long document goes
// on in a command. The root keeps the keys and presses them in their order after it.
type Busy interface{ Busy() bool }

// Arranger is a view whose layout follows the clock.
type Arranger interface {
	// Arrange lays out the view. It is called after every message, before drawing.
	Arrange()
}

// Rester is a view that shows something about the row that is selected, such as a pane
// beside a list. Whatever changes the selection otherwise than by a key is followed by the
// view itself, at once.
type Rester interface {
	// Rested shows what is selected by now. It is called once no key has come for a
	// moment: while one is held only the cursor moves.
	Rested() tea.Cmd
}

// Attended is a view that moves its cursor by itself until somebody is at the keys.
type Attended interface {
	// Attend is called before each key that is pressed in the view, or leads out of it.
	Attend()
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

// Dated is a dialog that knows when what it is about was read; zero for as the screen below it.
type Dated interface{ Read() time.Time }

// Keyed is a dialog that lists its keys in the help.
type Keyed interface {
	// Keyed returns its rows; none while keys are text.
	Keyed() []Command
}

// WholeFolder is Folder from the root of the file system.
func (e *Env) WholeFolder() string {
	if whole, err := filepath.Abs(e.Folder); err == nil {
		return whole
	}
	return e.Folder
}

// Base is what every view and every child of one starts with: embed it. A child shares
// the scope of its view, so that its replies reach the view, which passes them on; it
// sends upward only the messages of messages.go and never knows its parent.
type Base struct {
	Env           *Env
	Scope         *Scope
	Width, Height int // cells, set by the parent
}

// NewBase returns the base of a view, with its own scope, which ends with the program.
func NewBase(env *Env) Base { return Base{Env: env, Scope: NewScope(env.Context)} }

// Child returns the base of a child: the same environment and scope, no size yet.
func (b *Base) Child() Base { return Base{Env: b.Env, Scope: b.Scope} }

// NotYetAnswered is why nothing is changed at a site of which only what was kept is known.
const NotYetAnswered = "The site has not answered yet. What was kept is not changed."

// Unlocked returns what leads to a write: a question, or the write itself. Where the site is locked
// it follows once the user has unlocked it; left follows where that is left, and may be nil. Every
// write begins here.
func (b *Base) Unlocked(do func() tea.Cmd, left tea.Cmd) tea.Cmd {
	client := b.Env.Site.Client
	if b.Env.Kept != nil {
		return tea.Batch(left, Tell(Warning, NotYetAnswered))
	}
	if client == nil || client.ReadOnly() || !client.Locked() {
		return do()
	}
	return Send(Unlock{Then: b.Scope.Call("unlock", do), Else: left})
}

// Replies is what the replies of the view are addressed to.
func (b *Base) Replies() *Scope { return b.Scope }

// Close cancels what is under way.
func (b *Base) Close() { b.Scope.Close() }

// SetSize takes the cells.
func (b *Base) SetSize(width, height int) { b.Width, b.Height = width, height }
