package editing_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// Each gate that docs/gates.md lists for edits and rules is met by a real edit, with its strength and word, and
// holds the edit back until that word is given.
func TestEveryGateOfAnEditIsRaised(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	read, err := p.Read(t.Context(), editing.DefinitionOf(operationtest.Cities))
	if err != nil {
		t.Fatal(err)
	}
	definition := func(settings ...string) editing.Edit {
		e := editing.Edit{Target: read.Target, Base: read.Document, Edited: read.Document, Keys: document.Keys{}}
		for _, text := range settings {
			setting, err := editing.ParseSetting(text)
			if path, removes := strings.CutPrefix(text, "-"); removes {
				setting, err = editing.Setting{Path: document.Path(path), Remove: true}, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.Edited, err = editing.WithSettings(e.Edited, []editing.Setting{setting}); err != nil {
				t.Fatal(err)
			}
		}
		return e
	}
	rules := func(pool string) editing.Edit {
		e := p.Replacing(t, operationtest.OnPool(pool))
		e.Nodes = poolNodes("gis", "spot")
		return e
	}
	unread := definition("maxIdleTime=900").WithoutReading(adminapi.KindNotFound, "base.json")
	drifted := definition("maxIdleTime=900")
	theirs := definition("maxIdleTime=700").Edited
	rewritten := definition()
	rewritten.Edited = operationtest.Parsed(t, strings.Replace(read.Document.Text(), `"maxIdleTime":1800`, `"maxIdleTime":1800.0`, 1))
	off := definition("extensions[0].enabled=true")
	off.Base, off.Edited = off.Edited, read.Document
	long := operationtest.Parsed(t, strings.Replace(read.Document.Text(), `"maxIdleTime":1800`, `"maxIdleTime":12345678901234567891`, 1))
	rounded := definition()
	rounded.Base, rounded.Edited = long, operationtest.Parsed(t, strings.Replace(long.Text(), "12345678901234567891", "12345678901234567000", 1))
	left := editing.Edit{Target: editing.PlacementOf(operationtest.Cities), Base: operationtest.Parsed(t, twice)}
	left.Edited = operationtest.Parsed(t, `{"placementPolicy":[{"deploymentId":"b","podPlacementPolicy":{"tolerations":[{"key":"k","operator":"Exists"}],"weight":1.0}}]}`)
	broken := p.Replacing(t, strings.Replace(operationtest.OnPool("spot"), `"In"`, `"Is"`, 1))

	for id, e := range map[string]editing.Edit{
		document.KeyRemoved:         definition("-properties.cacheDir"),
		document.DigitsLost:         rounded,
		document.IdentityChanged:    definition("serviceName=Other"),
		document.CapabilityRemoved:  definition("capabilities=Map"),
		document.ExtensionOff:       off,
		document.PathChanged:        definition("properties.filePath=/data/other.msd"),
		document.KindChanged:        definition(`maxIdleTime="x"`),
		document.UnknownKey:         definition("properties.maxRecodCount=20"),
		document.OtherType:          definition("properties.maxSampleSize=many"),
		document.RestartLikely:      definition("maxIdleTime=900"),
		document.UnitNotStated:      definition("maxIdleTime=900"),
		document.WrittenDifferently: rewritten,
		editing.NoNode:              rules("moon"),
		editing.OneNode:             rules("spot"),
		editing.PodsReplaced:        rules("spot"),
		editing.LeftOut:             left,
		editing.RuleBroken:          broken,
		editing.NotRead:             unread,
		editing.Overwrites:          drifted.Merging(theirs).WithMine(),
	} {
		gate, met := editing.Gates.Of(id), false
		for _, f := range e.Plan().Found() {
			if f.ID != id {
				continue
			}
			met = true
			weighs := false
			for _, strengths := range gate.Weighs {
				for _, s := range strengths {
					weighs = weighs || s == f.Strength
				}
			}
			if !weighs || f.Open() != (f.Accept != "") || f.Open() && f.Accept != gate.Accept {
				t.Errorf("%s: weighs %v with the word %q; the gate is %+v", id, f.Strength, f.Accept, gate)
			}
			if f.Open() && e.Sendable() == nil {
				t.Errorf("%s does not hold the edit back", id)
			}
		}
		if !met {
			t.Errorf("%s is not raised: %+v", id, e.Plan().Found())
		}
		if gate.Accept != "" && gate.Means == "" {
			t.Errorf("%s: nothing says what accepting means", id)
		}
	}
	if raised := 19; len(editing.Gates) != raised {
		t.Errorf("%d gates, %d of them are raised here", len(editing.Gates), raised)
	}
}
