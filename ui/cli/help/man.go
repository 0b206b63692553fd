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
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error { return writePages(cmd.Root(), args[0], out) },
	}
}

func writePages(root *cobra.Command, dir string, out *output.Output) error {
	pages := manPages(root, "geodeck "+command.ThisBuild().Version)
	err := os.MkdirAll(dir, 0o755)
	for name, content := range pages {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
		}
	}
	if err != nil {
		return exit.BadInput("Some pages may be missing; name a folder that you may write to.", err)
	}
	out.Note(fmt.Sprintf("%d pages written; read the first: man -l %s", len(pages), filepath.Join(dir, "geodeck.1")))
	return nil
}

// manPages are the pages of a command and of all below it, by the names of their files.
func manPages(cmd *cobra.Command, version string) map[string]string {
	pages := map[string]string{pageName(cmd) + ".1": manPage(cmd, version)}
	for _, child := range cmd.Commands() {
		if shown(child) {
			for name, content := range manPages(child, version) {
				pages[name] = content
			}
		}
	}
	return pages
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff is a page while it is written.
type roff struct{ strings.Builder }

// manPage is the page of one command. It has no date: the same program writes the same pages.
func manPage(cmd *cobra.Command, version string) string {
	var r roff
	fmt.Fprintf(&r, ".TH %q 1 \"\" %q geodeck\n.nh\n.ad l\n", escaped(strings.ToUpper(pageName(cmd))), escaped(version))
	r.section("Name")
	r.line(pageName(cmd) + " - " + cmd.Short)
	r.section("Synopsis")
	words := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	if cmd.HasSubCommands() {
		words = " COMMAND"
	}
	r.WriteString(`\fB` + escaped(cmd.CommandPath()) + `\fR` + escaped(words) + "\n")
	r.section("Description")
	for _, paragraph := range strings.Split(strings.TrimSpace(cmd.Long), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			r.block(paragraph)
		} else if paragraph != "" {
			r.parts(Part{Text: strings.ReplaceAll(paragraph, "\n", " ")})
		}
	}
	if cmd.Long == "" {
		r.line(cmd.Short + ".")
	}
	if rows := commandRows(cmd, nil); len(rows) > 0 {
		r.section("Commands")
		r.parts(Part{Rows: rows})
	}
	if own := flagRows(ownFlags(cmd)); len(own) > 0 {
		r.section("Options")
		r.parts(Part{Rows: own})
	}
	if !cmd.HasParent() {
		for _, t := range allTopics(cmd) {
			r.section(t.Title)
			r.parts(t.Parts...)
		}
	} else {
		r.section("Options of every command")
		r.parts(Part{Text: "geodeck(1) has all of them; these are in daily use:"}, Part{Rows: flagRows(commonFlags(cmd))})
	}
	if cmd.Example != "" {
		r.section("Examples")
		r.block(cmd.Example)
	}
	var others []string
	for up := cmd.Parent(); up != nil; up = up.Parent() {
		others = append(others, pageName(up)+"(1)")
	}
	for _, row := range commandRows(cmd, nil) {
		others = append(others, pageName(cmd)+"-"+row[0]+"(1)")
	}
	r.section("See also")
	r.line(strings.Join(others, ", "))
	return r.String()
}

func (r *roff) section(title string) { r.WriteString(".SH " + strings.ToUpper(title) + "\n") }

func (r *roff) line(text string) { r.WriteString(escaped(text) + "\n") }

// block is what keeps its lines.
func (r *roff) block(text string) {
	r.WriteString(".PP\n.nf\n")
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n"))
	}
	r.WriteString(".fi\n")
}

func (r *roff) parts(parts ...Part) {
	for _, p := range parts {
		if p.Text != "" {
			r.WriteString(".PP\n")
			r.line(bare(p.Text))
		}
		for _, item := range p.List {
			r.WriteString(".IP \\(bu 2\n")
			r.line(bare(item))
		}
		for _, row := range p.Rows {
			r.WriteString(".TP\n\\fB" + escaped(bare(row[0])) + "\\fR\n")
			r.line(bare(row[1]))
		}
	}
}

// escaped is a text that roff prints as it is: a hyphen of a flag can be copied, and no line is taken for
// a request.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
