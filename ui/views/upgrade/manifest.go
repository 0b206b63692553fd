package upgrade

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// askManifest asks for the file of a version manifest.
func (m *Model) askManifest() tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "There is no site to give a manifest to.")
	}
	return views.Send(views.Open{Dialog: views.NewPrompt(m.env.Theme, views.Ask{
		ID: "upgrade.manifest", Title: "Import a version manifest",
		Note: "A file that was fetched elsewhere, for a site without internet. It is checked here first.",
		Check: func(path string) error {
			if strings.TrimSpace(path) == "" {
				return errors.New("give the path of a file")
			}
			return nil
		},
		Then: m.openManifest,
	})})
}

// manifestRead is what a manifest file offers.
type manifestRead struct {
	path              string
	patches, releases int
	err               error
}

// openManifest reads a manifest file and asks before the site gets it.
func (m *Model) openManifest(path string) tea.Cmd {
	folder := m.folder
	return m.scope.Do("manifest", func(context.Context) tea.Msg {
		whole, err := views.ResolvePath(path, folder)
		if err != nil {
			return manifestRead{err: err}
		}
		_, manifest, err := operation.ReadManifestFile(whole)
		return manifestRead{whole, len(manifest.Patches), len(manifest.Releases), err}
	})
}

func (r manifestRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "This is no version manifest: " + plain.Line(r.err.Error()), Err: r.err})
	}
	return views.Send(views.Open{Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "upgrade.import", Text: "Import " + r.path + "?",
		Consequence: "It holds " + plain.Plural(r.patches, "patch") + " and " + plain.Plural(r.releases, "release") +
			". What the site offers is replaced by it; nothing is installed.",
		Yes: "import it", Then: m.importManifest(r.path),
	})})
}

// imported is what became of giving the site a manifest.
type imported struct {
	manifest adminapi.Manifest
	outcome  adminapi.Outcome
	err      error
}

func (m *Model) importManifest(path string) tea.Cmd {
	site := m.env.Site
	return m.scope.Do("import", func(ctx context.Context) tea.Msg {
		manifest, outcome, err := site.ImportManifest(ctx, path)
		if outcome == adminapi.OutcomeUnknown && ctx.Err() == nil {
			outcome = site.FindImport(ctx).Outcome
		}
		return imported{manifest, outcome, err}
	})
}

func (r imported) apply(m *Model) tea.Cmd {
	if errors.Is(r.err, adminapi.KindSignIn) {
		return m.askSignIn(r.err, nil) // it is sent again only when it is asked for again
	}
	again := m.readOffers()
	if r.outcome == adminapi.OutcomeDone {
		text := "The manifest is imported: " + plain.Plural(len(r.manifest.Patches), "patch") + ", " + plain.Plural(len(r.manifest.Releases), "release") + "."
		return tea.Batch(again, views.Tell(views.Success, text))
	}
	text := map[adminapi.Outcome]string{
		adminapi.OutcomeRefused: "The site refused the manifest: ",
		adminapi.OutcomeNotSent: "The manifest was not sent: ",
		adminapi.OutcomeUnknown: "It is not known whether the site took the manifest; the list shows what it offers: ",
	}[r.outcome] + r.err.Error()
	return tea.Batch(again, views.NotSent(text, r.err))
}
