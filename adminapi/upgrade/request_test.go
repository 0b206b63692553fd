package upgrade_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade"
)

var (
	to120  = adminapi.Update{ID: `rel_1"é`, Type: "release", Version: "12.0.0", Build: "7286", Name: "The release", NewLicensesRequired: new(true)}
	to1091 = adminapi.Update{ID: "rel_old", Type: "release", Version: "10.9.1", Build: "1210"}
)

func TestTheVersionOfTheTargetDecidesTheStyle(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]upgrade.Style{
		"10.9": upgrade.Old, "10.9.1": upgrade.Old, "11.0.0": upgrade.New, "11": upgrade.New, " 11.5.0": upgrade.New,
		"12.0.0": upgrade.New, "9.3": upgrade.Old, "": upgrade.New, "next": upgrade.New,
	} {
		if got := upgrade.StyleOf(adminapi.Update{Version: version, PreviousVersion: "10.9.1"}); got != want {
			t.Errorf("to %q: %v", version, got)
		}
	}
}

func TestPartsOfTheNewStyle(t *testing.T) {
	t.Parallel()
	got, err := upgrade.Parts(upgrade.Request{Target: to120, Settings: jsontext.Value(`{"userInputs":[]}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"rel_1\"é"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "upgradeSettings", Content: []byte(`{"userInputs":[]}`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPartsOfTheOldStyle(t *testing.T) {
	t.Parallel()
	got, err := upgrade.Parts(upgrade.Request{
		Target: to1091, Manifest: []byte("m"), ManifestName: "/home/me/10.9.1.dat", Licence: []byte(`{"key":"hush"}`),
		LicenceName: `C:\me\lic.json`, LatestPatch: yes(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"rel_old"}`)},
		{Name: "versionManifestFile", FileName: "10.9.1.dat", File: true, Content: []byte("m")},
		{Name: "licenseFile", FileName: "lic.json", File: true, Content: []byte(`{"key":"hush"}`), Secret: true},
		{Name: "upgradeSettings", Content: []byte("{}")},
		{Name: "updateToLatestPatch", Content: []byte("true")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"", "{}", " { } "} {
		if bare, err := upgrade.Parts(upgrade.Request{Target: to1091, Settings: jsontext.Value(none)}); err != nil || len(bare) != 3 {
			t.Errorf("%q: %v, %v", none, bare, err)
		}
	}
	shown := []upgrade.DescribedPart{
		{Name: "versionManifest", Size: 16, Text: `{"id":"rel_old"}`}, {Name: "versionManifestFile", FileName: "10.9.1.dat", Size: 1, Text: "the content of the file"},
		{Name: "licenseFile", FileName: "lic.json", Size: 14, Text: "the content is not shown"}, {Name: "upgradeSettings", Size: 2, Text: "{}"}, {Name: "updateToLatestPatch", Size: 4, Text: "true"},
	}
	if diff := cmp.Diff(shown, upgrade.Describe(got)); diff != "" {
		t.Errorf("the record of them:\n%s", diff)
	}
	if got := upgrade.Describe([]adminapi.Part{{Name: "x", Content: []byte("hush"), Secret: true}}); strings.Contains(got[0].Text, "hush") {
		t.Errorf("a secret that is no file is shown: %+v", got)
	}
}

// The contract shows a licence beside empty settings; what else a site asks for, or you have answered, is not dropped.
func TestALicenceInTheRequestReplacesTheSettingsThatOnlyAskForIt(t *testing.T) {
	t.Parallel()
	settings, answers := realSettings(t), upgrade.Answers{"licenseUpload": {Path: "l.json"}}
	for name, c := range map[string]struct {
		more upgrade.Answers
		want string
	}{
		"as proposed": {nil, "{}"},
		"answered":    {upgrade.Answers{upgrade.LatestPatchSetting: {Bool: yes(false)}}, `"licenseUpload"`},
	} {
		all := maps.Clone(answers)
		maps.Copy(all, c.more)
		sent, left := upgrade.BesideLicence(settings, all)
		filled, err := upgrade.Fill(sent, left, nil)
		if err != nil || !strings.Contains(string(filled), c.want) || strings.Contains(string(filled), "l.json") {
			t.Errorf("%s: %s, %v", name, filled, err)
		}
	}
	more := settingsOf(t, `{"userInputs":[{"id":"licenseUpload","type":"File"},{"id":"size","type":"JSON","value":1}]}`)
	if got, left := upgrade.BesideLicence(more, answers); string(got.Raw) != string(more.Raw) || len(left) > 0 {
		t.Errorf("settings that ask for more: %s, %v", got.Raw, left)
	}
	if got, _ := upgrade.BesideLicence(adminapi.UpgradeSettings{Raw: jsontext.Value(`{"userInputs":[]}`)}, nil); string(got.Raw) != `{"userInputs":[]}` {
		t.Errorf("settings without a licence: %s", got.Raw)
	}
}

func TestPartsRefuseWhatBelongsToTheOtherStyle(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]upgrade.Request{
		"an id that is no text":     {Target: adminapi.Update{ID: "a\xff", Version: "12.0"}, Settings: jsontext.Value("{}")},
		"no id":                     {Target: adminapi.Update{Version: "12.0"}, Settings: jsontext.Value("{}")},
		"new without settings":      {Target: to120},
		"new with the latest patch": {Target: to120, Settings: jsontext.Value("{}"), LatestPatch: yes(true)},
		"settings that are no JSON": {Target: to120, Settings: jsontext.Value(`{"password":"hush`)},
		"settings that are a list":  {Target: to120, Settings: jsontext.Value("[]")},
		"old with settings":         {Target: to1091, Settings: jsontext.Value(`{"userInputs":[]}`)},
	} {
		if parts, err := upgrade.Parts(r); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, %v", name, parts, err)
		}
	}
}

func TestAReviewShowsUploadIDsAndHidesSecrets(t *testing.T) {
	t.Parallel()
	settings := `{"userInputs":[{"id":"licenseUpload","value":"(its upload id is filled in automatically)","description":"licenseFieldDescToken"},` +
		`{"value":"hush1","id":"adminPassword","defaultValue":"hush2"},{"id":"dbSecret","value":""},` +
		`{"id":"volumesConfig","value":{"size":"16Gi","accessKey":"hush3","nested":[{"client_secret":{"a":"hush4"}}],"n":1.0}}],"x\u001b":"\u001b[2J"}`
	shown := upgrade.Describe([]adminapi.Part{{Name: "upgradeSettings", Content: []byte(settings)}, {Name: "versionManifestFile", File: true}})
	want := []upgrade.DescribedPart{
		{Name: "upgradeSettings", Size: len(settings), Text: `{"userInputs":[{"id":"licenseUpload","value":"(its upload id is filled in automatically)","description":"licenseFieldDescToken"},` +
			`{"value":"[secret]","id":"adminPassword","defaultValue":"[secret]"},{"id":"dbSecret","value":""},` +
			`{"id":"volumesConfig","value":{"size":"16Gi","accessKey":"[secret]","nested":[{"client_secret":"[secret]"}],"n":1.0}}],"x\u001b":"\u001b[2J"}`},
		{Name: "versionManifestFile", Text: "sent empty"},
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	deep := strings.Repeat(`{"a":`, 9000) + `"hush"` + strings.Repeat("}", 9000)
	for _, cut := range []string{deep, `{"password":"hush"`, "hush", `{"a":1}hush`, ""} {
		if got, _ := secrets.Settings([]byte(cut)); strings.Contains(string(got), "hush") {
			t.Errorf("%s", got)
		}
	}
}

// The test is alone, as it counts what is allocated.
func TestAReviewDoesNotReadTheContentOfFiles(t *testing.T) {
	var before, after runtime.MemStats
	content := bytes.Repeat([]byte("\x1b[31m licence"), 1<<19)
	runtime.ReadMemStats(&before)
	shown := upgrade.Describe([]adminapi.Part{
		{Name: "licenseFile", File: true, FileName: "a.json", Content: content, Secret: true},
		{Name: "manifestFile", File: true, FileName: "manifest.dat", Content: content},
	})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 || len(shown) != 2 || shown[0].Size != len(content) {
		t.Errorf("%d KiB for two descriptions of %d KiB: %+v", used>>10, len(content)>>10, shown)
	}
}

func TestTheEffectsOfAnUpgradeAreSaid(t *testing.T) {
	t.Parallel()
	m := manifest(t, "11.5.0")
	site := upgrade.InstalledFrom("11.5.0.6805", nil)
	c := upgrade.Plan(m, site)
	last, _ := c.Find(q4fix)
	release := upgrade.Entry{Update: to120}
	yes, no := true, false
	for want, got := range map[string][]upgrade.Effect{
		"From: 11.5.0.6805. To: 11.5.0.6835 (ArcGIS Enterprise 11.5 on Kubernetes Q4 December 2025 Bug Fix and Base OS Image Update). " +
			"Includes: 3 earlier updates: 11.5.0.6815, 11.5.0.6820, 11.5.0.6825. Containers: 4 change. Licence: No new licence is needed. Read-only: While it runs; how long is unknown. " +
			"Undo: A patch can be rolled back where the site offers it.": upgrade.Effects(last.Update, site, c, &yes),
		"From: 11.5.0.6805. To: 12.0.0.7286 (The release). Latest patch: The site decides. Licence: A new licence is needed. Read-only: While it runs; how long is unknown. " +
			"Undo: A release cannot be rolled back. Only a backup restores it.": upgrade.Effects(to120, site, upgrade.Chain{}, nil),
		"From: an unknown version. To: an update without an id. Licence: Not said. Read-only: While it runs; how long is unknown. " +
			"Undo: A patch can be rolled back where the site offers it.": upgrade.Effects(adminapi.Update{}, upgrade.Installed{}, upgrade.Chain{}, nil),
		"From: 11.5.0.4. Back to: 11.5.0.2 (Fix). Removes: 2 patches: 11.5.0.4, 11.5.0.3. Read-only: While it runs; how long is unknown. Undo: Install the 2 patches again.": upgrade.RollbackEffects(
			upgrade.Rollback{Listed: adminapi.Update{ID: "p", Name: "Fix", Version: "11.5.0", Build: "2"}, From: "11.5.0.4", To: "11.5.0.2", Removes: patchesOf("11.5.0.4", "11.5.0.3")}),
		"From: 11.5.0.4. Back to: 11.5.0.3. Removes: 11.5.0.4. Read-only: While it runs; how long is unknown. Undo: Install the patch again.": upgrade.RollbackEffects(
			upgrade.Rollback{Listed: adminapi.Update{ID: "p", Name: "Fix", Version: "11.5.0", Build: "4"}, From: "11.5.0.4", To: "11.5.0.3", Removes: patchesOf("11.5.0.4")}),
		"Unclear: It has no id.": upgrade.RollbackEffects(upgrade.Rollback{Unsure: "It has no id."}),
		"From: 10.9.0.505. To: 10.9.1.1203. Latest patch: The latest 10.9.1 patch is installed too. Licence: A new licence is needed. Read-only: While it runs; how long is unknown. " +
			"Undo: A release cannot be rolled back. Only a backup restores it.": upgrade.Effects(adminapi.Update{Type: "release", Version: "10.9.1", Build: "1203", NewLicensesRequired: &yes}, upgrade.InstalledFrom("10.9.0.505", nil), upgrade.Chain{}, &yes),
	} {
		if said := upgrade.Sentence(got); said != want {
			t.Errorf("%s", said)
		}
	}
	for _, tt := range []struct {
		latest *bool
		skips  []string
		want   string
	}{
		{&yes, []string{"a", "b"}, "The latest 12.0 patch is installed too. It includes the 2 skipped updates."},
		{&yes, nil, "The latest 12.0 patch is installed too."},
		{&no, []string{"a"}, "Not installed, nor the 1 skipped update."},
		{&no, nil, "Not installed."},
	} {
		release.Skips = tt.skips
		got := upgrade.Effects(release.Update, site, upgrade.Chain{Entries: []upgrade.Entry{release}}, tt.latest)
		if !slices.Contains(got, upgrade.Effect{Name: "Latest patch", Text: tt.want}) {
			t.Errorf("%v", got)
		}
	}
}

func TestOneUpdateIsRecommended(t *testing.T) {
	t.Parallel()
	fix1, fix2, next := patch("fix1", "6805", "6745"), patch("fix2", "6815", "6805"), release("next", "12.0.0", "7286", "11.5.0", "6745")
	fix1.Version, fix2.Version = "11.5.0", "11.5.0"
	for name, tt := range map[string]struct {
		site    string
		offered []adminapi.Update
		id, why string
	}{
		"the newest patch":          {"11.5.0.6745", []adminapi.Update{fix1, fix2, next}, "fix2", "Newest patch of 11.5, with the 1 before it."},
		"one patch":                 {"11.5.0.6745", []adminapi.Update{fix1}, "fix1", "Newest patch of 11.5."},
		"a release on the way":      {"11.4.0.6285", []adminapi.Update{release("r115", "11.5.0", "6745", "11.4.0", "6285"), next}, "r115", "Next release."},
		"a release alone":           {"11.5.0.6745", []adminapi.Update{next}, "next", "Next release."},
		"what the release requires": {"11.5.0.6745", []adminapi.Update{required(fix1), fix2, next}, "fix1", "12.0.0.7286 requires it."},
		"nothing offered":           {"11.5.0.6745", nil, "", ""},
		"a site that is unknown":    {"", []adminapi.Update{fix1, next}, "", ""},
	} {
		chain := upgrade.Plan(offered(tt.offered...), upgrade.InstalledFrom(tt.site, nil))
		if id, why := chain.Recommend(); id != tt.id || why != tt.why {
			t.Errorf("%s: %q, %q", name, id, why)
		}
	}
}

func TestWhatIsRequiredFirstIsFoundAmongThousands(t *testing.T) {
	t.Parallel()
	c := upgrade.Chain{Entries: []upgrade.Entry{{Update: adminapi.Update{ID: "first"}, Place: upgrade.Place{State: upgrade.Applicable}}}}
	last := upgrade.Entry{Update: release("last", "99.0.0", "9", "", ""), Place: upgrade.Place{State: upgrade.RequiredFirst, Requires: []string{"first"}}}
	for i := range 5_000 {
		e := upgrade.Entry{Update: release(strconv.Itoa(i), "12.0.0", strconv.Itoa(i), "", ""), Place: upgrade.Place{State: upgrade.RequiredFirst}}
		c.Entries, last.Requires = append(c.Entries, e), append(last.Requires, e.ID)
	}
	for range 10 { // for each row of a screen
		if first, ok := c.FirstOf(last); !ok || first.ID != "first" {
			t.Fatalf("%q", first.ID)
		}
	}
	if id, _ := c.Recommend(); id != "first" {
		t.Errorf("%q", id)
	}
}

func TestWhatIsRequiredFirstIsTheLastThatFits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		states []upgrade.State // of the required a, b, c
		first  string
		next   string // that is recommended
	}{
		"one that fits":     {[]upgrade.State{upgrade.NotKnown, upgrade.Applicable, upgrade.NotKnown}, "b", "b"},
		"the last of them":  {[]upgrade.State{upgrade.Applicable, upgrade.Applicable, upgrade.RequiredFirst}, "b", "b"},
		"none: the first":   {[]upgrade.State{upgrade.NotKnown, upgrade.Broken, upgrade.NotKnown}, "a", ""},
		"some not offered":  {[]upgrade.State{upgrade.Applicable}, "a", "a"},
		"none that is left": {nil, "", ""},
	} {
		release := upgrade.Entry{Update: release("r", "12.0.0", "7286", "11.5.0", "6745"), Place: upgrade.Place{State: upgrade.RequiredFirst, Requires: []string{"a", "b", "c"}}}
		c := upgrade.Chain{Entries: []upgrade.Entry{release}}
		for i, state := range tt.states {
			c.Entries = append(c.Entries, upgrade.Entry{Update: patch(string(rune('a'+i)), "6805", "6745"), Place: upgrade.Place{State: state}})
		}
		if first, found := c.FirstOf(release); first.ID != tt.first || found != (tt.first != "") {
			t.Errorf("%s: %q, %v", name, first.ID, found)
		}
		if next, _ := c.Recommend(); next != tt.next {
			t.Errorf("%s: recommended is %q", name, next)
		}
	}
}

func TestTheContainersOfUpdatesAreCountedOnce(t *testing.T) {
	t.Parallel()
	named := func(id string, checksums map[string]string) (u adminapi.Update) {
		u.ID = id
		for name, checksum := range checksums {
			u.Containers = append(u.Containers, adminapi.Container{Name: name, Image: name + ":2", Checksum: checksum})
		}
		return u
	}
	good := "sha256:" + strings.Repeat("0a", 32)
	site := upgrade.Installed{Containers: []adminapi.Container{{Name: "a", Image: "a:2"}, {Name: "b", Image: "b:1"}}, Complete: true}
	c := upgrade.Chain{Entries: []upgrade.Entry{
		{Update: named("new", map[string]string{"a": good, "b": "N/A"}), Place: upgrade.Place{Brings: []string{"old", "unknown"}}},
		{Update: named("old", map[string]string{"a": "sha256:cut", "b": good, "c": "sha256:cut", "d": ""})},
	}}
	want := upgrade.ContainerCount{Total: 4, All: 3, Own: 1, Missing: 2, Malformed: 2, Unread: 1}
	if got := c.Containers(c.Entries[0], site); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	f := upgrade.Facts{Target: c.Entries[0].Update, Installed: site, Chain: known(c)}
	checks := upgrade.Preflight(f)
	of := func(id string) finding.Finding {
		return checks[slices.IndexFunc(checks, func(c finding.Finding) bool { return c.ID == id })]
	}
	if got := of(upgrade.CheckImages); got.Strength != finding.Caution || got.Text != "2 of 4 images have a malformed checksum. Not counted: 1 included update." {
		t.Errorf("%+v", got)
	}
	for ids, want := range map[int]string{
		0:  "All 2 images have a checksum.",
		50: "2 images have a checksum. Not counted: 50 included updates.",
	} {
		f.Target = named("good", map[string]string{"a": good, "b": good})
		entry := upgrade.Entry{Update: f.Target}
		for i := range ids {
			entry.Brings = append(entry.Brings, fmt.Sprint("absent", i))
		}
		f.Chain = known(upgrade.Chain{Entries: []upgrade.Entry{entry}})
		checks = upgrade.Preflight(f)
		if got := of(upgrade.CheckImages); got.Strength != finding.Passed || got.Text != want {
			t.Errorf("%d included: %+v", ids, got)
		}
	}
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	m := manifest(t, "11.5.0")
	release, patch := m.Releases[1], m.Patches[0]
	for _, tt := range []struct {
		typed  string
		target adminapi.Update
		site   string
		want   bool
	}{
		{"12.0.0.7286", release, "11.5.0.6745", true},
		{" 12.0.0.7286\t", release, "11.5.0.6745", true},
		{"12.0.0", release, "11.5.0.6745", true},
		{"12.0", release, "11.5.0.6745", false},
		{"12.0.0", release, "", false},
		{"", release, "11.5.0.6745", false},
		{"yes", release, "11.5.0.6745", false},
		{"11.5.0.6805", patch, "11.5.0.6745", true},
		{"11.5.0", patch, "11.5.0.6745", false},
		{"11.5.0", patch, "11.4.0.6285", false},
		{"11.5.0.6815", patch, "11.5.0.6745", false},
		{"", adminapi.Update{}, "11.5.0.6745", false},
		{"pat_x", adminapi.Update{ID: "pat_x"}, "11.5.0.6745", true},
		{"12.0.0", adminapi.Update{ID: "a", Version: "12.0.0"}, "12.0.0.1", true},
	} {
		if got := upgrade.Confirms(tt.typed, upgrade.ConfirmWords(tt.target, upgrade.InstalledFrom(tt.site, nil), m)); got != tt.want {
			t.Errorf("%q for %s on %q: %v", tt.typed, tt.target.ID, tt.site, got)
		}
	}
	got := upgrade.ConfirmWords(release, upgrade.InstalledFrom("11.5.0.6745", nil), m)
	same(t, got, []string{"12.0.0.7286", "12.0.0"})
	back := upgrade.Rollback{Listed: adminapi.Update{ID: "p", Version: "10.9.0", Build: "506"}, From: "10.9.0.506", To: "10.9.0.505"}
	for typed, want := range map[string]bool{"10.9.0.505": true, " 10.9.0.505 ": true, "10.9.0": false, "10.9.0.506": false, "p": false, "": false} {
		if upgrade.Confirms(typed, back.ConfirmWords()) != want {
			t.Errorf("%q for a rollback: not %v", typed, want)
		}
	}
	if upgrade.Confirms("", (upgrade.Rollback{}).ConfirmWords()) {
		t.Error("a rollback to an unknown version can be confirmed")
	}
	if back.Unsure = "It has no id."; len(back.ConfirmWords()) > 0 || upgrade.Confirms("", back.ConfirmWords()) {
		t.Error("what is not sure can be confirmed")
	}
}

func TestFilesAreCheckedHereFirst(t *testing.T) {
	t.Parallel()
	f := upgrade.Form(realSettings(t))[1]
	licence := `{"key":"hush"}`
	for name, tt := range map[string]struct {
		file    string
		size    int64
		content string
		field   upgrade.Field
		want    string
	}{
		"good":                    {"/a/b/lic.json", 14, licence, f, ""},
		"upper case":              {"LIC.JSON", 14, licence, f, ""},
		"wrong extension":         {"/a/lic.txt", 14, licence, f, "the file lic.txt must end in .json"},
		"no extension":            {"lic", 14, licence, f, "the file lic must end in .json"},
		"a hidden extension":      {"lic.json\x1b[2K.exe", 14, licence, f, "the file lic.json.exe must end in .json"},
		"empty":                   {"lic.json", 0, "", f, "the file lic.json is empty"},
		"blank":                   {"lic.json", 2, " \n", f, "the file lic.json is empty"},
		"a blank one of any kind": {"a.pem", 2, " \n", upgrade.Field{Kind: upgrade.File}, "the file a.pem is empty"},
		"emptied meanwhile":       {"lic.json", 5, "", f, "the file lic.json changed while it was read; try again"},
		"200 MB":                  {"lic.json", 200 << 20, "", f, "the file lic.json has 200.0 MiB; the limit is 10 MiB"},
		"changed":                 {"lic.json", 15, licence, f, "the file lic.json changed while it was read; try again"},
		"not JSON":                {"lic.json", 13, licence[:13], f, "the file lic.json is not JSON: it ends too early at line 1, column 14"},
		"not JSON in line 2":      {"lic.json", 7, "{\nhush}", f, "the file lic.json is not JSON at line 2, column 1"},
		"other files need none":   {"a.pem", 4, "hush", upgrade.Field{Kind: upgrade.File}, ""},
		"the old style":           {"lic.json", 14, licence, upgrade.LicenceField(), ""},
		"no name":                 {"/a/", 14, licence, f, "no file is named"},
	} {
		t.Run(name, func(t *testing.T) {
			err := upgrade.CheckFile(tt.file, tt.size, []byte(tt.content), tt.field)
			if got := strings.TrimPrefix(fmt.Sprint(err), "<nil>"); got != tt.want {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestContainersAgainstTheInstalledOnes(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0a", 32)
	update := []adminapi.Container{
		{Name: "A", Image: "a:2", Checksum: digest}, {Name: "B", Image: "b:1", Checksum: "N/A"}, {Name: "C", Image: "c:1"},
		{Name: "D", Image: "d:1", Checksum: "sha256:beef"}, {Name: "E", Image: "e:1", Checksum: digest},
	}
	installed := []adminapi.Container{{Name: "A", Image: "a:1"}, {Name: "B", Image: "b:1"}, {Name: "D", Image: "d:1"}, {Name: "E", Image: "e:1", Checksum: "SHA256:" + strings.Repeat("0b", 32)}}
	got := upgrade.Installed{Containers: installed, Complete: true}.Changes(update)
	want := []upgrade.ContainerChange{
		{Name: "A", Image: "a:2", Checksum: digest, Was: "a:1", Change: upgrade.Changed, State: upgrade.ChecksumGood},
		{Name: "B", Image: "b:1", Checksum: "N/A", Was: "b:1", Change: upgrade.Same, State: upgrade.ChecksumMissing},
		{Name: "C", Image: "c:1", Change: upgrade.Added, State: upgrade.ChecksumMissing},
		{Name: "D", Image: "d:1", Checksum: "sha256:beef", Was: "d:1", Change: upgrade.Same, State: upgrade.ChecksumMalformed},
		{Name: "E", Image: "e:1", Checksum: digest, Was: "e:1", Change: upgrade.Changed, State: upgrade.ChecksumGood},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, c := range (upgrade.Installed{}).Changes(update) {
		if c.Change != upgrade.NotCompared {
			t.Errorf("%+v", c)
		}
	}
	patched := upgrade.InstalledFrom("", &adminapi.Update{Type: "patch", Version: "11.5.0", Build: "6805", Containers: installed}).Changes(update)
	if patched[2].Change != upgrade.NotCompared {
		t.Errorf("a patch does not list all containers of a site: %+v", patched[2])
	}
	if patched[0].Change != upgrade.Changed || patched[1].Change != upgrade.Same {
		t.Errorf("what it lists can be compared: %+v", patched)
	}
	whole := upgrade.InstalledFrom("", &adminapi.Update{Type: "release", Version: "11.5.0", Build: "6745", Containers: installed})
	if c := whole.Changes(update)[2]; c.Change != upgrade.Added {
		t.Errorf("%+v", c)
	}
}

func TestSecretValuesOfSettingsAreNamed(t *testing.T) {
	t.Parallel()
	settings := `{"userInputs":[{"id":"storePassword","value":"hush hush"},{"id":"size","value":"10Gi"},{"id":"x","value":{"api_key":["k-1",{"a":"k-2","n":12345}],"b":"open"}}]}`
	got, err := upgrade.Parts(upgrade.Request{Target: to120, Settings: jsontext.Value(settings)})
	if err != nil {
		t.Fatal(err)
	}
	last := got[len(got)-1]
	var secrets []string
	for _, secret := range last.Secrets {
		secrets = append(secrets, secret.Reveal())
	}
	if want := []string{"hush hush", "k-1", "k-2", "12345"}; !cmp.Equal(secrets, want) || string(last.Content) != settings {
		t.Errorf("secrets %q of %s", secrets, last.Content)
	}
}

// Settings may hold texts with secrets in them, such as connection strings, and names that have a sign of one.
func TestSecretsInTextsOfSettingsAreHidden(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		`{"id":"store","value":"AccountName=a;AccountKey=hush"}`, `{"id":"store","value":"https://jane:hush@store.example.org/"}`,
		`{"id":"store","value":{"pwd":"hush"}}`, `{"id":"store","value":"{\"sharedKey\":\"hush\"}"}`, `{"id":"sas","value":"hush"}`,
	} {
		settings := `{"userInputs":[` + setting + `]}`
		shown := upgrade.Describe([]adminapi.Part{{Name: "upgradeSettings", Content: []byte(settings)}})
		if strings.Contains(shown[0].Text, "hush") {
			t.Errorf("%s is shown as %s", setting, shown[0].Text)
		}
		parts, err := upgrade.Parts(upgrade.Request{Target: to120, Settings: jsontext.Value(settings)})
		if err != nil || !slices.Contains(parts[len(parts)-1].Secrets, "hush") {
			t.Errorf("the secret of %s is not known: %v", setting, err)
		}
		asked := settingsOf(t, settings)
		id, value := asked.Inputs[0].ID, string(asked.Inputs[0].Value)
		for _, answer := range []string{value, strings.TrimSuffix(value, `"`)} {
			if kept := upgrade.WithoutSecrets(asked, upgrade.Answers{id: {JSON: answer}}); len(kept) > 0 {
				t.Errorf("%s is kept as %v", answer, kept)
			}
		}
	}
}
