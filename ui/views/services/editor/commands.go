package editor

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
)

const group = "One service"

// RefreshRow is the row that refreshes a tab.
func RefreshRow(hint string, enabled func() string, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.read-again", Key: "R f5", Word: hint, Name: "refresh tab",
		Group: group, Enabled: enabled, Run: run,
		Help: "Refresh what the tab shows."}
}

// BackRow is the row that goes one step back.
func BackRow(hint func() string, shown func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.back", Key: "esc", Hint: hint, Name: "go back", Group: "Move",
		Shown: shown, Run: run,
		Help: "Go back one step; edits are saved as a draft."}
}

// Commands lists every row of the tab, those of its widget among them, the most wanted first.
func (t *Tab) Commands() []views.Command { return t.table }

var hiddenFooter = []string{"services.open-file", "services.next-section", "services.read-again", "services.back"}

// Footer lists the rows of the footer.
func (t *Tab) Footer() []string {
	switch {
	case t.page.shown():
		return offerFooter
	case t.hidden():
		return hiddenFooter
	}
	return t.edit.widget.Footer()
}

// rows makes the table.
func (t *Tab) rows() []views.Command {
	e, p := t.edit, t.page
	refresh := RefreshRow("", t.notFetched, t.refresh)
	refresh.Hint = views.HintIf(func() bool { return e.now == nil || e.unfit != nil && t.InFront() }, "refresh")
	own := views.When(func() bool { return !t.CapturesText() }, append(p.rows(),
		views.Command{ID: "services.write", Key: "w", Word: "write", Name: "write changes", Group: group,
			Enabled: t.unchanged("Nothing to write."),
			Run:     func() tea.Cmd { return t.review(e.widget.Document()) },
			Help:    "Review your changes; confirm them there to send."},
		views.Command{ID: "services.take-over", Key: "O", Word: "take over", Name: "take over edit", Group: group,
			Run:     t.askTakeOver,
			Enabled: views.Only(t.held, "No other program has this edit."),
			Help:    "Continue an edit that another program has open; both texts stay. Asks first."},
		views.Command{ID: "services.editor", Key: "E", Hint: t.outsideHint, Name: "open in editor",
			Group: group, Run: t.external.open,
			Enabled: func() string {
				if t.onBroken() {
					return ""
				}
				return t.uneditable()
			},
			Help: "Edit the whole definition or policy in $VISUAL or $EDITOR. Broken text is kept."},
		views.Command{ID: "services.difference", Key: "v", Word: "difference", Name: "see the difference",
			Group: group, Enabled: t.notComparable, Run: t.compare,
			Help: "Show what an edit or a draft changes."},
		views.Command{ID: "services.discard", Key: "X", Hint: t.discardHint, Name: "discard changes",
			Group: group, Enabled: t.notDiscardable, Run: t.askDiscard,
			Help: "Discard your changes, or only a broken text. Asks first."},
		views.Command{ID: "services.open-file", Key: "o", Word: "open file", Name: "open a file in its place", Argument: "file", Optional: true, Files: true,
			Group: group, Shown: t.hidden, With: t.openFile,
			Help: "Edit what a file has, where the site does not show it. Sends nothing."},
		refresh,
	))
	return slices.Concat(own[:4], views.When(t.Editing, views.Then(e.widget.Commands(), e.changed)), own[4:],
		views.When(func() bool { return p.preview() != nil && !p.reading.Typing() }, p.reading.Commands()))
}

// onBroken reports whether a broken text can be edited again, or discarded.
func (t *Tab) onBroken() bool {
	return t.edit.now != nil && !t.page.shown() && t.edit.broken != nil && !t.edit.outside
}

// held reports whether another program has the edit, so that it can be taken over.
func (t *Tab) held() bool {
	if t.page.shown() {
		return t.page.readOnly()
	}
	return t.Editing() && t.edit.differs() && t.edit.saver.holder != nil
}

// uneditable says why the document is not edited on this screen; empty where it is.
func (t *Tab) uneditable() string {
	switch e := t.edit; {
	case e.now == nil:
		return "The " + e.name() + " is not read yet."
	case e.outside:
		return "Your editor has it open."
	case t.page.preview() != nil:
		return leaveText
	case t.page.shown():
		return "Decide about the draft first."
	case e.broken != nil:
		return "Correct or discard the broken text first."
	case e.unfit != nil:
		return "It can only be viewed here."
	case e.typing.kept():
		return edits.KeptText
	}
	return ""
}

var leaveText = views.Keys("Leave the text first: press {key:services.back}.")

// unchanged makes the Enabled of a row that needs changes.
func (t *Tab) unchanged(none string) func() string {
	return func() string {
		if why := t.uneditable(); why != "" || t.edit.differs() {
			return why
		}
		return none
	}
}

// notFetched says why what the site has is not fetched now.
func (t *Tab) notFetched() string {
	switch p := t.page; {
	case t.edit.now == nil, t.InFront() && !t.edit.outside:
		return ""
	case p.shown() && p.preview() == nil && (p.readOnly() || t.edit.drafts.Unknown(t.Target) != ""):
		return ""
	}
	return t.uneditable()
}

func (t *Tab) notComparable() string {
	if t.page.shown() {
		return t.page.notComparable()
	}
	return t.unchanged("Nothing is changed.")()
}

func (t *Tab) notDiscardable() string {
	switch {
	case t.page.shown():
		return t.page.notDiscardable()
	case t.onBroken(), t.Editing() && t.edit.typing.kept():
		return ""
	}
	return t.unchanged("Nothing to discard.")()
}

func (t *Tab) outsideHint() string {
	if t.edit.broken != nil {
		return "edit again"
	}
	return "editor"
}

func (t *Tab) discardHint() string {
	switch {
	case t.page.shown() && t.page.offer.unreadable():
		return "set aside"
	case t.page.shown() || t.edit.broken != nil:
		return "discard"
	}
	return ""
}
