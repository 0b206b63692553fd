package services

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

// definition is the editor of JSON as a widget that edits documents.
type definition struct{ *jsonedit.Editor }

// newDefinition returns the tab in which the definition of a service is edited.
func newDefinition(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host editor.Host, drafts *editor.Drafts) *editor.Tab {
	target, edit := editing.DefinitionOf(service), jsonedit.New(base.Env.Theme, base.Scope)
	tab := editor.New(base, inks, target, definition{edit}, host, drafts)
	if site := base.Env.Site; site.Memory.Journal != nil {
		tab.Opened = func() tea.Cmd {
			return edit.LoadPast(base.Env.Times.Minute, func(now *document.Document) []jsonedit.Past { return pastOf(site, target, now) })
		}
	}
	return tab
}

// Prepare finds no document unfit: a definition of any form is edited.
func (d definition) Prepare(edited, base *document.Document) (open func(), unfit error) {
	return d.Editor.Prepare(edited, base), nil
}

// Check is nil: every document can be a definition.
func (d definition) Check(*document.Document) error { return nil }

// Typing is what is being typed in place of a value, nil for nothing.
func (d definition) Typing() *operation.TypedText {
	if typed, ok := d.Editor.Typing(); ok {
		return (*operation.TypedText)(&typed)
	}
	return nil
}

// ResumeTyping goes on with a text that was typed before.
func (d definition) ResumeTyping(t *operation.TypedText) (tea.Cmd, bool) {
	return d.Editor.ResumeTyping(jsonedit.Typed(*t))
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
