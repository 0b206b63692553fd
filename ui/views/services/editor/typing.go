package editor

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Typist is a [Widget] in which values are typed as text. What is typed is no part of the
// document before it is taken over; the draft has it nevertheless.
type Typist interface {
	Widget
	// Strokes grows with each change of what is typed, and where typing begins or ends.
	Strokes() int
	// Typing returns what is being typed; nil where that is nothing.
	Typing() *operation.TypedText
	// ResumeTyping goes on with a text at its place; false where there is no such place.
	ResumeTyping(*operation.TypedText) (tea.Cmd, bool)
}

// typingSaved is how long typed text waits for more before it is saved.
const typingSaved = 500 * time.Millisecond

// typingState is what is known of the text that is being typed.
type typingState struct {
	strokes int  // that were seen last
	waits   bool // it is saved in a moment
	saved   bool // the draft has a typed text
}

// typed returns what is being typed, nil for nothing.
func (t *Tab) typed() *operation.TypedText {
	if typist, ok := t.widget.(Typist); ok && t.editable() {
		return typist.Typing()
	}
	return nil
}

// followTyping has what is typed saved in a moment; where typing has ended, the draft is
// saved without it at once.
func (t *Tab) followTyping() tea.Cmd {
	typist, ok := t.widget.(Typist)
	if !ok || t.typing.waits || typist.Strokes() == t.typing.strokes {
		return nil
	}
	if t.typing.strokes = typist.Strokes(); !t.widget.CapturesText() {
		if t.typing.saved {
			return t.saveDraft()
		}
		return nil
	}
	t.typing.waits = true
	return t.Scope.After(t.Env.Clock, typingSaved, "typing "+t.Target.String(), func(context.Context) tea.Msg {
		return Msg{t, t.typingDue}
	})
}

// typingDue saves what is typed.
func (t *Tab) typingDue() tea.Cmd {
	t.typing.waits = false
	if t.left || t.now == nil || t.typed() == nil && !t.typing.saved {
		return t.followTyping()
	}
	return tea.Batch(t.saveDraft(), t.followTyping())
}

// saveDraft saves the edit with what is being typed; without either there is no draft.
func (t *Tab) saveDraft() tea.Cmd {
	typed := t.typed()
	t.typing.saved = typed != nil
	if typed == nil && !t.Differs() {
		return t.drafts.Save(t.Target, nil)
	}
	return t.save(t.widget.Document().Text())
}

// resumeTyping goes on with the text that a draft has beside the edit.
func (t *Tab) resumeTyping(typed *operation.TypedText) tea.Cmd {
	typist, ok := t.widget.(Typist)
	if !ok || typed == nil {
		return nil
	}
	cmd, there := typist.ResumeTyping(typed)
	if !there {
		return views.Tell(views.Warning, "The place for the text you typed no longer exists: "+plain.Clip(typed.Path.String(), 100)+".")
	}
	t.typing.strokes, t.typing.saved = typist.Strokes(), true
	return cmd
}
