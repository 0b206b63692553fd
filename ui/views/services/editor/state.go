package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// state is what a tab knows of its edit.
type state struct {
	Target  editing.Target
	widget  Widget
	drafts  *Drafts
	saver   *saver // of its draft
	fetch   views.Fetch
	now     *document.Document // as the site had it when it was read last; nil before
	noticed int                // the revision of the widget that was saved last
	offer   *offer             // a draft that was found, until it is decided about
	broken  *broken            // a broken text from $EDITOR
	unfit   error              // why what the site has cannot be edited; nil where it can
	outside bool               // $EDITOR is open
	direct  bool               // it is opened at once, and the review after it
	left    bool               // the service was left: late replies are ignored
	waiting []tea.Msg          // replies that came while the widget was busy
	reading *jsonview.View     // the text of an offer that is previewed
	cache   sameText
	typing  typingState
}

// sameText remembers whether two documents have the same text.
type sameText struct {
	a, b *document.Document
	same bool
}

// name is the part in words, as in "the definition".
func (e *state) name() string { return e.Target.Part.String() }

// Fetch says how fresh it is.
func (e *state) Fetch() *views.Fetch { return &e.fetch }

// Now is what the site had when it was read last, nil before.
func (e *state) Now() *document.Document { return e.now }

// Unfit is why what the site has cannot be edited; nil where it can.
func (e *state) Unfit() error { return e.unfit }

// InFront reports whether the document itself is shown, not an offered draft or a broken
// text.
func (e *state) InFront() bool { return e.now != nil && e.offer == nil && e.broken == nil }

func (e *state) editable() bool { return e.InFront() && e.unfit == nil }

// Editing reports whether the widget takes keys.
func (e *state) Editing() bool { return e.editable() && !e.outside }

// Outside reports whether $EDITOR has the terminal.
func (e *state) Outside() bool { return e.outside }

// Left reports whether the service was left.
func (e *state) Left() bool { return e.left }

// Drafted reports whether there is an edit here, or a draft that is not open yet.
func (e *state) Drafted() bool {
	_, kept := e.drafts.kept[e.Target.String()]
	return kept || e.offer != nil || e.Differs()
}

// Differs reports whether something was edited that the site does not have.
func (e *state) Differs() bool {
	switch {
	case e.now == nil || e.unfit != nil:
		return false
	case e.broken != nil:
		return true
	}
	return e.differsInWidget()
}

// differsInWidget is called for each frame: long texts are compared once.
func (e *state) differsInWidget() bool {
	a, b := e.widget.Document(), e.widget.Base()
	if e.cache.a != a || e.cache.b != b {
		e.cache = sameText{a, b, a.Text() == b.Text()}
	}
	return !e.cache.same
}

// begun reports whether an edit has begun here, even if it is only being typed.
func (e *state) begun() bool {
	return e.Differs() || e.outside || e.Busy() || e.editable() && e.widget.CapturesText()
}

// Busy reports whether a command makes an edit: keys have to wait.
func (e *state) Busy() bool { return e.editable() && e.widget.Busy() }

// CapturesText reports whether typed keys are text at present.
func (e *state) CapturesText() bool {
	return e.Filtering() || e.editable() && e.widget.CapturesText()
}

// Filtering reports whether a filter is being typed.
func (e *state) Filtering() bool {
	return e.preview() != nil && e.reading.Typing() || e.editable() && e.widget.Filtering()
}

// GuardsPaste reports whether a question of the widget is open: a burst of keys may be a paste.
func (e *state) GuardsPaste() bool { return e.CapturesText() && e.widget.GuardsPaste() }

// Leave is a question to ask before the tab is closed, empty for none.
func (e *state) Leave() string {
	switch {
	case e.editable() && e.widget.Unsaved() && (e.typing.waits || !e.typing.saved):
		return "Text that you are typing is not in the " + e.Target.String() + " yet."
	case e.saver.err != nil:
		return "The changes to the " + e.Target.String() + " are not saved on this machine."
	}
	return ""
}

// holder is the draft of another program that edits the same; nil for none.
func (e *state) holder() *journal.Draft {
	if e.Differs() && e.offer == nil {
		return e.saver.holder
	}
	return nil
}

// About says what the tab is for.
func (e *state) About() string {
	if e.Target.Part == editing.Placement {
		return "Which nodes run the pods: edit rules, see what they lead to, write them."
	}
	return "What the service is made of: edit a draft, review it, write it."
}

// Title names the tab.
func (e *state) Title() string {
	if e.Target.Part == editing.Placement {
		return "Placement"
	}
	return "Definition"
}

// preview is what is shown read only; nil for none.
func (e *state) preview() *preview {
	if e.offer == nil {
		return nil
	}
	return e.offer.preview
}
