package cli

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/ui/cli/checkout"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/complete"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/fleet"
	"geodeck/ui/cli/health"
	"geodeck/ui/cli/help"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/placement"
	"geodeck/ui/cli/service"
	"geodeck/ui/cli/session"
	"geodeck/ui/cli/site"
	"geodeck/ui/cli/upgrade"
)

const rootLong = `geodeck is a dashboard for the administrators of ArcGIS Enterprise on Kubernetes. Run
health checks and read their reports, upgrade the site, edit its services and choose the
nodes that their pods run on, all from the keyboard.

Without a command, the dashboard opens: on the site of --site or --url, else on the one of
"geodeck site use"; without any it adds one. To try it without a site, run "geodeck demo":
the dashboard opens on a simulated platform.`

const rootExample = `  geodeck demo
  geodeck --url https://gis.example.org/context/admin
  geodeck health run --fail-on critical
  geodeck health report last-night.json`

// rootCommand makes the commands that args may mean: those of one noun where they begin with
// it, else all; all for man, which writes about them. Each noun gets what it works with.
func (p *program) rootCommand(args []string) *cobra.Command {
	dash := &dashboard{Env: p.Env, alarms: p.alarms, nodes: p.nodes, shows: p.show, tokens: map[session.Visited]adminapi.Token{}}
	if dash.shows == nil {
		dash.shows = dash.onTerminal
	}
	version := false
	root := &cobra.Command{
		Use:               "geodeck",
		Short:             "A dashboard for administrators of ArcGIS Enterprise on Kubernetes",
		Long:              rootLong,
		Example:           rootExample,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("reason") && strings.TrimSpace(p.flags.Reason) == "" { // a variable that is not set
				return exit.BadInputf("--reason is empty")
			}
			return p.begin(cmd)
		},
		RunE: command.Runs(func(ctx context.Context) error {
			if version {
				return printVersion(p.Out)
			}
			return dash.open(ctx)
		}),
	}
	root.Flags().BoolVar(&version, "version", false, "print the version of this program")
	root.SetFlagErrorFunc(flagError)
	root.SetIn(p.In)
	root.SetOut(p.Out.Out)
	root.SetErr(p.Out.Err)
	set := root.PersistentFlags()
	p.flags.Register(set)
	p.debug.Register(set)
	p.Out.Register(set)
	p.Exit.Register(set)
	command.Complete(root, "output", output.Forms)
	command.Complete(root, "theme", output.Backgrounds)
	command.Complete(root, "url", nil)
	command.Complete(root, "timeout", nil)
	dash.Register(root)
	p.alarms.Register(root)
	p.nodes.Register(root)
	nouns := []noun{
		{"demo", func() *cobra.Command { return demoCommand(dash) }},
		{"serve", func() *cobra.Command { return serveCommand(p.Out) }},
		{"health", func() *cobra.Command { return health.Command(p.Env, dash) }},
		{"upgrade", func() *cobra.Command { return upgrade.Command(p.Env, p.alarms, p.nodes) }},
		{"service", func() *cobra.Command { return service.Command(p.Env, p.nodes) }},
		{"pull", func() *cobra.Command { return checkout.PullCommand(p.Env) }},
		{"diff", func() *cobra.Command { return checkout.DiffCommand(p.Env) }},
		{"apply", func() *cobra.Command { return checkout.ApplyCommand(p.Env, p.nodes) }},
		{"placement", func() *cobra.Command { return placement.Command(p.Env, p.nodes) }},
		{"site", func() *cobra.Command { return site.Command(p.Env) }},
		{"fleet", func() *cobra.Command { return fleet.Command(p.Env) }},
		{"job", jobCommands{Env: p.Env}.command},
		{"login", (&loginCommands{Env: p.Env}).login},
		{"token", (&loginCommands{Env: p.Env}).tokenCommand},
		{"logout", loginCommands{Env: p.Env}.logout},
		{"whoami", loginCommands{Env: p.Env}.whoami},
		{"log", func() *cobra.Command { return newLogCommand(p.Env) }},
		{"doctor", func() *cobra.Command { return newDoctorCommand(p.Env, p.nodes) }},
		{"version", func() *cobra.Command { return versionCommand(p.Out) }},
		{"completion", func() *cobra.Command { return completionCommand(p.Out) }},
		{"man", func() *cobra.Command { return help.ManCommand(p.Out) }},
	}
	if i := slices.IndexFunc(nouns, func(n noun) bool { return n.name == command.First(args) }); i >= 0 && nouns[i].name != "man" {
		nouns = nouns[i : i+1]
	}
	for _, n := range nouns {
		root.AddCommand(n.command())
	}
	help.Install(root, p.Out)
	if strings.HasPrefix(command.First(args), cobra.ShellCompRequestCmd) { // a shell asks
		complete.Install(root, p.Env)
	}
	return root
}

// noun is a command below the root, such as health, with its verbs.
type noun struct {
	name    string
	command func() *cobra.Command
}

// Tree returns the tree of all commands, for docs/commands.md.
func Tree() *cobra.Command { return newProgram(context.Background(), nil, System()).rootCommand(nil) }

// bashWords lets completion work without a package that many servers lack.
//
//go:embed completion.bash
var bashWords string

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(out *output.Output) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a shell",
		Example: `  source <(geodeck completion bash)
  geodeck completion zsh > "${fpath[1]}/_geodeck"
  geodeck completion fish > ~/.config/fish/completions/geodeck.fish`,
		Args:                  cobra.ExactArgs(1),
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if err := exit.OneOf("completion", args[0], shells); err != nil {
				return err
			}
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out.Out)
			case "fish":
				return root.GenFishCompletion(out.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out.Out)
			}
			return cmp.Or(out.PrintLine(bashWords), root.GenBashCompletionV2(out.Out, true))
		},
	}
}
