package simulator_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
)

func TestAvailableIsAChainOfPatchesAndARelease(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.post("/system/upgrades/available")
	before := "6745"
	for i, build := range []string{"6805", "6815", "6820", "6825", "6835"} {
		at := "patches." + string(rune('0'+i)) + "."
		got.has(at+"build", build, at+"previousBuild", before, at+"releaseBuild", "6745", at+"version", "11.5.0",
			at+"newLicensesRequired", false, at+"ismandatoryUpdate", false)
		before = build
	}
	got.has("releases", 1, "releases.0.id", release12, "releases.0.build", 7286, "releases.0.previousReleaseBuild", "6745",
		"releases.0.newLicensesRequired", true)
	if other := s.get("/system/upgrades/available"); other.body != got.body {
		t.Error("GET and POST answer differently")
	}
}

func TestContainersHaveImagesAndSomeHaveDigests(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	var body map[string][]struct {
		ID         string
		Containers []struct{ Name, Image, Checksum string }
	}
	if err := json.Unmarshal([]byte(s.post("/system/upgrades/available").body), &body); err != nil {
		t.Fatal(err)
	}
	digest := regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	for _, u := range append(body["patches"], body["releases"]...) {
		with := 0
		for _, c := range u.Containers {
			if digest.MatchString(c.Checksum) {
				with++
			} else if c.Checksum != "N/A" {
				t.Errorf("%s: checksum %q", c.Name, c.Checksum)
			}
			if name, tag, ok := strings.Cut(c.Image, ":"); !ok || name == "" || strings.Count(tag, ".") != 3 {
				t.Errorf("%s: image %q", c.Name, c.Image)
			}
		}
		if n := len(u.Containers); n < 13 || n > 47 || with == 0 || with == n {
			t.Errorf("%s: %d of %d containers have a digest", u.ID, with, n)
		}
	}
}

func TestEachVersionOffersTheNextOne(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"10.9.0.505": "rel_18012022_1203", "10.9": "rel_18012022_1203", "10.9.1.1203": release11, "11.0.0.2068": "rel_11042023_3923",
		"11.4.0.6285": "rel_24062025_6745", "11.5.0.6835": release12, "11.5.0.6800": release12, "12.0.0.7286": release121,
	} {
		s := start(t, simulator.Scenario{Name: "x", Version: version}, "servers")
		s.post("/system/upgrades/available").has("releases", 1, "releases.0.id", want)
		current := s.get("/system/upgrades/currentVersion")
		if site := s.get("").text("fullVersion"); version != "10.9" && current.text("version")+"."+asText(current.at("build")) != site {
			t.Errorf("%s: current version %.300s", version, current.body)
		}
	}
}

func asText(v any) string {
	text, _ := json.Marshal(v)
	return strings.Trim(string(text), `"`)
}

func TestAFreshSiteHasNoHistoryAndOneThatWasPatchedHasIt(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.get("/system/upgrades/history").has("history", 0)
	s = open(t, "upgraded", "admin")
	got := s.get("/system/upgrades")
	if got.text("status.state") != "success" || got.number("status.messages.0.when") > noon.UnixMilli() {
		t.Errorf("upgrades: %.300s", got.body)
	}
	past := s.get("/system/upgrades/history")
	past.has("history.0.toVersion", "11.5.0.6835", "history.0.fromVersion", "11.5.0.6825", "history.0.status", "success")
	s.get("/system/upgrades/history", "f", "html").contains("<pre>")
	s.isVersion("11.5.0.6835")
	s.isReadOnly(false)
}

func TestSettingsAreThoseOfTheTarget(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.post("/system/upgrades/getUpgradeSettings", "upgradeId", named(release12))
	got.has("userInputs", 2, "userInputs.0.id", "updateToLatestPatch", "userInputs.0.value", true, "userInputs.0.defaultValue", false,
		"userInputs.0.isManagerInvisibleField", true,
		"userInputs.1.id", "licenseUpload", "userInputs.1.validFileExtensions.0", "json", "userInputs.1.seqNum", 1)
	if got := s.settings(patch6805); got != "{\"userInputs\":[]}\n" {
		t.Errorf("a patch: %s", got)
	}
	old := open(t, "old", "admin")
	old.post("/system/upgrades/getUpgradeSettings", "upgradeId", named(release11)).has("userInputs.2.id", "volumesConfig", "userInputs.2.type", "JSON")
	refuse := func(value string, code int64, words string) {
		t.Helper()
		s.post("/system/upgrades/getUpgradeSettings", "upgradeId", value).refused(code, words)
	}
	refuse("", 400, "upgradeId")
	refuse("{", 400, "JSON")
	refuse(`["x"]`, 400, "JSON")
	refuse("{}", 400, "id")
	refuse(named(`rel_1_2\u001b`), 400, "no release or patch")
	refuse(named(release11), 400, "installed already")
}

func TestAnImportedManifestIsWhatTheSiteOffers(t *testing.T) {
	t.Parallel()
	s := open(t, "empty-manifest", "servers")
	s.post("/system/upgrades/available").is("{\"patches\":[],\"releases\":[]}\n")
	s.get("/system/upgrades/manifestStatus").has("lastImportedTimestamp", 0)
	s.post("/system/upgrades/getUpgradeSettings", "upgradeId", named(release12)).refused(400, "no release or patch")
	file := `{"versions":[{"id":"rel_x_9999","type":"release","version":"12.0.0","build":"9999","previousVersion":"11.5.0","previousReleaseBuild":"6745",
		"newLicensesRequired":true,"userForm":[{"groupInputs":[{"id":"licenseUpload","type":"File","required":true,"value":""}]}],"containers":[{"name":"POSTGRES","image":"p:1","checksum":"N/A"}]},
		{"id":"pat_x_6999","type":"patch","version":"11.5.0","build":6999,"previousBuild":6745,"releaseBuild":6745}],"signature":"s"}`
	s.postForm("/system/upgrades/importManifest", newForm(t).file("manifestFile", "m.dat", []byte(file))).has("status", "success")
	got := s.post("/system/upgrades/available")
	got.has("releases.0.build", "9999", "patches.0.build", 6999)
	s.get("/system/upgrades/manifestStatus").has("lastImportedTimestamp", noon.UnixMilli())
	s.post("/system/upgrades/getUpgradeSettings", "upgradeId", named("rel_x_9999")).has("userInputs", 1, "userInputs.0.id", "licenseUpload")
	s.upgrade("pat_x_6999", "{}")
	s.isVersion("11.5.0.6999")
}

func TestTheManifestOfTheSiteComesBackWhenTheImportedOneIsDeleted(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	before := s.post("/system/upgrades/available").body
	s.post("/system/upgrades/deleteImportedManifest").refused(400, "no manifest was imported")
	content, err := os.ReadFile("testdata/version_manifest_file_11.5.0_TRIMMED.json")
	if err != nil {
		t.Fatal(err)
	}
	s.postForm("/system/upgrades/importManifest", newForm(t).file("manifestFile", "m.dat", content)).has("status", "success")
	if s.post("/system/upgrades/available").body == before {
		t.Error("the import changes nothing")
	}
	s.post("/system/upgrades/deleteImportedManifest").has("status", "success")
	s.post("/system/upgrades/available").is(before)
	s.get("/system/upgrades/manifestStatus").has("versionManifestSource", "Esri provided", "lastImportedTimestamp", 0)
}

// What the pages say of the version that brought a resource.
func TestResourcesBelowUpgradesComeWithTheirVersions(t *testing.T) {
	t.Parallel()
	for version, missing := range map[string]string{
		"10.9.0.505":  "importManifest config manifestStatus deleteImportedManifest",
		"10.9.1.1203": "config manifestStatus deleteImportedManifest",
		"11.2.0.5207": "manifestStatus deleteImportedManifest",
		"11.4.0.6285": "",
	} {
		s := start(t, simulator.Scenario{Name: "x", Version: version}, "admin")
		for _, c := range children {
			got := s.send(c.method, "/system/upgrades/"+c.path, values(nil), values(nil))
			if want := slices.Contains(strings.Fields(missing), c.path); (got.status == http.StatusNotFound) != want {
				t.Errorf("%s: %s %s answers %d", version, c.method, c.path, got.status)
			}
		}
	}
}

func TestTheUpgradesResourceIsReadWithBothMethods(t *testing.T) {
	t.Parallel()
	s := open(t, "upgraded", "operator")
	s.post("/system/upgrades").is(s.get("/system/upgrades").body)
}

func TestABadManifestIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	send := func(name, content string) reply {
		return s.postForm("/system/upgrades/importManifest", newForm(t).file("manifestFile", name, []byte(content)))
	}
	entry := `{"id":"a","type":"patch","version":"11.5.0","build":"7000"}`
	for content, words := range map[string]string{
		"":                                    "manifestFile",
		"no JSON":                             "versions and a signature",
		`[]`:                                  "versions and a signature",
		`{}`:                                  "no versions",
		`{"versions":[` + entry + `]}`:        "not signed",
		`{"versions":[{}],"signature":"s"}`:   "no id",
		`{"versions":[null],"signature":"s"}`: "no id",
		`{"versions":[{"id":"a","type":"patch"}],"signature":"s"}`:   "no version",
		`{"versions":[` + entry + "," + entry + `],"signature":"s"}`: "same id",
		`{"versions":[{"id":"a","build":"seven"}],"signature":"s"}`:  "versions and a signature",
	} {
		send("m.dat", content).refused(400, words)
	}
	send("m.exe", `{"versions":[`+entry+`],"signature":"s"}`).refused(400, ".dat or .json")
	s.post("/system/upgrades/importManifest", "manifestFile", "x").refused(400, "multipart")
	s.post("/system/upgrades/available").has("patches", 5)
}

func TestThePlacementOfTheUpgradeJobIsShownFrom112On(t *testing.T) {
	t.Parallel()
	healthy(t).get("/system/upgrades/config").has("podPlacementPolicy.tolerations.0.key", "upgrader")
	s := open(t, "old", "admin")
	if got := s.get("/system/upgrades/config"); got.status != http.StatusNotFound {
		t.Errorf("an old site: %d", got.status)
	}
}

func TestOddEntriesAreShownUnchangedAndCannotBeInstalled(t *testing.T) {
	t.Parallel()
	s := open(t, "odd-manifest", "admin")
	got := s.post("/system/upgrades/available")
	if got.length("patches") != 5+9 || got.length("releases") != 2 || !strings.Contains(got.body, `"build":"seven"`) {
		t.Errorf("available: %s", got.body)
	}
	s.upgradeTo("pat_circle_7001", "{}").refused(400, "pat_circle_7001")
}
