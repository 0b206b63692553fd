package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
)

func (p *program) upgradeImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import-manifest FILE",
		Short:   "Give the site a version manifest, for sites without internet",
		Example: "  geodeck upgrade import-manifest version_manifest.dat",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.upgradeImport(cmd.Context(), args[0]) },
	}
	p.addAgain(cmd, "the name of its file")
	return cmd
}

// importedManifest is what upgrade import-manifest prints as JSON.
type importedManifest struct {
	Status       string `json:"status"` // the API's own word
	PatchCount   int    `json:"patchCount"`
	ReleaseCount int    `json:"releaseCount"`
}

func (p *program) upgradeImport(ctx context.Context, path string) error {
	_, file, err := operation.ReadManifestFile(path)
	if err != nil {
		return badInput("", err)
	}
	site, err := p.connectToWrite()
	if err != nil {
		return err
	}
	if err := p.maySend(ctx, site, adminapi.TargetSite); err != nil {
		return err
	}
	if err := quiet(ctx, site, "no manifest can be imported meanwhile"); err != nil {
		return err
	}
	p.noteProblems(ctx, site, file)
	manifest, outcome, err := site.ImportManifest(ctx, path)
	if outcome == adminapi.OutcomeUnknown && ctx.Err() == nil {
		p.note(lostAnswer(err) + "; looking what the site has, and not sending it again")
		switch found := site.FindImport(ctx); found.Outcome {
		case adminapi.OutcomeDone:
			p.note("it has arrived" + despite(err))
			outcome, err = found.Outcome, nil
		case adminapi.OutcomeRefused:
			return p.explain(&operation.RefusedError{Answer: err})
		}
	}
	switch {
	case outcome == adminapi.OutcomeUnknown && err != nil:
		return p.unknownImport(err)
	case outcome == adminapi.OutcomeRefused:
		return p.refused(err)
	case err != nil:
		return err
	}
	if p.json() {
		return p.printValue(importedManifest{Status: "success", PatchCount: len(manifest.Patches), ReleaseCount: len(manifest.Releases)})
	}
	return p.say(fmt.Sprintf("imported: %d releases and %d patches; see: geodeck upgrade available", len(manifest.Releases), len(manifest.Patches)))
}

// noteProblems warns of a manifest that contradicts itself; the site decides
// whether it takes it. A site that cannot say what is installed stops nothing.
func (p *program) noteProblems(ctx context.Context, site operation.Site, file adminapi.Manifest) {
	offer, err := site.Offers(ctx)
	if err != nil {
		return
	}
	if problems := upgrade.Plan(file, offer.Installed).Problems; len(problems) > 0 {
		p.note(fmt.Sprintf("warning: the manifest contradicts itself in %d places, first: %s", len(problems), problems[0].Text))
	}
}

// unknownImport says that a manifest was perhaps imported. An interruption by the
// user keeps its own code.
func (p *program) unknownImport(err error) error {
	f := &failure{code: exitUnknown, kind: "outcome unknown", err: err, advice: "See whether it is there: geodeck upgrade available"}
	if ended := p.ended(err); ended != nil && ended.code == exitInterrupted {
		f.code, f.kind = ended.code, ended.kind
	}
	f.err = errors.New(err.Error() + "; whether the manifest was imported is not known")
	return f
}
