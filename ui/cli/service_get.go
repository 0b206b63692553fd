package cli

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi/plain"
)

func (p *program) serviceGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: "Print the definition of a service",
		Long: `Print the definition of a service.

Into a pipe or a file it comes byte for byte as the site sent it: such a file is a
good base for service apply. On a terminal it is set out in lines, and what a
terminal would obey stands as escapes.`,
		Example: "  geodeck service get Utilities/Geometry.GeometryServer > geometry.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.serviceGet(cmd.Context(), args[0]) },
	}
}

func (p *program) serviceGet(ctx context.Context, name string) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	raw, err := site.Client.ServiceDefinition(ctx, service)
	if err != nil {
		return err
	}
	return p.printContent(raw)
}

// printContent prints the very bytes, or on a terminal what is fit for one.
func (p *program) printContent(raw []byte) error {
	if _, ok := terminal(p.Out); !ok {
		_, err := p.Out.Write(raw)
		return err
	}
	value := jsontext.Value(bytes.Clone(raw))
	if value.Indent(asReceived, jsontext.WithIndent("  ")) != nil {
		return p.say(plain.Text(string(raw)))
	}
	return p.say(string(escapeUnseen(value)))
}
