package upgrade

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

func (u commands) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import-manifest FILE",
		Short:   "Import a version manifest to a site without internet access",
		Example: "  geodeck upgrade import-manifest version_manifest.dat",
		Args:    cobra.ExactArgs(1),
		RunE:    command.RunsOn(u.importManifest),
	}
	return u.AddOverride(cmd, "the name of its file")
}

// importedManifest is what upgrade import-manifest prints as JSON.
type importedManifest struct {
	Status       string `json:"status"` // the API's own word
	PatchCount   int    `json:"patchCount"`
	ReleaseCount int    `json:"releaseCount"`
}

func (u commands) importManifest(ctx context.Context, path string) error {
	_, file, err := operation.ReadManifestFile(path)
	if err != nil {
		return exit.BadInput("", err)
	}
	site, err := u.Session.SiteToWrite(ctx)
	if err != nil {
		return err
	}
	if err := u.Session.MaySend(ctx, site, adminapi.TargetSite); err != nil {
		return err
	}
	if err := requireNoUpgrade(ctx, site, "import a version manifest", "no manifest can be imported meanwhile"); err != nil {
		return err
	}
	u.noteProblems(ctx, site, file)
	answer := command.Loss{Note: u.Out.Note}
	manifest, result := site.ImportManifest(ctx, operation.ManifestImport(path), answer.Lost)
	switch {
	case result.Refused() && errors.Is(result.Err, adminapi.KindBusy):
		return refused(u.Exit, result.Err)
	case !result.Done():
		return u.Exit.Of(result)
	}
	answer.Found()
	if u.Out.JSON() {
		return u.Out.PrintValue(importedManifest{Status: "success", PatchCount: len(manifest.Patches),
			ReleaseCount: len(manifest.Releases)})
	}
	return u.Out.PrintLine("imported: " + plain.Plural(len(manifest.Releases), "release") + " and " + plain.Plural(len(manifest.Patches), "patch") + u.Session.Commands("; see: {command:upgrade available}"))
}

// noteProblems warns of a manifest that contradicts itself; the site decides whether to
// accept it.
func (u commands) noteProblems(ctx context.Context, site operation.Site, file adminapi.Manifest) {
	offer, err := site.Offers(ctx)
	if err != nil {
		return
	}
	if problems := upgrade.Plan(file, offer.Installed).Problems; len(problems) > 0 {
		u.Out.Note("warning: the manifest contradicts itself in " + plain.Plural(len(problems), "place") +
			", first: " + problems[0].Text)
	}
}
