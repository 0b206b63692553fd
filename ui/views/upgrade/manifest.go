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

// manifestImport imports a version manifest from a file, for a site without internet.
type manifestImport struct {
	base
	refresh func() tea.Cmd // reads the offers afterwards
}

// prompt asks for the file; value is offered.
func (m *manifestImport) prompt(value string) tea.Cmd {
	return views.Send(views.Open{Dialog: widget.NewPrompt(m.Env.Theme, widget.PromptOptions{
		ID: "upgrade.manifest", Title: "Import a version manifest", Action: "check", Value: value,
		Note: "A file downloaded elsewhere, for a site without internet.", Complete: complete.Files(m.folder),
		Check: widget.NeedsPath, Then: m.check,
	})})
}

// manifestRead is what a manifest file offers.
type manifestRead struct {
	path              string
	patches, releases int
	err               error
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
	folder := m.folder
	return m.Scope.Do("manifest", func(context.Context) tea.Msg {
		whole, err := views.ResolvePath(path, folder)
		if err != nil {
			return manifestRead{err: err}
		}
		_, manifest, err := operation.ReadManifestFile(whole)
		return manifestRead{whole, len(manifest.Patches), len(manifest.Releases), err}
	})
}

// question asks before a manifest is imported.
func (m *manifestImport) question(read manifestRead) tea.Cmd {
	return views.Send(views.Open{Dialog: widget.NewConfirm(m.Env.Theme, widget.Question{
		ID: "upgrade.import", Text: "Import " + read.path + "?",
		Consequence: "It holds " + plain.Plural(read.patches, "patch") + " and " + plain.Plural(read.releases, "release") +
			". It replaces what the site offers. Nothing is installed.",
		Yes: "import it", Then: m.send(read.path), Copy: m.copies(read.path),
	})})
}

// copies are the ways to copy the import of a manifest.
func (m *manifestImport) copies(path string) *views.Copies {
	return m.Copies(func() (operation.Change, tea.Cmd) { return operation.ManifestImport(path), nil })
}

// imported is the result of an import.
type imported struct {
	operation.Result
	path     string
	manifest adminapi.Manifest
}

func (m *manifestImport) send(path string) tea.Cmd {
	site := m.Env.Site
	return m.Scope.Write(func(ctx context.Context) tea.Msg {
		manifest, result := site.ImportManifest(ctx, operation.ManifestImport(path), nil)
		return imported{result, path, manifest}
	})
}

func (m *manifestImport) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case manifestRead:
		if msg.err != nil {
			return views.Send(views.Failed("Not a version manifest: "+plain.Line(msg.err.Error()), msg.err))
		}
		return m.Unlocked(func() tea.Cmd { return m.question(msg) }, m.prompt(msg.path))
	case imported:
		switch {
		case msg.Done():
			text := "Manifest imported: " + plain.Plural(len(msg.manifest.Patches), "patch") + ", " + plain.Plural(len(msg.manifest.Releases), "release") + "."
			return views.Batch(m.refresh(), views.Tell(views.Success, text))
		case msg.WantsSignIn():
			return m.Scope.RetryAfterSignIn(fmt.Errorf("nothing was imported: %w", msg.Err), "import", func() tea.Cmd { return m.check(msg.path) })
		}
		return views.Batch(m.refresh(), views.NotDone(msg.Result))
	}
	return nil
}
