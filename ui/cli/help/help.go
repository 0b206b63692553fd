// Package help is what "geodeck help" says: the pages of commands, the topics, and both as man pages.
// Pages are made of the tree of commands; docs/scripting.md has the topics as sections.
//
// Start at [Install]; a page is a row of topics, which text.go writes for a terminal and man.go for man.
package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi/operation"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// Groups are the commands in the order of the first page, by what an administrator comes for.
var Groups = []struct {
	Title    string
	Commands []string
}{
	{"Health", []string{"health", "fleet", "doctor"}},
	{"Upgrades", []string{"upgrade"}},
	{"Services", []string{"service", "placement"}},
	{"The site as files", []string{"pull", "diff", "apply"}},
	{"What was done", []string{"log", "job"}},
	{"Sites and sign-in", []string{"site", "login", "logout", "whoami"}},
	{"Without a site", []string{"demo", "serve"}},
	{"This program", []string{"help", "version", "completion", "man"}},
}

// common are the flags of every command that each page shows: which site, how its result looks, and
// how long. The others are settings of a machine or of a site, which belong into config.yaml or the
// environment.
var common = []string{"help", "output", "site", "timeout", "url"}

const helpLong = `Explain a command, or one of the topics:

  flags        all flags that every command takes
  environment  the variables that geodeck reads
  exit-codes   what each exit code means
  output       tables, JSON, colours, and where errors go`

// Install gives all commands below root, also later ones, their pages, and "geodeck help" its topics.
func Install(root *cobra.Command, out *output.Output) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := cmp.Or(strings.TrimSpace(cmd.Long), cmd.Short)
		for _, t := range topicsOf(cmd) {
			text += "\n\n" + t.text(out.Renderer())
		}
		_ = out.PrintLine(text) // nobody reads why help could not be printed
	})
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // there is one now
	help.Use, help.Short, help.Long = "help [COMMAND|TOPIC]", "Explain a command or a topic", helpLong
	commands := help.ValidArgsFunction
	help.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := commands(cmd, args, typed)
		for _, row := range topicRows(root) {
			if len(args) == 0 && strings.HasPrefix(row[0], typed) {
				found = append(found, cobra.CompletionWithDesc(row[0], row[1]))
			}
		}
		return found, directive
	}
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error {
		for _, t := range allTopics(root) {
			if slices.Equal(args, []string{t.Name}) {
				return out.PrintLine(t.text(out.Renderer()))
			}
		}
		found, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
		}
		if err != nil {
			return exit.BadInput("See: "+found.CommandPath()+" --help", err)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}

// topicsOf are what follows the text of a command on its page; the first is its usage.
func topicsOf(cmd *cobra.Command) (all []Topic) {
	usage := cmd.UseLine()
	if cmd.HasSubCommands() {
		usage = cmd.CommandPath() + " COMMAND"
	}
	if !cmd.HasParent() {
		usage = cmd.Name() + " [COMMAND] [flags]"
	}
	add := func(title string, parts ...Part) {
		if parts[0].Block != "" || len(parts[0].Rows) > 0 {
			all = append(all, Topic{Title: title, Parts: parts})
		}
	}
	add("Usage", Part{Block: "  " + usage})
	add("Examples", Part{Block: cmd.Example})
	if cmd.HasParent() {
		add("Commands", Part{Rows: commandRows(cmd, nil)})
	} else {
		for _, group := range Groups {
			add(group.Title, Part{Rows: commandRows(cmd, group.Commands)})
		}
		add("Topics, for "+operation.NameCommands("{command:help TOPIC}", nil), Part{Rows: topicRows(cmd)})
	}
	own, shared := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(common, f.Name) {
			shared.AddFlag(f)
		} else if cmd.InheritedFlags().Lookup(f.Name) == nil && cmd.PersistentFlags().Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	add("Flags", Part{Rows: flagRows(own)})
	add("Flags of every command", Part{Rows: flagRows(shared)},
		Part{Text: "All flags of every command: " + operation.NameCommands("{command:help flags}", nil)})
	return all
}

// commandRows are the commands below one, those with these names in their order; nil stands for all.
func commandRows(cmd *cobra.Command, names []string) (rows [][2]string) {
	for _, child := range cmd.Commands() {
		if shown(child) && (names == nil || slices.Contains(names, child.Name())) {
			rows = append(rows, [2]string{child.Name(), child.Short})
		}
	}
	slices.SortStableFunc(rows, func(a, b [2]string) int {
		return cmp.Compare(slices.Index(names, a[0]), slices.Index(names, b[0]))
	})
	return rows
}

// shown reports whether a command has a page: the library leaves out help itself.
func shown(cmd *cobra.Command) bool { return cmd.IsAvailableCommand() || cmd.Name() == "help" }

func topicRows(root *cobra.Command) (rows [][2]string) {
	for _, t := range allTopics(root) {
		rows = append(rows, [2]string{t.Name, t.Short})
	}
	return rows
}

// allTopics are the topics, with the one that the tree of commands tells.
func allTopics(root *cobra.Command) []Topic {
	flags := Topic{Name: "flags", Title: "Flags of every command", Short: "All flags that every command takes",
		Parts: []Part{{Rows: flagRows(root.PersistentFlags())}}}
	return append([]Topic{flags}, Topics...)
}

// flagRows are the flags of a set with what they take and mean.
func flagRows(set *pflag.FlagSet) (rows [][2]string) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			usage += " (default `" + f.DefValue + "`)"
		}
		rows = append(rows, [2]string{name, usage})
	})
	return rows
}
