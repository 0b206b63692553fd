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
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "import-manifest FILE",
		Short:   "Import a version manifest to a site without internet access",
		Example: "  geodeck upgrade import-manifest version_manifest.dat",
		Args:    cobra.ExactArgs(1),
		RunE:    command.RunsWith(&dryRun, u.importManifest),
	}
	command.AddDryRun(cmd, &dryRun)
	return u.AddOverride(cmd, "the name of its file")
}

// importedJSON is what became of an import.
type importedJSON struct {
	Outcome      string  `json:"outcome"`    // done, refused, unknown or not sent
	Verdict      *string `json:"verdict"`    // succeeded; null where that was not seen
	PatchCount   int     `json:"patchCount"` // of the file
	ReleaseCount int     `json:"releaseCount"`
}

func (u commands) importManifest(ctx context.Context, path string, dryRun bool) error {
	_, file, err := operation.ReadManifestFile(path)
	if err != nil {
		return exit.BadInput("", err)
	}
	site, err := u.Session.SiteToSend(ctx, adminapi.TargetSite, dryRun)
	if err != nil {
		return err
	}
	if err := requireNoUpgrade(ctx, site, "import a version manifest", "no manifest can be imported meanwhile"); err != nil {
		return err
	}
	u.noteProblems(ctx, site, file)
	if dryRun {
		return u.DryRun(ctx, site, operation.ManifestImport(path), "imports "+countUpdates(file))
	}
	answer := command.Loss{Note: u.Out.Note}
	manifest, result := site.ImportManifest(ctx, operation.ManifestImport(path), answer.Lost)
	if u.Out.JSON() {
		of := importedJSON{result.ForScripts(), result.Verdict.ForScripts(), len(manifest.Patches), len(manifest.Releases)}
		if err := u.Out.PrintValue(of); err != nil {
			return err
		}
	}
	switch {
	case result.Refused() && errors.Is(result.Err, adminapi.KindBusy):
		return refused(u.Exit, result.Err)
	case !result.Done():
		return u.Exit.Of(result)
	}
	answer.Found()
	if u.Out.JSON() {
		return nil
	}
	return u.Out.PrintLine("imported: " + countUpdates(manifest) + u.Session.Commands("; see: {command:upgrade available}"))
}

func countUpdates(m adminapi.Manifest) string {
	return plain.Plural(len(m.Releases), "release") + " and " + plain.Plural(len(m.Patches), "patch")
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
