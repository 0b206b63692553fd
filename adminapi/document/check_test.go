package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
)

func TestADefinitionIsCheckedByTheRulesOfItsFields(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit edit
		want []document.Finding
	}{
		{"as it is", move("type", 1), nil},
		{"an unknown key", add("", "anything", `{"x":[1]}`, -1), nil},
		{"min above max", set("minInstancesPerNode", "3"), []document.Finding{
			{Path: "minInstancesPerNode", Line: 11, Blocking: true, Text: "Minimum 3 is above maximum 2."}}},
		{"a fraction", set("maxWaitTime", "1.5"), []document.Finding{{Path: "maxWaitTime", Line: 14, Blocking: true, Text: "Should be a whole number, but is 1.5."}}},
		{"a whole number with a point", set("maxWaitTime", "60.0"), nil},
		{"a huge exponent", set("maxWaitTime", "1e-99999999999999999999"), []document.Finding{
			{Path: "maxWaitTime", Line: 14, Blocking: true, Text: "Should be a whole number, but is 1e-99999999999999999999."}}},
		{"a text for a number", set("maxWaitTime", `"60"`), []document.Finding{{Path: "maxWaitTime", Line: 14, Blocking: true, Text: "Should be a number, but is a text."}}},
		{"below zero", set("minInstancesPerNode", "-1"), []document.Finding{{Path: "minInstancesPerNode", Line: 11, Blocking: true, Text: "Below 0: -1."}}},
		{"a time below zero", set("maxIdleTime", "-1"), []document.Finding{{Path: "maxIdleTime", Line: 16, Text: "Below 0: -1."}}},
		{"a clock time", set("recycleStartTime", `"23:59"`), nil},
		{"no clock time", set("recycleStartTime", `"24:00"`), []document.Finding{{Path: "recycleStartTime", Line: 21, Blocking: true, Text: `Should be a time as HH:MM, but is "24:00".`}}},
		{"nor this", set("recycleStartTime", `"7:30"`), []document.Finding{{Path: "recycleStartTime", Line: 21, Blocking: true, Text: `Should be a time as HH:MM, but is "7:30".`}}},
		{"nor this either", set("recycleStartTime", `"+1:30"`), []document.Finding{{Path: "recycleStartTime", Line: 21, Blocking: true, Text: `Should be a time as HH:MM, but is "+1:30".`}}},
		{"an extension property that is no text", set("extensions[WMSServer].properties.customGetCapabilities", "false"), []document.Finding{
			{Path: "extensions[WMSServer].properties.customGetCapabilities", Line: 49, Blocking: true, Text: "Should be a text, but is true or false."}}},
		{"an extension switched by a text", set("extensions[WMSServer].enabled", `"true"`), []document.Finding{
			{Path: "extensions[WMSServer].enabled", Line: 45, Blocking: true, Text: "Should be true or false, but is a text."}}},
		{"an extension that is no object", set("extensions[WFSServer]", "null"), []document.Finding{
			{Path: "extensions[1]", Line: 53, Blocking: true, Text: "Should be an object, but is null."}}},
		{"an extension without a name", remove("extensions[WFSServer].typeName"), []document.Finding{
			{Path: "extensions[1]", Line: 53, Blocking: true, Text: "The extension has no typeName."}}},
		{"two extensions of a name", set("extensions[WFSServer].typeName", `"WMSServer"`), []document.Finding{
			{Path: "extensions[1]", Line: 53, Blocking: true, Text: `Another extension has the typeName "WMSServer".`}}},
		{"an extra comma", set("capabilities", `"Map,,Query"`), []document.Finding{{Path: "capabilities", Line: 9, Text: "Extra comma: a word is missing."}}},
		{"a word twice", set("capabilities", `"Map,Query, Map"`), []document.Finding{{Path: "capabilities", Line: 9, Text: `"Map" is listed twice.`}}},
		{"another service", set("serviceName", `"Other"`), []document.Finding{{Path: "serviceName", Line: 2, Blocking: true, Text: `The site has "SampleWorldCities": an edit cannot change this.`}}},
		{"no type", remove("type"), []document.Finding{{Path: "type", Blocking: true, Text: `Missing; the site has "MapServer".`}}},
		{"no object", set("", "[]"), []document.Finding{{Line: 1, Blocking: true, Text: "A definition must be an object; this is a list."},
			{Path: "serviceName", Blocking: true, Text: `Missing; the site has "SampleWorldCities".`},
			{Path: "type", Blocking: true, Text: `Missing; the site has "MapServer".`}}},
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
		if f.Blocking {
			t.Errorf("%s blocks: %s", f.Path, f.Text)
		}
	}
	worse := document.Check(edited(t, base, set("minInstancesPerNode", "9")), base)
	if last := worse[len(worse)-1]; !last.Blocking || last.Path != "minInstancesPerNode" {
		t.Error("a worse minimum does not block:", worse)
	}
	if found := document.Check(base, nil); len(found) != 3 || !found[0].Blocking {
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
