package cli

import (
	"bytes"
	"context"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
)

func (p *program) upgradeEvidenceCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "evidence [TRANSCRIPT]",
		Short: "Write one zip with all that is known of an upgrade",
		Long: `Write one zip with all that is known of an upgrade: a summary with its phases and
times, every message, the transcript, what was sent (secrets masked), the health
before and after, the containers with their checksums, and checksums of all that.

Without TRANSCRIPT it is the newest upgrade that the site tells of. The site is
only read. What cannot be had is named in the summary.`,
		Example: `  geodeck upgrade evidence --out change-4711.zip
  geodeck upgrade evidence 2026-11-20t14-03-00z-1c9f2e7a4b5d`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.upgradeEvidence(cmd.Context(), first(args), o)
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "file to write (by default one in the working folder, named after version and time)")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the file where there is one")
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (p *program) upgradeEvidence(ctx context.Context, id string, o exportOptions) error {
	if err := o.checkTarget(); err != nil {
		return err
	}
	site, err := p.connectAndRecall()
	if err != nil {
		return err
	}
	if id != "" {
		if err := p.knownTranscript(site, id); err != nil {
			return err
		}
	}
	evidence, err := site.GatherEvidence(ctx, id)
	if err != nil {
		return err
	}
	written, err := writeEvidence(evidence, o)
	if err != nil {
		return err
	}
	if p.json() {
		return p.printValue(evidenceJSON{written, evidence.Files(), evidence.Absent})
	}
	for _, absent := range evidence.Absent {
		p.note("not in it: " + absent)
	}
	return p.say("written: " + written)
}

// evidenceJSON is what was written, for scripts.
type evidenceJSON struct {
	File   string   `json:"file"`
	Files  []string `json:"files"`
	Absent []string `json:"absent"`
}

// writeEvidence writes the zip whole or not at all, for its owner only.
func writeEvidence(e operation.Evidence, o exportOptions) (path string, err error) {
	if o.out == "" {
		return operation.WriteNew(e.Name, e.Write)
	}
	var content bytes.Buffer
	if err := e.Write(&content); err != nil {
		return "", err
	}
	return o.out, renameio.WriteFile(o.out, content.Bytes(), 0o600, renameio.WithStaticPermissions(0o600))
}

// connectAndRecall is connect for commands that read what this machine remembers. A
// site without a journal can be read all the same.
func (p *program) connectAndRecall() (operation.Site, error) {
	site, err := p.connect()
	if err != nil {
		return site, err
	}
	if site.Journal, err = p.book.open(); err != nil {
		p.note("warning: nothing is remembered of the site: " + err.Error())
	}
	return site, nil
}
