// Package command is what the commands of all nouns work with: how they are made, what they wait
// for, how they ask, and how an error ends them.
//
// Start at [Env]; exits.go turns an error into a failure with its exit code.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// Env is what the commands of all nouns work with.
type Env struct {
	In      io.Reader
	Out     *output.Output
	Session *session.Session
	Wait    *Waiting
	Exit    *Exits
}

// NewEnv is what a command works with that is about a site.
func NewEnv(in io.Reader, out *output.Output, of *session.Session, exit *Exits) Env {
	exit.Session, exit.Wait, out.Commands = of, &Waiting{out: out}, of.Commands
	return Env{In: in, Out: out, Session: of, Wait: exit.Wait, Exit: exit}
}

// Group makes a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
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
			return exit.BadInput("See: "+cmd.CommandPath()+" --help", errors.New("say which: "+strings.Join(names, ", ")))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// otherWords are the names that other programs have for a command.
var otherWords = map[string][]string{
	"list": {"available", "reports"}, "ls": {"list"}, "show": {"get", "report"}, "begin": {"start"}, "edit": {"apply"},
	"delete": {"remove"}, "rm": {"remove", "delete"},
}

// Unknown explains that cmd holds no command of that name, and names those that were likely meant.
func Unknown(cmd *cobra.Command, given string) error {
	var near []string
	for _, child := range cmd.Commands() {
		if !child.IsAvailableCommand() || !slices.Contains(otherWords[given], child.Name()) && len(spelling.Near(given, []string{child.Name()})) == 0 {
			continue
		}
		text := child.CommandPath()
		if cmd.HasParent() { // else it is no whole command, which names the site
			text = operation.CommandText(strings.TrimPrefix(text, cmd.Root().Name()))
		}
		near = append(near, text)
	}
	return exit.BadInput(cmp.Or(spelling.Question(near...), "See: "+cmd.CommandPath()+" --help"), fmt.Errorf("unknown command %q for %q", plain.Clip(given, 60), cmd.CommandPath()))
}

// Verb makes a command without flags, whose name says enough.
func Verb(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

// The annotations of a flag that say what shells are offered as its value. Package complete reads them.
const (
	Values    = "values"    // any of these; of none nothing is offered
	OrFile    = "or a file" // a file, too
	Separated = "separated" // several of them, with commas
)

// Complete offers the values of a flag to shells; nil offers none.
func Complete(cmd *cobra.Command, flag string, values []string, more ...string) {
	f := cmd.Flag(flag) // without it there is a mistake in this program
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[Values] = values
	for _, word := range more {
		f.Annotations[word] = nil
	}
}

// SiteArgument completes the name of a site as the only argument.
func (s Env) SiteArgument(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return s.SiteNames(cmd, args, typed)
}

// SiteNames completes the name of a site as the value of a flag.
func (s Env) SiteNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := s.Session.SitesFile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, site := range file.Sites() {
		names = append(names, cobra.CompletionWithDesc(site.Name, site.URL))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Excludes says that a flag cannot be given together with any of the others.
func Excludes(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// Runs makes what a command without arguments runs.
func Runs(run func(context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) }
}

// RunsOn makes what a command runs on its argument, which is empty where it has none.
func RunsOn(run func(ctx context.Context, argument string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), First(args)) }
}

// RunsWith is RunsOn for a command with options, which its flags fill in.
func RunsWith[O any](options *O, run func(ctx context.Context, argument string, options O) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), First(args), *options) }
}

// OnSite is RunsOn for a command that needs nothing but the site.
func (s Env) OnSite(run func(ctx context.Context, site operation.Site, argument string) error) func(*cobra.Command, []string) error {
	return RunsOn(func(ctx context.Context, argument string) error {
		site, err := s.Session.Site(ctx)
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

// AddOverride adds the flag that allows a write while an earlier one is not settled.
func (s Env) AddOverride(cmd *cobra.Command, what string) *cobra.Command {
	cmd.Flags().StringVar(&s.Exit.override, "again", "", "send although the outcome of an earlier request is unknown: "+what+", as named in the error")
	cmd.Long = strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")) + "\n\n" + overrideLong
	return cmd
}

// First is the first argument, empty without any.
func First(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
