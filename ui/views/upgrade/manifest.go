package upgrade

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// manifestImport takes a version manifest from a file, for a site without internet: it imports it, or lists
// its updates, with which it goes along.
type manifestImport struct {
	base
	refresh func() tea.Cmd       // reads the offers afterwards
	list    func(string) tea.Cmd // reads the offers with those of a file; with "" without
}

// openFile lists the updates of the file at a path, or asks for it; an empty answer lists those of the site alone.
func (m *manifestImport) openFile(path string) tea.Cmd {
	if strings.TrimSpace(path) == "" {
		return views.Show(widget.NewPrompt(m.Env.Theme, widget.PromptOptions{
			ID: "upgrade.open-manifest", Title: "List the updates of a manifest", Action: "list",
			Note: "The file goes with the request. Empty lists the site's offers.", Complete: complete.Files(m.Env.Folder), Then: m.listFile,
		}))
	}
	return m.listFile(path)
}

func (m *manifestImport) listFile(path string) tea.Cmd {
	if strings.TrimSpace(path) == "" {
		return m.list("")
	}
	folder := m.Env.Folder
	return m.Scope.Work("manifest", func(context.Context) func() tea.Cmd {
		whole, err := views.ResolvePath(path, folder)
		if err == nil {
			_, _, err = operation.ReadManifestFile(whole)
		}
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("Not a version manifest", err)
			}
			return m.list(whole)
		}
	})
}

// prompt asks for the file; value is offered.
func (m *manifestImport) prompt(value string) tea.Cmd {
	return views.Show(widget.NewPrompt(m.Env.Theme, widget.PromptOptions{
		ID: "upgrade.manifest", Title: "Import a version manifest", Action: "check", Value: value,
		Note: "A file downloaded elsewhere, for a site without internet.", Complete: complete.Files(m.Env.Folder),
		Check: widget.NeedsPath, Then: m.check,
	}))
}

// open takes a path from the palette, or prompts for one.
func (m *manifestImport) open(path string) tea.Cmd {
	if strings.TrimSpace(path) == "" {
		return m.prompt("")
	}
	return m.check(path)
}

// check reads a manifest file for the question before it is sent.
func (m *manifestImport) check(path string) tea.Cmd {
	folder := m.Env.Folder
	return m.Scope.Work("manifest", func(context.Context) func() tea.Cmd {
		whole, err := views.ResolvePath(path, folder)
		var manifest adminapi.Manifest
		if err == nil {
			_, manifest, err = operation.ReadManifestFile(whole)
		}
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("Not a version manifest", err)
			}
			return m.Unlocked(func() tea.Cmd { return m.question(whole, manifest) }, m.prompt(whole))
		}
	})
}

// question asks before a manifest is imported.
func (m *manifestImport) question(path string, manifest adminapi.Manifest) tea.Cmd {
	return views.Show(widget.NewConfirm(m.Env.Theme, widget.Question{
		ID: "upgrade.import", Text: "Import " + path + "?",
		Consequence: "It holds " + plain.Plural(len(manifest.Patches), "patch") + " and " + plain.Plural(len(manifest.Releases), "release") +
			". It replaces what the site offers. Nothing is installed.",
		Yes: "import it", Then: m.send(path),
		Copy: m.Copies(func() (operation.Change, tea.Cmd) { return operation.ManifestImport(path), nil }),
	}))
}

func (m *manifestImport) send(path string) tea.Cmd {
	site := m.Env.Site
	return m.Scope.Write(func(ctx context.Context) tea.Msg {
		manifest, result := site.ImportManifest(ctx, operation.ManifestImport(path), nil)
		return views.Retry{Do: func() tea.Cmd { return m.imported(path, manifest, result) }}
	})
}

// imported tells the result of an import.
func (m *manifestImport) imported(path string, manifest adminapi.Manifest, r operation.Result) tea.Cmd {
	switch {
	case r.Done():
		text := "Manifest imported: " + plain.Plural(len(manifest.Patches), "patch") + ", " + plain.Plural(len(manifest.Releases), "release") + "."
		return tea.Batch(m.refresh(), views.Tell(views.Success, text))
	case r.WantsSignIn():
		return m.Scope.RetryAfterSignIn(fmt.Errorf("nothing was imported: %w", r.Err), "import", func() tea.Cmd { return m.check(path) })
	}
	return tea.Batch(m.refresh(), views.NotDone(r))
}
