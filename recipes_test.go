package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// block is a file in a page: its name ends the line above it.
var block = regexp.MustCompile("(?ms)^[^\n]*`([^`\\s]+)`:\n\n```[a-z]*\n(.*?)^```$")

// recipes are the files that the pages print for who runs geodeck unattended, by their names without folders.
func recipes() (map[string]string, error) {
	files := map[string]string{}
	for _, name := range []string{"docs/recipes.md", "docs/scripting.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, m := range block.FindAllStringSubmatch(string(page), -1) {
			files[filepath.Base(m[1])] = m[2]
		}
	}
	return files, nil
}

// writePrinted writes files as the pages print them.
func writePrinted(ts *testscript.TestScript, neg bool, args []string) {
	files, err := recipes()
	ts.Check(err)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: printed NAME...")
	}
	for _, name := range args {
		text, is := files[name]
		if !is {
			ts.Fatalf("no page prints %s; they print %q", name, slices.Sorted(maps.Keys(files)))
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o700))
	}
}

// recipe runs what a page prints, as it is printed.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: recipe CODE NAME ARGS...")
	}
	writePrinted(ts, false, args[1:2])
	ends(ts, args[0], "sh", args[1:])
}

// Each recipe is run by a script, and nothing else than these is printed on their page.
func TestEveryRecipeIsRun(t *testing.T) {
	files, err := recipes()
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/script/recipe_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	run := ""
	for _, name := range scripts {
		script, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		run += string(script)
	}
	for name := range files {
		if !regexp.MustCompile(`(?m)^(?:recipe|printed) .*\b` + regexp.QuoteMeta(name) + `\b`).MatchString(run) {
			t.Errorf("%s is printed, and no script runs it", name)
		}
		if strings.HasSuffix(name, ".sh") && !strings.HasPrefix(files[name], "#!/bin/sh\n") {
			t.Errorf("%s does not begin with #!/bin/sh", name)
		}
	}
	page, err := os.ReadFile("docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	const blocks = 7
	if n, named := strings.Count(string(page), "\n```sh\n"), len(block.FindAllString(string(page), -1)); n != blocks || named != blocks {
		t.Errorf("%d scripts, %d of them with a name; want %d", n, named, blocks)
	}
}
