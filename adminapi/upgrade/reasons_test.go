package upgrade_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// other returns a patch of another release.
func other(u adminapi.Update, version, release string) adminapi.Update {
	u.Version, u.PreviousVersion, u.ReleaseBuild = version, version, release
	return u
}

// Each row of the list and each check says it in these words, so what is not so must not be in them.
func TestEveryUpdateSaysWhyItFitsOrNot(t *testing.T) {
	t.Parallel()
	r115 := release("r115", "11.5.0", "6745", "11.4.0", "6285")
	r12 := release("r12", "12.0.0", "7286", "11.5.0", "6745")
	// One builds on another 11.5 than that of the manifest, one names the build alone.
	twin, bare := release("twin", "12.0.0", "7286", "11.5.0", "6700"), release("bare", "12.0.0", "7286", "", "6745")
	on6820 := &adminapi.Update{Type: "patch", Version: "11.5.0", Build: "6820", ReleaseBuild: "6745"}
	const (
		fits     = ": applicable: It builds on the installed release."
		isTwin   = "twin: not applicable: It builds on 11.5.0 (release build 6700), neither installed nor offered; "
		notKnown = "; the installed version is not known well enough."
	)
	for name, tt := range map[string]struct {
		site    string
		current *adminapi.Update
		offer   []adminapi.Update
		want    []string
	}{
		"patches in a row": {"11.5.0.6745", nil, []adminapi.Update{patch("a", "6805", "6745"), patch("b", "6815", "6805"), patch("c", "6820", "6815")}, []string{
			"a: applicable: It builds on build 6745, which is installed.",
			"b: applicable: It includes the update before it: 11.5.0.6805.",
			"c: applicable: It includes the 2 updates before it, up to 11.5.0.6815."}},
		"patches without a build or a base": {"11.5.0.6745", nil, []adminapi.Update{patch("a", "", "6745"), other(patch("b", "6805", ""), "11.5.0", ""), patch("c", "6815", "")}, []string{
			"b: broken: It does not say which build it builds on.",
			"c: applicable: It builds on build 6745, which is installed.",
			"a: broken: It names no build."}},
		"what is older": {"11.5.0.6745", nil, []adminapi.Update{other(patch("a", "6300", "6285"), "11.4.0", "6285"), other(patch("b", "6310", "6300"), "11.4.0", ""), release("r", "11.4.0", "6285", "11.3.0", "5900")}, []string{
			"r: not applicable: It is older than the installed 11.5.0.6745.",
			"a: not applicable: It is a patch of 11.4.0 (release build 6285); 11.5.0.6745 is installed.",
			"b: not applicable: It is a patch of 11.4.0; 11.5.0.6745 is installed."}},
		"a patch of a later release": {"11.5.0.6745", nil, []adminapi.Update{other(patch("p", "7300", "7286"), "12.0.0", "7286")}, []string{
			"p: not applicable: It is a patch of 12.0.0 (release build 7286); 11.5.0.6745 is installed."}},
		"patches of the next release": {"11.5.0.6745", nil, []adminapi.Update{r12, other(patch("p", "7300", "7286"), "12.0.0", "7286"), other(patch("q", "7310", "7300"), "12.0.0", "7286"), other(patch("gap", "7330", "7320"), "12.0.0", "7286")}, []string{
			"r12" + fits,
			"p: required first: It is a patch of release 12.0.0.7286, which is required first.",
			"q: required first: It builds on 12.0.0.7300, which requires another update first.",
			"gap: broken: It builds on build 7320, which is neither installed nor offered."}},
		"a patch without a version": {"11.5.0.6820", on6820, []adminapi.Update{other(patch("p", "7300", "7286"), "", "7286")}, []string{
			"p: not applicable: It is a patch of another version (release build 7286); 11.5.0.6820 is installed."}},
		"a patch of another build of the release": {"11.5.0.6820", on6820, []adminapi.Update{other(patch("p", "6705", "6700"), "11.5.0", "6700")}, []string{
			"p: not applicable: It is a patch of 11.5.0 (release build 6700); 11.5.0.6820 is installed."}},

		"releases that say too little": {"11.5.0.6745", nil, []adminapi.Update{
			release("empty", "", "", "", ""), release("nobase", "12.0.0", "7286", "", ""), release("self", "12.0.0", "7287", "12.0.0", "7287"), release("x", "12.1.0", "7300", "12.0.0", "7286"), release("", "12.2.0", "7400", "12.1.0", "7300")}, []string{
			"empty: broken: It names no version and no build.",
			"nobase: broken: It does not say what it builds on.",
			"self: broken: It says that it builds on its own build.",
			"x: broken: It builds on 12.0.0.7286, which has a problem itself.",
			": broken: It has no id, so it cannot be installed."}},
		"releases too far ahead": {"11.5.0.6745", nil, []adminapi.Update{release("far", "12.1.0", "7400", "12.0.0", "7300"), release("next", "12.2.0", "7500", "12.1.0", "7400"), release("bare", "13.0.0", "9000", "", "8000")}, []string{
			"far: not applicable: It builds on 12.0.0 (release build 7300), neither installed nor offered; 11.5.0.6745 is installed.",
			"next: not applicable: It builds on 12.1.0.7400, which is not for this site.",
			"bare: not applicable: It builds on release build 8000, neither installed nor offered; 11.5.0.6745 is installed."}},
		"releases by their versions": {"11.4.0.6285", nil, []adminapi.Update{release("a", "11.5.0", "", "11.4.0", ""), release("again", "11.5.0", "", "11.3.0", ""), release("b", "12.0.0", "", "11.5.0", ""), release("c", "12.1.0", "", "12.0.0", "")}, []string{
			"a" + fits,
			"again: not applicable: It builds on 11.3.0, neither installed nor offered; 11.4.0.6285 is installed.",
			"b: required first: It requires the release 11.5.0 first.",
			"c: required first: It requires the release 12.0.0 first."}},
		"no release builds on a patch": {"11.4.0.6285", nil, []adminapi.Update{r115, patch("p", "6805", "6745"), release("build", "12.0.0", "7286", "11.5.0", "6805"), release("version", "12.1.0", "", "11.5.1", ""), other(patch("q", "6905", "6900"), "11.5.1", "6900")}, []string{
			"r115" + fits,
			"p: required first: It is a patch of release 11.5.0.6745, which is required first.",
			"q: not applicable: It is a patch of 11.5.1 (release build 6900); 11.4.0.6285 is installed.",
			"build: not applicable: It builds on 11.5.0 (release build 6805), neither installed nor offered; 11.4.0.6285 is installed.",
			"version: not applicable: It builds on 11.5.1, neither installed nor offered; 11.4.0.6285 is installed."}},
		"a release that names a build alone": {"11.4.0.6285", nil, []adminapi.Update{r115, bare}, []string{
			"r115" + fits, "bare: required first: It requires the release 11.5.0.6745 first."}},
		"a release that names the build of a patch": {"11.5.0.6820", on6820, []adminapi.Update{release("r", "12.0.0", "7286", "11.5.0", "6820")}, []string{"r" + fits}},
		"a later build of the release":              {"11.5.0.6745", nil, []adminapi.Update{release("r", "11.5.0", "6800", "11.5.0", "6745")}, []string{"r" + fits}},
		"releases without a version that is one":    {"11.5.0.6745", nil, []adminapi.Update{release("r", "", "7286", "", "6745"), release("next", "next", "7300", "", "6745")}, []string{"r" + fits, "next" + fits}},
		"releases in a circle": {"11.5.0.6745", nil, []adminapi.Update{release("a", "12.0.0", "7286", "12.1.0", "8325"), release("b", "12.1.0", "8325", "12.0.0", "7286")}, []string{
			"a: broken: It builds on itself, in a circle of updates.", "b: broken: It builds on itself, in a circle of updates."}},
		"one required before it": {"11.5.0.6745", nil, []adminapi.Update{required(patch("a", "6805", "6745")), r12}, []string{"a: applicable: It builds on build 6745, which is installed.", "r12: required first: It requires the update a first."}},
		"an id twice is required once": {"11.5.0.6745", nil, []adminapi.Update{required(patch("a", "6805", "6745")), required(patch("a", "6806", "6745")), required(patch("b", "6815", "6805")), r12}, []string{
			"a: applicable: It builds on build 6745, which is installed.",
			"a: broken: Another entry of the manifest has the same id.",
			"b: applicable: It includes the update before it: 11.5.0.6805.",
			"r12: required first: It requires 2 updates first; the last, b, includes the others."}},

		"the release of the site, by its build": {"11.5.0.6745", nil, []adminapi.Update{r115, twin, bare}, []string{
			"r115: installed: It is the installed release.", isTwin + "11.5.0.6745 is installed.", "bare" + fits}},
		"by the patch that is installed": {"11.5.0.6820", nil, []adminapi.Update{other(patch("p", "6820", "6815"), "", "6745"), twin, bare}, []string{
			"p: installed: It is installed.", isTwin + "11.5.0.6820 is installed.", "bare" + fits}},
		"by the patch after it": {"11.5.0.6820", nil, []adminapi.Update{other(patch("p", "6825", "6820"), "", "6745"), twin, bare}, []string{
			"p: applicable: It builds on build 6820, which is installed.", isTwin + "11.5.0.6820 is installed.", "bare" + fits}},
		"by a patch of its version": {"11.5.0.6818", nil, []adminapi.Update{patch("p", "6825", "6745"), twin, bare}, []string{
			"p: applicable: It builds on build 6745, which is installed.", isTwin + "11.5.0.6818 is installed.", "bare" + fits}},
		"not by a later release":  {"11.5.0.6700", nil, []adminapi.Update{patch("p", "6825", "6745"), twin}, []string{"p: broken: It builds on build 6745, which is neither installed nor offered.", "twin" + fits}},
		"not by another version":  {"11.5.0.6745", nil, []adminapi.Update{other(patch("p", "6300", "6285"), "11.4.0", "6285"), r12}, []string{"p: not applicable: It is a patch of 11.4.0 (release build 6285); 11.5.0.6745 is installed.", "r12" + fits}},
		"a release without links": {"11.4", nil, []adminapi.Update{release("r", "12.0.0", "", "11.5.0", "")}, []string{"r: not applicable: It builds on 11.5.0, neither installed nor offered; 11.4 is installed."}},

		"a site that tells no build": {"11.5", nil, []adminapi.Update{r115, r12, patch("a", "6805", "6745"), patch("b", "6815", "6805"), release("bare", "13.0.0", "9000", "", "8000")}, []string{
			"r115: installed: Version 11.5.0 is installed.",
			"a: not known: It builds on build 6745; the installed build is unknown.",
			"b: not known: It builds on build 6805; the installed build is unknown.",
			"r12" + fits,
			"bare: not applicable: It builds on release build 8000, neither installed nor offered; 11.5 is installed."}},
		"a site that tells no version": {"", &adminapi.Update{Build: "6820"}, []adminapi.Update{release("far", "12.1.0", "", "12.0.0", ""), release("both", "", "9000", "12.0.0", "8000"), patch("a", "6825", "6820"), patch("b", "6900", "6890")}, []string{
			"a: applicable: It builds on build 6820, which is installed.",
			"b: broken: It builds on build 6890, which is neither installed nor offered.",
			"both: not applicable: It builds on 12.0.0 (release build 8000), neither installed nor offered; build 6820 is installed.",
			"far: not known: It builds on 12.0.0" + notKnown}},
		"versions that are words": {"Beta", nil, []adminapi.Update{release("r", "Gamma", "", "Beta", ""), release("r2", "Gamma", "", "Alpha", ""), release("r3", "12.0.0", "", "11.5.0", ""), release("r4", "Beta", "", "Alpha", ""), other(patch("p", "7", "6"), "Beta", "5"), other(patch("q", "9", "8"), "Gamma", "5")}, []string{
			"p: not known: It builds on build 6; the installed build is unknown.",
			"r4: installed: Version Beta is installed.",
			"q: not known: It builds on build 8; the installed build is unknown.",
			"r" + fits,
			"r2: not known: It builds on Alpha" + notKnown,
			"r3: not known: It builds on 11.5.0" + notKnown}},
		"blanks and signs in builds":                {"11.5.0. 06745-1 ", nil, []adminapi.Update{patch("a", " 6805", "06745-1 "), patch("b", "6815", "6805 ")}, []string{"a: applicable: It builds on build 06745-1, which is installed.", "b: applicable: It includes the update before it: 11.5.0. 6805."}},
		"what is installed builds on what is later": {"11.5.0.6805", nil, []adminapi.Update{patch("a", "6805", "6815"), patch("b", "6815", "6805")}, []string{"b: applicable: It builds on build 6805, which is installed.", "a: installed: It is installed."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range upgrade.Plan(offered(tt.offer...), upgrade.InstalledFrom(tt.site, tt.current)).Entries {
				got = append(got, e.ID+": "+e.State.String()+": "+e.Reason)
			}
			same(t, got, tt.want)
		})
	}
}
