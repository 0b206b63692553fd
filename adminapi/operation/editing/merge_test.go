package editing_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/placement"
)

// merging brings an edit of a definition together with what others made of it meanwhile.
func merging(t *testing.T, base, mine, theirs string) editing.Merge {
	t.Helper()
	edit := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: operationtest.Parsed(t, base), Edited: operationtest.Parsed(t, mine)}
	return edit.Merging(operationtest.Parsed(t, theirs))
}

func TestWhatTwoChangedInDifferentPlacesIsKeptOfBoth(t *testing.T) {
	t.Parallel()
	m := merging(t, `{"a":1,"b":1,"c":1,"o":{"x":1}}`, `{"a":2,"b":1,"c":1,"o":{"x":1,"y":2}}`, `{"a":1,"b":2,"o":{"x":1}}`)
	edit, conflicts := m.With(nil)
	if len(m.Conflicts)+len(conflicts) > 0 || edit.Edited.Text() != `{"a":2,"b":2,"o":{"x":1,"y":2}}` || edit.Base.Text() != m.Theirs.Text() {
		t.Errorf("%v: %s onto %s", conflicts, edit.Edited.Text(), edit.Base.Text())
	}
	mine, theirs := editing.ChangeLines(m.Mine, nil), editing.ChangeLines(m.Changes, nil)
	if !slices.Equal(mine, []string{"a 1 → 2", "o.y added: 2"}) || !slices.Equal(theirs, []string{"b 1 → 2", "c deleted: 1"}) {
		t.Errorf("mine %q, theirs %q", mine, theirs)
	}
	if kept, overwritten := m.Others(edit.Edited); !slices.Equal(kept, theirs) || len(overwritten) > 0 {
		t.Errorf("kept %q, overwritten %+v", kept, overwritten)
	}
	if rebased, conflicts := m.Edit.Rebase(m.Theirs); len(conflicts) > 0 || rebased.Edited.Text() != edit.Edited.Text() {
		t.Errorf("%v, %s", conflicts, rebased.Edited.Text())
	}
}

// Nothing is decided for a user: a place that both changed keeps the edit as it is until a version is chosen.
func TestAPlaceThatBothChangedIsMergedOnlyOnceAVersionIsChosen(t *testing.T) {
	t.Parallel()
	const base, mine, theirs = `{"a":1,"b":1,"c":1}`, `{"a":2,"b":2,"c":1}`, `{"a":3,"b":1,"c":3}`
	m := merging(t, base, mine, theirs)
	if edit, conflicts := m.With(nil); len(conflicts) != 1 || conflicts[0].Path != "a" || edit.Edited.Text() != mine || edit.Base.Text() != base {
		t.Fatalf("%v, %s onto %s", conflicts, edit.Edited.Text(), edit.Base.Text())
	}
	if len(m.Mine) != 1 || m.Mine[0].Path != "b" || len(m.Changes) != 1 || m.Changes[0].Path != "c" {
		t.Errorf("beside the conflict mine are %v, theirs %v", m.Mine, m.Changes)
	}
	for name, c := range map[string]struct {
		chosen      document.Resolutions
		want        string
		overwritten string // what others did
		before      string // what undoing leads to
	}{
		"mine":    {m.AllMine(), `{"a":2,"b":2,"c":3}`, "1 to 3", theirs},
		"theirs":  {document.Resolutions{"a": "3"}, `{"a":3,"b":2,"c":3}`, "", `{"a":2,"b":2,"c":3}`},
		"another": {document.Resolutions{"a": "7"}, `{"a":7,"b":2,"c":3}`, "1 to 3", `{"a":2,"b":2,"c":3}`},
		"neither": {document.Resolutions{"a": ""}, `{"b":2,"c":3}`, "1 to 3", `{"a":2,"b":2,"c":3}`},
	} {
		edit, left := m.With(c.chosen)
		if len(left) > 0 || edit.Edited.Text() != c.want || edit.Base.Text() != theirs {
			t.Errorf("%s: %v, %s", name, left, edit.Edited.Text())
		}
		_, overwritten := m.Others(edit.Edited)
		if want := "Others changed this, and you overwrite it: " + c.overwritten + "."; c.overwritten == "" && len(overwritten) > 0 ||
			c.overwritten != "" && (len(overwritten) != 1 || overwritten[0].Text != want || overwritten[0].At.Path != "a" || overwritten[0].Accept != "drift") {
			t.Errorf("%s: overwritten %+v", name, overwritten)
		}
		if before := m.Before(edit); before.Text() != c.before {
			t.Errorf("%s: undoing leads to %s, want %s", name, before.Text(), c.before)
		}
	}
}

// What is below a place in conflict is decided with that place, and is no change beside it.
func TestAChangeBelowAPlaceInConflictIsListedThereAlone(t *testing.T) {
	t.Parallel()
	const base, changed, gone = `{"o":{"x":1,"y":1},"b":1}`, `{"o":{"x":2,"y":1},"b":1}`, `{"b":1}`
	for _, m := range []editing.Merge{merging(t, base, changed, gone), merging(t, base, gone, changed)} {
		if len(m.Conflicts) != 1 || m.Conflicts[0].Path != "o" || len(m.Mine)+len(m.Changes) > 0 {
			t.Errorf("%+v, mine %v, theirs %v", m.Conflicts, m.Mine, m.Changes)
		}
	}
}

func TestChangesOfSeveralDeploymentsAreSaidWithTheirDeployment(t *testing.T) {
	t.Parallel()
	base := policy(`T a {"tolerations":[]}`, `T b {"tolerations":[]}`)
	k := `[{"key":"k","operator":"Exists"}]`
	edit := rulesEdit(t, base, strings.ReplaceAll(base, "[]", k))
	lines := editing.ChangeLines(edit.Plan().Changes, edit.Plan().Words)
	if want := []string{"T a, toleration 1 added: k", "T b, toleration 1 added: k"}; !slices.Equal(lines, want) {
		t.Errorf("it says %q, want %q", lines, want)
	}
	edit = rulesEdit(t, base, strings.Replace(base, "[]", k, 1))
	if lines := editing.ChangeLines(edit.Plan().Changes, edit.Plan().Words); !slices.Equal(lines, []string{"toleration 1 added: k"}) {
		t.Errorf("of one it says %q", lines)
	}
}

func TestWhatOthersRemoveAndYourVersionHasAgainIsOverwritten(t *testing.T) {
	t.Parallel()
	m := merging(t, `{"a":1,"b":1,"c":1}`, `{"a":2,"b":1,"c":1}`, `{"c":1}`)
	edit, conflicts := m.With(m.AllMine())
	kept, overwritten := m.Others(edit.Edited)
	if len(conflicts) > 0 || edit.Edited.Text() != `{"a":2,"c":1}` || !slices.Equal(kept, []string{"b deleted: 1"}) {
		t.Errorf("%v: %s, kept %q", conflicts, edit.Edited.Text(), kept)
	}
	if len(overwritten) != 1 || overwritten[0].Text != "Others changed this, and you overwrite it: deleted: 1." || overwritten[0].Accept != "drift" {
		t.Errorf("overwritten %+v", overwritten)
	}
}

func TestWhatIsNotSentAfterAMergeIsSaid(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]editing.Merge{
		"The site already has all your changes.":          merging(t, `{"a":1}`, `{"a":2}`, `{"a":2}`),
		"You took theirs: your a 2 was not sent.":         merging(t, `{"a":1}`, `{"a":2}`, `{"a":3}`),
		"You took theirs: your a 2, b 2 were not sent.":   merging(t, `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":3,"b":3}`),
		"You took theirs: your a (deleted) was not sent.": merging(t, `{"a":1}`, `{}`, `{"a":3}`),
		"You took theirs: your password … was not sent.":  merging(t, `{"password":"hunter1"}`, `{"password":"hunter2"}`, `{"password":"hunter3"}`),
	} {
		got := m.Unsent()
		if strings.Contains(got, "hunter") || !strings.Contains(want, "…") && got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

func TestTheVersionsOfAPlaceAreShownAsTheyMayBe(t *testing.T) {
	t.Parallel()
	type words = editing.ConflictWords
	for name, c := range map[string]struct {
		base, mine, theirs string
		want               words
	}{
		"values":   {`{"a":1}`, `{"a":2}`, `{"a":[3,"\u001b[2J"]}`, words{"a", []string{"1"}, []string{"2"}, []string{`[3,"\u001b[2J"]`}}},
		"deleted":  {`{"a":1}`, `{"a":2}`, `{}`, words{"a", []string{"1"}, []string{"2"}, []string{"(deleted)"}}},
		"added":    {`{}`, `{"a":2}`, `{"a":3}`, words{"a", []string{"(not there)"}, []string{"2"}, []string{"3"}}},
		"a layout": {`{"a":1}`, "{\"a\":[\n  2,\n\t3 ]}", `{"a":3}`, words{"a", []string{"1"}, []string{"[2, 3]"}, []string{"3"}}},
	} {
		m := merging(t, c.base, c.mine, c.theirs)
		if len(m.Conflicts) != 1 {
			t.Fatalf("%s: %v", name, m.Conflicts)
		}
		got := m.Sides(m.Conflicts[0])
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAConflictOfRulesIsSaidInTheWordsOfRules(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	mine, theirs := p.Replacing(t, operationtest.OnPool("spot")), p.Replacing(t, operationtest.OnPool("gpu"))
	m := mine.Merging(theirs.Edited)
	if len(m.Conflicts) != 1 || len(m.MyMoves) != 1 || len(m.TheirMoves) != 1 {
		t.Fatalf("%v, mine %v, theirs %v", m.Conflicts, m.MyMoves, m.TheirMoves)
	}
	for pool, move := range map[string]editing.Move{"spot": m.MyMoves[0], "gpu": m.TheirMoves[0]} {
		if to := placement.Sentence(move.After); !strings.Contains(to, pool) {
			t.Errorf("to %s the pods move as %q", pool, to)
		}
	}
	got := m.Sides(m.Conflicts[0])
	for says, lines := range map[string][]string{"gis": got.Base, "spot": got.Mine, "gpu": got.Theirs} {
		if text := strings.Join(lines, "\n"); !strings.Contains(text, says) || strings.Contains(text, "nodeSelectorTerms") {
			t.Errorf("of %s it says %q", says, text)
		}
	}
	if !strings.HasPrefix(got.Place, "node affinity of ") || !strings.HasPrefix(m.Unsent(), "You took theirs: your node affinity of ") {
		t.Errorf("the place is %q, unsent %q", got.Place, m.Unsent())
	}
	merged, left := m.With(m.AllMine())
	if len(left) > 0 || !strings.Contains(merged.Edited.Text(), "spot") {
		t.Errorf("%v, %s", left, merged.Edited.Text())
	}
	if kept, overwritten := m.Others(merged.Edited); len(kept) > 0 || len(overwritten) == 0 || !strings.Contains(overwritten[0].Text, "gpu") || !strings.HasPrefix(overwritten[0].At.Name, "node affinity of ") {
		t.Errorf("kept %q, overwritten %+v", kept, overwritten)
	}
	for _, ofTheirs := range []bool{false, true} {
		words := strings.Join(m.Words(document.Change{Path: m.Conflicts[0].Path, Kind: document.Changed}, ofTheirs), "\n")
		if strings.Contains(words, "gpu") != ofTheirs || strings.Contains(words, "spot") == ofTheirs {
			t.Errorf("of theirs %v: %q", ofTheirs, words)
		}
	}
}

// A conflict that rules have no words for is shown as it is written, of every side: nobody chooses between empty lines.
func TestAConflictBesideTheRulesIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	policy := func(mode, tolerations string) string {
		if tolerations != "" {
			tolerations = `"tolerations":` + tolerations
		}
		return `{"mode":` + mode + `,"placementPolicy":[{"deploymentType":"T","deploymentId":"a","podPlacementPolicy":{` + tolerations + `}}]}`
	}
	const rules = "placementPolicy[a].podPlacementPolicy.tolerations"
	k, j, noted := `[{"key":"k","operator":"Exists"}]`, `[{"key":"j","operator":"Exists"}]`, `[{"key":"k","operator":"Exists","note":1}]`
	type words = editing.ConflictWords
	for name, c := range map[string]struct {
		base, mine, theirs string
		want               words
	}{
		"of another key":              {policy("1", k), policy("2", k), policy("3", k), words{"mode", []string{"1"}, []string{"2"}, []string{"3"}}},
		"mine alone is one of rules":  {policy("1", k), policy("1", j), policy("1", noted), words{rules, []string{k}, []string{j}, []string{noted}}},
		"theirs alone is":             {policy("1", k), policy("1", noted), policy("1", j), words{rules, []string{k}, []string{noted}, []string{j}}},
		"both are, onto no rules yet": {policy("1", ""), policy("1", k), policy("1", j), words{"tolerations of a", []string{"(not there)"}, []string{"toleration 1 added: k"}, []string{"toleration 1 added: j"}}},
	} {
		m := rulesEdit(t, c.base, c.mine).Merging(operationtest.Parsed(t, c.theirs))
		if len(m.Conflicts) != 1 {
			t.Fatalf("%s: %v", name, m.Conflicts)
		}
		if got := m.Sides(m.Conflicts[0]); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestChangesAreSaidInALineEachWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	base, edited := operationtest.Parsed(t, `{"a":1,"gone":"x","password":"hunter1","extensions":[{"typeName":"A"},{"typeName":"B"}]}`),
		operationtest.Parsed(t, `{"a":"`+"\u202e"+`two","password":"hunter2","extensions":[{"typeName":"B"},{"typeName":"A"}],"new":{"b":[1]}}`)
	changes := document.Diff(base, edited)
	lines := editing.ChangeLines(changes, nil)
	text := strings.Join(lines, "\n")
	for _, says := range []string{"a 1 → ", `gone deleted: "x"`, "password ", "extensions in another order", `new added: {"b":[1]}`} {
		if !strings.Contains(text, says) {
			t.Errorf("no %q in\n%s", says, text)
		}
	}
	summary := editing.ChangeSummary(changes, nil)
	if !strings.HasPrefix(summary, lines[0]+"  4 more changes") || editing.ChangeSummary(nil, nil) != "no change" ||
		editing.ChangeSummary(changes[:1], nil) != lines[0] {
		t.Errorf("in short: %q", summary)
	}
	secret := slices.IndexFunc(changes, func(c document.Change) bool { return c.Path == "password" })
	if text += summary + editing.ChangeSummary(changes[secret:], nil); strings.Contains(text, "hunter") || strings.Contains(text, "\u202e") {
		t.Errorf("it shows\n%s", text)
	}
	review := editing.Definition.Comparison(base, edited)
	if len(review.Changes) != len(changes) || len(review.Findings) > 0 {
		t.Errorf("a comparison asks for something: %+v", review)
	}
}

// Who reads that nothing was sent reads why, and where.
func TestWhyAnEditWasNotSentOrNotKeptIsSaid(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	broken := p.Edit(t, "minInstancesPerNode", "50")
	removed := editing.Edit{Target: broken.Target, Base: broken.Base}
	var err error
	if removed.Edited, err = broken.Base.Remove(operationtest.Idle); err != nil {
		t.Fatal(err)
	}
	none := p.Replacing(t, operationtest.OnPool("moon"))
	none.Nodes = poolNodes("gis", "spot")
	never := none
	never.Nodes = nil
	never.Edited = operationtest.Parsed(t, strings.Replace(none.Edited.Text(), `"operator":"In","values":["moon"]`, `"operator":"Exists"},{"key":"pool","operator":"DoesNotExist"`, 1))
	changes := document.Diff(broken.Base, broken.Edited)
	for want, err := range map[string]error{
		"not accepted: removed-key (maxIdleTime); nothing was sent": removed.Sendable(),
		"no-node (":  none.Sendable(),
		" no-node (": never.Sendable(),
		"the definition has changed at the site since it was read (first minInstancesPerNode, 1 in all); nothing was sent": &editing.DriftError{Changes: changes},
		"the site accepted the edit, but did not keep all of it: minInstancesPerNode is ":                                  &editing.NotStoredError{Changes: changes},
		"minInstancesPerNode": broken.Sendable(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, blocked := errors.AsType[*editing.BlockedError](broken.Sendable()); !blocked || !strings.Contains(broken.Sendable().Error(), "nothing was sent") {
		t.Errorf("%v", broken.Sendable())
	}
	plan := broken.Plan()
	for _, risk := range plan.Risks {
		for _, f := range plan.Findings {
			if f.Text == risk.Text {
				t.Errorf("%q is said as a rule and as a risk", f.Text)
			}
		}
	}
	if review := plan.Review("Roads"); review.Service != "Roads" || len(review.Changes) != 1 || len(review.Findings) == 0 {
		t.Errorf("%+v", review)
	}
}

func TestAnEditIsToldFromThoseOfOtherPartsAndServices(t *testing.T) {
	t.Parallel()
	roads := adminapi.ServiceRef{Folder: "Bäume", Name: "Roads", Type: "MapServer"}
	for path, want := range map[string][2]bool{
		"/ctx/admin/services/Bäume/Roads.MapServer/edit":                 {true, false},
		"/ctx/admin/services/B%C3%A4ume/Roads.MapServer/edit":            {true, false},
		"/ctx/admin/services/Bäume/Roads.MapServer/placementPolicy/edit": {false, true},
		"/ctx/admin/services/Roads.MapServer/edit":                       {},
		"/ctx/admin/services/Bäume/Roads.MapServer/start":                {},
		"/ctx/admin/services/Bäume/Roads.MapServer/%zz/edit":             {},
		"/ctx/admin/services/Other/Bäume/Roads.MapServer/edit":           {},
	} {
		got := [2]bool{editing.DefinitionOf(roads).IsEditedBy(path), editing.PlacementOf(roads).IsEditedBy(path)}
		if got != want {
			t.Errorf("%s edits the definition, the policy: %v, want %v", path, got, want)
		}
	}
	if of := editing.PlacementOf(roads); of.String() != "placement policy of Bäume/Roads.MapServer" || of.Same(editing.DefinitionOf(roads)) || !of.Same(editing.PlacementOf(roads)) {
		t.Errorf("%s", of)
	}
}

func TestTheDeploymentsAndRulesOfAServiceAreThoseThatItsPartsName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{twice: {"a", "b"}, `{"placementPolicy":[{"deploymentId":""},{"deploymentId":"b"}]}`: {"b"}, `[]`: nil} {
		if ids := editing.DeploymentsOf(editing.Placement, operationtest.Parsed(t, text)); !slices.Equal(ids, want) {
			t.Errorf("%s names %q, want %q", text, ids, want)
		}
	}
	for text, want := range map[string][]string{`{"deploymentId":"d"}`: {"d"}, `{"deploymentId":""}`: nil, `{"deploymentId":7}`: nil, `{}`: nil} {
		if ids := editing.DeploymentsOf(editing.Definition, operationtest.Parsed(t, text)); !slices.Equal(ids, want) {
			t.Errorf("%s names %q, want %q", text, ids, want)
		}
	}
	if ids := editing.DeploymentsOf(editing.Definition, nil); len(ids) > 0 {
		t.Errorf("of nothing: %q", ids)
	}
	p := operationtest.WithJournal(t, "healthy")
	said := editing.RuleSentences(t.Context(), p.Client, operationtest.Cities)
	policy, err := editing.ReadPolicy(t.Context(), p.Client, operationtest.Cities)
	if err != nil || len(policy.Items()) == 0 || !strings.Contains(strings.Join(said, "\n"), "gis") {
		t.Errorf("%q of %d deployments, %v", said, len(policy.Items()), err)
	}
	none := adminapi.ServiceRef{Name: "None", Type: "MapServer"}
	if _, err := editing.ReadPolicy(t.Context(), p.Client, none); !errors.Is(err, adminapi.KindNotFound) || editing.RuleSentences(t.Context(), p.Client, none) != nil {
		t.Errorf("of no service: %v", err)
	}
}
