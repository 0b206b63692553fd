package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
)

func TestADefinitionIsCheckedByTheRulesOfItsFields(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit edit
		want []finding.Finding
	}{
		{"as it is", move("type", 1), nil},
		{"an unknown key", add("", "anything", `{"x":[1]}`, -1), nil},
		{"min above max", set("minInstancesPerNode", "3"), []finding.Finding{
			{Strength: finding.Block, Text: "Minimum 3 is above maximum 2.", At: finding.Place{Path: "minInstancesPerNode", Line: 11}}}},
		{"a fraction", set("maxWaitTime", "1.5"), []finding.Finding{{Strength: finding.Block, Text: "Should be a whole number, but is 1.5.", At: finding.Place{Path: "maxWaitTime", Line: 14}}}},
		{"a whole number with a point", set("maxWaitTime", "60.0"), nil},
		{"a huge exponent", set("maxWaitTime", "1e-99999999999999999999"), []finding.Finding{
			{Strength: finding.Block, Text: "Should be a whole number, but is 1e-99999999999999999999.", At: finding.Place{Path: "maxWaitTime", Line: 14}}}},
		{"a text for a number", set("maxWaitTime", `"60"`), []finding.Finding{{Strength: finding.Block, Text: "Should be a number, but is a text.", At: finding.Place{Path: "maxWaitTime", Line: 14}}}},
		{"below zero", set("minInstancesPerNode", "-1"), []finding.Finding{{Strength: finding.Block, Text: "Below 0: -1.", At: finding.Place{Path: "minInstancesPerNode", Line: 11}}}},
		{"a time below zero", set("maxIdleTime", "-1"), []finding.Finding{{Strength: finding.Note, Text: "Below 0: -1.", At: finding.Place{Path: "maxIdleTime", Line: 16}}}},
		{"a clock time", set("recycleStartTime", `"23:59"`), nil},
		{"no clock time", set("recycleStartTime", `"24:00"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "24:00".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"nor this", set("recycleStartTime", `"7:30"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "7:30".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"nor this either", set("recycleStartTime", `"+1:30"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "+1:30".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"nor a minute", set("recycleStartTime", `"07:60"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "07:60".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"nor letters", set("recycleStartTime", `"07:3x"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "07:3x".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"nor another sign", set("recycleStartTime", `"07.30"`), []finding.Finding{{Strength: finding.Block, Text: `Should be a time as HH:MM, but is "07.30".`, At: finding.Place{Path: "recycleStartTime", Line: 21}}}},
		{"an extension property that is no text", set("extensions[WMSServer].properties.customGetCapabilities", "false"), []finding.Finding{
			{Strength: finding.Block, Text: "Should be a text, but is true or false.", At: finding.Place{Path: "extensions[WMSServer].properties.customGetCapabilities", Line: 49}}}},
		{"an extension switched by a text", set("extensions[WMSServer].enabled", `"true"`), []finding.Finding{
			{Strength: finding.Block, Text: "Should be true or false, but is a text.", At: finding.Place{Path: "extensions[WMSServer].enabled", Line: 45}}}},
		{"an extension that is no object", set("extensions[WFSServer]", "null"), []finding.Finding{
			{Strength: finding.Block, Text: "Should be an object, but is null.", At: finding.Place{Path: "extensions[1]", Line: 53}}}},
		{"an extension without a name", remove("extensions[WFSServer].typeName"), []finding.Finding{
			{Strength: finding.Block, Text: "The extension has no typeName.", At: finding.Place{Path: "extensions[1]", Line: 53}}}},
		{"two extensions of a name", set("extensions[WFSServer].typeName", `"WMSServer"`), []finding.Finding{
			{Strength: finding.Block, Text: `Another extension has the typeName "WMSServer".`, At: finding.Place{Path: "extensions[1]", Line: 53}}}},
		{"an extra comma", set("capabilities", `"Map,,Query"`), []finding.Finding{{Strength: finding.Note, Text: "Extra comma: a word is missing.", At: finding.Place{Path: "capabilities", Line: 9}}}},
		{"a word twice", set("capabilities", `"Map,Query, Map"`), []finding.Finding{{Strength: finding.Note, Text: `"Map" is listed twice.`, At: finding.Place{Path: "capabilities", Line: 9}}}},
		{"another service", set("serviceName", `"Other"`), []finding.Finding{{Strength: finding.Block, Text: `The site has "SampleWorldCities": an edit cannot change this.`, At: finding.Place{Path: "serviceName", Line: 2}}}},
		{"no type", remove("type"), []finding.Finding{{Strength: finding.Block, Text: `Missing; the site has "MapServer".`, At: finding.Place{Path: "type"}}}},
		{"no object", set("", "[]"), []finding.Finding{{Strength: finding.Block, Text: "A definition must be an object; this is a list.", At: finding.Place{Line: 1}},
			{Strength: finding.Block, Text: `Missing; the site has "SampleWorldCities".`, At: finding.Place{Path: "serviceName"}},
			{Strength: finding.Block, Text: `Missing; the site has "MapServer".`, At: finding.Place{Path: "type"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := parse(t, read(t, "mapserver.json"))
			if diff := cmp.Diff(test.want, document.Check(edited(t, base, test.edit), base)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatTheServerAlreadyBreaksDoesNotBlock(t *testing.T) {
	t.Parallel()
	base := parse(t, `{"serviceName":"S","type":"T","recycleStartTime":"","maxWaitTime":"60","minInstancesPerNode":5,"maxInstancesPerNode":2}`)
	for _, f := range document.Check(edited(t, base, set("maxInstancesPerNode", "2.0")), base) {
		if f.Blocks() {
			t.Errorf("%s blocks: %s", f.At, f.Text)
		}
	}
	worse := document.Check(edited(t, base, set("minInstancesPerNode", "9")), base)
	if last := worse[len(worse)-1]; !last.Blocks() || last.At.Path != "minInstancesPerNode" {
		t.Error("a worse minimum does not block:", worse)
	}
	if found := document.Check(base, nil); len(found) != 3 || !found[0].Blocks() {
		t.Error("without a base it blocks:", found)
	}
}

func TestLimitsSayBetweenWhatAValueHasToBe(t *testing.T) {
	t.Parallel()
	d, err := document.Parse([]byte(`{"minInstancesPerNode": 1, "maxInstancesPerNode": "4"}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[document.Path]string{
		"minInstancesPerNode": "0 or more; at most maxInstancesPerNode, 4", "maxInstancesPerNode": "0 or more; at least minInstancesPerNode, 1",
		"maxIdleTime": "0 or more", "keepAliveInterval": "", "recycleStartTime": "00:00 to 23:59", "capabilities": "each word once", "": "", "x.y": "",
	} {
		if got := d.Limits(path); got != want {
			t.Errorf("%s: %q instead of %q", path, got, want)
		}
	}
}
