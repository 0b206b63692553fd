package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/watching"
	siteconfig "geodeck/adminapi/sites"
	"geodeck/adminapi/upgrade"
	"geodeck/ui"
	"geodeck/ui/cli"
	"geodeck/ui/cli/edits"
	clihelp "geodeck/ui/cli/help"
	"geodeck/ui/help"
	"geodeck/ui/views"
)

// rewrite asks the tests of generated pages to write them: go test . -run Page -rewrite
var rewrite = flag.Bool("rewrite", false, "write the generated pages of docs anew")

// TestKeysPage compares docs/keys.md with the rows that keys, help and palette are made of.
func TestKeysPage(t *testing.T) {
	generated(t, "docs/keys.md", keysHead+keyTables(ui.KeyTable()))
	generated(t, "ui/views/keys.txt", keyList(ui.KeyTable()))
}

// keyList is the first key of each row, for sentences that name the row.
func keyList(groups []help.Group) string {
	key := map[string]string{}
	for _, group := range groups {
		for _, c := range group.Commands {
			if keys := c.Keys(); len(keys) > 0 && key[c.ID] == "" {
				key[c.ID] = keys[0]
			}
		}
	}
	list := "rows of the screen and their keys; written by make pages\n"
	for _, id := range slices.Sorted(maps.Keys(key)) {
		list += id + "\t" + key[id] + "\n"
	}
	return list
}

// TestSchemaPage compares docs/config.schema.json with the keys that config.yaml may have.
func TestSchemaPage(t *testing.T) {
	generated(t, "docs/config.schema.json", string(siteconfig.Schema()))
}

// TestGatesPage compares docs/gates.md with the gates that findings are made of.
func TestGatesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(gatesHead)
	for _, g := range slices.Concat(upgrade.Gates, editing.Gates, operation.SwitchGates) {
		word := "none"
		if g.Accept != "" {
			word = "`" + g.Accept + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |", g.ID, word)
		for _, change := range finding.Changes {
			var weighs []string
			for _, strength := range g.Weighs[change] {
				weighs = append(weighs, strength.String())
			}
			fmt.Fprintf(&b, " %s |", cmp.Or(strings.Join(weighs, ", "), "–"))
		}
		fmt.Fprintf(&b, " %s |\n", g.Means)
	}
	generated(t, "docs/gates.md", b.String())
}

const gatesHead = `# What stands in the way of a change

Made from the program; do not edit by hand. A note asks for nothing. A caution is accepted with space in the
review. A danger is accepted by typing its word. In commands both are accepted by their word:
` + "`--accept removed-key,path`" + `. There is no word for all, and nothing gets over what blocks. ` + "`--allow-none`" + ` is
` + "`--accept no-node`" + `, and ` + "`--allow-lost PATH`" + ` accepts ` + "`removed-key`" + ` of that key, as ` + "`--remove PATH`" + ` does
that removes it, and ` + "`--base FILE --without-reading`" + ` accepts ` + "`unread`" + `. A stop of a service asks for its name instead (` + "`--confirm NAME`" + `).

What could not be read weighs like the worst that it may be, and blocks nothing: it is ` + "`not known`" + `.

| Finding | Word | Release | Patch | Rollback | Edit | Rules | Switch | What accepting it means |
|---|---|---|---|---|---|---|---|---|
`

// generated compares a page with what it should hold, or writes it with -rewrite.
func generated(t *testing.T, name, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is not what the program says; go test . -run Page -rewrite writes it", name)
	}
}

// C17: docs/scripting.md has what geodeck help says of the topics, and each variable of the program is
// one of them.
func TestTopicsPage(t *testing.T) {
	const name = "docs/scripting.md"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, topic := range clihelp.Topics[1:] {
		text, err := clihelp.Texts.ReadFile("topics/" + topic + ".txt")
		title, body, _ := strings.Cut(string(text), "\n\n")
		before, rest, found := strings.Cut(page, "## "+title+"\n")
		_, after, more := strings.Cut(rest, "\n## ")
		if !found || !more || err != nil {
			t.Fatalf("%s has no section %q, %v", name, title, err)
		}
		page = before + "## " + title + "\n" + topicMarkdown(t, body) + "\n`geodeck help " + topic + "` says the same.\n\n## " + after
	}
	generated(t, name, page)
	variable := regexp.MustCompile(`^GEODECK_[A-Z_]*[A-Z]$`)
	for _, file := range sources(t) {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			e, _ := n.(ast.Expr)
			if name, is := literal(e); is && variable.MatchString(name) && !strings.Contains(page, "| "+name+" |") {
				t.Errorf("%s: geodeck help environment does not name %s", file.at(n), name)
			}
			return true
		})
	}
}

// topicMarkdown writes a topic as Markdown: its columns are a table.
func topicMarkdown(t *testing.T, body string) string {
	t.Helper()
	typed := regexp.MustCompile(`(^|[ (])(--?[a-z][a-z-]*(?: (?:table|jsonl?))?)`)
	linked := regexp.MustCompile(`docs/(\w+\.md)`)
	prose := func(text string) string {
		text = typed.ReplaceAllString(escaped(strings.Join(strings.Fields(text), " ")), "$1`$2`")
		return linked.ReplaceAllString(text, "[$1]($1)")
	}
	var b strings.Builder
	for _, block := range strings.Split(strings.Trim(body, "\n"), "\n\n") {
		if !strings.HasPrefix(block, "  ") {
			b.WriteString("\n" + linked.ReplaceAllString(typed.ReplaceAllString(block, "$1`$2`"), "[$1]($1)") + "\n")
			continue
		}
		var rows [][2]string
		for line := range strings.Lines(block) {
			if len(line) > 80+1 {
				t.Errorf("wider than 80 columns: %s", line)
			}
			if word, means, _ := strings.Cut(strings.TrimPrefix(line, "  "), "  "); word != "" {
				rows = append(rows, [2]string{word, means})
			} else {
				rows[len(rows)-1][1] += " " + line
			}
		}
		b.WriteString("\n| | |\n|---|---|\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "| %s | %s |\n", prose(row[0]), prose(row[1]))
		}
	}
	return b.String()
}

// C17: the first page of help lists each command once.
func TestEachCommandIsInAGroupOfHelp(t *testing.T) {
	t.Parallel()
	var grouped, commands []string
	for _, group := range clihelp.Groups {
		grouped = append(grouped, group.Commands...)
	}
	for _, child := range cli.Tree().Commands() {
		commands = append(commands, child.Name())
	}
	if slices.Sort(grouped); !slices.Equal(grouped, commands) {
		t.Errorf("groups have %q, commands are %q", grouped, commands)
	}
}

const keysHead = `# Keys and commands of the screen

Made from the program; do not edit by hand. ` + "`?`" + ` lists the keys of the current screen,
and ` + "`:`" + ` takes every command by its name, with completion.
`

func keyTables(groups []help.Group) string {
	var b strings.Builder
	for _, group := range groups {
		title := group.Title
		if group.View != "" {
			title = group.View + ": " + title
		}
		fmt.Fprintf(&b, "\n## %s\n\n| Key | In the palette | |\n|---|---|---|\n", title)
		for _, c := range group.Commands {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", keysOf(c), nameOf(c), escaped(c.Help))
		}
	}
	return b.String()
}

func keysOf(c views.Command) string {
	var labels []string
	for _, key := range c.Keys() {
		labels = append(labels, "`"+escaped(views.KeyLabel(key, false))+"`")
	}
	return strings.Join(labels, " ")
}

func nameOf(c views.Command) string {
	switch {
	case c.Name == "":
		return ""
	case c.Argument != "":
		return "`:" + escaped(c.Name) + " " + strings.ToUpper(escaped(c.Argument)) + "`"
	}
	return "`:" + escaped(c.Name) + "`"
}

func escaped(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// TestCommandsPage compares docs/commands.md with the tree of commands.
func TestCommandsPage(t *testing.T) {
	page := commandsPage{common: map[string][]string{}}
	root := cli.Tree()
	page.count(root)
	page.b.WriteString(commandsHead)
	page.contents(root)
	page.section("## ", root, root.LocalNonPersistentFlags())
	for _, child := range root.Commands() {
		page.command("## ", child)
	}
	page.b.WriteString("\n## Flags of every command\n")
	page.flags(root.PersistentFlags())
	page.shared()
	generated(t, "docs/commands.md", page.b.String())
}

const commandsHead = `# Commands

Made from the program; do not edit by hand. ` + "`geodeck COMMAND --help`" + ` says the same in a terminal.
Every command also takes [these flags](#flags-of-every-command). For output and exit codes see
[scripting.md](scripting.md).

`

// manyCommands is how many commands share a paragraph that stands once on the page.
const manyCommands = 4

// commandsPage is docs/commands.md while it is written.
type commandsPage struct {
	b      strings.Builder
	common map[string][]string // the commands that have a paragraph in their help
	order  []string            // of the paragraphs
}

// count finds the paragraphs that many commands share.
func (p *commandsPage) count(cmd *cobra.Command) {
	for _, text := range paragraphs(cmd.Long) {
		if p.common[text] == nil {
			p.order = append(p.order, text)
		}
		p.common[text] = append(p.common[text], cmd.CommandPath())
	}
	for _, child := range cmd.Commands() {
		p.count(child)
	}
}

func (p *commandsPage) contents(root *cobra.Command) {
	p.b.WriteString("| Command | |\n|---|---|\n")
	for _, child := range root.Commands() {
		fmt.Fprintf(&p.b, "| %s | %s |\n", link(child.CommandPath()), escaped(child.Short))
		for _, verb := range child.Commands() {
			fmt.Fprintf(&p.b, "| &nbsp;&nbsp;%s | %s |\n", link(verb.CommandPath()), escaped(verb.Short))
		}
	}
}

// shared writes what many commands have in common.
func (p *commandsPage) shared() {
	p.b.WriteString("\n## What several commands share\n")
	for _, text := range p.order {
		if paths := p.common[text]; len(paths) >= manyCommands {
			links := make([]string, len(paths))
			for i, path := range paths {
				links[i] = link(path)
			}
			fmt.Fprintf(&p.b, "\n%s\n\nThis holds for %s.\n", prose(text), strings.Join(links, ", "))
		}
	}
}

func (p *commandsPage) command(heading string, cmd *cobra.Command) {
	p.section(heading, cmd, cmd.LocalFlags())
	for _, child := range cmd.Commands() {
		p.command("#"+heading, child)
	}
}

// section writes what one command does and takes.
func (p *commandsPage) section(heading string, cmd *cobra.Command, flags *pflag.FlagSet) {
	fmt.Fprintf(&p.b, "\n%s%s\n", heading, cmd.CommandPath())
	if !cmd.HasSubCommands() || !cmd.HasParent() {
		fmt.Fprintf(&p.b, "\n```\n%s\n```\n", cmd.UseLine())
	}
	text := paragraphs(cmd.Long)
	if len(text) == 0 || len(p.common[text[0]]) >= manyCommands {
		text = append([]string{cmd.Short + "."}, text...)
	}
	for _, paragraph := range text {
		if len(p.common[paragraph]) < manyCommands {
			p.b.WriteString("\n" + prose(paragraph) + "\n")
		}
	}
	p.flags(flags)
	if cmd.Example != "" {
		lines := strings.Split(cmd.Example, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, "  ")
		}
		fmt.Fprintf(&p.b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
	}
}

func (p *commandsPage) flags(set *pflag.FlagSet) {
	var rows []string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			usage += " (default `" + f.DefValue + "`)"
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", name, value, escaped(usage)))
	})
	if len(rows) > 0 {
		p.b.WriteString("\n| Flag | Takes | |\n|---|---|---|\n" + strings.Join(rows, ""))
	}
}

// paragraphs splits a help text at its empty lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(text), "\n\n")
}

// prose writes a paragraph for Markdown: one that is set out in columns stays so.
func prose(paragraph string) string {
	if strings.HasPrefix(paragraph, "  ") {
		return "```\n" + paragraph + "\n```"
	}
	return strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(paragraph)
}

// link leads to the section of a command.
func link(path string) string {
	return fmt.Sprintf("[%s](#%s)", path, strings.ReplaceAll(path, " ", "-"))
}

// F11: the list of the kinds of errors in docs/scripting.md is whole.
func TestKindsOfErrorsPage(t *testing.T) {
	page, err := os.ReadFile("docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{string(watching.AlarmElsewhere): "watching", edits.KindDrift: "edits"}
	for k := adminapi.Kind(0); k.String() != adminapi.Kind(-1).String(); k++ {
		kinds[k.String()] = "adminapi"
	}
	written := regexp.MustCompile(`(?:Refusal\(|Kind: +|Kind = +)"([a-z -]+)"`)
	for _, file := range sources(t) {
		content, err := os.ReadFile(file.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range written.FindAllStringSubmatch(string(content), -1) {
			if strings.HasPrefix(file.name, "ui/cli/") {
				kinds[found[1]] = file.name
			}
		}
	}
	for kind, from := range kinds {
		if !strings.Contains(string(page), "`"+kind+"`") {
			t.Errorf("docs/scripting.md does not name the kind %q of %s", kind, from)
		}
	}
}
