package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// notPromised are the commands whose objects have no type of their own yet, or still times of other kinds.
var notPromised = []string{
	"serve", "doctor", "diff", "pull", "apply",
	"health explain", "service explain",
	"placement pods", "placement presets",
	"service start",
	"service stop", "service status",
	"site add",
}

// schemasOf are the schemas of what a command prints, one of which each document has.
func schemasOf(command string, lines bool) (all []*schema.Schema) {
	for _, v := range cli.Shapes()[command] {
		t := reflect.TypeOf(v)
		isList := t.Kind() == reflect.Slice
		if isList {
			t = t.Elem()
		}
		s := schema.Of(t, nil)
		if isList && !lines {
			s = &schema.Schema{Type: "object", Properties: map[string]*schema.Schema{"items": {Type: "array", Items: s}}, Required: []string{"items"}}
		}
		s.Properties["schemaVersion"] = &schema.Schema{Type: "integer"}
		s.Required = append(s.Required, "schemaVersion")
		all = append(all, s)
	}
	return all
}

// promised checks what a command line printed against the schemas of its command.
func promised(ts *testscript.TestScript, args []string, printed []byte) {
	var o output.Output
	if o.FindForm(args); !o.JSON() || len(printed) == 0 || slices.Contains(args, "--help") {
		return
	}
	cmd, _, err := cli.Tree().Find(args)
	if err != nil {
		return
	}
	command := strings.TrimPrefix(cmd.CommandPath(), "geodeck ")
	schemas := schemasOf(command, o.Lines())
	if slices.Contains(notPromised, command) {
		if schemas != nil {
			ts.Fatalf("%s is promised", command)
		}
		return
	}
	own := slices.Contains(ofTheSite, command)
	if schemas == nil && !own && command != "geodeck" {
		ts.Fatalf("%s prints JSON without a schema", command)
	}
	for decoder := json.NewDecoder(bytes.NewReader(printed)); decoder.More(); {
		var one json.RawMessage
		if err := decoder.Decode(&one); err != nil {
			ts.Fatalf("%s prints no JSON: %v", command, err)
		}
		if own && !bytes.Contains(one, []byte(`"schemaVersion"`)) {
			continue
		}
		if wrong := fits(schemas, one); wrong != "" {
			ts.Fatalf("%s prints what its schema does not say:\n%s\n%s", command, wrong, one)
		}
	}
}

// fits says what of a document no schema allows, by that which allows most; empty where one allows it.
func fits(schemas []*schema.Schema, document []byte) string {
	var least []string
	for i, s := range schemas {
		wrong := s.Check(document)
		if len(wrong) == 0 {
			return ""
		}
		if i == 0 || len(wrong) < len(least) {
			least = wrong
		}
	}
	return strings.Join(least, "\n")
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
