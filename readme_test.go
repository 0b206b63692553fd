package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"geodeck/ui"
	"geodeck/ui/views"
)

// TestTheReadmeHasTheKeysOfTheProgram compares the tables in the README with
// the one that feeds keys, help and palette. Where they differ it prints what
// belongs between the two marks.
func TestTheReadmeHasTheKeysOfTheProgram(t *testing.T) {
	const begin, end = "<!-- keys -->\n", "<!-- end of keys -->"
	content, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(content), begin)
	have, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the README has no place for the keys between %q and %q", begin, end)
	}
	if want := keyTables(ui.KeyTable()); have != want {
		t.Errorf("the README's keys are not the program's; wanted:\n%s%s%s", begin, want, end)
	}
}

func keyTables(groups []ui.Group) string {
	var b strings.Builder
	for _, group := range groups {
		title := group.Title
		if group.View != "" {
			title = group.View + ": " + title
		}
		fmt.Fprintf(&b, "\n**%s**\n\n| Key | In the palette | |\n|---|---|---|\n", title)
		for _, c := range group.Commands {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", keysOf(c), nameOf(c), escaped(c.Help))
		}
	}
	return b.String() + "\n"
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
