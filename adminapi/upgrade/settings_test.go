package upgrade_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade"
)

// settingsOf reads settings as the client hands them over.
func settingsOf(t testing.TB, raw string) adminapi.UpgradeSettings {
	t.Helper()
	s := adminapi.UpgradeSettings{}
	if err := json.Unmarshal([]byte(raw), &s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatal(err)
	}
	s.Raw = jsontext.Value(raw)
	return s
}

func realSettings(t testing.TB) adminapi.UpgradeSettings {
	t.Helper()
	data, err := os.ReadFile("testdata/upgradeSettings_12.0_from_manifest_DERIVED.json")
	if err != nil {
		t.Fatal(err)
	}
	return settingsOf(t, string(data))
}

func yes(b bool) *bool { return &b }

func TestRealSettingsAsAForm(t *testing.T) {
	t.Parallel()
	got := upgrade.Form(realSettings(t))
	want := []upgrade.Field{
		{ID: "updateToLatestPatch", Label: "Install the latest patch too", Kind: upgrade.Boolean, Type: "Boolean",
			Required: true, Hidden: true, Default: jsontext.Value("false"), Value: jsontext.Value("true")},
		{ID: "licenseUpload", Label: "Licence file", Kind: upgrade.File, Type: "File", Required: true,
			Value: jsontext.Value(`""`), Extensions: []string{"json"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(upgrade.Field{})); diff != "" {
		t.Error(diff)
	}
	if !got[0].On() || got[0].Empty() || !got[1].Empty() {
		t.Errorf("on %v, empty %v %v", got[0].On(), got[0].Empty(), got[1].Empty())
	}
}

func TestFormOrderLabelsAndKinds(t *testing.T) {
	t.Parallel()
	fields := upgrade.Form(settingsOf(t, `{"userInputs":[
		{"seqNum":2,"id":"volumesConfig","type":"JSONObject","value":{}},
		{"seqNum":1,"id":"storageClassName","name":"storageClassName","description":"Which class the volumes are of.","type":"String"},
		{"id":"first","name":"Plain words\u001b[31m"},
		{"seqNum":1,"id":"DB_ADMIN-password","description":"dbPasswordDescToken","validFileExtensions":["*.PEM",".crt",""]},
		{"name":"noId"},{},{"id":"first"},null]}`))
	var got []string
	for _, f := range fields {
		got = append(got, f.ID+" | "+f.Label+" | "+string(f.Kind)+" | "+f.Help+" | "+strings.Join(f.Extensions, ","))
		if f.Secret != strings.Contains(f.ID, "password") {
			t.Errorf("%s: secret %v", f.ID, f.Secret)
		}
	}
	same(t, got, []string{
		"first | Plain words | json |  | ",
		"noId | No id | json |  | ",
		"#6 | #6 | json |  | ",
		"first#7 | First#7 | json |  | ",
		"#8 | #8 | json |  | ",
		"storageClassName | Storage class name | json | Which class the volumes are of. | ",
		"DB_ADMIN-password | DB ADMIN password | json |  | pem,crt",
		"volumesConfig | Storage of persistent volumes | json |  | ",
	})
}

func TestASettingIsSecretByItsIDItsNameOrItsType(t *testing.T) {
	t.Parallel()
	settings := settingsOf(t, `{"userInputs":[{"id":"storePassword"},{"id":"b","name":"Store password"},{"id":"c","type":"Password"},{"id":"d","name":"Store","type":"String"}]}`)
	answers := upgrade.Answers{}
	for i, f := range upgrade.Form(settings) {
		answers[f.ID] = upgrade.Answer{JSON: `"hunter2"`}
		if f.Secret != (i < 3) {
			t.Errorf("%s: secret %v", f.ID, f.Secret)
		}
	}
	if kept := upgrade.WithoutSecrets(settings, answers); len(kept) != 1 || kept["d"].JSON == "" {
		t.Errorf("kept are %v", kept)
	}
}

func TestTheLatestPatchGoesAsAnsweredElseAsTheSiteProposes(t *testing.T) {
	t.Parallel()
	const proposed, not, other = `{"id":"a"},{"id":"updateToLatestPatch","type":"Boolean","value":"true"}`, `{"id":"updateToLatestPatch","type":"Boolean","value":false}`, `{"id":"a","type":"Boolean","value":true}`
	for _, tt := range []struct {
		inputs string
		answer *bool
		want   bool
	}{
		{proposed, nil, true}, {proposed, yes(false), false}, {proposed, yes(true), true},
		{not, nil, false}, {not, yes(true), true}, {not, yes(false), false},
		{other, nil, false}, {other, yes(true), false}, // nobody asks for it
	} {
		answers := upgrade.Answers{upgrade.LatestPatchSetting: {Bool: tt.answer}}
		if got := upgrade.LatestPatch(settingsOf(t, `{"userInputs":[`+tt.inputs+`]}`), answers); got != tt.want {
			t.Errorf("%s, answered %v: %v", tt.inputs, answers, got)
		}
	}
}

const odd = `{ "x":1e0,"userInputs" : [ {"value" : 1.50,"id":"n","newfield":"","extra":{"a":[1,2]}} ,
	{"id":"b","type":"Boolean","value":"true"},{"type":"Boolean","id":"c"},{}, {"id":"d","type":"File","value":"","value":""},{"name":"m","value":2},null],"z":null}` + "\n"

func TestFillChangesNothingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers upgrade.Answers
		uploads map[string]string
		want    string
	}{
		"nothing":              {nil, nil, odd},
		"what is so already":   {upgrade.Answers{"b": {Bool: yes(true)}, "n": {JSON: " 1.50 "}, "d": {}}, nil, odd},
		"a number":             {upgrade.Answers{"n": {JSON: "1.5"}}, nil, strings.Replace(odd, "1.50", "1.5", 1)},
		"a Boolean":            {upgrade.Answers{"b": {Bool: yes(false)}}, nil, strings.Replace(odd, `"true"`, "false", 1)},
		"a value not there":    {upgrade.Answers{"c": {Bool: yes(false)}}, nil, strings.Replace(odd, `"id":"c"`, `"id":"c","value":false`, 1)},
		"an empty input":       {upgrade.Answers{"#4": {JSON: "{}"}}, nil, strings.Replace(odd, `,{}, `, `,{"value":{}}, `, 1)},
		"what has only a name": {upgrade.Answers{"m": {JSON: "3"}}, nil, strings.Replace(odd, `"name":"m","value":2`, `"name":"m","value":3`, 1)},
		"what is no object":    {upgrade.Answers{"#7": {JSON: "3"}}, nil, odd},
		"a file, named twice":  {upgrade.Answers{"d": {Path: "/a/l.json"}}, map[string]string{"d": `i"d`}, strings.ReplaceAll(odd, `"value":""`, `"value":"i\"d"`)},
		"an upload id":         {upgrade.Answers{"d": {Upload: "abc"}}, nil, strings.ReplaceAll(odd, `"value":""`, `"value":"abc"`)},
		"a file before upload": {upgrade.Answers{"d": {Path: "l.json"}}, upgrade.PendingUploads(upgrade.Answers{"d": {Path: "l.json"}}), strings.ReplaceAll(odd, `"value":""`, `"value":"(its upload id is filled in automatically)"`)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := upgrade.Fill(settingsOf(t, odd), tt.answers, tt.uploads)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRealSettingsAreSubmittedWithTheirValueNotTheDefault(t *testing.T) {
	t.Parallel()
	s := realSettings(t)
	got, err := upgrade.Fill(s, upgrade.Answers{"licenseUpload": {Path: "l.json"}}, map[string]string{"licenseUpload": "if45"})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(string(s.Raw), `"value": ""`, `"value": "if45"`, 1); string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestFillRefuses(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]upgrade.Answers{
		"a file that is not uploaded": {"d": {Path: "x.json"}},
		"JSON that does not parse":    {"n": {JSON: `{"secret-content"`}},
		"a kind that does not fit":    {"b": {JSON: "true"}},
		"a file for yes or no":        {"b": {Path: "x.json"}},
		"an upload that is no text":   {"d": {Upload: "a\xff"}},
		"what nobody asked":           {"nobody": {Bool: yes(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := upgrade.Fill(settingsOf(t, odd), answers, nil)
			if err == nil || strings.Contains(err.Error(), "secret-content") {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	if _, err := upgrade.Fill(adminapi.UpgradeSettings{Inputs: []adminapi.UserInput{{ID: "a"}}}, nil, nil); err == nil {
		t.Error("settings without their bytes were filled in")
	}
	if got, err := upgrade.Fill(adminapi.UpgradeSettings{}, nil, nil); err != nil || string(got) != "{}" {
		t.Errorf("no settings: %s, %v", got, err)
	}
	if got, err := upgrade.Fill(settingsOf(t, `{"other":1}`), nil, nil); err != nil || string(got) != `{"other":1}` {
		t.Errorf("settings without inputs: %s, %v", got, err)
	}
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	fields := upgrade.Form(settingsOf(t, `{"userInputs":[
		{"id":"yesNo","type":"Boolean","required":true},{"id":"aFile","type":"File","value":" ","required":true},
		{"id":"volumesConfig","type":"X","value":null,"required":true},{"id":"free","type":"X"}]}`))
	for name, tt := range map[string]struct {
		answers upgrade.Answers
		want    []string
	}{
		"nothing given": {nil, []string{"Yes no is required: say yes or no.", "A file is required: name a file.", "Storage of persistent volumes is required: give it as JSON."}},
		"all given":     {upgrade.Answers{"yesNo": {Bool: yes(false)}, "aFile": {Path: "x"}, "volumesConfig": {JSON: "{}"}}, nil},
		"given wrong": {upgrade.Answers{"yesNo": {JSON: "1"}, "aFile": {Bool: yes(true)}, "volumesConfig": {JSON: `""`}, "free": {Path: "x"}, "gone": {JSON: "1"}},
			[]string{"Yes no takes yes or no.", "A file takes a file.", "Storage of persistent volumes is required and must not be empty.", "Free takes JSON.", "gone is not a setting that the site asks for."}},
		"given wrong otherwise": {upgrade.Answers{"yesNo": {Path: "x"}, "aFile": {JSON: "1"}, "volumesConfig": {Bool: yes(true)}, "free": {Upload: "x"}},
			[]string{"Yes no takes yes or no.", "A file takes a file.", "Storage of persistent volumes takes JSON.", "Free takes JSON."}},
		"where it does not parse": {upgrade.Answers{"yesNo": {Bool: yes(true)}, "aFile": {Upload: "id"}, "volumesConfig": {JSON: "{\n  \"ä\": x}"}, "free": {JSON: `{"a":1}x`}},
			[]string{"Storage of persistent volumes is not JSON at line 2, column 8.", "Free is not JSON at line 1, column 8."}},
		"more than one value":     {upgrade.Answers{"yesNo": {Bool: yes(true)}, "aFile": {Upload: "id"}, "volumesConfig": {JSON: "1 2"}}, []string{"Storage of persistent volumes is not JSON: text after its end at line 1, column 4."}},
		"cut, and a name twice":   {upgrade.Answers{"yesNo": {Bool: yes(true)}, "aFile": {Upload: "id"}, "volumesConfig": {JSON: `{"a":[`}, "free": {JSON: `{"a":1,"a":2}`}}, []string{"Storage of persistent volumes is not JSON: it ends too early at line 1, column 7.", "Free is not usable: duplicate key at line 1, column 8."}},
		"an answer of no content": {upgrade.Answers{"yesNo": {Bool: yes(true)}, "aFile": {Upload: "id"}, "volumesConfig": {JSON: "1"}, "gone": {}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range upgrade.Check(fields, tt.answers) {
				got = append(got, p.Text)
			}
			same(t, got, tt.want)
		})
	}
}

func TestARequiredLicenceIsCalledSo(t *testing.T) {
	t.Parallel()
	fields := upgrade.Form(settingsOf(t, `{"userInputs":[{"id":"licenseUpload","type":"File","required":true}]}`))
	for want, answer := range map[string]upgrade.Answer{"A licence file is required.": {}, "Licence file takes a file.": {JSON: "1"}} {
		if got := upgrade.Check(fields, upgrade.Answers{"licenseUpload": answer}); len(got) != 1 || got[0].Text != want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

func TestAnswersFromAFilledObject(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, `{"userInputs":[{"id":"b","type":"Boolean","value":true},{"id":"f","type":"File","value":""},{"id":"v","type":"X","value":{"a":1.0}},{"id":"n","type":"X"},
		{"id":"c","type":"Boolean","value":false},{"id":"g","type":"File","value":"up0"}]}`)
	for name, tt := range map[string]struct {
		filled string
		want   upgrade.Answers
		wrong  []string
	}{
		"unchanged":       {string(s.Raw), upgrade.Answers{}, nil},
		"blanks only":     {`{"userInputs":[{"id":"v","value":{ "a" : 1.0 }}]}`, upgrade.Answers{}, nil},
		"everything":      {`{"userInputs":[{"id":"b","value":false},{"id":"f","value":"up1"},{"id":"v","value":{"a":1}},{"id":"n","value":[]}]}`, upgrade.Answers{"b": {Bool: yes(false)}, "f": {Upload: "up1"}, "v": {JSON: `{"a":1}`}, "n": {JSON: "[]"}}, nil},
		"emptied":         {`{"userInputs":[{"id":"g","value":""}]}`, upgrade.Answers{}, []string{"G has a file already and cannot be emptied."}},
		"as a text":       {`{"userInputs":[{"id":"b","value":"False"},{"id":"c","value":"True"}]}`, upgrade.Answers{"b": {Bool: yes(false)}, "c": {Bool: yes(true)}}, nil},
		"wrong kinds":     {`{"userInputs":[{"id":"b","value":7},{"id":"f","value":7}]}`, upgrade.Answers{}, []string{"B takes true or false.", "F takes the id of an upload as a string."}},
		"nobody asked it": {`{"userInputs":[{"id":"zz","value":7}]}`, upgrade.Answers{}, []string{"zz is not a setting that the site asks for."}},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems, err := upgrade.AnswersFrom(s, []byte(tt.filled))
			if err != nil {
				t.Fatal(err)
			}
			var wrong []string
			for _, p := range problems {
				wrong = append(wrong, p.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			same(t, wrong, tt.wrong)
		})
	}
	for bad, want := range map[string]string{
		"": "are empty", "[]": "are not a JSON object", "{}": "userInputs is missing", `{"userInputs":`: "it ends too early", "nonsense": "are not JSON at line 1, column 2",
		`{"userInputs":[]} 1`: "text after its end", `{"userInputs":[{"id":"b","value":false,"value":true}]}`: "duplicate key at line 1, column 40",
	} {
		if _, _, err := upgrade.AnswersFrom(s, []byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSettingsThatChangeBetweenFormAndReview(t *testing.T) {
	t.Parallel()
	before := settingsOf(t, `{"userInputs":[{"id":"a","value":1},{"id":"b","value":true,"type":"Boolean"},{"id":"c"},{"id":"gone"},{"id":"kind","type":"String"},{"id":"ends","type":"File","validFileExtensions":["pem"]}]}`)
	now := settingsOf(t, `{"userInputs":[{"id":"c","required":true},{"id":"a","value": 1},{"id":"b","value":false,"type":"Boolean"},{"id":"new"},{"id":"kind","type":"JSON"},{"id":"ends","type":"File","validFileExtensions":["crt"]}]}`)
	if got := upgrade.SettingsChanged(before, now); !slices.Equal(got, []string{"c", "b", "new", "kind", "ends", "gone"}) {
		t.Errorf("%q", got)
	}
	if got := upgrade.SettingsChanged(before, before); got != nil {
		t.Errorf("%q", got)
	}
}

// FuzzSettingsFile reads any content as the file of settings: what it answers is filled in and
// read again as the same, and no text shows what stands in a file of a licence.
func FuzzSettingsFile(f *testing.F) {
	const raw = `{"userInputs":[{"seqNum":0,"id":"u","type":"Boolean","value":true,"required":true},{"seqNum":1,"id":"licenseUpload","type":"File","value":"","required":true,"validFileExtensions":["json"]},` +
		`{"seqNum":2,"id":"o","type":"JSONObject","value":{"a":1.50}},{"seqNum":3,"id":"s","type":"String","value":"x"}]}`
	for _, content := range []string{
		raw, `{"userInputs":[{"id":"u","value":"FALSE"},{"id":"licenseUpload","value":"u17"},{"id":"o","value":{"a":2}},{"id":"nobody","value":1}]}`, `{"userInputs":[{"id":"u"},{"id":"u","value":"x\u001b"}`,
		`{"userInputs":[{"id":"s","value":null},{"id":"o","value":[]},{"ID":"u","VALUE":false}]}`, "", "\ufeff{}", `{"userInputs":7}`, `{"canary-of-a-licence`,
	} {
		f.Add([]byte(content))
	}
	settings := settingsOf(f, raw)
	f.Fuzz(func(t *testing.T, content []byte) {
		field, _ := upgrade.LicenceSetting(upgrade.Form(settings))
		if err := upgrade.CheckFile("licence.json", int64(len(content)), content, field); err != nil && (plain.Line(err.Error()) != err.Error() || strings.Contains(err.Error(), "canary")) {
			t.Fatalf("%q", err)
		}
		answers, problems, err := upgrade.AnswersFrom(settings, bytes.Clone(content))
		if err != nil {
			if plain.Line(err.Error()) != err.Error() {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, p := range append(problems, upgrade.Check(upgrade.Form(settings), answers)...) {
			if plain.Line(p.Text) != p.Text || p.Text == "" {
				t.Fatalf("%q", p.Text)
			}
		}
		filled, err := upgrade.Fill(settings, answers, nil)
		if err != nil {
			t.Fatalf("%v of %q: %v", answers, content, err)
		}
		again, problems, err := upgrade.AnswersFrom(settings, bytes.Clone(filled))
		if diff := cmp.Diff(answers, again); err != nil || len(problems) > 0 || diff != "" {
			t.Fatalf("%q becomes %q: %v, %v\n%s", content, filled, problems, err, diff)
		}
	})
}

func FuzzFill(f *testing.F) {
	f.Add(`{ "userInputs" : [ {"value" : 1.50,"id":"n","extra":{"a":[1]}} ,{},{"id":"d","type":"File","value":"","value":""}],"z":null}`, "n", "[1]")
	f.Add(`{"userInputs":[{"seqNum":1,"id":"licenseUpload","type":"File","value":"","required":true}]}`, "licenseUpload", `"x"`)
	f.Add(`{"userInputs":[{"id":"u","type":"Boolean","value":true,"defaultValue":false}]}`, "u", "false")
	f.Add(`{"userInputs":{"ID":"a","VALUE":1},"userInputs":[]}`, "a", "2")
	f.Add(`{"userInputs":[{"id":"a"},{"id":"a"},"x",null]}`, "a#2", "{}")
	f.Fuzz(func(t *testing.T, raw, key, value string) {
		var s adminapi.UpgradeSettings
		if json.Unmarshal([]byte(raw), &s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		s.Raw = jsontext.Value(raw)
		if got, err := upgrade.Fill(s, nil, nil); err != nil || string(got) != raw {
			t.Fatalf("unchanged: %q, %v", got, err)
		}
		secrets.Settings(s.Raw)
		for _, answer := range []upgrade.Answer{{JSON: value}, {Bool: yes(true)}, {Upload: value}} {
			got, err := upgrade.Fill(s, upgrade.Answers{key: answer}, nil)
			if err != nil {
				continue
			}
			if !got.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
				t.Fatalf("no JSON: %q of %q", got, raw)
			}
			back, _, err := upgrade.AnswersFrom(s, bytes.Clone(got))
			if err == nil && len(back) > 1 {
				t.Fatalf("%q changed more than %q: %v", got, key, back)
			}
		}
	})
}
