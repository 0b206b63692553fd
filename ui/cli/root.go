package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

const rootLong = `geodeck is a dashboard for the administrators of a container-hosted geospatial
platform. Run health checks and read their reports, upgrade the site, edit its services
and choose the nodes that their pods run on, all from the keyboard.

Without a command, the dashboard opens: on the site of --site or --url, else on the one of
"geodeck site use"; without any it adds one. To try it without a site, run "geodeck demo":
the dashboard opens on a simulated platform.`

const rootExample = `  geodeck demo
  geodeck --url https://gis.example.org/context/admin
  geodeck health run --fail-on critical
  geodeck health report last-night.json`

// rootCommand makes the commands that args may mean: those of one noun where they begin with
// it, else all. Each noun gets what it works with.
func (p *program) rootCommand(args []string) *cobra.Command {
	dash := &dashboard{shared: p.shared, alarms: p.alarms, nodes: p.nodes, tokens: map[visited]adminapi.Token{}}
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
		RunE:              runs(dash.open),
	}
	root.SetIn(p.in)
	root.SetOut(p.out.Out)
	root.SetErr(p.out.Err)
	set := root.PersistentFlags()
	p.flags.register(set)
	p.debug.register(set)
	p.out.Register(set)
	p.exit.register(set)
	complete(root, "output", output.Forms)
	complete(root, "theme", output.Backgrounds)
	complete(root, "url", nil)
	completeWith(root, "site", p.session.siteNames)
	completeWith(root, "unlock", p.session.siteNames)
	complete(root, "timeout", nil)
	dash.Register(root)
	p.alarms.register(root)
	p.nodes.register(root)
	nouns := []noun{
		{"demo", func() *cobra.Command { return demoCommand(dash) }},
		{"serve", func() *cobra.Command { return serveCommand(p.out) }},
		{"health", func() *cobra.Command { return healthCommand(p.shared, dash) }},
		{"upgrade", func() *cobra.Command { return upgradeCommand(p.shared, p.alarms, p.nodes) }},
		{"service", func() *cobra.Command { return serviceCommand(p.shared, p.nodes) }},
		{"placement", func() *cobra.Command { return placementCommand(p.shared, p.nodes) }},
		{"site", func() *cobra.Command { return siteCommand(p.shared) }},
		{"fleet", func() *cobra.Command { return fleetCommand(p.shared) }},
		{"job", jobCommands{shared: p.shared}.command},
		{"login", (&loginCommands{shared: p.shared}).login},
		{"logout", loginCommands{shared: p.shared}.logout},
		{"whoami", loginCommands{shared: p.shared}.whoami},
		{"log", func() *cobra.Command { return newLogCommand(p.shared) }},
		{"doctor", func() *cobra.Command { return newDoctorCommand(p.shared, p.nodes) }},
		{"version", func() *cobra.Command { return versionCommand(p.out) }},
		{"completion", func() *cobra.Command { return completionCommand(p.out) }},
	}
	if i := slices.IndexFunc(nouns, func(n noun) bool { return n.name == first(args) }); i >= 0 {
		nouns = nouns[i : i+1]
	}
	for _, n := range nouns {
		root.AddCommand(n.command())
	}
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // there is one now
	help.Short, help.Long = "Explain a command", ""
	help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
		}
		if err != nil {
			return badInput("See: "+found.CommandPath()+" --help", err)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
	return root
}

// noun is a command below the root, such as health, with its verbs.
type noun struct {
	name    string
	command func() *cobra.Command
}

// Tree returns the tree of all commands, for docs/commands.md.
func Tree() *cobra.Command { return newProgram(context.Background(), System()).rootCommand(nil) }

// group makes a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var names []string
			for _, child := range cmd.Commands() {
				if child.IsAvailableCommand() && child.Name() != "help" {
					names = append(names, child.Name())
				}
			}
			return badInput("See: "+cmd.CommandPath()+" --help", errors.New("say which: "+strings.Join(names, ", ")))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// verb makes a command without flags, whose name says enough.
func verb(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(out *output.Output) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a shell",
		Example: `  source <(geodeck completion bash)
  geodeck completion zsh > "${fpath[1]}/_geodeck"
  geodeck completion fish > ~/.config/fish/completions/geodeck.fish`,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out.Out)
			case "fish":
				return root.GenFishCompletion(out.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out.Out)
			}
			return root.GenBashCompletionV2(out.Out, true)
		},
	}
}

// complete offers the values of a flag to shells; nil offers none.
func complete(cmd *cobra.Command, flag string, values []string) {
	completeWith(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// excludes says that a flag cannot be given together with any of the others.
func excludes(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// completeWith offers to shells what find finds for a flag.
func completeWith(cmd *cobra.Command, flag string, find cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, find); err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// runs makes what a command without arguments runs.
func runs(run func(context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) }
}

// runsOn makes what a command runs on its argument, which is empty where it has none.
func runsOn(run func(ctx context.Context, argument string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), first(args)) }
}

// onSite is runsOn for a command that needs nothing but the site.
func (s shared) onSite(run func(ctx context.Context, site operation.Site, argument string) error) func(*cobra.Command, []string) error {
	return runsOn(func(ctx context.Context, argument string) error {
		site, err := s.session.site(ctx)
		if err != nil {
			return err
		}
		return run(ctx, site, argument)
	})
}

// overrideLong is the help for --again.
const overrideLong = `While an earlier request that changes the same thing has an unknown outcome, nothing is
sent (exit 6) until a read settles it. --again sends anyway, and takes what the error
names: from 10 minutes after an upgrade was sent, from 15 after a health check with
--sync, otherwise from 2 minutes.`

// addOverride adds the flag that allows a write while an earlier one is not settled.
func (s shared) addOverride(cmd *cobra.Command, what string) *cobra.Command {
	cmd.Flags().StringVar(&s.exit.override, "again", "", "send although the outcome of an earlier request is unknown: "+what+", as named in the error")
	cmd.Long = strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")) + "\n\n" + overrideLong
	return cmd
}

// first is the first argument, empty without any.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// each returns what of makes of each element of a list.
func each[T, R any](list []T, of func(T) R) []R {
	all := make([]R, len(list))
	for i, one := range list {
		all[i] = of(one)
	}
	return all
}

// oneOf refuses a value that is not among the choices.
func oneOf(flag, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return badInputf("%s takes %s, not %q", flag, strings.Join(choices, ", "), value)
}

// usageError says in plainer words what the library refuses in a command line, and how the
// command is used.
func usageError(cmd *cobra.Command, err error) error {
	if bad, is := errors.AsType[*pflag.InvalidValueError](err); is {
		flag, value := bad.GetFlag(), plain.Clip(bad.GetValue(), 60)
		err = fmt.Errorf("--%s takes %s, not %q", flag.Name, cmp.Or(taken[flag.Value.Type()], "another value"), value)
	}
	// The library takes an argument of a command that has none for the name of another one.
	if !strings.Contains(err.Error(), "arg(s)") && (cmd.HasSubCommands() || !strings.HasPrefix(err.Error(), "unknown command")) {
		advice := "See: " + cmd.CommandPath() + " --help"
		cmd.SuggestionsMinimumDistance = 2
		given := first(cmd.Flags().Args())
		if _, none := fmt.Sscanf(err.Error(), "unknown command %q", &given); none == nil || cmd.HasParent() {
			if meant := cmd.SuggestionsFor(given); given != "" && len(meant) > 0 {
				for i := range meant {
					meant[i] = operation.CommandText(strings.TrimPrefix(cmd.CommandPath()+" "+meant[i], cmd.Root().Name()))
				}
				advice = "Did you mean " + strings.Join(meant, " or ") + "?"
			}
		}
		return badInput(advice, err)
	}
	err = errors.New("an argument is missing")
	given := cmd.Flags().Args()
	for n := len(given) - 1; n >= 0; n-- {
		if cmd.ValidateArgs(given[:n]) == nil {
			err = fmt.Errorf("unexpected argument %q", given[n])
			break
		}
	}
	return badInput("Usage: "+cmd.UseLine(), err)
}

// taken says what a flag takes, by its type.
var taken = map[string]string{
	"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 15m",
}

// build says how the program was built.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // empty if not built from a repository
	Modified bool   `json:"modified"` // built from changed files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// userAgent is how the program names itself to a site.
func (b build) userAgent() string { return "geodeck/" + b.Version }

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func versionCommand(out *output.Output) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if out.JSON() {
				return out.PrintValue(b)
			}
			_, err := fmt.Fprintf(out.Out, "geodeck %s %s %s\n", b.Version, b.Go, b.Platform)
			return err
		},
	}
}
