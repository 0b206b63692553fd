package health

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

var formats = lists.Each(health.Formats, func(f health.Format) string { return string(f) })

// exportOptions are the flags of an export.
type exportOptions struct {
	format, out string
	force       bool
}

func (h commands) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [ID|FILE]",
		Short: "Write a report as JSON, CSV, Markdown, HTML or JUnit",
		Long:  "Write a report as JSON, CSV, Markdown, HTML or JUnit: the newest one without an ID.",
		Example: `  geodeck health export --format junit --out health.xml
  geodeck health export abcdefghij --format html --out health.html
  geodeck health export saved.json --format md`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return h.export(cmd.Context(), command.First(args), o) },
	}
	set := cmd.Flags()
	set.StringVar(&o.format, "format", formats[0], "json, csv, md, html or junit")
	set.StringVar(&o.out, "out", "", "file to write (default the standard output)")
	set.BoolVar(&o.force, "force", false, "replace an existing file")
	command.Complete(cmd, "format", formats)
	return cmd
}

func (h commands) export(ctx context.Context, source string, o exportOptions) error {
	if err := exit.OneOf("--format", o.format, formats); err != nil {
		return err
	}
	if err := files.CheckNew(o.out, o.force, files.AdviceReplace); err != nil {
		return err
	}
	report, err := h.loadReport(ctx, source)
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := health.Export(&content, report, health.Format(o.format), h.earlier(ctx, source, report, o)...); err != nil {
		return err
	}
	if o.out == "" {
		return h.Out.PrintExport(content.Bytes())
	}
	if err := files.Write(o.out, content.Bytes()); err != nil {
		return err
	}
	h.Out.Note("written to " + o.out)
	return nil
}

// earlier fetches the reports before one of the site, for the trends of a page. Without them it
// is still whole.
func (h commands) earlier(ctx context.Context, source string, r adminapi.Report, o exportOptions) []adminapi.Report {
	if health.Format(o.format) != health.HTML || namesFile(source) {
		return nil
	}
	site, err := h.Session.Site(ctx)
	if err != nil {
		return nil
	}
	before, err := site.Reports().Before(ctx, r)
	if err != nil {
		h.Out.Note("earlier reports could not be read: " + err.Error())
	}
	return before
}
