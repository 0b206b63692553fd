package checkout_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/placement"
)

// Rules may be of a deployment that the definition gives the service. What changes nothing is named, too.
func TestDefinitionsGoBeforeRulesInTheOrderOfTheirFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, f.everything()...)
	targets, err := f.Targets()
	if err != nil {
		t.Fatal(err)
	}
	of := func(part editing.Part) (files []string) {
		for _, target := range targets {
			if target.Part == part {
				files = append(files, checkout.FileOf(target))
			}
		}
		return files
	}
	got := lists.Each(f.plan(), func(e batching.PlannedEdit) string { return checkout.FileOf(e.Target) })
	if want := append(of(editing.Definition), of(editing.Placement)...); !slices.Equal(got, want) {
		t.Errorf("planned are %v", got)
	}
}

// No confirmation overrides it, and a plan that is not sent says so, too.
func TestAFileThatBreaksARuleIsRefused(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	d, err := operationtest.Parsed(t, f.read(cities)).SetValue("minInstancesPerNode", "50")
	if err != nil {
		t.Fatal(err)
	}
	f.write(cities, d.Text())
	if e := f.plan(editing.AcceptWords()...)[0]; !errors.As(e.Refused, new(*editing.BlockedError)) {
		t.Errorf("refused: %v", e.Refused)
	}
}

// Else a key that many definitions of the site have would be called unknown.
func TestAKeyThatWasReadInAnotherDefinitionIsKnown(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	d, err := operationtest.Parsed(t, f.read(cities)).Add("properties", "floodLevel", "3", -1)
	if err != nil {
		t.Fatal(err)
	}
	f.write(cities, d.Text())
	unknown := func() bool {
		return slices.ContainsFunc(f.plan()[0].Plan.Risks, func(r finding.Finding) bool { return r.ID == document.UnknownKey })
	}
	if !unknown() {
		t.Error("no definition has it, and it is known")
	}
	f.siteHas(editing.DefinitionOf(roads), `{"serviceName":"Roads","type":"MapServer","properties":{"floodLevel":1}}`)
	if _, err := f.p.Read(t.Context(), editing.DefinitionOf(roads)); err != nil {
		t.Fatal(err)
	}
	if unknown() {
		t.Error("another definition has it, and it is not known")
	}
}

// Of the nodes that were given, rules of a file may match none.
func TestRulesThatNoNodeMatchesAreADanger(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.PlacementOf(operationtest.Cities)
	f.pull(false, target)
	f.replace(citiesRules, `"gis"`, `"spot"`)
	for pool, matches := range map[string]bool{"spot": true, "moon": false} {
		nodes := []placement.Node{{Name: "a", Labels: map[string]string{"pool": pool}, Ready: placement.Ready}}
		e := f.Plan(t.Context(), f.p.Site, []editing.Target{target}, nodes, editing.Accepted{}, nil)[0]
		if none := slices.ContainsFunc(e.Plan.Risks, func(r finding.Finding) bool { return r.ID == editing.NoNode }); none == matches {
			t.Errorf("with a node of %s: %v", pool, e.Plan.Risks)
		}
	}
}

func TestTheDangerOfDriftNamesTheFileAndHowToCompare(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	f.changedByOthers(operationtest.Idle, "1801")
	drift := f.plan()[0].Drift
	if len(drift) != 1 || drift[0].At.Name != cities || drift[0].Do != "To compare, pull into another folder." ||
		!strings.HasPrefix(drift[0].Text, "The site was changed since the pull") {
		t.Errorf("%+v", drift)
	}
}

// Who made the same change as somebody else overwrites nothing.
func TestWhatTheSiteHasTooIsNoDrift(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.DefinitionOf(operationtest.Cities)
	f.pull(false, target)
	f.replace(cities, `"maxIdleTime": 1800`, `"maxIdleTime": 1801`)
	f.changedByOthers(operationtest.Idle, "1801")
	if c := f.compared(target); c.Differs() || c.Drifted != "" || !c.Drift.IsZero() {
		t.Errorf("%+v", c)
	}
}

// Of several edits some may fail: what the site never got, it has not.
func TestNothingButWhatWasAppliedIsNotedAsPulled(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.pull(false, f.everything()...)
	targets, err := f.Targets()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		file := checkout.FileOf(target)
		text := f.read(file)
		if target.Part == editing.Definition {
			d, err := operationtest.Parsed(t, text).SetValue("description", `"of a file"`)
			if err != nil {
				t.Fatal(err)
			}
			text = d.Text()
		}
		f.write(file, strings.ReplaceAll(text, `"gis"`, `"spot"`))
	}
	all := f.plan(editing.AcceptWords()...)
	at := slices.IndexFunc(all, func(e batching.PlannedEdit) bool { return e.With != "" })
	if at < 0 {
		t.Fatal("no rules are shared")
	}
	first := slices.IndexFunc(all, func(e batching.PlannedEdit) bool {
		return e.Part == editing.Definition && e.Service.Path() == all[at].With
	})
	before := maps.Clone(f.Index.Files)
	if err := f.Applied(f.p.Site, all[first], all); err != nil {
		t.Fatal(err)
	}
	for file, was := range before {
		if noted := f.Index.Files[file] != was; noted != (file == checkout.FileOf(all[first].Target)) {
			t.Errorf("with %s, %s is noted: %v", checkout.FileOf(all[first].Target), file, noted)
		}
	}
}

// Else another site, which is given the same files later, would not be told from it.
func TestAFolderThatWasNeverPulledIsOfTheSiteThatItWasAppliedTo(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.p.Ahead.Store(int64(3 * time.Hour))
	f.pull(false, editing.DefinitionOf(operationtest.Cities))
	f.replace(cities, `"maxRecordCount": 4000`, `"maxRecordCount": 2000`)
	f.loseIndex()
	if files := f.apply("drift"); !slices.Equal(files, []string{cities}) {
		t.Fatalf("applied: %v", files)
	}
	f.open()
	if f.Index.Address != journal.SiteOf(f.p.Client.Base()) {
		t.Errorf("it is of %q", f.Index.Address)
	}
	if at := f.Index.Files[cities].Time; at.Sub(f.p.Clock.Now()) < 2*time.Hour { // by the clock of the site
		t.Errorf("it was applied at %s", at)
	}
	if f.elsewhere(); f.IsOf(f.p.Site) {
		t.Error("it is of another site, too")
	}
}
