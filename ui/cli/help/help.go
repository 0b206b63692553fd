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
	add := func(title string, parts ...part) {
		if parts[0].block != "" || len(parts[0].rows) > 0 {
			all = append(all, Topic{Title: title, parts: parts})
		}
	}
	add("Usage", part{block: "  " + usage})
	add("Examples", part{block: cmd.Example})
	if cmd.HasParent() {
		add("Commands", part{rows: commandRows(cmd, nil)})
	} else {
		for _, group := range Groups {
			add(group.Title, part{rows: commandRows(cmd, group.Commands)})
		}
		add("Topics, for "+operation.NameCommands("{command:help TOPIC}", nil), part{rows: topicRows(cmd)})
	}
	shared := func(name string) bool { return slices.Contains(common, name) }
	own := func(name string) bool { return !shared(name) && cmd.Root().PersistentFlags().Lookup(name) == nil }
	add("Flags", part{rows: flagRows(cmd, own)})
	add("Flags of every command", part{rows: flagRows(cmd, shared)},
		part{prose: "All flags of every command: " + operation.NameCommands("{command:help flags}", nil)})
	return all
}

// commandRows are the commands below one, those with these names; nil stands for all.
func commandRows(cmd *cobra.Command, names []string) (rows [][2]string) {
	for _, child := range cmd.Commands() {
		if shown(child) && (names == nil || slices.Contains(names, child.Name())) {
			rows = append(rows, [2]string{child.Name(), child.Short})
		}
	}
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
		parts: []part{{rows: flagRows(root, func(name string) bool { return root.PersistentFlags().Lookup(name) != nil })}}}
	return append([]Topic{flags}, Topics()...)
}

// flagRows are the flags of a command that are meant, with what they take and mean.
func flagRows(cmd *cobra.Command, meant func(name string) bool) (rows [][2]string) {
	_ = cmd.InheritedFlags() // adds those to the others
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || !meant(f.Name) {
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
