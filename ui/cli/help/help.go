// Package help is what "geodeck help" says: the pages of commands, the topics, and both as man pages.
// Pages are made of the tree of commands; docs/scripting.md has the topics as sections.
//
// Start at [Install].
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

// Install gives all commands below root, also later ones, their pages, and "geodeck help" its topics.
func Install(root *cobra.Command, out *output.Output) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = out.PrintLine(page(cmd, out.Renderer())) // nobody reads why help could not be printed
	})
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // there is one now
	help.Use, help.Short, help.Long = "help [COMMAND|TOPIC]", "Explain a command or a topic", helpLong
	commands := help.ValidArgsFunction
	help.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := commands(cmd, args, typed)
		for _, t := range topicRows(root) {
			if len(args) == 0 && strings.HasPrefix(t[0], typed) {
				found = append(found, cobra.CompletionWithDesc(t[0], t[1]))
			}
		}
		return found, directive
	}
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error {
		topics := allTopics(root)
		if i := slices.IndexFunc(topics, func(t Topic) bool { return slices.Equal(args, []string{t.Name}) }); i >= 0 {
			return out.PrintLine(topics[i].text(out.Renderer()))
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

const helpLong = `Explain a command, or one of the topics:

  flags        all flags that every command takes
  environment  the variables that geodeck reads
  exit-codes   what each exit code means
  output       tables, JSON, colours, and where errors go`

// page is what --help prints.
func page(cmd *cobra.Command, l *output.Renderer) string {
	var b strings.Builder
	b.WriteString(cmp.Or(strings.TrimSpace(cmd.Long), cmd.Short) + "\n\nUsage:\n")
	if !cmd.HasParent() || !cmd.HasSubCommands() {
		b.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	if verbs := commandRows(cmd, nil); cmd.HasParent() && len(verbs) > 0 {
		b.WriteString("\nCommands:\n" + columns(verbs, widthOf(verbs), l))
	} else if !cmd.HasParent() {
		topics := topicRows(cmd)
		width := max(widthOf(verbs), widthOf(topics))
		for _, group := range Groups {
			b.WriteString("\n" + group.Title + ":\n" + columns(commandRows(cmd, group.Commands), width, l))
		}
		b.WriteString("\nTopics, for " + operation.NameCommands("{command:help TOPIC}", nil) + ":\n" + columns(topics, width, l))
	}
	if own := ownFlags(cmd); own.HasAvailableFlags() {
		b.WriteString("\nFlags:\n" + own.FlagUsagesWrapped(l.Width))
	}
	b.WriteString("\nFlags of every command; all of them: " + operation.NameCommands("{command:help flags}", nil) + "\n")
	return b.String() + strings.TrimRight(commonFlags(cmd).FlagUsagesWrapped(l.Width), "\n")
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

// ownFlags are the flags of a command that not every command has.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && cmd.Root().PersistentFlags().Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	return own
}

// commonFlags are the flags of every command that each page shows.
func commonFlags(cmd *cobra.Command) *pflag.FlagSet {
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range common {
		if f := cmd.Flag(name); f != nil {
			shared.AddFlag(f)
		}
	}
	return shared
}

// text is the topic for a terminal.
func (t Topic) text(l *output.Renderer) string {
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	for _, p := range t.Parts {
		b.WriteString("\n")
		if p.Text != "" {
			b.WriteString(strings.Join(l.Wrapped(bare(p.Text), 0), "\n") + "\n")
		}
		for _, item := range p.List {
			b.WriteString("- " + strings.Join(l.Wrapped(bare(item), 2), "\n  ") + "\n")
		}
		b.WriteString(columns(p.Rows, min(widthOf(p.Rows), widest), l))
	}
	return strings.TrimRight(b.String(), "\n")
}

// widthOf is that of the first column.
func widthOf(rows [][2]string) (width int) {
	for _, row := range rows {
		width = max(width, len(bare(row[0])))
	}
	return width
}

// widest is how wide the first column of a topic gets: what is wider has a line of its own.
const widest = 24

// columns sets rows out, the second column wrapped at the width of the terminal.
func columns(rows [][2]string, width int, l *output.Renderer) string {
	var b strings.Builder
	margin := 2 + width + output.Gap
	indent := "\n" + strings.Repeat(" ", margin)
	for _, row := range rows {
		word, gap := bare(row[0]), indent
		if spare := width - len(word); spare >= 0 {
			gap = strings.Repeat(" ", spare+output.Gap)
		}
		b.WriteString("  " + word + gap + strings.Join(l.Wrapped(bare(row[1]), margin), indent) + "\n")
	}
	return b.String()
}

// bare is a text without the marks of what is typed.
func bare(text string) string { return strings.ReplaceAll(text, "`", "") }
