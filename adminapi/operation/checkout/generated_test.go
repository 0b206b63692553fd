package checkout_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// siteHas makes the site answer with a text when a part is read.
func (f *folder) siteHas(target editing.Target, text string) {
	f.t.Helper()
	end := target.Service.Path()
	if target.Part == editing.Placement {
		end += "/placementPolicy"
	}
	f.p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, end) {
			pass()
			return
		}
		_, _ = io.WriteString(w, text)
	})
}

// changes are the places that an edit which a file asks for would change.
func (f *folder) changes(target editing.Target) (places string, refused error) {
	f.t.Helper()
	e := f.Plan(f.t.Context(), f.p.Site, []editing.Target{target}, nil, editing.Accepted{Words: editing.AcceptWords()}, nil)[0]
	return strings.Join(lists.Each(e.Plan.Changes, func(c document.Change) string { return c.Path.String() }), " "), e.Refused
}

// What a site has generated is its own: a file never changes it, whatever the file has in its place.
func TestWhatASiteHasGeneratedStaysAsItIs(t *testing.T) {
	t.Parallel()
	target := editing.DefinitionOf(operationtest.Cities)
	for name, tt := range map[string]struct{ site, file string }{
		"the file has none":          {`{"serviceName":"a","id":"1","x":1,"deploymentId":"d"}`, `{"serviceName":"a","x":2}`},
		"the file has others":        {`{"serviceName":"a","id":"1","x":1,"deploymentId":"d"}`, `{"id":"2","serviceName":"a","deploymentId":"e","x":2}`},
		"the site has none":          {`{"serviceName":"a","x":1}`, `{"id":"2","serviceName":"a","deploymentId":"e","x":2}`},
		"neither has any":            {`{"serviceName":"a","x":1}`, `{"serviceName":"a","x":2}`},
		"each has one, not the same": {`{"serviceName":"a","id":"1","x":1}`, `{"serviceName":"a","deploymentId":"e","x":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.siteHas(target, tt.site)
			f.write(cities, tt.file)
			if places, err := f.changes(target); err != nil || places != "x" {
				t.Errorf("changed is %q, %v", places, err)
			}
			f.pull(true, target)
			if text := f.read(cities); strings.Contains(text, `"id"`) || strings.Contains(text, "deploymentId") {
				t.Errorf("pulled is %s", text)
			}
			if files := f.differing(true); len(files) > 0 {
				t.Errorf("%v differ after a pull", files)
			}
		})
	}
}

// policyOf are rules of deployments, each given as a type, its id, which may be empty, and a pool.
func policyOf(deployments ...[3]string) string {
	return `{"placementPolicy":[` + strings.Join(lists.Each(deployments, func(d [3]string) string {
		id := ""
		if d[1] != "" {
			id = `"deploymentId":"` + d[1] + `",`
		}
		return `{` + id + `"deploymentType":"` + d[0] + `","podPlacementPolicy":` + operationtest.OnPool(d[2]) + `}`
	}), ",") + `]}`
}

// Rules go to the deployment that they are of. Where that is not certain, they go to none.
func TestRulesOfAFileGoToTheDeploymentOfTheirTypeOrToNone(t *testing.T) {
	t.Parallel()
	const first, second = "placementPolicy[d1].podPlacementPolicy", "placementPolicy[d2].podPlacementPolicy"
	const unclear = "the site has no deployment, or several, of the type "
	target := editing.PlacementOf(operationtest.Cities)
	one := [][3]string{{"MapServer", "d1", "gis"}}
	two := [][3]string{{"MapServer", "d1", "gis"}, {"FeatureServer", "d2", "gis"}}
	twins := [][3]string{{"MapServer", "d1", "gis"}, {"MapServer", "d2", "gis"}}
	for name, tt := range map[string]struct {
		site    string
		file    string
		changed string // where the changed rules are
		refused string // in words
	}{
		"without ids":                         {policyOf(two...), policyOf([3]string{"MapServer", "", "gis"}, [3]string{"FeatureServer", "", "spot"}), second, ""},
		"with ids of another site":            {policyOf(two...), policyOf([3]string{"MapServer", "e1", "spot"}, [3]string{"FeatureServer", "e2", "gis"}), first, ""},
		"twins with ids":                      {policyOf(twins...), policyOf([3]string{"MapServer", "d1", "gis"}, [3]string{"MapServer", "d2", "spot"}), second, ""},
		"twins without":                       {policyOf(twins...), policyOf([3]string{"MapServer", "", "gis"}, [3]string{"MapServer", "", "spot"}), "", unclear + "MapServer"},
		"one of twins, without":               {policyOf(twins...), policyOf([3]string{"MapServer", "", "spot"}), "", unclear + "MapServer"},
		"twins of what the site has once":     {policyOf(one...), policyOf([3]string{"MapServer", "", "gis"}, [3]string{"MapServer", "", "spot"}), "", unclear + "MapServer"},
		"a type that the site has not":        {policyOf(one...), policyOf([3]string{"GPServer", "", "spot"}), "", unclear + "GPServer"},
		"a deployment of the site without id": {policyOf([3]string{"MapServer", "", "gis"}), policyOf([3]string{"MapServer", "", "spot"}), "", unclear + "MapServer"},
		"no rules":                            {policyOf(one...), `{"a":1}`, "", "this is not a placement policy"},
		"rules, and not of which deployment":  {policyOf(one...), operationtest.OnPool("spot"), "", "it is no whole policy, as a pull writes it"},
		"one deployment, and not in a policy": {policyOf(one...), `{"podPlacementPolicy":` + operationtest.OnPool("spot") + `}`, "", "it is no whole policy, as a pull writes it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.siteHas(target, tt.site)
			f.write(citiesRules, tt.file)
			places, err := f.changes(target)
			if tt.refused != "" {
				if !errors.As(err, new(*checkout.FileError)) || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("changed is %q, %v", places, err)
				}
				return
			}
			if err != nil || !strings.HasPrefix(places, tt.changed) || strings.Contains(places, " ") {
				t.Errorf("changed is %q, %v", places, err)
			}
		})
	}
}

// The type does not tell twins apart: their ids stay in the file.
func TestRulesOfTwinsAreToldApartByTheirIDs(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	target := editing.PlacementOf(operationtest.Cities)
	f.siteHas(target, `{"id":"d4",`+policyOf([3]string{"MapServer", "d1", "gis"}, [3]string{"FeatureServer", "d2", "gis"}, [3]string{"MapServer", "d3", "gis"})[1:])
	f.pull(false, target)
	text := f.read(citiesRules)
	if !strings.Contains(text, `"d1"`) || strings.Contains(text, `"d2"`) || !strings.Contains(text, `"d3"`) || !strings.Contains(text, `"d4"`) {
		t.Errorf("pulled is %s", text)
	}
	if files := f.differing(true); len(files) > 0 {
		t.Errorf("%v differ after a pull", files)
	}
}
