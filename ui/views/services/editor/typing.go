package editor

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// typingSaved is how long typed text waits for more before it is saved.
const typingSaved = 500 * time.Millisecond

// typing follows the text that is being typed, and has it saved in a moment.
type typing struct {
	typist  Typist // nil where nothing is typed but names and filters
	run     *background
	save    func() tea.Cmd
	strokes int  // that were seen last
	waits   bool // it is saved in a moment
	saved   bool // the draft has a typed text
	left    bool // the service was left
}

func newTyping(widget Widget, run *background, save func() tea.Cmd) *typing {
	typist, _ := widget.(Typist)
	return &typing{typist: typist, run: run, save: save}
}

// text returns what is being typed, nil for nothing.
func (t *typing) text() *operation.TypedText {
	if t.typist == nil {
		return nil
	}
	return t.typist.Typing()
}

// follow has what is typed saved in a moment; where typing has ended, the draft is saved
// without it at once.
func (t *typing) follow() tea.Cmd {
	if t.typist == nil || t.waits || t.typist.Strokes() == t.strokes {
		return nil
	}
	if t.strokes = t.typist.Strokes(); !t.typist.CapturesText() {
		if t.saved {
			return t.save()
		}
		return nil
	}
	t.waits = true
	return t.run.later(typingSaved, "typing", t.due)
}

// due saves what is typed.
func (t *typing) due() tea.Cmd {
	if t.waits = false; t.left || t.text() == nil && !t.saved {
		return t.follow()
	}
	return tea.Batch(t.save(), t.follow())
}

// resume goes on with the text that a draft has beside the edit.
func (t *typing) resume(typed *operation.TypedText) tea.Cmd {
	if t.typist == nil || typed == nil {
		return nil
	}
	cmd, there := t.typist.ResumeTyping(typed)
	if !there {
		return views.Tell(views.Warning, "The place for the text you typed no longer exists: "+plain.Clip(typed.Path.String(), 100)+".")
	}
	t.strokes, t.saved = t.typist.Strokes(), true
	return cmd
}
