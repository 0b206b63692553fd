package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
)

// learned are the keys of some definitions.
func learned(t *testing.T, texts ...string) document.Keys {
	t.Helper()
	keys := document.Keys{}
	for _, text := range texts {
		keys.Learn(parse(t, text))
	}
	return keys
}

// B7, C3: a misspelt key is found before it is sent, and so is a value of another type.
func TestKeysThatAnEditAddsAreChecked(t *testing.T) {
	t.Parallel()
	const base = `{"type":"MapServer","serviceName":"a","x-own":1,"properties":{"maxRecordCount":"1000","maxScale":1.5,"odd":{}},"extensions":[
		{"typeName":"WMSServer","enabled":true,"properties":{"title":"a"}},{"typeName":"Flood","enabled":true,"properties":{"rain":1}}],
		"frameworkProperties":{"a":1},"datasets":[{"b":1}]}`
	keys := learned(t, `{"type":"MapServer","x-lastTuned":1.5,"properties":{"floodLevel":3,"both":1}}`,
		`{"type":"MapServer","properties":{"both":"1"},"extensions":[{"typeName":"WMSServer","properties":{"legend":"on"}}]}`,
		`{"type":"GPServer","properties":{"onlyTools":true}}`)
	unknown := func(whole, instead string) string {
		if instead != "" {
			instead = " Did you mean " + instead + "?"
		}
		return "unknown key: No known " + whole + " has this key." + instead
	}
	for _, test := range []struct {
		name string
		edit edit
		want []string
	}{
		{"misspelt", add("properties", "maxRecodCount", "2000", -1), []string{unknown("MapServer definition", "maxRecordCount")}},
		{"in another case", add("properties", "maxrecordcount", "2000", -1), []string{unknown("MapServer definition", "maxRecordCount")}},
		{"near none", add("properties", "q", "2000", -1), []string{unknown("MapServer definition", "")}},
		{"of another type of service", add("properties", "onlyTools", "true", -1), []string{unknown("MapServer definition", "")}},
		{"misspelt, seen here only", add("properties", "flodLevel", "3", -1), []string{unknown("MapServer definition", "floodLevel")}},
		{"beside the properties", add("", "maxRecordCount", "1", -1), []string{unknown("MapServer definition", "") + " properties has maxRecordCount."}},
		{"of the definition", add("", "maxWaittime", "60", -1), []string{unknown("MapServer definition", "maxWaitTime")}},
		{"of an extension", add("extensions[WMSServer]", "enabledd", "true", -1), []string{unknown("WMSServer extension", "enabled")}},
		{"of the properties of an extension", add("extensions[WMSServer].properties", "tilte", `"b"`, -1), []string{unknown("WMSServer extension", "title")}},
		{"in an extension that comes whole", insert("extensions", `{"typeName":"KmlServer","enabled":true,"properties":{"dpi":"96","linkNam":"x"}}`, -1),
			[]string{unknown("KmlServer extension", "linkName")}},

		{"published", add("properties", "maxBufferCount", "100", -1), nil},
		{"published, as a text", add("properties", "maxBufferCount", `"100"`, -1), nil},
		{"published, an empty text", add("properties", "maxBufferCount", `""`, -1), nil},
		{"read before", add("properties", "floodLevel", "4", -1), nil},
		{"of the definition, read before", add("", "x-lastTuned", "1", -1), nil},
		{"of an extension, read before", add("extensions[WMSServer].properties", "legend", `"off"`, -1), nil},
		{"what the site has already", set("x-own", "2"), nil},
		{"removed", remove("x-own"), nil},
		{"anything in an extension of somebody's own", add("extensions[Flood].properties", "rian", "1", -1), nil},
		{"anything in the framework's settings", add("frameworkProperties", "bb", "1", -1), nil},
		{"anything in data", add("datasets[0]", "c", "1", -1), nil},
		{"anything in what nobody publishes", add("properties.odd", "c", "1", -1), nil},

		{"no number", set("properties.maxRecordCount", `"20O0"`), []string{"other type: Elsewhere a whole number; this is a text."}},
		{"no whole number", set("properties.maxRecordCount", `"1.5"`), []string{"other type: Elsewhere a whole number; this is a text."}},
		{"no number, added", add("properties", "maxBufferCount", `"many"`, -1), []string{"other type: Elsewhere a whole number; this is a text."}},
		{"neither true nor false", add("properties", "isCached", `"yes"`, -1), []string{"other type: Elsewhere true or false; this is a text."}},
		{"a number where it is a text", add("properties", "cacheDir", "7", -1), []string{"other type: Elsewhere a text; this is a number."}},
		{"another kind than was read", add("properties", "floodLevel", `"3"`, -1), []string{"other type: Elsewhere a number; this is a text."}},
		{"one of the kinds that were read", add("properties", "both", `"3"`, -1), nil},
		{"none of the kinds that were read", add("properties", "both", `true`, -1), []string{"other type: Elsewhere a number or a text; this is true or false."}},
		{"another kind than before is a risk of its own", set("properties.maxScale", `[]`), nil},
		{"what a rule blocks", add("", "maxWaitTime", `"60"`, -1), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := parse(t, base)
			after := edited(t, before, test.edit)
			var got []string
			for _, f := range keys.Check(after, before) {
				got = append(got, f.ID+": "+f.Text)
				if f.Strength != finding.Caution || f.Accept != strings.ReplaceAll(f.ID, " ", "-") || f.At.Path == "" || f.At.Line == 0 {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWithoutATypeNothingIsKnownOfKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `[]`, `1`} {
		d := parse(t, text)
		if keys := learned(t, text); len(keys) > 0 || len(keys.Check(d, parse(t, `{}`))) > 0 {
			t.Errorf("%s: %v", text, keys)
		}
	}
}

func TestAMisspeltKeyBecomesTheRightOne(t *testing.T) {
	t.Parallel()
	base := parse(t, `{"type":"MapServer","properties":{"maxRecordCount":1000}}`)
	for text, want := range map[string]string{
		`{"type":"MapServer","properties":{"maxRecodCount":2000}}`: `{"type":"MapServer","properties":{"maxRecordCount":2000}}`,
		// It is moved to the object that has it.
		`{"type":"MapServer","maxRecordCount":2000,"properties":{"maxRecordCount":1000}}`: `{"type":"MapServer","properties":{"maxRecordCount":2000}}`,
		`{"type":"MapServer","properties":{"cacheDir":"b"},"maxRecordCount":2000}`:        `{"type":"MapServer","properties":{"cacheDir":"b","maxRecordCount":2000}}`,
		`{"type":"MapServer","properties":{"maxRecordCount":1000,"maxRecodCount":2000}}`:  `{"type":"MapServer","properties":{"maxRecordCount":2000}}`,
	} {
		d := parse(t, text)
		found := document.Keys(nil).Check(d, base)
		if len(found) != 1 {
			t.Fatal(found)
		}
		instead := found[0].Instead

		if got, err := d.Respell(document.Path(found[0].At.Path), document.Path(instead)); err != nil || got.Text() != want {
			t.Errorf("%q: %v, %v", instead, got, err)
		}
	}
}

func TestKeysToAddAreThoseThatAreMissing(t *testing.T) {
	t.Parallel()
	d := parse(t, `{"type":"MapServer","properties":{"maxRecordCount":1000},"extensions":[{"typeName":"X","properties":{}}],"free":{}}`)
	keys := learned(t, `{"type":"MapServer","properties":{"floodLevel":1,"floodName":"a","flood":[],"maxScale":1.0}}`)
	names, got := keys.ForAdding(d, "properties")
	if !slices.IsSorted(names) || len(names) != len(got) {
		t.Errorf("%d of %v", len(got), names)
	}
	for name, want := range map[string]document.NewKey{
		"floodLevel": {"a number", document.NumberText}, "floodName": {"a text", document.OneLine}, "flood": {Fits: "a list"},
		"isCached": {"true or false, default false", document.OnOff}, "maxImageWidth": {"a whole number, default 2048", document.Integer},
		"maxScale": {"a number", document.NumberText},
	} {
		if got[name] != want {
			t.Errorf("%s: %+v", name, got[name])
		}
	}
	for path, want := range map[document.Path]string{"": "a whole number, default 60 seconds", "free": "", "extensions[X].properties": "", "nosuch": ""} {
		if names, keys := keys.ForAdding(d, path); keys["maxWaitTime"].Fits != want || want == "" && len(names) > 0 {
			t.Errorf("%s: %v", path, keys)
		}
	}
	if key, has := got["maxRecordCount"]; has {
		t.Errorf("the object has it: %+v", key)
	}
}

// Whatever a site sends, what is remembered of it stays small.
func TestFewKeysAreRemembered(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 2000 {
		many.WriteString(`,"k` + strings.Repeat("i", i%300) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + `":1`)
	}
	keys := document.Keys{}
	d := parse(t, `{"type":"MapServer"`+many.String()+`}`)
	if !keys.Learn(d) || keys.Learn(d) {
		t.Error("they are new once")
	}
	if n := len(keys["MapServer definition"]); n != 500 {
		t.Error(n)
	}
	for key := range keys["MapServer definition"] {
		if len(key) > 100 {
			t.Error(key)
		}
	}
}

func TestEveryPublishedKeyHasAType(t *testing.T) {
	t.Parallel()
	n := 0
	for holder, keys := range document.Published() {
		for key, p := range keys {
			if n++; p.Words() == "" {
				t.Errorf("%s %s: %+v", holder, key, p)
			}
		}
	}
	if n < 300 {
		t.Error(n)
	}
}
