// Package definition is the tab in which the definition of a service is edited. Start at [New]: it is an
// [editor.Tab] whose widget is the editor of JSON.
package definition

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/widget/rows"
)

// widget is the editor of JSON as a widget that edits documents.
type widget struct{ *jsonedit.Editor }

// New returns the tab in which the definition of a service is edited.
func New(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host editor.Host, drafts *editor.Drafts) *editor.Tab {
	target, edit := editing.DefinitionOf(service), jsonedit.New(base.Env.Theme, base.Scope)
	edit.Known = base.Env.Site.Memory.Keys
	tab := editor.New(base, inks, target, widget{edit}, host, drafts)
	if site := base.Env.Site; site.Memory.Journal != nil {
		tab.Opened = func() tea.Cmd {
			return edit.LoadPast(base.Env.Times.Minute, func(now *document.Document) []jsonedit.Past { return pastOf(site, target, now) })
		}
	}
	return tab
}

// Prepare finds no document unfit: a definition of any form is edited.
func (w widget) Prepare(edited, base *document.Document) (open func(), unfit error) {
	return w.Editor.Prepare(edited, base), nil
}

// Check is nil: every document can be a definition.
func (w widget) Check(*document.Document) error { return nil }

// Typing is what is being typed in place of a value, nil for nothing.
func (w widget) Typing() *operation.TypedText {
	if typed, ok := w.Editor.Typing(); ok {
		return (*operation.TypedText)(&typed)
	}
	return nil
}

// ResumeTyping goes on with a text that was typed before.
func (w widget) ResumeTyping(t *operation.TypedText, asked bool) (tea.Cmd, bool) {
	return w.Editor.ResumeTyping(jsonedit.Typed(*t), asked)
}

// pastOf returns the changes that led to what the site has, as far as they are kept on this
// machine, newest first. It reads files.
func pastOf(site operation.Site, target editing.Target, now *document.Document) (past []jsonedit.Past) {
	versions, _ := site.Memory.Versions(target, now) // what cannot be read is said in the history
	for _, v := range versions {
		for _, c := range document.Masked(v.Changes) {
			past = append(past, jsonedit.Past{Change: c, When: v.Saved, Who: v.Who})
		}
	}
	return past
}
