package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// updatesOf are updates by their ids.
func updatesOf(all map[string]adminapi.Update, ids ...string) (list []adminapi.Update) {
	for _, id := range ids {
		u := all[id]
		u.ID = id
		list = append(list, u)
	}
	return list
}

// patchesOf are patches of these versions.
func patchesOf(versions ...string) (list []adminapi.Update) {
	for _, version := range versions {
		list = append(list, adminapi.Update{Version: version})
	}
	return list
}

func TestARollbackIsReadFromWhatTheSiteListsAndHas(t *testing.T) {
	t.Parallel()
	all := map[string]adminapi.Update{
		"base":    {Name: "Base Release For Release Upgrade", Type: "release", Version: "10.9.0", Build: "500"},
		"untyped": {Name: "Base Release For Release Upgrade", Version: "10.9.0", Build: "500"},
		"504":     {Type: "patch", Version: "10.9.0", PreviousVersion: "10.9.0", Build: "504", PreviousBuild: "500", ReleaseBuild: "500"},
		"505":     {Type: "patch", Version: "10.9.0", PreviousVersion: "10.9.0", Build: "505", PreviousBuild: "504", ReleaseBuild: "500"},
		"506":     {Type: "patch", Version: "10.9.0", PreviousVersion: "10.9.0", Build: "506", PreviousBuild: "505", ReleaseBuild: "500"},
		"lone":    {Type: "patch", Version: "10.9.0", Build: "506"}, // it names nothing before it
		"507":     {Type: "patch", Version: "10.9.0", Build: "507", PreviousBuild: "506"},
		"beta":    {Type: "patch", Version: "10.9.0", Build: "505b", PreviousBuild: "504"},
		"old":     {Type: "patch", Version: "10.8.1", Build: "495", PreviousBuild: "490"},
		"before":  {Type: "release", Version: "10.8.1", Build: "490"},
		"same":    {Type: "patch", Version: "10.9.0", Build: "0506", PreviousBuild: "505"}, // the newest by another id
		"below":   {Type: "patch", Version: "10.9.0", Build: "499", PreviousBuild: "498"},
		"jump":    {Type: "patch", Version: "10.9.0", Build: "506", PreviousBuild: "500"}, // the site has one between
		"word":    {Type: "patch", Version: "Zeta", Build: "505", PreviousBuild: "504"},
		"late":    {Type: "patch", Version: "10.8.1", Build: "600", PreviousBuild: "590"}, // built after the later release
		"unfit":   {Type: "patch", Version: "10.9.0", Build: "506", PreviousBuild: "600"},
	}
	const (
		both505 = " This leads to 10.9.0.505, or removes 10.9.0.505 and leads to 10.9.0.504."
		both506 = " This leads to 10.9.0.506, or removes 10.9.0.506"
	)
	installed := []string{"base", "504", "505", "506"}
	for name, tt := range map[string]struct {
		listed, installed []string
		site              string
		to                string
		removes           []string
		unsure            string
	}{ // of the first that is listed
		"an earlier patch":                 {[]string{"505"}, installed, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},
		"one before the last":              {[]string{"504", "505"}, installed, "10.9.0.506", "10.9.0.504", []string{"10.9.0.506", "10.9.0.505"}, ""},
		"in any order":                     {[]string{"505"}, []string{"506", "505", "base"}, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},
		"the base release":                 {[]string{"base", "505"}, installed, "10.9.0.506", "10.9.0.500", []string{"10.9.0.506", "10.9.0.505", "10.9.0.504"}, ""},
		"a base without a type":            {[]string{"untyped"}, []string{"504"}, "10.9.0.504", "10.9.0.500", []string{"10.9.0.504"}, ""},
		"a base beside the newest":         {[]string{"base", "506"}, installed, "10.9.0.506", "10.9.0.500", []string{"10.9.0.506", "10.9.0.505", "10.9.0.504"}, ""},
		"what has no list entry":           {[]string{"505"}, []string{"base", "505"}, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},
		"the newest":                       {[]string{"506"}, installed, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},
		"the newest by its build":          {[]string{"same"}, installed, "10.9.0.506", "10.9.0.505", []string{"10.9.0.0506"}, ""},
		"the newest, by what is installed": {[]string{"lone"}, []string{"base", "505", "lone"}, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},
		"a patch that is listed twice":     {[]string{"505"}, []string{"base", "505", "506", "506", "same"}, "10.9.0.506", "10.9.0.505", []string{"10.9.0.506"}, ""},

		"a patch that cannot be compared":   {[]string{"504"}, []string{"base", "504", "506", "beta"}, "10.9.0.506", "", nil, "The site's lists differ on what is installed. This leads to 10.9.0.504, or removes 10.9.0.504 and leads to 10.9.0.500."},
		"one between it and the one before": {[]string{"jump"}, []string{"base", "505", "jump"}, "10.9.0.506", "", nil, "The version before it is unknown." + both506 + "."},
		"a release above old patches":       {[]string{"old"}, []string{"old", "base"}, "10.9.0.500", "", nil, "It belongs to an earlier release. This leads to 10.8.1.495, or removes 10.8.1.495 and leads to 10.8.1.490."},
		"that release itself":               {[]string{"base"}, []string{"old", "base"}, "10.9.0.500", "", nil, "The site has this version."},
		"nothing before the newest":         {[]string{"lone"}, []string{"lone"}, "10.9.0.506", "", nil, "The version before it is unknown." + both506 + "."},
		"none of its release before it":     {[]string{"lone"}, []string{"old", "lone"}, "10.9.0.506", "", nil, "The version before it is unknown." + both506 + "."},
		"what is before it is later":        {[]string{"unfit"}, []string{"unfit"}, "10.9.0.506", "", nil, "The version before it is unknown." + both506 + "."},
		"builds that are no numbers":        {[]string{"beta"}, installed, "10.9.0.506", "", nil, "Its version cannot be compared with the installed one. This leads to 10.9.0.505b, or removes 10.9.0.505b."},
		"a version that is a word":          {[]string{"word"}, installed, "10.9.0.506", "", nil, "Its version cannot be compared with the installed one. This leads to Zeta.505, or removes Zeta.505 and leads to Zeta.504."},
		"a later patch of an older one":     {[]string{"late"}, installed, "10.9.0.506", "", nil, "It belongs to an earlier release. This leads to 10.8.1.600, or removes 10.8.1.600 and leads to 10.8.1.590."},
		"a base without a type, installed":  {[]string{"untyped"}, []string{"untyped"}, "10.9.0.500", "", nil, "The site has this version."},
		"that base at an unknown site":      {[]string{"untyped"}, installed, "10.9.0", "", nil, "The installed version is unknown."},
		"an unknown site":                   {[]string{"505"}, installed, "", "", nil, "The installed version is unknown." + both505},
		"a site without a build":            {[]string{"505"}, installed, "10.9.0", "", nil, "The installed version is unknown." + both505},
		"a later patch":                     {[]string{"507"}, installed, "10.9.0.506", "", nil, "It is newer than the installed version. This leads to 10.9.0.507, or removes 10.9.0.507 and leads to 10.9.0.506."},
		"a patch of another release":        {[]string{"old"}, installed, "10.9.0.506", "", nil, "It belongs to an earlier release. This leads to 10.8.1.495, or removes 10.8.1.495 and leads to 10.8.1.490."},
		"a patch below the release":         {[]string{"below"}, installed, "10.9.0.506", "", nil, "It belongs to an earlier release. This leads to 10.9.0.499, or removes 10.9.0.499 and leads to 10.9.0.498."},
		"an earlier release":                {[]string{"before"}, installed, "10.9.0.506", "", nil, "It belongs to an earlier release."},
		"an older one and the newest":       {[]string{"505", "506"}, installed, "10.9.0.506", "", nil, "The list also holds the newest patch." + both505},
		"and by another id":                 {[]string{"505", "same"}, installed, "10.9.0.506", "", nil, "The list also holds the newest patch." + both505},
		"a site that is older":              {[]string{"504"}, installed, "10.9.0.505", "", nil, "The site's lists differ on what is installed. This leads to 10.9.0.504, or removes 10.9.0.504 and leads to 10.9.0.500."},
		"a base that is installed":          {[]string{"base"}, []string{"base"}, "10.9.0.500", "", nil, "The site has this version."},
		"no id":                             {[]string{""}, installed, "10.9.0.506", "", nil, "It has no id. This leads to an update without an id, or removes an update without an id."},
	} {
		current := upgrade.InstalledFrom(tt.site, nil)
		current.ReleaseBuild = "500"
		read := upgrade.Rollbacks(updatesOf(all, tt.listed...), updatesOf(all, tt.installed...), current)
		got := read[0]
		if got.To != tt.to || !slices.Equal(got.Removed(), tt.removes) || got.Unsure != tt.unsure || got.Listed.ID != tt.listed[0] {
			t.Errorf("%s: %+v", name, got)
		}
		if got.Unsure == "" && got.From != tt.site {
			t.Errorf("%s: from %s", name, got.From)
		}
	}
	twice := updatesOf(all, "505", "505")
	twice[1].Build = "504"
	for _, listed := range [][]adminapi.Update{twice, twice[1:]} { // the second is another one where it is installed
		for _, got := range upgrade.Rollbacks(listed, updatesOf(all, installed...), upgrade.InstalledFrom("10.9.0.506", nil)) {
			if !strings.HasPrefix(got.Unsure, "The site lists its id for two versions.") {
				t.Errorf("an id of two versions: %+v", got)
			}
		}
	}
}

func TestARollbackTakesTheContainersOfAllThatIsRemoved(t *testing.T) {
	t.Parallel()
	removes := patchesOf("11.5.0.2", "11.5.0.1")
	removes[0].Containers = []adminapi.Container{{Name: "a", Image: "a:2"}}
	removes[1].Containers = []adminapi.Container{{Name: "a", Image: "a:1"}, {Name: "b", Image: "b:1"}}
	got := upgrade.Rollback{Removes: removes}.Containers()
	if len(got) != 2 || got[0].Image != "a:2" || got[1].Image != "b:1" {
		t.Errorf("%+v", got)
	}
}
