package help

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
			out.Note(fmt.Sprintf("%d pages written; read the first: man -l %s", len(pages), filepath.Join(args[0], "geodeck.1")))
			return nil
		},
	}
}

// allBelow are a command and all below it.
func allBelow(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		if shown(child) {
			all = append(all, allBelow(child)...)
		}
	}
	return all
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manTitles are the titles that readers of man pages look for.
var manTitles = map[string]string{"Usage": "Synopsis", "Flags": "Options"}

// manPage is the page of one command. It has no date: the same program writes the same pages.
func manPage(cmd *cobra.Command) string {
	about := Topic{Title: "Description"}
	for _, paragraph := range strings.Split(cmp.Or(strings.TrimSpace(cmd.Long), cmd.Short+"."), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			about.parts = append(about.parts, part{block: paragraph})
		} else {
			about.parts = append(about.parts, part{prose: strings.ReplaceAll(paragraph, "\n", " ")})
		}
	}
	topics := slices.Insert(topicsOf(cmd), 1, about)
	var others []string
	if !cmd.HasParent() {
		topics = append(topics, allTopics(cmd)...)
	}
	for up := cmd.Parent(); up != nil; up = up.Parent() {
		others = append(others, pageName(up)+"(1)")
	}
	for _, row := range commandRows(cmd, nil) {
		others = append(others, pageName(cmd)+"-"+row[0]+"(1)")
	}
	topics = append(topics, Topic{Title: "See also", parts: []part{{prose: strings.Join(others, ", ")}}})
	name := escaped(pageName(cmd))
	page := fmt.Sprintf(".TH %s 1 \"\" \"geodeck %s\" geodeck\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(name), escaped(command.ThisBuild().Version), name, escaped(cmd.Short))
	for _, t := range topics {
		page += ".SH " + strings.ToUpper(cmp.Or(manTitles[t.Title], t.Title)) + "\n"
		for _, p := range t.parts {
			page += p.roff()
		}
	}
	return page
}

func (p part) roff() (text string) {
	if p.prose != "" {
		text = ".PP\n" + escaped(p.prose) + "\n"
	}
	if p.block != "" {
		text += ".PP\n.nf\n" + escaped(p.block) + "\n.fi\n"
	}
	for _, item := range p.list {
		text += ".IP \\(bu 2\n" + escaped(item) + "\n"
	}
	for _, row := range p.rows {
		text += ".TP\n\\fB" + escaped(row[0]) + "\\fR\n" + escaped(row[1]) + "\n"
	}
	return text
}

// escaped is a text that roff prints as it is: a hyphen of a flag can be copied, and no line is taken for
// a request.
func escaped(text string) string {
	return strings.TrimPrefix(strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n"+bare(text)), "\n")
}
