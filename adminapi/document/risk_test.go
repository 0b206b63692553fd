package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

func TestEachChangeHasItsRisks(t *testing.T) {
	t.Parallel()
	type risk = finding.Finding
	restart := func(path document.Path) risk { return document.Risk(path, document.RestartLikely, "") }
	as := func(strength finding.Strength) func(document.Path, string) risk {
		return func(path document.Path, id string) risk {
			r := document.Risk(path, id, "")
			if r.Strength = strength; strength == finding.Note {
				r.Accept = ""
			}
			return r
		}
	}
	danger, caution, note := as(finding.Danger), as(finding.Caution), as(finding.Note)
	for _, test := range []struct {
		name string
		edit edit
		want []risk
	}{
		{"a description is harmless", set("description", `"new"`), nil},
		{"an unknown key is not judged", set("x-lastTuned", "1"), nil},
		{"instances", set("maxInstancesPerNode", "4"), []risk{restart("maxInstancesPerNode")}},
		{"a capability fewer", set("capabilities", `"Data , Map"`), []risk{danger("capabilities", document.CapabilityRemoved), restart("capabilities")}},
		{"capabilities in another order", set("capabilities", `"Data,Query,Map,Sync"`), []risk{restart("capabilities")}},
		{"no capabilities at all", remove("capabilities"), []risk{danger("capabilities", document.KeyRemoved), danger("capabilities", document.CapabilityRemoved), restart("capabilities")}},
		{"a capability of an extension", set("extensions[WMSServer].capabilities", `"GetMap"`),
			[]risk{danger("extensions[WMSServer].capabilities", document.CapabilityRemoved), restart("extensions[WMSServer].capabilities")}},
		{"an extension off", set("extensions[WMSServer].enabled", "false"),
			[]risk{danger("extensions[WMSServer].enabled", document.ExtensionOff), restart("extensions[WMSServer].enabled")}},
		{"an extension on by a text", set("extensions[WMSServer].enabled", `"true"`),
			[]risk{caution("extensions[WMSServer].enabled", document.KindChanged), restart("extensions[WMSServer].enabled")}},
		{"an extension on", set("extensions[WFSServer].enabled", "true"), []risk{restart("extensions[WFSServer].enabled")}},
		{"an extension gone", remove("extensions[WMSServer]"), []risk{danger("extensions[WMSServer]", document.KeyRemoved),
			danger("extensions[WMSServer].enabled", document.ExtensionOff), danger("extensions[WMSServer].capabilities", document.CapabilityRemoved), restart("extensions[WMSServer]")}},
		{"all extensions gone", set("extensions", "[]"), []risk{danger("extensions[WMSServer]", document.KeyRemoved),
			danger("extensions[WMSServer].enabled", document.ExtensionOff), danger("extensions[WMSServer].capabilities", document.CapabilityRemoved), restart("extensions[WMSServer]"),
			danger("extensions[WFSServer]", document.KeyRemoved), restart("extensions[WFSServer]"), note("extensions[WFSServer].capabilities", document.CapabilityRemoved)}},
		{"a capability of an extension that is off", set("extensions[WFSServer].capabilities", `"GetCapabilities"`),
			[]risk{restart("extensions[WFSServer].capabilities"), note("extensions[WFSServer].capabilities", document.CapabilityRemoved)}},
		{"a path", set("properties.cacheDir", `"/other"`), []risk{danger("properties.cacheDir", document.PathChanged), restart("properties.cacheDir")}},
		{"a new path", add("properties", "outputDir", `"/other"`, -1), []risk{restart("properties.outputDir")}},
		{"a path within a section that is gone", remove("properties"), []risk{danger("properties", document.KeyRemoved), danger("properties.filePath", document.PathChanged),
			danger("properties.virtualOutputDir", document.PathChanged), danger("properties.cacheDir", document.PathChanged), restart("properties")}},
		{"a time", set("maxWaitTime", "120"), []risk{restart("maxWaitTime"), note("maxWaitTime", document.UnitNotStated)}},
		{"a text for a number", set("properties.maxRecordCount", `"1000"`), []risk{caution("properties.maxRecordCount", document.KindChanged), restart("properties.maxRecordCount")}},
		{"the same number", set("properties.maxRecordCount", "1e3"), []risk{note("properties.maxRecordCount", document.WrittenDifferently)}},
		{"a number that a program has rounded", set("x-tuningProfile.sourceId", "9007199254740992"), []risk{danger("x-tuningProfile.sourceId", document.DigitsLost)}},
		{"one more of a number", set("x-tuningProfile.sourceId", "9007199254740995"), nil},
		{"another name", set("serviceName", `"Other"`), []risk{danger("serviceName", document.IdentityChanged), restart("serviceName")}},
		{"something deep", set("datasets[0].onServerName", `"x"`), []risk{restart("datasets")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := parse(t, read(t, "mapserver.json"))
			after := edited(t, before, test.edit)
			got := document.Risks(document.Diff(before, after), after)
			for _, r := range got {
				if r.Text == "" || plain.Line(r.Text) != r.Text {
					t.Errorf("%s %s says %q", r.At, r.ID, r.Text)
				}
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(risk{}, "Text")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheTextOfARiskIsClean(t *testing.T) {
	t.Parallel()
	before := parse(t, `{"capabilities":"Map,\u001b[31mRed","properties":{"cacheDir":"/\u202edir"}}`)
	after := parse(t, `{"capabilities":"Map","properties":{"cacheDir":"/x"}}`)
	risks := document.Risks(document.Diff(before, after), after)
	if len(risks) != 4 {
		t.Error(risks)
	}
	for _, r := range risks {
		if plain.Line(r.Text) != r.Text {
			t.Errorf("%q", r.Text)
		}
	}
}

func TestARoundedNumberIsFoundWithinAValue(t *testing.T) {
	t.Parallel()
	before := parse(t, `{"x":[1,{"ids":[7,9007199254740993],"v":2}]}`)
	for after, want := range map[string][]string{
		`{"x":[1,{"ids":[7,9007199254740992],"v":2}]}`: {string(document.DigitsLost)},
		`{"x":[1,{"ids":[7,9007199254740993],"v":3}]}`: nil,
		`{"x":[1,{"ids":[9007199254740992],"v":2}]}`:   {document.KeyRemoved}, // another list
	} {
		d := parse(t, after)
		risks := document.Risks(document.Diff(before, d), d)
		if got := document.Labels([]document.Review{{Risks: risks}, {Risks: risks}}); !slices.Equal(got, want) {
			t.Errorf("%s: %v", after, risks)
		}
		if r := slices.IndexFunc(risks, func(r finding.Finding) bool { return r.ID == document.DigitsLost }); r >= 0 &&
			!strings.HasSuffix(risks[r].Text, " The program that wrote it rounds numbers, as jq before 1.7 does.") {
			t.Error(risks[r].Text)
		}
	}
}

func TestTheLabelsOfReviewsAreTheHeaviestFirstAndNoNotes(t *testing.T) {
	t.Parallel()
	review := document.Review{Risks: []finding.Finding{{ID: "a", Strength: finding.Note}, {ID: "b", Strength: finding.Caution}, {ID: "c", Strength: finding.Danger}, {ID: "b", Strength: finding.Caution}}}
	if got := document.Labels([]document.Review{review, review}); !slices.Equal(got, []string{"c", "b"}) {
		t.Error(got)
	}
}

// Of an extension that is off nobody loses anything; one that does not say so may be on.
func TestALostCapabilityOfAnExtensionWeighsLessOnlyWhereItIsOff(t *testing.T) {
	t.Parallel()
	for enabled, want := range map[string]finding.Strength{`,"enabled":false`: finding.Note, `,"enabled":"false"`: finding.Note, `,"enabled":true`: finding.Danger, "": finding.Danger} {
		of := func(capabilities string) *document.Document {
			return parse(t, `{"extensions":[{"typeName":"A","capabilities":"`+capabilities+`"`+enabled+`}]}`)
		}
		before, after := of("x,y"), of("x")
		var got []finding.Strength
		for _, risk := range document.Risks(document.Diff(before, after), after) {
			if risk.ID == document.CapabilityRemoved {
				got = append(got, risk.Strength)
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, want %v", enabled, got, want)
		}
	}
}
