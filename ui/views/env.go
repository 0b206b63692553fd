package views

import (
	"context"
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
	// Folder is where files are written and relative names are read from, from the root of the file
	// system.
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

// Overview is what was kept of the state of the site; zero where nothing was, or the site has answered.
func (e *Env) Overview() (kept offline.KeptOverview) {
	if e.Kept != nil && e.Kept.Overview != nil {
		kept = *e.Kept.Overview
	}
	return kept
}

// RecordingProblem says what could not be written to disk, and why; empty and nil where everything was.
func (e *Env) RecordingProblem() (what string, err error) {
	if err := e.Upgrade.Snapshot.TranscriptErr; err != nil {
		return "transcript", err
	}
	if memory := e.Site.Memory.Journal; memory != nil {
		return "log of changes", memory.Problem()
	}
	return "", nil
}

// Base is what every view and every child of one starts with: embed it. A child shares
// the scope of its view, so that its replies reach the view, which passes them on; it
// sends upward only the messages of messages.go and never knows its parent.
type Base struct {
	Env           *Env
	Scope         *Scope
	Width, Height int   // cells, set by the parent
	Answers       Hooks // of a view; a child has none
}

// NewBase returns the base of a view, with its own scope, which ends with the program.
func NewBase(env *Env) Base { return Base{Env: env, Scope: NewScope(env.Context)} }

// Child returns the base of a child: the same environment and scope, no size yet.
func (b *Base) Child() Base { return Base{Env: b.Env, Scope: b.Scope} }

// NoSite says why nothing is read, in the Enabled of a row: empty where there is a site.
func (b *Base) NoSite() string {
	if b.Env.Offline {
		return "No site to read from."
	}
	return ""
}

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

// Margin is the cells that a view leaves free at each side, as the rest of the frame does.
const Margin = 1

// Inner is the width between the margins.
func (b *Base) Inner() int { return max(1, b.Width-2*Margin) }

// Hooks has what the root asks of the view.
func (b *Base) Hooks() *Hooks { return &b.Answers }

// Replies is what the replies of the view are addressed to.
func (b *Base) Replies() *Scope { return b.Scope }

// SetSize takes the cells.
func (b *Base) SetSize(width, height int) { b.Width, b.Height = width, height }
