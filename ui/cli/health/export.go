package health

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

var formats = lists.Each(health.Formats, func(f health.Format) string { return string(f) })

// exportOptions are the flags of an export.
type exportOptions struct {
	format string
	out    files.Out
	standard
}

func (h commands) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [ID|FILE]",
		Short: "Write a report as JSON, CSV, Markdown, HTML or JUnit",
		Long: `Write a report as JSON, CSV, Markdown, HTML or JUnit: the newest one without an ID.

Markdown, HTML and JUnit also say which site it is, its version, who exports it, what
changed since the baseline or the last good report, and what to do. Of a FILE the site is
not known.

--fail-on and --baseline decide which tests count, in JUnit, Markdown and HTML alike, and exit 1
if the report counts as failed. Without them a warning is no failure in JUnit.`,
		Example: `  geodeck health export --format junit --out health.xml
  geodeck health export abcdefghij --format html --out health.html
  geodeck health export --fail-on new --format junit --out health.xml
  geodeck health export saved.json --baseline before.json --format md`,
		Args: cobra.MaximumNArgs(1),
		RunE: command.RunsWith(&o, h.export),
	}
	set := cmd.Flags()
	set.StringVar(&o.format, "format", formats[0], "json, csv, md, html or junit")
	o.out.Register(set, "file to write (default the standard output, also -)")
	command.Complete(cmd, "format", formats)
	o.register(cmd)
	return cmd
}

func (h commands) export(ctx context.Context, source string, o exportOptions) error {
	if err := exit.OneOf("--format", o.format, formats); err != nil {
		return err
	}
	if err := o.out.CheckPrinted(); err != nil {
		return err
	}
	site, of, err := h.handed(ctx, source)
	if err != nil {
		return err
	}
	_, judged, err := h.judge(ctx, o.standard, site, &of)
	if err != nil {
		return err
	}
	if err := h.write(ctx, site, of, judged, o); err != nil || !o.asked() {
		return err
	}
	return told(judged, of.Report, h.Out.Note)
}

// write writes a report with what is handed over.
func (h commands) write(ctx context.Context, site operation.Site, of incident.Handed, judged health.Judgement, o exportOptions) error {
	var with health.Handover
	if f := health.Format(o.format); f != health.JSON && f != health.CSV {
		if f == health.HTML && of.File == "" { // without trends it is still whole
			before, err := site.Reports().Before(ctx, of.Report)
			if err != nil {
				h.Out.Note("earlier reports could not be read: " + err.Error())
			}
			of.Earlier = lists.Each(before, health.ResultsOf)
		}
		with = incident.HandOver(ctx, site, of)
		with.Judged = judged
	}
	var content bytes.Buffer
	if err := health.Export(&content, of.Report, health.Format(o.format), with); err != nil {
		return err
	}
	if o.out.Printed() {
		return h.Out.PrintExport(content.Bytes())
	}
	_, err := o.out.Write(content.Bytes())
	if err == nil {
		h.Out.Note("written to " + o.out.Path)
	}
	return err
}
