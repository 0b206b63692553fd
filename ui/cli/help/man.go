package help

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// ManCommand makes "geodeck man".
func ManCommand(out *output.Output) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the man pages of all commands into a folder",
		Long: `Write geodeck.1 and a page for each command, such as geodeck-health-run.1, into a folder,
which is made if it is not there. Pages of the same names are replaced.`,
		Example: `  geodeck man ~/.local/share/man/man1
  man geodeck-health-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages, err := allBelow(cmd.Root()), os.MkdirAll(args[0], 0o755)
			for _, page := range pages {
				if err == nil {
					err = os.WriteFile(filepath.Join(args[0], pageName(page)+".1"), []byte(manPage(page)), 0o644)
				}
			}
			if err != nil {
				return exit.BadInput("Some pages may be missing; name a folder that you may write to.", err)
			}
			out.Note("the man pages are written; read the first: man -l " + filepath.Join(args[0], "geodeck.1"))
			return nil
		},
	}
}

// allBelow are a command and all below it; the library counts help itself as none.
func allBelow(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() || child.Name() == "help" {
			all = append(all, allBelow(child)...)
		}
	}
	return all
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is the page of one command. It has no date: the same program writes the same pages.
func manPage(cmd *cobra.Command) string {
	page := fmt.Sprintf(".TH %s 1 \"\" \"geodeck %s\" geodeck\n.nh\n.ad l\n", strings.ToUpper(escaped(pageName(cmd))), command.ThisBuild().Version)
	section := func(title, text string) {
		if text == "" {
			return
		}
		page += ".SH " + strings.ToUpper(title) + "\n"
		for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
			if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "- ") { // set out in lines
				paragraph = ".nf\n" + escaped(paragraph) + "\n.fi"
			} else {
				paragraph = escaped(paragraph)
			}
			page += ".PP\n" + paragraph + "\n"
		}
	}
	section("Name", pageName(cmd)+" - "+cmd.Short)
	section("Synopsis", "  "+cmd.UseLine())
	section("Description", cmd.Long)
	section("Options", cmd.LocalNonPersistentFlags().FlagUsagesWrapped(72))
	section("Examples", cmd.Example)
	commands := ""
	for _, below := range allBelow(cmd)[1:] {
		commands += pageName(below) + "(1) - " + below.Short + "\n\n"
	}
	section("Commands", commands)
	if cmd.HasParent() {
		section("See also", "geodeck(1) for the flags of every command, the environment, exit codes and output.")
		return page
	}
	for _, name := range Topics {
		title, text, _ := strings.Cut(topic(cmd, name), "\n\n")
		section(title, text)
	}
	return page
}

// escaped is a text that roff prints as it is: a hyphen of a flag can be copied, and no line is taken for
// a request.
func escaped(text string) string {
	return strings.TrimPrefix(strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n"+text), "\n")
}
