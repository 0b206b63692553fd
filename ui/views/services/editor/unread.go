package editor

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// hidden reports whether the site does not show what is edited, so that a file stands for it.
func (t *Tab) hidden() bool { return t.edit.now == nil && editing.Unreadable(t.source.Err) }

// openFile edits what a file has, in place of what the site does not show; without a path it asks for one.
func (t *Tab) openFile(path string) tea.Cmd {
	if path = strings.TrimSpace(path); path != "" {
		return t.readFile(path)
	}
	note := "What the site has, as far as you know. Nothing is sent."
	if t.Target.Part == editing.Placement {
		note = "Or the id of its deployment, for rules from nothing. Nothing is sent."
	}
	return views.Show(widget.NewPrompt(t.Env.Theme, widget.PromptOptions{
		ID: "services.open-file", Title: "Open a file with the " + t.edit.name(), Note: note, Action: "open",
		Complete: complete.Files(t.Env.Folder, "json"), Check: widget.NeedsPath,
		Then: func(path string) tea.Cmd {
			return t.Scope.Call("open file", func() tea.Cmd { return t.readFile(strings.TrimSpace(path)) })
		},
	}))
}

// readFile reads the file, and then the drafts.
func (t *Tab) readFile(path string) tea.Cmd {
	if !t.hidden() {
		return nil
	}
	e, find, folder, held, err := t.edit, t.edit.finder(), t.Env.Folder, t.edit.saver.held(), t.source.Err
	return e.run.do("file", func() func() tea.Cmd {
		d, file, failed := find.file(path, folder)
		if failed != nil {
			return func() tea.Cmd { return views.TellFailed("The file was not opened", failed) }
		}
		open := prepared(find.widget, d, d)
		found, _ := find.find(d, held)
		return func() tea.Cmd { return t.loaded(open, found, &editing.Unread{Err: err, File: file}) }
	})
}

// file reads what the widget edits from a file, whose name it returns. Rules may begin with the id of a
// deployment alone, which is no file.
func (f finder) file(path, folder string) (*document.Document, string, error) {
	if id := plain.Line(path); f.target.Part == editing.Placement && !strings.ContainsAny(id, `./\ `) {
		d, err := parse(f.widget, fmt.Appendf(nil,
			`{"placementPolicy":[{"deploymentId":%q,"deploymentType":%q,"podPlacementPolicy":{"nodeAffinity":{},"tolerations":[]}}]}`,
			id, f.target.Service.Type))
		return d, "", err
	}
	whole, err := views.ResolvePath(path, folder)
	if err != nil {
		return nil, "", err
	}
	text, size, err := operation.ReadFile(operation.SystemFiles{}, whole, f.target.Part.String(), document.MaxSize)
	if err == nil && size > document.MaxSize {
		err = fmt.Errorf("%s is larger than %d MiB", path, document.MaxSize>>20)
	}
	if err != nil {
		return nil, "", err
	}
	d, err := parse(f.widget, text)
	return d, path, err
}
