package simulator_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

const latestPatch = `{"id":"updateToLatestPatch","type":"Boolean","value":true}`

// licensed is the settings object of a release with one value for the licence.
func licensed(value string) string {
	return `{"userInputs":[` + latestPatch + `,{"id":"licenseUpload","type":"File","value":` + value + `}]}`
}

func TestAnUpgradeIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	good := s.uploadedLicence("12.0.0.7286")
	wrong := s.uploadedLicence("11.5")
	empty := s.upload("licence.json", nil).text("item.itemID")
	text := s.upload("licence.txt", simtest.Licence("12.0")).text("item.itemID")
	prose := s.upload("licence.json", []byte("to whom it may concern")).text("item.itemID")
	quoted := func(id string) string { return licensed(`"` + id + `"`) }
	for name, c := range map[string]struct{ manifest, settings, words string }{
		"no target":            {"", "{}", "versionManifest"},
		"target is an id":      {patch6805, "{}", "versionManifest"},
		"target is a text":     {`"` + patch6805 + `"`, "{}", "versionManifest"},
		"target is a list":     {"[1]", "{}", "versionManifest"},
		"target without id":    {"{}", "{}", "names no id"},
		"target of a number":   {`{"id":7}`, "{}", "versionManifest"},
		"unknown target":       {named("rel_nope"), "{}", "rel_nope"},
		"installed already":    {named("rel_24062025_6745"), "{}", "installed already"},
		"older":                {named(release11), "{}", "installed already"},
		"no settings":          {named(release12), "", "upgradeSettings"},
		"settings no JSON":     {named(release12), "{", "upgradeSettings"},
		"settings a list":      {named(release12), "[]", "upgradeSettings"},
		"settings null":        {named(release12), "null", "upgradeSettings"},
		"inputs no list":       {named(release12), `{"userInputs":{}}`, "upgradeSettings"},
		"required missing":     {named(release12), "{}", "updateToLatestPatch"},
		"licence missing":      {named(release12), `{"userInputs":[` + latestPatch + `]}`, "licenseUpload"},
		"licence empty":        {named(release12), licensed(`""`), "licenseUpload"},
		"licence null":         {named(release12), licensed(`null`), "licenseUpload"},
		"licence a number":     {named(release12), licensed(`7`), "licenseUpload"},
		"unknown upload":       {named(release12), licensed(`"nope"`), "nope"},
		"upload of other kind": {named(release12), quoted(text), "json"},
		"empty upload":         {named(release12), quoted(empty), "empty"},
		"not a licence":        {named(release12), quoted(prose), "not valid"},
		"licence of another":   {named(release12), quoted(wrong), "12.0 is needed"},
		"Boolean as text":      {named(release12), strings.Replace(quoted(good), "true", `"true"`, 1), "true or false"},
		"another type":         {named(release12), strings.Replace(quoted(good), "Boolean", "File", 1), "Boolean"},
		"not asked for":        {named(release12), strings.Replace(quoted(good), "updateTo", "downTo", 1), "downToLatestPatch"},
		"no form":              {named(patch6805), quoted(good), "updateToLatestPatch"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.postForm("/system/upgrades/upgrade", newForm(t, "versionManifest", c.manifest, "upgradeSettings", c.settings, "licenseFile", "").file("versionManifestFile", "", nil))
			got.refused(400, c.words)
			if strings.Contains(got.body, "whom it may concern") {
				t.Error("the refusal shows the licence")
			}
		})
	}
	s.isUpgrade("no_upgrade")
	started(t, s.upgradeTo(release12, quoted(good)))
}

// Programs without a file send an ordinary form, and name the target by its id or by the
// whole object of the manifest.
func TestAnUpgradeWithoutAFileIsAFormToo(t *testing.T) {
	t.Parallel()
	for name, manifest := range map[string]func(*site) string{
		"the object": func(*site) string { return named(patch6805) },
		"the entry": func(s *site) string {
			text, err := json.Marshal(s.post("/system/upgrades/available").at("patches.0"))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := healthy(t)
			target := manifest(s)
			for _, id := range []string{target, patch6805} {
				s.post("/system/upgrades/getUpgradeSettings", "upgradeId", id).is("{\"userInputs\":[]}\n")
			}
			started(t, s.post("/system/upgrades/upgrade", "versionManifest", target, "upgradeSettings", "{}"))
			s.finish()
			s.isVersion("11.5.0.6805")
			s.post("/system/upgrades/rollback", "versionManifest", patch6805, "rollbackSettings", "{}").refused(400, "JSON object")
			started(t, s.post("/system/upgrades/rollback", "versionManifest", strings.ReplaceAll(target, patch6805, "rel_24062025_6745"), "rollbackSettings", "{}"))
		})
	}
	s := healthy(t)
	s.post("/system/upgrades/upgrade", "versionManifest", named(release12), "upgradeSettings", "{}", "licenseFile", "text").refused(400, "licenseFile")
	started(t, s.post("/system/upgrades/upgrade", "versionManifest", named(release12), "upgradeSettings", s.licensed(release12, "12.0"), "licenseFile", ""))
}

// The vendor's Python package sends one file, named licenseUpload, and calls it the manifest.
func TestTheFileOfAnUpgradeMayHaveTheNameOfItsSetting(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("testdata/version_manifest_file_11.5.0_TRIMMED.json")
	if err != nil {
		t.Fatal(err)
	}
	send := func(s *site, id string, files ...string) reply {
		f := newForm(t, "versionManifest", named(id), "upgradeSettings", "{}")
		for i := 0; i < len(files); i += 2 {
			f.file(files[i], "f.json", []byte(files[i+1]))
		}
		return s.postForm("/system/upgrades/upgrade", f)
	}
	good, other := string(simtest.Licence("12.0")), string(simtest.Licence("11.5"))
	s := healthy(t)
	send(s, release12, "licenseUpload", other).refused(400, "another version")
	send(s, release12, "licenseUpload", good, "licenseFile", other).refused(400, "licenseUpload")
	send(s, release12, "licenseFile", good, "licenseFile", good).refused(400, "once")
	s.isUpgrade("no_upgrade")
	started(t, send(s, release12, "licenseUpload", good))
	started(t, send(healthy(t), release12, "licenseUpload", good, "licenseFile", good))
	started(t, send(open(t, "empty-manifest", "admin"), patch6835, "licenseUpload", string(manifest)))
}

// What is said twice in different words is not performed, and what is said twice in the same
// words is performed once.
func TestAFieldThatIsGivenTwice(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	at := "/system/upgrades/upgrade?versionManifest="
	fields := []string{"versionManifest", named(patch6805), "upgradeSettings", "{}"}
	s.postForm(at+url.QueryEscape(named(patch6815)), newForm(t, fields...)).refused(400, "versionManifest")
	s.send(http.MethodPost, at+url.QueryEscape(named(patch6815)), nil, values(fields)).refused(400, "versionManifest")
	s.postForm("/system/upgrades/upgrade", newForm(t, append(fields, "upgradeSettings", `{"userInputs":[]}`)...)).refused(400, "upgradeSettings")
	s.postForm("/system/upgrades/upgrade", newForm(t, append(fields, "updateToLatestPatch", "true", "updateToLatestPatch", "false")...)).refused(400, "updateToLatestPatch")
	s.isUpgrade("no_upgrade")
	started(t, s.postForm(at+url.QueryEscape(named(patch6805)), newForm(t, fields...)))
	s.postForm("/system/upgrades/upgrade", newForm(t, fields...)).refused(409, "in progress")
	s.finish()
	s.get("/system/upgrades/history").has("history", 1)
}

func TestPartsOfTheWrongKindAreRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	send := func(f *form) reply { return s.postForm("/system/upgrades/upgrade", f) }
	send(newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}", "licenseFile", "text")).refused(400, "licenseFile")
	send(newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}", "versionManifestFile", "text")).refused(400, "versionManifestFile")
	send(newForm(t, "versionManifest", named(patch6805)).file("upgradeSettings", "s.json", []byte("{}"))).refused(400, "upgradeSettings")
	send(newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}", "updateToLatestPatch", "yes")).refused(400, "yes")
	send(newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}").file("versionManifestFile", "m.dat", []byte("x"))).refused(400, "manifest")
}

func TestAnUploadThatIsNotCommittedIsNoLicence(t *testing.T) {
	t.Parallel()
	s := open(t, "upload-uncommitted", "admin")
	item := s.upload("licence.json", simtest.Licence("12.0"))
	item.has("item.committed", false)
	s.upgradeTo(release12, s.filled(release12, item.text("item.itemID"))).refused(400, "not committed")
}

func TestTheOldStyleTakesTheLicenceAsAFile(t *testing.T) {
	t.Parallel()
	send := func(site *site, settings, latest string, licence []byte) reply {
		f := newForm(t, "versionManifest", named("rel_18012022_1203"), "updateToLatestPatch", latest)
		if settings != "" {
			f = newForm(t, "versionManifest", named("rel_18012022_1203"), "upgradeSettings", settings)
		}
		return site.postForm("/system/upgrades/upgrade", f.file("versionManifestFile", "", nil).file("licenseFile", "licence.json", licence))
	}
	for name, settings := range map[string]string{"no settings": "", "empty settings": "{}"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "oldest", "servers")
			send(s, settings, "true", nil).refused(400, "licenseFile")
			send(s, settings, "true", []byte("x")).refused(400, "not valid")
			send(s, settings, "true", simtest.Licence("11.0")).refused(400, "another version")
			send(s, licensed(`"x"`), "", simtest.Licence("10.9.1")).refused(400, "not asked for")
			started(t, send(s, settings, "true", simtest.Licence("10.9.1")))
			s.finish()
			s.isVersion("10.9.1.1203")
		})
	}
}

func TestFrom1091To11TheFormHasALicenceAndVolumes(t *testing.T) {
	t.Parallel()
	s := open(t, "old", "admin")
	good := s.licensed(release11, "11.0")
	for bad, words := range map[string]string{
		strings.Replace(good, `"value":{"stagingVolumeConfig"`, `"value":["x"],"was":{"stagingVolumeConfig"`, 1): "JSON object",
		strings.Replace(good, `"type":"JSON","value":{`, `"type":"JSON","was":{`, 1):                             "volumesConfig",
	} {
		if bad == good {
			t.Fatal("nothing was made wrong")
		}
		s.upgradeTo(release11, bad).refused(400, words)
	}
	s.upgrade(release11, good)
	s.isVersion("11.0.0.2068")
}

func TestAnEmptyObjectBesideALicenceFileIsTakenInTheNewStyleToo(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	send := func(licence []byte) reply {
		return s.postForm("/system/upgrades/upgrade", newForm(t, "versionManifest", named(release12), "upgradeSettings", "{}").
			file("versionManifestFile", "", nil).file("licenseFile", "licence.json", licence))
	}
	send(nil).refused(400, "required")
	send(simtest.Licence("11.5")).refused(400, "another version")
	started(t, send(simtest.Licence("12.0")))
}

func TestARealManifestFileCountsForItsRequest(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/version_manifest_file_11.5.0_TRIMMED.json")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "empty-manifest", "admin")
	send := func(id, settings string) reply {
		return s.postForm("/system/upgrades/upgrade", newForm(t, "versionManifest", named(id), "upgradeSettings", settings).file("versionManifestFile", "m.dat", bytes.TrimSpace(content)))
	}
	send("pat_unknown", "{}").refused(400, "pat_unknown")
	send(release12, "{}").refused(400, "updateToLatestPatch")
	started(t, send(patch6835, "{}"))
	s.finish()
	s.isVersion("11.5.0.6835")
	s.post("/system/upgrades/available").has("releases", 0)
	s.postForm("/system/upgrades/importManifest", newForm(t).file("manifestFile", "m.json", content)).has("status", "success")
	if got := s.settings(release12); !strings.Contains(got, "licenseUpload") {
		t.Errorf("settings of the file: %s", got)
	}
	started(t, s.upgradeTo(release12, s.licensed(release12, "12.0")))
}

func TestARequiredPatchComesBeforeTheRelease(t *testing.T) {
	t.Parallel()
	s := open(t, "required-patch-first", "admin")
	s.post("/system/upgrades/available").has("patches.2.ismandatoryUpdate", true, "patches.1.ismandatoryUpdate", false)
	settings := s.licensed(release12, "12.0")
	s.upgradeTo(release12, settings).refused(400, "pat_07102025_6820")
	s.upgrade(patch6835, "{}")
	started(t, s.upgradeTo(release12, settings))
}

func TestASiteMayTakeOnlyALicenceOfItsChoice(t *testing.T) {
	t.Parallel()
	s := open(t, "wrong-licence", "admin")
	s.upgradeTo(release12, s.licensed(release12, "12.0")).refused(400, "11.5 is needed")
	started(t, s.upgradeTo(release12, s.licensed(release12, "11.5")))
}

func TestSettingsThatChangeAfterTheyWereReadRefuseTheOldOnes(t *testing.T) {
	t.Parallel()
	s := open(t, "refused-settings", "admin")
	settings := s.licensed(release12, "12.0")
	s.upgradeTo(release12, settings).refused(400, "volumesConfig")
	if again := s.settings(release12); !strings.Contains(again, "volumesConfig") {
		t.Errorf("read again: %s", again)
	}
}

func TestAReleaseBringsItsLatestPatchIfRequested(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"true": "11.5.0.6835", "false": "11.5.0.6745"} {
		s := start(t, simulator.Scenario{Name: "x", Version: "11.4.0.6285"}, "admin")
		id := "rel_24062025_6745"
		settings := strings.Replace(s.licensed(id, "11.5"), `"value":true`, `"value":`+value, 1)
		s.upgrade(id, settings)
		s.isVersion(want)
	}
}
