package views

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// Navigate asks the root to show another view.
type Navigate struct {
	View string // a Maker's ID; empty for a command of every screen
	// Command is run there once the view is shown, with Argument; may be empty.
	Command, Argument string
}

// Level says how loud a notice is.
type Level int

// The levels. Errors stay until they are dismissed, the others go by themselves.
const (
	Info Level = iota
	Success
	Warning
	Failure
)

// Notice is one line for the user, above the footer.
type Notice struct {
	Level Level
	Text  string // cleaned by the root
	Path  string // of a file that Text names: its folder gives way before the rest
	// Yields says that it takes the place of a note alone: the others are to be read first.
	Yields bool
	// Result is that of the change, or of the read, behind the notice: the whole text of its error can be
	// opened, and What now explains it. Without an error there is none.
	Result operation.Result
}

// Failed returns the notice of a failure that leaves no write in doubt: of a read, or on this
// machine.
func Failed(text string, err error) Notice {
	return Notice{Level: Failure, Text: text, Result: operation.ResultOfRead(err)}
}

// Warned is [Failed] as a warning: what was wanted goes on without it.
func Warned(text string, err error) Notice {
	n := Failed(text, err)
	n.Level = Warning
	return n
}

// Open asks the root to show a dialog on top of the others.
type Open struct {
	Dialog Dialog
	// Unrequested says that no key of the user led to it: keys typed for something
	// else are swallowed for a moment.
	Unrequested bool
}

// Shut asks the root to close a dialog and then to run a command (may be nil).
type Shut struct {
	ID   string
	Then tea.Cmd
}

// SignIn asks the root for a sign-in; Retry is run once after it succeeded. Undone says which
// write the site refused: "The rules were not sent."
type SignIn struct {
	Reason string
	Undone string
	Retry  tea.Cmd
}

// Unlock asks the root to have a locked site unlocked, by its name. Then runs once it is, and
// Else where it stays locked; both may be nil.
type Unlock struct{ Then, Else tea.Cmd }

// WatchUpgrade asks the root to watch the site's upgrade from now on, whatever
// view is shown. A watch that goes on already stays.
type WatchUpgrade struct {
	// Run is the upgrade that was accepted just now, so that its end is news even
	// where it is found on the first reading; nil where none was.
	Run *operation.UpgradeRun
	// Resume is the transcript of a watch that was cut off, so that its end is news
	// as well; empty for a new watch.
	Resume string
}

// Watch returns a command that watches the site's upgrade, and shows it.
func Watch(w WatchUpgrade) tea.Cmd { return tea.Sequence(Send(w), Send(Navigate{View: "progress"})) }

// GoToSite asks the root for the dashboard of another site of config.yaml.
type GoToSite struct{ Name string }

// Unresolved asks the root to show an earlier write whose outcome is not known, and what
// can be done about it: because of it another one was not sent.
type Unresolved struct{ Earlier *operation.UnresolvedError }

// WriteFailed returns a command that says how a change ended that did not end well: text, or the
// earlier write that is in the way.
func WriteFailed(text string, r operation.Result) tea.Cmd {
	if earlier, is := errors.AsType[*operation.UnresolvedError](r.Err); is {
		return Send(Unresolved{earlier})
	}
	return Send(Notice{Level: Failure, Text: text, Result: r})
}

// NotDone is [WriteFailed] in the sentence of the result.
func NotDone(r operation.Result) tea.Cmd { return WriteFailed(r.Sentence(), r) }

// Copy puts text on the user's clipboard through the terminal (OSC 52).
type Copy struct {
	Text string
	What string // for the notice: "report id"
	Then string // a sentence after it, such as what else to do; may be empty
}

// Send returns a command that yields msg: how views send upward.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Tell returns a command that shows a notice.
func Tell(level Level, text string) tea.Cmd { return Send(Notice{Level: level, Text: text}) }

// Show returns a command that opens a dialog.
func Show(d Dialog) tea.Cmd { return Send(Open{Dialog: d}) }

// CopyText returns a command that copies a text; what names it, such as "report id".
func CopyText(text, what string) tea.Cmd { return Send(Copy{Text: text, What: what}) }

// Wrote returns a command that says that a file was written, after and before other words.
func Wrote(before, path, after string) tea.Cmd {
	path = plain.Line(path)
	return Send(Notice{Level: Success, Text: before + path + after, Path: path})
}

// PasteUnused returns a command that says that nothing here takes pasted text.
func PasteUnused() tea.Cmd {
	return Tell(Warning, "Pasted text does nothing here: press the keys one by one.")
}

// TellError sends an error as a notice; the whole of it can be read.
func TellError(err error) tea.Cmd { return Send(Failed(err.Error(), err)) }

// TellFailed says that something was not done, and why.
func TellFailed(what string, err error) tea.Cmd { return Send(Failed(what+": "+err.Error(), err)) }

// Unused says that a key does nothing where it was pressed, and what to do; then may be empty.
// Keys that only move say nothing.
func Unused(key tea.KeyMsg, then string) tea.Cmd {
	switch key.Type {
	case tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyPgUp, tea.KeyPgDown:
		return nil
	}
	return Tell(Info, plain.Clip(plain.Line(KeyLabel(key.String(), true)), maxKey)+" does nothing here."+then)
}

// maxKey bounds the name of a key, in cells.
const maxKey = 20
