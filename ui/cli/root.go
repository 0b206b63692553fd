package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

const rootLong = `geodeck is a dashboard for the administrators of a container-hosted geospatial
platform: run health checks and read their reports, upgrade the site, edit its
services and steer their pods to the right nodes, from the keyboard.

Without a command it opens the dashboard on the site given with --url. Try it
without a site: "geodeck demo" opens it on a simulated platform.`

const rootExample = `  geodeck demo
  geodeck --url https://gis.example.org/context/admin
  geodeck health run --fail-on critical
  geodeck health report last-night.json`

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:               "geodeck",
		Short:             "A dashboard for administrators of a geospatial platform",
		Long:              rootLong,
		Example:           rootExample,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.begin(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return p.dashboard(cmd.Context()) },
	}
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	p.flags.register(root.PersistentFlags())
	p.alarms.register(root)
	p.nodes.register(root)
	completeFlags(root)
	root.AddCommand(
		p.demoCommand(), p.serveCommand(), p.healthCommand(), p.upgradeCommand(), p.serviceCommand(), p.placementCommand(),
		p.jobCommand(), p.versionCommand(), p.completionCommand(),
	)
	return root
}

// group makes a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return badInput("See: "+cmd.CommandPath()+" --help", errors.New("say which: "+namesOf(cmd)))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

func namesOf(cmd *cobra.Command) string {
	text := ""
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			if text != "" {
				text += ", "
			}
			text += child.Name()
		}
	}
	return text
}
