package editor

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const group = "One service"

// RefreshRow is the row that refreshes a tab.
func RefreshRow(hint string, enabled func() string, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.read-again", Binding: views.Key(hint, "R", "f5"), Name: "refresh tab", Group: group, Enabled: enabled, Run: views.Do(run),
		Help: "Refresh what the tab shows."}
}

// BackRow is the row that goes one step back.
func BackRow(hint func() string, shown func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.back", Binding: views.Key("", "esc"), Hint: hint, Name: "go back", Group: "Move", Shown: shown, Run: views.Do(run),
		Help: "Go back one step; edits are saved as a draft."}
}

// Commands lists every row of the tab, those of its widget among them, the most wanted first.
func (t *Tab) Commands() []views.Command { return t.table }

// The rows of the footer while a draft is offered, those of the view around the tab in their places: a
// draft is read and compared before it is taken over.
var offerFooter = []string{rows.Up, rows.Down, "services.continue", "services.look-at-draft", "services.difference", "services.take-over",
	rows.Filter, "services.next-section", "services.discard", "services.read-again", "services.back", "services.explain"}

// Footer lists the rows of the footer.
func (t *Tab) Footer() []string {
	if t.offer != nil {
		return offerFooter
	}
	return t.widget.Footer()
}

// rows makes the table.
func (t *Tab) rows() []views.Command {
	refresh := RefreshRow("", t.notFetched, t.refresh)
	refresh.Hint = views.HintIf(func() bool { return t.now == nil || t.unfit != nil && t.InFront() }, "refresh")
	own := views.When(func() bool { return !t.CapturesText() }, []views.Command{
		{ID: "services.continue", Binding: views.Key("", "enter"), Hint: t.continueHint, Name: "continue with draft", Group: group, Run: views.Do(t.continueDraft),
			Shown: func() bool { return t.deciding() && !t.offer.readOnly() },
			Help:  "Resume the edit that was saved as a draft."},
		{ID: "services.look-at-draft", Binding: views.Key("", "enter"), Hint: t.lookHint, Name: "view open draft", Group: group, Run: views.Do(t.togglePreview),
			Shown: func() bool { return t.deciding() && t.offer.readOnly() },
			Help:  "Switch between another program's edit and the site's version, read-only."},
		{ID: "services.write", Binding: views.Key("write", "w"), Name: "write changes", Group: group, Enabled: t.unchanged("Nothing to write."), Run: views.Do(t.write),
			Help: "Review your changes; confirm them there to send."},
		{ID: "services.take-over", Binding: views.Key("take over", "O"), Name: "take over edit", Group: group, Run: views.Do(t.askTakeOver),
			Enabled: views.Only(t.held, "No other program has this edit."),
			Help:    "Continue an edit that another program has open; both texts stay. Asks first."},
		{ID: "services.editor", Binding: views.Key("", "E"), Hint: t.outsideHint, Name: "open in editor", Group: group, Run: views.Do(t.openOutside),
			Enabled: func() string {
				if t.onBroken() {
					return ""
				}
				return t.uneditable()
			},
			Help: "Edit the whole definition or policy in $VISUAL or $EDITOR. Broken text is kept."},
		{ID: "services.difference", Binding: views.Key("difference", "v"), Name: "see the difference", Group: group, Enabled: t.notComparable, Run: views.Do(t.compare),
			Help: "Show what an edit or a draft changes."},
		{ID: "services.discard", Binding: views.Key("", "X"), Hint: t.discardHint, Name: "discard changes", Group: group, Enabled: t.notDiscardable, Run: views.Do(t.askDiscard),
			Help: "Discard your changes, or only a broken text. Asks first."},
		refresh,
	})
	return slices.Concat(own[:4], views.When(t.Editing, views.Then(t.widget.Commands(), t.Changed)), own[4:],
		views.When(func() bool { return t.preview() != nil && !t.reading.Typing() }, t.reading.Commands()))
}

// deciding reports whether a draft that was found can be decided about.
func (t *Tab) deciding() bool { return t.now != nil && t.offer != nil && !t.outside }

// onBroken reports whether a broken text can be edited again, or discarded.
func (t *Tab) onBroken() bool { return t.now != nil && t.offer == nil && t.broken != nil && !t.outside }

// held reports whether another program has the edit, so that it can be taken over.
func (t *Tab) held() bool {
	if t.deciding() {
		return t.offer.readOnly()
	}
	return t.Editing() && t.holder() != nil
}

// uneditable says why the document is not edited on this screen; empty where it is.
func (t *Tab) uneditable() string {
	switch {
	case t.now == nil:
		return "The " + t.name() + " is not read yet."
	case t.outside:
		return "Your editor has it open."
	case t.preview() != nil:
		return leaveText
	case t.offer != nil:
		return "Decide about the draft first."
	case t.broken != nil:
		return "Correct or discard the broken text first."
	case t.unfit != nil:
		return "It can only be viewed here."
	}
	return ""
}

var leaveText = views.Keys("Leave the text first: press {key:services.back}.")

// unchanged makes the Enabled of a row that needs changes.
func (t *Tab) unchanged(none string) func() string {
	return func() string {
		if why := t.uneditable(); why != "" || t.Differs() {
			return why
		}
		return none
	}
}

// notFetched says why what the site has is not fetched now.
func (t *Tab) notFetched() string {
	switch {
	case t.now == nil, t.InFront() && !t.outside:
		return ""
	case t.deciding() && t.preview() == nil && (t.offer.readOnly() || t.drafts.Unknown(t.Target) != ""):
		return ""
	}
	return t.uneditable()
}

func (t *Tab) notComparable() string {
	switch {
	case !t.deciding():
		return t.unchanged("Nothing is changed.")()
	case t.preview() != nil:
		return leaveText
	case t.offer.edited == nil:
		return "The draft is not valid: it cannot be compared. Continue to see why."
	}
	return ""
}

func (t *Tab) notDiscardable() string {
	switch {
	case t.onBroken() || t.deciding() && t.offer.discardable():
		return ""
	case !t.deciding():
		return t.unchanged("Nothing to discard.")()
	case t.preview() != nil:
		return leaveText
	case t.offer.unreadable():
		return "The draft cannot be read: its file stays."
	}
	return "Another program has the draft open: take it over first."
}

func (t *Tab) continueHint() string {
	if t.offer.unreadable() {
		return "continue without it"
	}
	return "continue with it"
}

func (t *Tab) lookHint() string {
	switch preview := t.preview(); {
	case preview == nil:
		return "view"
	case preview.site:
		return "the draft"
	}
	return "the site's"
}

func (t *Tab) outsideHint() string {
	if t.broken != nil {
		return "edit again"
	}
	return "editor"
}

func (t *Tab) discardHint() string {
	switch {
	case t.offer != nil && t.offer.unreadable():
		return "set aside"
	case t.offer != nil || t.broken != nil:
		return "discard"
	}
	return ""
}
