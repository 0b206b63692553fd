package editor

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

const group = "One service"

// RefreshRow is the row that refreshes a tab.
func RefreshRow(hint string, enabled func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.read-again", Binding: views.Key(hint, "R", "f5"), Name: "refresh tab", Group: group, Enabled: enabled, Run: views.Do(run),
		Help: "Refresh what the tab shows."}
}

// BackRow is the row that goes one step back.
func BackRow(hint string, enabled func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.back", Binding: views.Key(hint, "esc"), Name: "go back", Group: "Move", Enabled: enabled, Run: views.Do(run),
		Help: "Go back one step; edits are saved as a draft."}
}

// Rows are the commands of a tab, to be put in order with those of its widget.
type Rows struct {
	Offer    []views.Command // what can be done with a draft that was found
	Write    []views.Command // review, and take the edit over from another program
	Outside  views.Command
	Compare  views.Command
	Discard  views.Command
	Refresh  views.Command
	Document []views.Command // of the widget
}

// Rows lists what can be done in the tab, each row with when it can be used.
func (t *Tab) Rows() Rows {
	o := t.offer
	idle := func() bool { return t.Editing() && !t.widget.CapturesText() }
	changed := func() bool { return idle() && t.Differs() }
	offered := func(can func(*offer) bool) func() bool {
		return func() bool { return t.now != nil && t.offer != nil && !t.outside && can(t.offer) }
	}
	onBroken := func() bool { return t.now != nil && t.offer == nil && t.broken != nil && !t.outside }
	either := func(conditions ...func() bool) func() bool {
		return func() bool { return slices.ContainsFunc(conditions, func(holds func() bool) bool { return holds() }) }
	}
	outside, discard, refresh, write := "editor", "", "", ""
	if changed() {
		write = "write"
	}
	switch {
	case o != nil && o.unreadable():
		discard = "set aside"
	case o != nil:
		discard = "discard"
	case t.broken != nil:
		outside, discard = "edit again", "discard"
	}
	if t.now == nil || t.unfit != nil && o == nil && t.broken == nil {
		refresh = "refresh"
	}
	goOn, look := "continue with it", "view"
	switch {
	case o != nil && o.unreadable():
		goOn = "continue without it"
	case o != nil && o.preview != nil && o.preview.site:
		look = "the draft"
	case o != nil && o.preview != nil:
		look = "the site's"
	}
	r := Rows{
		Write: []views.Command{
			{ID: "services.write", Binding: views.Key(write, "w"), Name: "write changes", Group: group, Enabled: idle, Run: views.Do(t.write),
				Help: "Review your changes; confirm them there to send."},
			{ID: "services.take-over", Binding: views.Key("take over", "O"), Name: "take over edit", Group: group, Run: views.Do(t.askTakeOver),
				Enabled: either(offered(func(o *offer) bool { return o.readOnly() && !t.Filtering() }), func() bool { return changed() && t.holder() != nil }),
				Help:    "Continue an edit that another program has open; both texts stay. Asks first."},
		},
		Outside: views.Command{ID: "services.editor", Binding: views.Key(outside, "E"), Name: "open in editor", Group: group,
			Enabled: either(onBroken, idle), Run: views.Do(t.openOutside),
			Help: "Edit the whole definition or policy in $VISUAL or $EDITOR. Broken text is kept."},
		Compare: views.Command{ID: "services.difference", Binding: views.Key("difference", "v"), Name: "see the difference", Group: group,
			Enabled: either(offered(func(o *offer) bool { return o.preview == nil && o.edited != nil }), changed), Run: views.Do(t.compare),
			Help: "Show what an edit or a draft changes."},
		Discard: views.Command{ID: "services.discard", Binding: views.Key(discard, "X"), Name: "discard changes", Group: group,
			Enabled: either(offered((*offer).discardable), onBroken, changed), Run: views.Do(t.askDiscard),
			Help: "Discard your changes, or only a broken text. Asks first."},
		Refresh: RefreshRow(refresh, either(func() bool { return t.now == nil || t.unfit != nil && t.InFront() && !t.outside },
			offered(func(o *offer) bool { return o.preview == nil && (o.readOnly() || t.drafts.Unknown(t.Target) != "") }), idle), t.refresh),
		Offer: []views.Command{
			{ID: "services.continue", Binding: views.Key(goOn, "enter"), Name: "continue with draft", Group: group, Run: views.Do(t.continueDraft),
				Enabled: offered(func(o *offer) bool { return !o.readOnly() }),
				Help:    "Resume the edit that was saved as a draft."},
			{ID: "services.look-at-draft", Binding: views.Key(look, "enter"), Name: "view open draft", Group: group, Run: views.Do(t.togglePreview),
				Enabled: offered(func(o *offer) bool { return o.readOnly() && !t.Filtering() }),
				Help:    "Switch between another program's edit and the site's version, read-only."},
		},
		Document: views.When(t.Editing, views.Then(t.widget.Commands(), t.Changed)),
	}
	if l := t.preview(); l != nil {
		r.Offer = append(r.Offer, views.When(func() bool { return !l.json.Typing() }, l.json.Commands())...)
	}
	return r
}

// Commands lists every row of a tab that shows its widget alone, the most wanted first.
func (t *Tab) Commands() []views.Command {
	r := t.Rows()
	if t.offer != nil { // a draft is read and compared before it is taken over
		return views.Concat(r.Offer[:2], []views.Command{r.Compare}, r.Write, []views.Command{r.Discard, r.Refresh, r.Outside}, r.Offer[2:], r.Document)
	}
	return views.Concat(r.Offer[:2], r.Write, r.Document, []views.Command{r.Outside, r.Compare, r.Discard, r.Refresh})
}
