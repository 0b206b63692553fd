package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

var formats = func() []string {
	var names []string
	for _, f := range health.Formats {
		names = append(names, string(f))
	}
	return names
}()

// exportOptions are the flags of an export.
type exportOptions struct {
	format, out string
	force       bool
}

func (p *program) healthExportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export ID|FILE",
		Short: "Write a report as JSON, CSV, Markdown or JUnit",
		Example: `  geodeck health export abcdefghij --format junit --out health.xml
  geodeck health export saved.json --format md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.healthExport(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVar(&o.format, "format", formats[0], "json, csv, md or junit")
	cmd.Flags().StringVar(&o.out, "out", "", "file to write (the standard output by default)")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the file where there is one")
	complete(cmd, "format", formats)
	return cmd
}

func (p *program) healthExport(ctx context.Context, source string, o exportOptions) error {
	if err := oneOf("--format", o.format, formats); err != nil {
		return err
	}
	if err := o.checkTarget(); err != nil {
		return err
	}
	report, err := p.loadReport(ctx, source)
	if err != nil {
		return err
	}
	content, err := exported(report, health.Format(o.format))
	if err != nil {
		return err
	}
	if o.out == "" {
		return p.printExport(content)
	}
	if err := writeFile(o.out, content); err != nil {
		return err
	}
	p.note("written to " + o.out)
	return nil
}

// checkTarget looks at the file before anything is asked of the site.
func (o exportOptions) checkTarget() error {
	if o.out == "" {
		return nil
	}
	exists, err := fileThere(o.out)
	if err == nil && exists && !o.force {
		err = badInput("Choose another name, or replace it with --force.", fmt.Errorf("%s exists already", o.out))
	}
	return err
}

func exported(r adminapi.Report, f health.Format) ([]byte, error) {
	var b bytes.Buffer
	err := health.Export(&b, r, f)
	return b.Bytes(), err
}

// printExport writes the very bytes of the export into a pipe; JSON on a
// terminal gets escapes for what the terminal would obey.
func (p *program) printExport(content []byte) error {
	if _, ok := terminal(p.Out); ok {
		content = escapeUnseen(content)
	}
	_, err := p.Out.Write(content)
	return err
}
