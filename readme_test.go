package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"geodeck/ui"
	"geodeck/ui/views"
)

// rewrite asks the tests of generated pages to write them: go test . -run Page -rewrite
var rewrite = flag.Bool("rewrite", false, "write the generated pages of docs anew")

// TestKeysPage compares docs/keys.md with the rows that keys, help and palette are made of.
func TestKeysPage(t *testing.T) { generated(t, "docs/keys.md", keysHead+keyTables(ui.KeyTable())) }

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

const keysHead = `# Keys and commands of the screen

Made from the program; do not edit by hand. On the screen, ` + "`?`" + ` lists what the screen in front of you
can do, and ` + "`:`" + ` takes every command by its name, with completion.
`

func keyTables(groups []ui.Group) string {
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
