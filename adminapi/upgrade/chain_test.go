package upgrade_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/upgrade"
)

func manifest(t testing.TB, version string) adminapi.Manifest {
	t.Helper()
	data, err := os.ReadFile("testdata/version_manifest_file_" + version + "_TRIMMED.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := adminapi.DecodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lines writes a chain as a table: what people rely on, one line an entry.
func lines(c upgrade.Chain) []string {
	var out []string
	for _, e := range c.Entries {
		line := fmt.Sprintf("%s depth=%d base=%q %s", e.ID, e.Depth, e.Base, e.State)
		if len(e.Brings) > 0 {
			line += " brings " + strings.Join(e.Brings, ",")
		}
		if len(e.Requires) > 0 {
			line += " requires " + strings.Join(e.Requires, ",")
		}
		if len(e.Skips) > 0 {
			line += " skips " + strings.Join(e.Skips, ",")
		}
		out = append(out, line)
	}
	return out
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const (
	q3      = "pat_12082025_6805"
	q3fix   = "pat_11092025_6815"
	feature = "pat_07102025_6820"
	q4      = "pat_23102025_6825"
	q4fix   = "pat_04122025_6835"
	r115    = "rel_24062025_6745"
	r120    = "rel_11122025_7286"
)

func TestTheAddressOfAnUpdate(t *testing.T) {
	t.Parallel()
	long := "https://example.org/" + strings.Repeat("x", 500) + "/end"
	for _, c := range []struct{ kind, url, want string }{
		{"patch", " https://example.org/6805 ", "https://example.org/6805"},
		{"release", "https://example.org/notes?a=b#c", ""},
		{"patch", "see the\nforum", "see the forum"},
		{"patch", "https://example.org/\u202e\u001b]8;;x\u001b\\6805", "https://example.org/6805"},
		{"patch", "", ""},
	} {
		if got := upgrade.Link(adminapi.Update{Type: c.kind, URL: c.url}); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.kind, c.url, got, c.want)
		}
	}
	got := upgrade.Link(adminapi.Update{Type: "patch", URL: long})
	if utf8.RuneCountInString(got) != 400 || !strings.HasPrefix(got, "https://example.org/xx") || !strings.HasSuffix(got, "xx/end") || !strings.Contains(got, "x…x") {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
}

func TestRealChainOnTheRelease(t *testing.T) {
	t.Parallel()
	c := upgrade.Plan(manifest(t, "11.5.0"), upgrade.InstalledFrom("11.5.0.6745", nil))
	same(t, lines(c), []string{
		r115 + ` depth=0 base="" installed`,
		q3 + ` depth=0 base="" applicable`,
		q3fix + ` depth=1 base="` + q3 + `" applicable brings ` + q3,
		feature + ` depth=2 base="` + q3fix + `" applicable brings ` + q3 + "," + q3fix,
		q4 + ` depth=3 base="` + feature + `" applicable brings ` + strings.Join([]string{q3, q3fix, feature}, ","),
		q4fix + ` depth=4 base="` + q4 + `" applicable brings ` + strings.Join([]string{q3, q3fix, feature, q4}, ","),
		r120 + ` depth=0 base="" applicable skips ` + strings.Join([]string{q3, q3fix, feature, q4, q4fix}, ","),
	})
	if len(c.Problems) > 0 {
		t.Error(c.Problems)
	}
}

func TestRealChainOnAPatch(t *testing.T) {
	t.Parallel()
	current := adminapi.Update{Type: "patch", Version: "11.5.0", Build: "6820", ReleaseBuild: "6745"}
	c := upgrade.Plan(manifest(t, "11.5.0"), upgrade.InstalledFrom("11.5.0.6820", &current))
	same(t, lines(c), []string{
		r115 + ` depth=0 base="" installed`, q3 + ` depth=0 base="" installed`, q3fix + ` depth=0 base="" installed`,
		feature + ` depth=0 base="" installed`,
		q4 + ` depth=0 base="" applicable`,
		q4fix + ` depth=1 base="` + q4 + `" applicable brings ` + q4,
		r120 + ` depth=0 base="" applicable skips ` + q4 + "," + q4fix,
	})
}

func TestRealChainFromAnOlderReleaseNeedsTheReleaseFirst(t *testing.T) {
	t.Parallel()
	c := upgrade.Plan(manifest(t, "11.5.0"), upgrade.InstalledFrom("11.4.0.6285", nil))
	same(t, lines(c), []string{
		r115 + ` depth=0 base="" applicable`,
		q3 + ` depth=1 base="` + r115 + `" required first requires ` + r115,
		q3fix + ` depth=2 base="` + q3 + `" required first brings ` + q3 + " requires " + r115,
		feature + ` depth=3 base="` + q3fix + `" required first brings ` + q3 + "," + q3fix + " requires " + r115,
		q4 + ` depth=4 base="` + feature + `" required first brings ` + strings.Join([]string{q3, q3fix, feature}, ",") + " requires " + r115,
		q4fix + ` depth=5 base="` + q4 + `" required first brings ` + strings.Join([]string{q3, q3fix, feature, q4}, ",") + " requires " + r115,
		r120 + ` depth=1 base="` + r115 + `" required first requires ` + r115,
	})
}

func TestAReleaseTooFarAheadDoesNotApply(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]upgrade.State{
		"11.4.0.6285": upgrade.NotApplicable, "11.5.0.6745": upgrade.Applicable, "11.5.0.6835": upgrade.Applicable,
		"12.0.0.7286": upgrade.InPlace, "12.0.0.7300": upgrade.InPlace, "12.1.0.8000": upgrade.NotApplicable, "": upgrade.NotKnown,
		"11.5": upgrade.Applicable, "11.3": upgrade.NotApplicable, "rubbish": upgrade.NotKnown,
	} {
		c := upgrade.Plan(manifest(t, "12.0.0"), upgrade.InstalledFrom(site, nil))
		if e := c.Entries[0]; e.State != want || e.Reason == "" {
			t.Errorf("on %q: %v (%s), want %v", site, e.State, e.Reason, want)
		}
	}
}

// The newest release skips none: from 11.5 the one before it comes first.
func TestTheNewestReleaseBuildsOnTheOneBefore(t *testing.T) {
	t.Parallel()
	r12 := release("r120", "12.0.0", "7286", "11.5.0", "6745")
	r121 := release("r121", "12.1.0", "8325", "12.0.0", "7286")
	for site, want := range map[string][]string{
		"11.5.0.6745": {`r120 depth=0 base="" applicable`, `r121 depth=1 base="r120" required first requires r120`},
		"12.0.0.7286": {`r120 depth=0 base="" installed`, `r121 depth=0 base="" applicable`},
		"12.1.0.8325": {`r120 depth=0 base="" not applicable`, `r121 depth=1 base="r120" installed`},
	} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			same(t, lines(upgrade.Plan(offered(r121, r12), upgrade.InstalledFrom(site, nil))), want)
		})
	}
}

// Short makers of updates.
func patch(id, build, previous string) adminapi.Update {
	return adminapi.Update{ID: id, Type: "patch", Version: "11.5.0", PreviousVersion: "11.5.0", Build: build, PreviousBuild: previous, ReleaseBuild: "6745"}
}

func required(u adminapi.Update) adminapi.Update {
	u.Mandatory = true
	return u
}

func release(id, version, build, previousVersion, previous string) adminapi.Update {
	return adminapi.Update{ID: id, Type: "release", Version: version, Build: build, PreviousVersion: previousVersion, PreviousReleaseBuild: previous}
}

func offered(updates ...adminapi.Update) adminapi.Manifest {
	var m adminapi.Manifest
	for _, u := range updates {
		if upgrade.IsRelease(u) {
			m.Releases = append(m.Releases, u)
		} else {
			m.Patches = append(m.Patches, u)
		}
	}
	return m
}

func TestChains(t *testing.T) {
	t.Parallel()
	r12 := release("r12", "12.0.0", "7286", "11.5.0", "6745")
	for name, tt := range map[string]struct {
		offer []adminapi.Update
		site  string
		want  []string
	}{
		"a required update goes before the release": {
			[]adminapi.Update{patch("a", "6805", "6745"), required(patch("b", "6815", "6805")), patch("c", "6820", "6815"), r12}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `b depth=1 base="a" applicable brings a`, `c depth=2 base="b" applicable brings a,b`,
				`r12 depth=0 base="" required first requires b skips c`},
		},
		"a required update that is in requires nothing": {
			[]adminapi.Update{required(patch("b", "6815", "6805")), r12}, "11.5.0.6815",
			[]string{`b depth=0 base="" installed`, `r12 depth=0 base="" applicable`},
		},
		"a required update counts where only the version is known": {
			[]adminapi.Update{required(patch("b", "6815", "6805")), r12}, "11.5.0",
			[]string{`b depth=0 base="" not known`, `r12 depth=0 base="" required first requires b`},
		},
		"required updates of a release on the way": {
			[]adminapi.Update{release("r115", "11.5.0", "6745", "11.4.0", "6285"), required(patch("b", "6805", "6745")), r12}, "11.4.0.6285",
			[]string{`r115 depth=0 base="" applicable`, `b depth=1 base="r115" required first requires r115`, `r12 depth=1 base="r115" required first requires r115,b`},
		},
		"a gap in the chain": {
			[]adminapi.Update{patch("a", "6805", "6745"), patch("c", "6820", "6815"), patch("d", "6825", "6820")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `c depth=0 base="" broken`, `d depth=1 base="c" broken`},
		},
		"a circle": {
			[]adminapi.Update{patch("x", "B", "A"), patch("y", "A", "B"), patch("z", "C", "A"), patch("a", "6805", "6745")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `y depth=0 base="" broken`, `x depth=0 base="" broken`, `z depth=1 base="y" broken`},
		},
		"a link to itself and a link backwards": {
			[]adminapi.Update{patch("self", "6805", "6805"), patch("back", "6806", "6900")}, "11.5.0.6745",
			[]string{`self depth=0 base="" broken`, `back depth=0 base="" broken`},
		},
		"the same id twice": {
			[]adminapi.Update{patch("a", "6805", "6745"), patch("a", "6815", "6805")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `a depth=1 base="a" broken`},
		},
		"nothing but an id, and not even that": {
			[]adminapi.Update{{ID: "bare"}, {Build: "6805", PreviousBuild: "6745"}, {}}, "11.5.0.6745",
			[]string{` depth=0 base="" broken`, `bare depth=0 base="" broken`, ` depth=0 base="" broken`},
		},
		"builds that are no numbers": {
			[]adminapi.Update{patch("a", "6745-hf1", "6745"), patch("b", "6745-hf2", "6745-hf1")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `b depth=1 base="a" applicable brings a`},
		},
		"builds above 64 bits, and zeros in front": {
			[]adminapi.Update{patch("a", "99999999999999999999", "006745"), patch("b", "100000000000000000000", "99999999999999999999")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `b depth=1 base="a" applicable brings a`},
		},
		"a build in between that nobody offers": {
			[]adminapi.Update{patch("c", "6820", "6815")}, "11.5.0.6818",
			[]string{`c depth=0 base="" applicable`},
		},
		"two on the same base": {
			[]adminapi.Update{patch("a", "6805", "6745"), patch("b", "6810", "6805"), patch("c", "6811", "6805"), patch("d", "6812", "6810"), patch("e", "6813", "6811")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `b depth=1 base="a" applicable brings a`, `c depth=1 base="a" applicable brings a`,
				`d depth=2 base="b" applicable brings a,b`, `e depth=2 base="c" applicable brings a,c`},
		},
		"branches of a long row do not mix": {
			[]adminapi.Update{patch("a", "6801", "6745"), patch("b", "6802", "6801"), patch("c", "6803", "6802"), patch("d", "6804", "6803"), patch("e", "6805", "6804"), patch("f", "6806", "6805"),
				patch("x", "6811", "6806"), patch("y", "6812", "6806"), patch("x1", "6821", "6811"), patch("y1", "6822", "6812")}, "11.5.0.6745",
			[]string{`a depth=0 base="" applicable`, `b depth=1 base="a" applicable brings a`, `c depth=2 base="b" applicable brings a,b`, `d depth=3 base="c" applicable brings a,b,c`,
				`e depth=4 base="d" applicable brings a,b,c,d`, `f depth=5 base="e" applicable brings a,b,c,d,e`,
				`x depth=6 base="f" applicable brings a,b,c,d,e,f`, `y depth=6 base="f" applicable brings a,b,c,d,e,f`,
				`x1 depth=7 base="x" applicable brings a,b,c,d,e,f,x`, `y1 depth=7 base="y" applicable brings a,b,c,d,e,f,y`},
		},
		"a site that tells no build": {
			[]adminapi.Update{release("r115", "11.5.0", "6745", "11.4.0", "6285"), patch("a", "6805", "6745"), r12}, "11.5",
			[]string{`r115 depth=0 base="" installed`, `a depth=0 base="" not known`, `r12 depth=0 base="" applicable skips a`},
		},
		"patches of an older release": {
			[]adminapi.Update{patch("a", "6805", "6745")}, "12.0.0.7286", []string{`a depth=0 base="" not applicable`},
		},
		"a release without builds goes by version": {
			[]adminapi.Update{release("r", "10.9.1", "", "10.9", "")}, "10.9.0.505", []string{`r depth=0 base="" applicable`},
		},
		"a number as the build of a release": {
			[]adminapi.Update{release("r", "11.0.0", "3000", "10.9.1", "1210")}, "10.9.1.1210", []string{`r depth=0 base="" applicable`},
		},
		"nothing": {nil, "11.5.0.6745", nil},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, lines(upgrade.Plan(offered(tt.offer...), upgrade.InstalledFrom(tt.site, nil))), tt.want)
		})
	}
}

func TestBrokenEntriesAreProblems(t *testing.T) {
	t.Parallel()
	c := upgrade.Plan(offered(patch("a\x1b[31m", "6805", "6805"), patch("b", "6820", "6815")), upgrade.InstalledFrom("11.5.0.6745", nil))
	want := []finding.Finding{
		{Strength: finding.Block, ID: "a\x1b[31m", Text: "a: Build 6805 says it builds on 6805, which is not older."},
		{Strength: finding.Block, ID: "b", Text: "b: It builds on build 6815, which is neither installed nor offered."},
	}
	if diff := cmp.Diff(want, c.Problems); diff != "" {
		t.Error(diff)
	}
}

func TestIDsStayAsTheyAreAndTextsAreClean(t *testing.T) {
	t.Parallel()
	odd := "päť/\"1\"\x1b[2J\u202e\n"
	u := patch(odd, "6820\x1b]0;x\x07", "6815\x1b[31m")
	c := upgrade.Plan(offered(u, required(patch(odd+"2", "6830", "6745"))), upgrade.InstalledFrom("11.5.0.6745", nil))
	if _, ok := c.Find(odd); !ok {
		t.Fatal("the entry is not found by its id")
	}
	for _, e := range c.Entries {
		if strings.ContainsAny(e.Reason, "\x1b\n\u202e") {
			t.Errorf("%q", e.Reason)
		}
	}
}

func TestListsDoNotShareWhatIsAppended(t *testing.T) {
	t.Parallel()
	c := upgrade.Plan(offered(patch("a", "6805", "6745"), patch("b", "6810", "6805"), patch("c", "6811", "6810")), upgrade.InstalledFrom("11.5.0.6745", nil))
	_ = append(c.Entries[1].Brings, "spoiled")
	if got := c.Entries[2].Brings; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
}

func TestAnUpdateIsAReleaseByItsTypeElseByItsLinks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		update adminapi.Update
		want   bool
	}{
		{adminapi.Update{Type: " Release ", PreviousBuild: "6805", ReleaseBuild: "6745"}, true},
		{adminapi.Update{Type: "PATCH", PreviousReleaseBuild: "6745"}, false},
		{adminapi.Update{Type: "update", PreviousReleaseBuild: "6745"}, true},
		{adminapi.Update{PreviousReleaseBuild: "6745", PreviousBuild: "6805"}, false},
		{adminapi.Update{PreviousReleaseBuild: "6745", ReleaseBuild: "6745"}, false},
		{adminapi.Update{}, false},
	} {
		if got := upgrade.IsRelease(tt.update); got != tt.want {
			t.Errorf("%+v: %v", tt.update, got)
		}
	}
}

func TestWhatIsInstalledIsNamedAsFarAsItIsKnown(t *testing.T) {
	t.Parallel()
	for want, i := range map[string]upgrade.Installed{
		"11.5.0.6745": {Version: "11.5.0", Build: "6745"}, "11.5.0": {Version: "11.5.0"}, "build 6745": {Build: "6745"}, "an unknown version": {},
	} {
		if got := i.FullVersion(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestInstalledFromBothSources(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		full    string
		current *adminapi.Update
		want    upgrade.Installed
	}{
		"the root alone":     {"11.5.0.6745", nil, upgrade.Installed{Version: "11.5.0", Build: "6745", Known: true}},
		"no build":           {"11.2", nil, upgrade.Installed{Version: "11.2", Known: true}},
		"neither":            {" ", nil, upgrade.Installed{}},
		"a patch is newer":   {"11.5.0.6745", &adminapi.Update{Type: "patch", Version: "11.5.0", Build: "6835", ReleaseBuild: "6745"}, upgrade.Installed{Version: "11.5.0", Build: "6835", ReleaseBuild: "6745", Known: true}},
		"a release":          {"", &adminapi.Update{Type: "release", Version: "12.0.0", Build: "7286"}, upgrade.Installed{Version: "12.0.0", Build: "7286", ReleaseBuild: "7286", Known: true}},
		"an empty current":   {"11.5.0.6745", &adminapi.Update{}, upgrade.Installed{Version: "11.5.0", Build: "6745", Known: true}},
		"the version spaced": {" 11.5.0.6745 ", nil, upgrade.Installed{Version: "11.5.0", Build: "6745", Known: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, upgrade.InstalledFrom(tt.full, tt.current)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadManifestFile(t *testing.T) {
	t.Parallel()
	m := manifest(t, "11.5.0")
	if len(m.Releases) != 2 || len(m.Patches) != 5 {
		t.Errorf("%d releases, %d patches", len(m.Releases), len(m.Patches))
	}
	if r := m.Releases[1]; r.ID != r120 || r.Build != "7286" || !r.NeedsLicence() || len(r.Containers) != 2 || len(r.Raw) == 0 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"", "{", "[]", "null", "{}", `{"error":{"code":400}}`, "<html>"} {
		if _, err := adminapi.DecodeManifest([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	odd, err := adminapi.DecodeManifest([]byte("\xef\xbb\xbf" + `{"versions":[null,7,{"id":"x","containers":7},{"id":"ok","build":6805,"type":"RELEASE"}]}`))
	if err != nil || len(odd.Patches) != 3 || len(odd.Releases) != 1 || odd.Releases[0].Build != "6805" {
		t.Errorf("%v %+v", err, odd)
	}
	empty, err := os.ReadFile("testdata/upgrades_available_none_DERIVED.json")
	if err != nil {
		t.Fatal(err)
	}
	none, err := adminapi.DecodeManifest(empty)
	if err != nil || len(none.Patches)+len(none.Releases) != 0 {
		t.Errorf("%v %+v", err, none)
	}
}

// long returns a chain of n patches in one row, newest first.
func long(n int) adminapi.Manifest {
	var m adminapi.Manifest
	for i := n; i > 0; i-- {
		m.Patches = append(m.Patches, patch("p"+strconv.Itoa(i), strconv.Itoa(6745+i), strconv.Itoa(6744+i)))
	}
	return m
}

func TestALongChainIsWhole(t *testing.T) {
	t.Parallel()
	c := upgrade.Plan(long(5000), upgrade.InstalledFrom("11.5.0.6745", nil))
	last := c.Entries[4999]
	if last.ID != "p5000" || last.Depth != 4999 || len(last.Brings) != 4999 || last.State != upgrade.Applicable {
		t.Errorf("%s depth %d brings %d %v", last.ID, last.Depth, len(last.Brings), last.State)
	}
}

func BenchmarkPlan(b *testing.B) {
	equal := offered()
	releases := offered()
	for i := range 5000 {
		equal.Patches = append(equal.Patches, patch("p"+strconv.Itoa(i), "6805", "6745"))
		releases.Releases = append(releases.Releases, release("r"+strconv.Itoa(i), fmt.Sprintf("12.%d", i), "", fmt.Sprintf("12.%d", i-1), ""))
	}
	for name, m := range map[string]adminapi.Manifest{"chain": long(5000), "one build": equal, "releases": releases} {
		b.Run(name, func(b *testing.B) {
			site := upgrade.InstalledFrom("11.5.0.6745", nil)
			b.ReportAllocs()
			for b.Loop() {
				upgrade.Plan(m, site)
			}
		})
	}
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"versions":[{"id":"a","build":"B","previousBuild":"A"},{"id":"b","build":"A","previousBuild":"B"}]}`), "11.5.0.6745")
	f.Add([]byte(`{"patches":[{"id":"a","build":6805,"previousBuild":6745}],"releases":[{"id":"r","version":"12","previousVersion":"11.5"}]}`), "11.5")
	f.Add([]byte(`{"versions":[{"type":"release","version":"11.5.0","build":"6745","previousVersion":"11.4.0","previousReleaseBuild":"6285","id":"r"},`+
		`{"type":"patch","releaseBuild":"6745","previousBuild":"6745","build":"6805","id":"p"}]}`), "11.4.0.6285")
	f.Add([]byte(`{"releases":[{"id":"r","version":"12.0.0","build":"7286","previousVersion":"11.5.0","previousReleaseBuild":"6745"}],`+
		`"patches":[{"id":"p","releaseBuild":"6745","previousBuild":"6745","build":"6805"}]}`), "11.5.0.6745")
	f.Fuzz(planHolds)
}

func TestThePlanOfARecordedManifestHolds(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/version_manifest_file_11.5.0_TRIMMED.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range []string{"11.4.0.6285", "11.5.0.6745", "12.0", ""} {
		planHolds(t, data, site)
	}
}

// planHolds plans from a manifest for a site of a version, and looks at what is said of
// every update.
func planHolds(t *testing.T, data []byte, site string) {
	m, err := adminapi.DecodeManifest(data)
	if err != nil {
		return
	}
	c := upgrade.Plan(m, upgrade.InstalledFrom(site, nil))
	if len(c.Entries) != len(m.Patches)+len(m.Releases) {
		t.Fatalf("%d entries of %d updates", len(c.Entries), len(m.Patches)+len(m.Releases))
	}
	seen := map[string]bool{}
	for _, e := range c.Entries {
		if e.Reason == "" {
			t.Fatalf("%q has no reason", e.ID)
		}
		if e.State == upgrade.Applicable && (len(e.Requires) > 0 || e.Base != "" && !seen[e.Base]) {
			t.Fatalf("%+v", e)
		}
		seen[e.ID] = true
	}
}
