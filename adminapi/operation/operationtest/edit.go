package operationtest

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
)

// Cities is the service that every simulated site has.
var Cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// Idle is a setting of [Cities] that a test may change.
const Idle = document.Path("maxIdleTime")

// Definition is what [Cities] has now.
func (p *Platform) Definition(t *testing.T) *document.Document {
	t.Helper()
	return p.read(t, editing.DefinitionOf(Cities))
}

// Edit reads the definition of [Cities] and sets one value in it.
func (p *Platform) Edit(t *testing.T, path document.Path, raw string) editing.Edit {
	t.Helper()
	base := p.Definition(t)
	edited, err := base.SetValue(path, raw)
	if err != nil {
		t.Fatal(err)
	}
	return editing.Edit{Target: editing.DefinitionOf(Cities), Base: base, Edited: edited}
}

// Policy is the placement policy that [Cities] has now.
func (p *Platform) Policy(t *testing.T) *document.Document {
	t.Helper()
	return p.read(t, editing.PlacementOf(Cities))
}

// Replacing edits the policy of [Cities]: its first deployment gets these rules.
func (p *Platform) Replacing(t *testing.T, rules string) editing.Edit {
	t.Helper()
	base := p.Policy(t)
	edited, err := editing.PolicyOnto(base, []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	return editing.Edit{Target: editing.PlacementOf(Cities), Base: base, Edited: edited}
}

func (p *Platform) read(t *testing.T, target editing.Target) *document.Document {
	t.Helper()
	c, err := editing.Read(t.Context(), p.Client, target)
	if err != nil {
		t.Fatal(err)
	}
	return c.Document
}

// OnPool are rules that require a pool of nodes.
func OnPool(pool string) string {
	return `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["` + pool + `"]}]}]}},"tolerations":[]}`
}

// Parsed reads a document.
func Parsed(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
