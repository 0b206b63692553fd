package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"geodeck/ui/cli"
	"geodeck/ui/cli/output"
	"geodeck/ui/uitest/schema"
)

// ofTheSite are the commands that print the site's own object, as it wrote it.
var ofTheSite = []string{
	"health run", "health report", "health export", "job get", "job wait", "placement get", "service get",
	"placement history", "service history", // of one version
	"upgrade settings",
}

// promised checks what a command line printed against the schemas of its command, and what it told beside that.
func promised(ts *testscript.TestScript, args []string, printed, told []byte) {
	var o output.Output
	if o.FindForm(args); !o.JSON() || slices.Contains(args, "--help") {
		return
	}
	for line := range bytes.Lines(told) {
		if wrong := schema.Messages(cli.Messages(), nil).Check(line); len(wrong) > 0 {
			ts.Fatalf("the standard error is not as its schema says:\n%s\n%s", strings.Join(wrong, "\n"), line)
		}
	}
	if len(printed) == 0 {
		return
	}
	cmd, _, err := cli.Tree().Find(args)
	if err != nil {
		return
	}
	command := strings.TrimPrefix(cmd.CommandPath(), "geodeck ")
	shapes := cli.Shapes()[command]
	own := slices.Contains(ofTheSite, command)
	if shapes == nil && !own && command != "geodeck" {
		ts.Fatalf("%s prints JSON without a schema", command)
	}
	document := schema.Document(shapes, o.Lines(), nil)
	for decoder := json.NewDecoder(bytes.NewReader(printed)); decoder.More(); {
		var one json.RawMessage
		if err := decoder.Decode(&one); err != nil {
			ts.Fatalf("%s prints no JSON: %v", command, err)
		}
		if own && !bytes.Contains(one, []byte(`"schemaVersion"`)) {
			continue
		}
		if wrong := document.Check(one); len(wrong) > 0 {
			ts.Fatalf("%s prints what its schema does not say:\n%s\n%s", command, strings.Join(wrong, "\n"), one)
		}
	}
}

// TestJSONPages compares docs/json and the table of docs/json.md with the types of what commands print.
func TestJSONPages(t *testing.T) {
	const folder, page = "docs/json", "docs/json.md"
	said := schema.Comments("geodeck", ".")
	want := map[string]bool{}
	write := func(name, title string, s *schema.Schema) string {
		s.Version, s.Title = schema.Draft, title
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		name = folder + "/" + name + ".schema.json"
		want[name] = true
		generated(t, name, string(text)+"\n")
		return name
	}
	write("messages", "a line of the standard error with -o json", schema.Messages(cli.Messages(), said))
	table := "| Command | prints |\n|---|---|\n"
	for _, command := range slices.Sorted(maps.Keys(cli.Shapes())) {
		shapes := cli.Shapes()[command]
		name := write(strings.ReplaceAll(command, " ", "-"), "geodeck "+command+" -o json", schema.Document(shapes, false, said))
		var kinds []string
		for _, v := range shapes {
			kind := "an object"
			if reflect.TypeOf(v).Kind() == reflect.Slice {
				kind = "items"
			}
			kinds = append(kinds, kind)
		}
		table += fmt.Sprintf("| [`%s`](%s) | %s |\n", command, strings.TrimPrefix(name, "docs/"), strings.Join(slices.Compact(kinds), ", or "))
	}
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(content), "| Command |")
	generated(t, page, head+table)
	for _, command := range ofTheSite {
		if !strings.Contains(head, "`"+command) {
			t.Errorf("%s does not say that %s prints the site's own object", page, command)
		}
	}
	there, err := filepath.Glob(folder + "/*")
	for _, name := range there {
		if !want[name] && *rewrite {
			err = cmp.Or(err, os.Remove(name))
		} else if !want[name] {
			t.Errorf("%s is of no command", name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Times of what is promised are no milliseconds, and what it has of the site stands in a member of its own.
func TestPromisedTimesAreTexts(t *testing.T) {
	for command, shapes := range cli.Shapes() {
		for _, v := range shapes {
			for _, wrong := range millisecondsIn(reflect.TypeOf(v), command) {
				t.Error(wrong)
			}
		}
	}
}

func millisecondsIn(t reflect.Type, at string) (wrong []string) {
	switch {
	case t.PkgPath() == "time":
	case t.Name() == "Millis":
		return []string{at + " is in milliseconds"}
	case slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, t.Kind()):
		return millisecondsIn(t.Elem(), at)
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			if (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" {
				wrong = append(wrong, millisecondsIn(f.Type, fmt.Sprint(at, ".", f.Name))...)
			}
		}
	}
	return wrong
}
