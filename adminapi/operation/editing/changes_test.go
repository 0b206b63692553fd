package editing_test

import (
	"errors"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// rulesEdit is an edit of rules from a policy to another.
func rulesEdit(t *testing.T, base, edited string) editing.Edit {
	t.Helper()
	target := editing.PlacementOf(operationtest.Cities)
	return editing.Edit{Target: target, Base: operationtest.Parsed(t, base), Edited: operationtest.Parsed(t, edited)}
}

// inOther makes all that an edit changes in what another service has.
func inOther(edit editing.Edit, onto editing.Content) (*document.Document, error) {
	changes := edit.AllChanges()
	if changes.Refused != nil {
		return nil, changes.Refused
	}
	return changes.In(onto)
}

func TestRulesThatHaveNoPlaceInAServiceAreRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	onto := editing.Content{Target: editing.PlacementOf(operationtest.Cities), Document: p.Policy(t)}
	gp := `{"placementPolicy":[{"deploymentType":"GPServer","deploymentId":"x","podPlacementPolicy":{"tolerations":[]}}` +
		`,{"deploymentType":"GPSyncServer","deploymentId":"y","podPlacementPolicy":{"tolerations":[]}}]}`
	tolerated := `"tolerations":[{"key":"k","operator":"Exists"}]`
	for name, c := range map[string]struct{ edited, want string }{
		"one, onto the only one": {strings.Replace(gp, `"tolerations":[]`, tolerated, 1), ""},
		"both onto the only one": {strings.ReplaceAll(gp, `"tolerations":[]`, tolerated), "rules of two"},
		"nothing":                {gp, "no rules of a deployment"},
		"other rules as well":    {strings.Replace(gp, `"tolerations":[]`, tolerated+`,"podAntiAffinity":{"required":[{"topologyKey":"zone"}]}`, 1), "also changes podAntiAffinity; send it"},
		"other rules":            {strings.Replace(gp, `"tolerations":[]`, `"tolerations":[],"podAntiAffinity":{}`, 1), "also changes podAntiAffinity"},
		"a deployment less":      {strings.Replace(gp[:strings.Index(gp, ",{\"deploymentType")]+"]}", `"tolerations":[]`, tolerated, 1), "also changes y; send it"},
		"beside the rules":       {strings.Replace(strings.Replace(gp, `"tolerations":[]`, tolerated, 1), "{", `{"mode":1,`, 1), "also changes mode"},
		"a deployment":           {strings.Replace(gp, "}}]}", `}},{"deploymentId":"z"}]}`, 1), "adds a deployment"},
	} {
		edit := rulesEdit(t, gp, c.edited)
		got, err := inOther(edit, onto)
		switch {
		case c.want == "" && (err != nil || !strings.Contains(got.Text(), `"key": "k"`) && !strings.Contains(got.Text(), `"key":"k"`)):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := strings.Replace(gp, `"tolerations":[]`, `"tolerations":[],"podAntiAffinity":{"required":{"weight":1}}`, 1)
	edit := rulesEdit(t, deep, strings.Replace(deep, `"weight":1`, `"weight":2`, 1))
	if _, err := inOther(edit, onto); err == nil || !strings.Contains(err.Error(), "also changes podAntiAffinity; send it") {
		t.Errorf("below other rules: %v", err)
	}
}

// A deployment may have no rules yet, no id, or what is no rules: it gets those of its counterpart, or none at all.
func TestRulesGoToADeploymentThatHasNoneAndToNoneByAMissingID(t *testing.T) {
	t.Parallel()
	const was, is = `,"podPlacementPolicy":{"tolerations":[]}`, `,"podPlacementPolicy":{"tolerations":[{"key":"k","operator":"Exists"}]}`
	whole := func(deployments ...string) string {
		return `{"placementPolicy":[` + strings.Join(deployments, ",") + `]}`
	}
	feature := func(rules string) string { return `{"deploymentType":"Feature","deploymentId":"f"` + rules + `}` }
	for name, c := range map[string]struct{ base, edited, onto, want string }{
		"no rules before":        {whole(feature("")), whole(feature(is)), whole(feature(was)), whole(feature(is))},
		"null before":            {whole(feature(`,"podPlacementPolicy":null`)), whole(feature(is)), whole(feature(was)), whole(feature(is))},
		"no rules there":         {whole(feature(was)), whole(feature(is)), whole(feature("")), whole(feature(is))},
		"null there":             {whole(feature(was)), whole(feature(is)), whole(feature(`,"podPlacementPolicy":null`)), whole(feature(is))},
		"no rules there, either": {whole(feature("")), whole(feature(is)), whole(feature("")), whole(feature(is))},
		"what is no rules there": {whole(feature(was)), whole(feature(is)), whole(feature(`,"podPlacementPolicy":"none"`)), ""},
		"no id anywhere": {whole(`{"deploymentType":"Feature"` + was + `}`), whole(`{"deploymentType":"Feature"` + is + `}`),
			whole(`{"deploymentType":"Map"`+was+`}`, `{"deploymentType":"Feature"`+was+`}`), whole(`{"deploymentType":"Map"`+was+`}`, `{"deploymentType":"Feature"`+is+`}`)},
	} {
		edit := rulesEdit(t, c.base, c.edited)
		got, err := inOther(edit, editing.Content{Target: edit.Target, Document: operationtest.Parsed(t, c.onto)})
		if (err == nil) != (c.want != "") || err == nil && (got == nil || len(document.Diff(got, operationtest.Parsed(t, c.want))) > 0) {
			t.Errorf("%s: %v\n%v\nwant\n%s", name, err, got, c.want)
		}
	}
}

// policy is one with deployments, each in the form "type id rules".
func policy(deployments ...string) string {
	for i, d := range deployments {
		f := strings.Fields(d)
		deployments[i] = `{"deploymentType":"` + f[0] + `","deploymentId":"` + f[1] + `","podPlacementPolicy":` + f[2] + `}`
	}
	return `{"placementPolicy":[` + strings.Join(deployments, ",") + `]}`
}

func TestRulesGoToTheSameDeploymentElseToTheOneOfItsTypeElseToTheOnlyOne(t *testing.T) {
	t.Parallel()
	const was, is, own = `{"tolerations":[]}`, `{"tolerations":[{"key":"k","operator":"Exists"}]}`, `{"x":1}`
	for name, c := range map[string]struct {
		onto []string
		want string // the policy, else the error
	}{
		"the same, of another type":  {[]string{"Map a " + was, "Feature f " + own}, policy("Map a "+is, "Feature f "+own)},
		"the same before its type":   {[]string{"Feature f " + own, "Feature a " + was}, policy("Feature f "+own, "Feature a "+is)},
		"the one of its type":        {[]string{"Map m " + own, "Feature f " + was}, policy("Map m "+own, "Feature f "+is)},
		"the only one":               {[]string{"Map m " + was}, policy("Map m " + is)},
		"two of its type":            {[]string{"Feature f " + own, "Feature g " + own}, "2 deployments of type Feature"},
		"several, none of its type":  {[]string{"Map m " + own, "Map n " + own}, "no Feature deployment"},
		"none":                       {nil, "no deployment"},
		"what else is there stays":   {[]string{`Feature f {"weight":1.0,"tolerations":[]}`}, policy(`Feature f {"weight":1.0,"tolerations":[{"key":"k","operator":"Exists"}]}`)},
		"where it has no rules yet":  {[]string{`Feature f {}`}, policy("Feature f " + is)},
		"what it has already stays":  {[]string{`Feature f {"tolerations":[{"operator":"Exists","key":"k"}]}`}, policy(`Feature f {"tolerations":[{"operator":"Exists","key":"k"}]}`)},
		"affinity is not touched":    {[]string{`Feature f {"nodeAffinity":{"a":1}}`}, policy(`Feature f {"nodeAffinity":{"a":1},"tolerations":[{"key":"k","operator":"Exists"}]}`)},
		"other rules of another one": {[]string{`Feature f {"tolerations":[{"key":"other"}]}`}, policy("Feature f " + is)},
	} {
		edit := rulesEdit(t, policy("Feature a "+was), policy("Feature a "+is))
		other := editing.Content{Target: editing.PlacementOf(adminapi.ServiceRef{Name: "other", Type: "T"}), Document: operationtest.Parsed(t, policy(c.onto...))}
		got, err := inOther(edit, other)
		bytewise := name == "what it has already stays"
		if err != nil && err.Error() != c.want ||
			err == nil && (len(document.Diff(got, operationtest.Parsed(t, c.want))) > 0 || bytewise && got.Text() != c.want) {
			t.Errorf("%s: %v\n%v\nwant\n%s", name, err, got, c.want)
		}
	}
}

func TestRulesThatAnEditRemovesAreRemovedFromOtherServices(t *testing.T) {
	t.Parallel()
	edit := rulesEdit(t, policy(`T a {"nodeAffinity":{"a":1},"tolerations":[]}`), policy(`T a {"tolerations":[]}`))
	for onto, want := range map[string]string{
		`{"nodeAffinity":{"b":2},"x":1}`: `{"x":1}`, `{"x":1}`: `{"x":1}`,
	} {
		got, err := inOther(edit, editing.Content{Target: edit.Target, Document: operationtest.Parsed(t, policy("T b "+onto))})
		if err != nil || len(document.Diff(got, operationtest.Parsed(t, policy("T b "+want)))) > 0 {
			t.Errorf("%s becomes %v, %v", onto, got, err)
		}
	}
	for _, other := range []string{`{}`, `[]`, `{"nodeAffinity":{}}`} {
		if _, err := inOther(edit, editing.Content{Target: edit.Target, Document: operationtest.Parsed(t, other)}); err == nil || !strings.Contains(err.Error(), "not a placement policy") {
			t.Errorf("%s: %v", other, err)
		}
	}
}

func TestADefinitionGetsTheChangesOfAnotherWhateverItsValuesAre(t *testing.T) {
	t.Parallel()
	target := editing.DefinitionOf(operationtest.Cities)
	edit := editing.Edit{Target: target, Base: operationtest.Parsed(t, `{"a":1,"b":{"c":1},"d":1}`)}
	edit.Edited = operationtest.Parsed(t, `{"a":2,"b":{"c":1,"n":true}}`)
	for onto, want := range map[string]string{
		`{"a":7,"b":{},"d":3,"own":1.0}`: `{"a":2,"b":{"n":true},"own":1.0}`,
		`{"a":2,"b":{},"d":1}`:           `{"a":2,"b":{"n":true}}`,
		`{"a":2,"b":{"n":true}}`:         "", // it has another one of that name
		`{"a":7}`:                        "", // nothing to add to
	} {
		got, err := inOther(edit, editing.Content{Target: target, Document: operationtest.Parsed(t, onto)})
		if (err != nil) != (want == "") || err == nil && len(document.Diff(got, operationtest.Parsed(t, want))) > 0 {
			t.Errorf("%s becomes %v, %v; want %s", onto, got, err, want)
		}
	}
	refused := errors.New("not in this one")
	each := editing.ChangesBy(func(service adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
		if service.Path() != operationtest.Cities.Path() {
			return nil, refused
		}
		return d.SetValue("a", "9")
	}, nil)
	if got, err := each.In(editing.Content{Target: target, Document: edit.Base}); err != nil || got.Text() != `{"a":9,"b":{"c":1},"d":1}` {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := each.In(editing.Content{Target: editing.DefinitionOf(adminapi.ServiceRef{Name: "x", Type: "T"}), Document: edit.Base}); !errors.Is(err, refused) {
		t.Error(err)
	}
}
