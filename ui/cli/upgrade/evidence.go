package upgrade

import (
	"bytes"
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/files"
)

func (u commands) evidenceCommand() *cobra.Command {
	var o files.Out
	cmd := &cobra.Command{
		Use:   "evidence [TRANSCRIPT]",
		Short: "Write one zip with everything known about an upgrade",
		Long: `Write one zip with everything known about an upgrade: a summary with its phases and
times, every message, the transcript, what was sent (with secrets masked), the health
before and after, the containers with their checksums, and checksums of all of these.

Without TRANSCRIPT, the zip is of the newest upgrade that the site reports or, while the
site cannot be reached, of the newest transcript on this machine. The site is only read.
The summary names what is missing.`,
		Example: `  geodeck upgrade evidence --out change-4711.zip
  geodeck upgrade evidence 2026-11-20-1403-1c9f2e7a4b5d`,
		Args: cobra.MaximumNArgs(1),
		RunE: command.RunsWith(&o, u.evidence),
	}
	o.Register(cmd.Flags(), "file to write (default one in the working folder, named after version and time)")
	return cmd
}

func (u commands) evidence(ctx context.Context, id string, o files.Out) error {
	if err := o.Check(); err != nil {
		return err
	}
	site, err := u.Session.SiteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		if err := u.knownTranscript(site, id); err != nil {
			return err
		}
	}
	settings, err := u.Session.Settings()
	if err != nil {
		return err
	}
	evidence, err := incident.GatherEvidence(ctx, site, cmp.Or(settings.Named.Name, settings.Marked.Name), id)
	if runs, _ := site.Memory.WatchedRuns(); err != nil && len(runs) == 0 && adminapi.IsTransient(err) {
		f := *u.Exit.Explain(err)
		f.Details = append(f.Details, "There is no transcript of this site on this machine.", "Nothing was written.")
		return &f
	}
	if err != nil {
		return err
	}
	written, err := writeEvidence(evidence, o)
	if err != nil {
		return err
	}
	if u.Out.JSON() {
		return u.Out.PrintValue(evidenceJSON{written, evidence.Transcript, evidence.Files(), evidence.Absent})
	}
	for _, absent := range evidence.Absent {
		u.Out.Note("missing from the zip: " + absent)
	}
	return u.Out.PrintLine("written: " + written)
}

// evidenceJSON is what was written.
type evidenceJSON struct {
	File       string   `json:"file"`
	Transcript string   `json:"transcript,omitempty"`
	Files      []string `json:"files"`
	Absent     []string `json:"absent"`
}

// writeEvidence writes the zip whole or not at all, for its owner only.
func writeEvidence(e incident.Evidence, o files.Out) (path string, err error) {
	if o.Path == "" {
		return operation.WriteNew(e.Name, e.Write)
	}
	var content bytes.Buffer
	if err := e.Write(&content); err != nil {
		return "", err
	}
	return o.Write(content.Bytes())
}
