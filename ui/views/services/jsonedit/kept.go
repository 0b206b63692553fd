package jsonedit

import (
	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
)

// keep ends typing, and keeps what was typed beside the document, such as a text that is no JSON yet.
func (e *Editor) keep() {
	t, ok := e.Typing()
	if !ok {
		return
	}
	e.keepText(t)
}

// keepText keeps a text beside the document.
func (e *Editor) keepText(t Typed) {
	e.begin(nil)
	e.kept = &t
	e.note = views.Keys("Kept in the draft, not applied. {key:jsonedit.text} opens it again.")
}

// resumeKept goes on with the text that is kept.
func (e *Editor) resumeKept() {
	t := *e.kept
	if e.kept = nil; !e.resume(t) {
		e.kept, e.note = &t, t.Path.String()+views.Keys(" is not there any more. {key:services.discard} discards its text.")
	}
}

// unlessKept returns rows that change the document: while a text is kept, only the one that opens it can be used.
func (e *Editor) unlessKept(list []views.Command) []views.Command {
	kept := func() string {
		if e.kept == nil {
			return ""
		}
		return edits.KeptText
	}
	for i := range list {
		if list[i].ID != "jsonedit.text" {
			edits.Unless(kept, list[i:i+1])
		}
	}
	return list
}

// ForgetTyping gives up what is typed, and what is kept of it.
func (e *Editor) ForgetTyping() { e.kept, e.typing.mode = nil, nil }

// steps are the changes that can be undone, of a text.
type steps struct {
	history edits.History[step]
	text    string
}

// Steps returns what can be undone, for an editor that opens the same text later.
func (e *Editor) Steps() any { return steps{e.history, e.Document().Text()} }

// Recall has steps undone here too, where they are those of the same text.
func (e *Editor) Recall(of any) {
	if s, ok := of.(steps); ok && s.text == e.Document().Text() {
		e.history = s.history
	}
}

// faultOf says why a text cannot be the value of a node; nil where it can.
func faultOf(n document.Node, text string) error {
	_, err := n.Document().SetValue(n.Path(), text)
	return err
}
