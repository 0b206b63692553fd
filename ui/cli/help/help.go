// Package help is what "geodeck help" says: short pages of commands, topics, and both as man pages.
// Pages are made of the tree of commands; docs/scripting.md is made of the topics.
//
// Start at [Install].
package help

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// Groups are the commands of the first page, by what an administrator comes for.
var Groups = []struct {
	Title    string
	Commands []string
}{
	{"Health", []string{"health", "fleet", "doctor"}},
	{"Upgrades", []string{"upgrade"}},
	{"Services", []string{"service", "placement"}},
	{"The site as files", []string{"pull", "diff", "apply"}},
	{"What was done", []string{"log", "job"}},
	{"Sites and sign-in", []string{"site", "login", "logout", "token", "whoami"}},
	{"Without a site", []string{"demo", "serve"}},
	{"This program", []string{"help", "version", "completion", "man"}},
}

// common are the flags of every command that each page shows: which site, how its result looks, and
// how long. The others are settings of a machine or of a site, which belong into config.yaml or the
// environment.
var common = []string{"output", "site", "timeout", "url"}

// Topics are the names of all. Each but the first is a file of Texts, which begins with its title.
var Topics = []string{"flags", "environment", "exit-codes", "output"}

// Texts are the topics that docs/scripting.md has, too.
//
//go:embed topics
var Texts embed.FS

// topic returns a topic, empty where there is none.
func topic(root *cobra.Command, name string) string {
	if name == Topics[0] {
		return "Flags of every command\n\n" + root.PersistentFlags().FlagUsagesWrapped(80)
	}
	text, _ := Texts.ReadFile("topics/" + name + ".txt")
	return string(text)
}

// topicMeant is the topic that a word begins, or is near; empty for none.
func topicMeant(word string) string {
	if i := slices.IndexFunc(Topics, func(topic string) bool { return word != "" && word != topic && strings.HasPrefix(topic, word) }); i >= 0 {
		return Topics[i]
	}
	return spelling.Nearest(word, Topics)
}

// Install gives root and its commands their groups and pages, and "geodeck help" its topics.
func Install(root *cobra.Command, out *output.Output) {
	root.InitDefaultHelpCmd()
	for _, group := range Groups {
		root.AddGroup(&cobra.Group{ID: group.Title, Title: group.Title + ":"})
		for _, child := range root.Commands() {
			if slices.Contains(group.Commands, child.Name()) {
				child.GroupID = group.Title
			}
		}
	}
	page, more := root.HelpFunc(), strings.Join(Topics, ", ")
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = !slices.Contains(common, f.Name) })
		page(cmd, args)
		_ = out.PrintLine("\nMore: " + operation.NameCommands("{command:help}", nil) + " " + more)
	})
	help, _, _ := root.Find([]string{"help"}) // there is one now
	help.Use, help.Short, help.Long = "help [COMMAND|TOPIC]", "Explain a command or a topic", ""
	commands := help.ValidArgsFunction
	help.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := commands(cmd, args, typed)
		if len(args) == 0 {
			found = append(found, Topics...) // the shell takes those that begin so
		}
		return found, directive
	}
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error {
		if text := topic(root, strings.Join(args, " ")); text != "" {
			return out.PrintLine(strings.TrimSpace(text))
		}
		found, rest, err := root.Find(args)
		switch wrong := err != nil || len(rest) > 0; {
		case wrong && found == root && topicMeant(args[0]) != "":
			return exit.BadInput(spelling.Question(topicMeant(args[0])), fmt.Errorf("there is no topic %q", plain.Clip(args[0], 60)))
		case wrong:
			return command.Unknown(found, rest[0])
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}
