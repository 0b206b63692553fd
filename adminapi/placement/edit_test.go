package placement_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

const small = `{"placementPolicy":[{"deploymentId":"a","podPlacementPolicy":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":` +
	`{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]},{"matchExpressions":[]}]}},` +
	`"tolerations":[{"effect":"NoSchedule","key":"gpu","operator":"Equal","value":"x","z":2.50}]}}]}`

func TestAnEditChangesWhatItIsAboutAndNothingElse(t *testing.T) {
	t.Parallel()
	first, second := placement.AtTerm(0, placement.Required, 0), placement.AtTerm(0, placement.Required, 1)
	line, toleration := placement.AtLine(0, placement.Required, 0, 0), placement.AtToleration(0, 0)
	for name, tt := range map[string]struct {
		edit     func(placement.Policy) (placement.Policy, error)
		old, new string
	}{
		"the operator of a line": {func(p placement.Policy) (placement.Policy, error) {
			return p.SetLine(line, placement.Line{Key: "gpu", Operator: "NotIn", Values: []string{"a", "b"}})
		}, `"operator":"In"`, `"operator":"NotIn"`},
		"the values of a line": {func(p placement.Policy) (placement.Policy, error) {
			return p.SetLine(line, placement.Line{Key: "gpu", Operator: "In", Values: []string{`q"`}})
		}, `["a","b"]`, `["q\""]`},
		"a line as it is": {func(p placement.Policy) (placement.Policy, error) {
			return p.SetLine(line, placement.Line{Key: "gpu", Operator: "In", Values: []string{"a", "b"}})
		}, "", ""},
		"another line": {func(p placement.Policy) (placement.Policy, error) {
			return p.AddLine(placement.AtLine(0, placement.Required, 1, 0), placement.Line{Key: "k", Operator: "Exists"})
		}, `{"matchExpressions":[]}`, `{"matchExpressions":[{"key":"k","operator":"Exists","values":[]}]}`},
		"a line about the name": {func(p placement.Policy) (placement.Policy, error) {
			return p.AddLine(placement.AtLine(0, placement.Required, 1, 0), placement.Line{Key: "metadata.name", Operator: "In", Values: []string{"n"}, Field: true})
		}, `{"matchExpressions":[]}`, `{"matchExpressions":[],"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}`},
		"a term removed": {func(p placement.Policy) (placement.Policy, error) { return p.Remove(second) }, `,{"matchExpressions":[]}`, ``},
		"a term copied":  {func(p placement.Policy) (placement.Policy, error) { return p.Copy(second) }, `{"matchExpressions":[]}`, `{"matchExpressions":[]},{"matchExpressions":[]}`},
		"the last line of a term removed, and the term with it": {func(p placement.Policy) (placement.Policy, error) { return p.Remove(line) }, `{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]},`, ``},
		"a line copied, its extras too": {func(p placement.Policy) (placement.Policy, error) { return p.Copy(line) },
			`{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}`, `{"key":"gpu","operator":"In","values":["a","b"],"z":1.0},{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}`},
		"a term moved": {func(p placement.Policy) (placement.Policy, error) {
			moved, at, err := p.Move(first, 5)
			if at != second {
				t.Errorf("moved to %v", at)
			}
			return moved, err
		}, `{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]},{"matchExpressions":[]}`, `{"matchExpressions":[]},{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]}`},
		"a toleration without its value": {func(p placement.Policy) (placement.Policy, error) {
			return p.SetToleration(toleration, placement.Toleration{Effect: "NoSchedule", Key: "gpu", Operator: "Exists"})
		}, `"operator":"Equal","value":"x"`, `"operator":"Exists"`},
		"seconds": {func(p placement.Policy) (placement.Policy, error) {
			return p.SetToleration(toleration, placement.Toleration{Effect: "NoExecute", Key: "gpu", Operator: "Equal", Value: "x", Seconds: "60"})
		}, `{"effect":"NoSchedule","key":"gpu","operator":"Equal","value":"x","z":2.50}`, `{"effect":"NoExecute","key":"gpu","operator":"Equal","value":"x","z":2.50,"tolerationSeconds":60}`},
		"another toleration": {func(p placement.Policy) (placement.Policy, error) {
			return p.AddToleration(placement.AtToleration(0, 0), placement.Toleration{Key: "k", Operator: "Exists"})
		}, `"tolerations":[`, `"tolerations":[{"key":"k","operator":"Exists"},`},
		"a preferred term beside the required ones": {func(p placement.Policy) (placement.Policy, error) {
			return p.AddTerm(placement.AtTerm(0, placement.Preferred, 0), placement.Term{Lines: []placement.Line{{Key: "k", Operator: "Exists"}}})
		}, `{"matchExpressions":[]}]}`, `{"matchExpressions":[]}]},"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists","values":[]}]}]}`},
		"a required term made preferred, its extras too": {func(p placement.Policy) (placement.Policy, error) {
			moved, at, err := p.MoveToOther(first)
			if at != placement.AtTerm(0, placement.Preferred, 0) {
				t.Errorf("moved to %v", at)
			}
			return moved, err
		}, `{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]},{"matchExpressions":[]}]}`,
			`{"matchExpressions":[]}]},"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"In","values":["a","b"],"z":1.0}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, small)
			edited, err := tt.edit(p)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(small, tt.old, tt.new, 1); string(edited.Bytes()) != want {
				t.Errorf("got  %s\nwant %s", edited.Bytes(), want)
			}
			if string(p.Bytes()) != small {
				t.Error("the policy before the edit has changed")
			}
		})
	}
}

func TestAnEditThatChangesNothingLeavesEveryByte(t *testing.T) {
	t.Parallel()
	p := parse(t, rich)
	i := p.Items()[0]
	for name, edit := range map[string]func() (placement.Policy, error){
		"line": func() (placement.Policy, error) {
			return p.SetLine(placement.AtLine(0, placement.Required, 0, 1), i.Required.Terms[0].Lines[1])
		},
		"toleration": func() (placement.Policy, error) {
			return p.SetToleration(placement.AtToleration(0, 1), i.Tolerations[1])
		},
		"weight": func() (placement.Policy, error) { return p.SetWeight(placement.AtTerm(0, placement.Preferred, 1), 40) },
	} {
		if edited, err := edit(); err != nil || string(edited.Bytes()) != rich {
			t.Errorf("%s: %v %s", name, err, edited.Bytes())
		}
	}
}

func TestOneKindOfTwoIsLeft(t *testing.T) {
	t.Parallel()
	for _, kind := range []placement.Kind{placement.Required, placement.Preferred} {
		p, err := parse(t, rich).Remove(placement.AtAffinity(0, placement.Required+placement.Preferred-kind))
		if err != nil {
			t.Fatal(err)
		}
		before, after := parse(t, rich).Items()[0], p.Items()[0]
		if after.Kind() != kind || !reflect.DeepEqual(after.Affinity(kind), before.Affinity(kind)) {
			t.Errorf("%s: %+v", kind, after)
		}
	}
	if p, err := parse(t, rich).ClearAffinity(0); err != nil || p.Items()[0].Kind() != placement.None {
		t.Errorf("%v: %s", err, p.Bytes())
	}
}

// An affinity goes with its last term, unless it has keys that are not known.
func TestAnAffinityGoesWithItsLastTerm(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{
		required(`{"key":"a","operator":"Exists"}`): `{"nodeAffinity":{}}`,
		`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[]}],"q":0}}}`: `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[],"q":0}}}`,
	} {
		p, err := parse(t, rules).Remove(placement.AtTerm(0, placement.Required, 0))
		if err != nil || string(p.Bytes()) != want {
			t.Errorf("%v: %s instead of %s", err, p.Bytes(), want)
		}
	}
}

func TestAnEditFollowsTheLayoutAround(t *testing.T) {
	t.Parallel()
	before := read(t, "placementPolicy_get_nodeAffinity.json")
	p, err := parse(t, before).AddToleration(placement.AtToleration(0, 0), placement.Toleration{Effect: "NoSchedule", Key: "gpu", Operator: "Exists"})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(before, `"tolerations": []`, `"tolerations": [
          {
            "effect": "NoSchedule",
            "key": "gpu",
            "operator": "Exists"
          }
        ]`, 1)
	if got := string(p.Bytes()); got != want {
		t.Errorf("got %s", got)
	}
}

func TestPreferredTermsComeInBothShapes(t *testing.T) {
	t.Parallel()
	weighted := parse(t, `{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}}`)
	p, err := weighted.AddTerm(placement.AtTerm(0, placement.Preferred, 1), placement.Term{Lines: []placement.Line{{Key: "b", Operator: "Exists"}}})
	if err != nil || !strings.HasSuffix(string(p.Bytes()), `,{"weight":1,"preference":{"matchExpressions":[{"key":"b","operator":"Exists","values":[]}]}}]}}`) {
		t.Errorf("%v: %s", err, p.Bytes())
	}
	p, err = weighted.SetWeight(placement.AtTerm(0, placement.Preferred, 0), 90)
	if err != nil || p.Items()[0].Preferred.Terms[0].Weight != 90 {
		t.Errorf("%v: %s", err, p.Bytes())
	}
	p, _, err = weighted.MoveToOther(placement.AtTerm(0, placement.Preferred, 0))
	if want := `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}}`; err != nil || string(p.Bytes()) != want {
		t.Errorf("%v: %s", err, p.Bytes())
	}
	if _, err = p.SetWeight(placement.AtTerm(0, placement.Required, 0), 3); err == nil {
		t.Error("a required term has a weight")
	}
}

func TestRulesAreCopiedFromAnotherServiceWithAllTheyHave(t *testing.T) {
	t.Parallel()
	p, err := parse(t, small).CopyRules(0, parse(t, rich), 0)
	if err != nil {
		t.Fatal(err)
	}
	from, to := parse(t, rich).Items()[0], p.Items()[0]
	if to.DeploymentID != "a" || !reflect.DeepEqual(to.Required, from.Required) || !reflect.DeepEqual(to.Tolerations, from.Tolerations) {
		t.Errorf("%+v", to)
	}
	for _, kept := range []string{`"weight":1e1`, `"why":"fast"`, `"later":true`, `"h\u0031\u0030\u0030"`} {
		if !strings.Contains(string(p.Bytes()), kept) {
			t.Errorf("%s is lost", kept)
		}
	}
}

func TestAnEditOfWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	p := parse(t, small)
	odd := parse(t, `{"placementPolicy":[{"podPlacementPolicy":{"nodeAffinity":"x","tolerations":7}}]}`)
	for name, edit := range map[string]func() (placement.Policy, error){
		"item":          func() (placement.Policy, error) { return p.ClearAffinity(3) },
		"negative item": func() (placement.Policy, error) { return p.ClearAffinity(-1) },
		"no affinity":   func() (placement.Policy, error) { return p.Remove(placement.AtAffinity(0, placement.Preferred)) },
		"a term's note": func() (placement.Policy, error) {
			p, _, err := parse(t, preferring(`[{"weight":1,"preference":{},"note":"ops"}]`)).MoveToOther(placement.AtTerm(0, placement.Preferred, 0))
			return p, err
		},
		"term":       func() (placement.Policy, error) { return p.Remove(placement.AtTerm(0, placement.Required, 2)) },
		"kind":       func() (placement.Policy, error) { return p.Remove(placement.AtTerm(0, placement.Both, 0)) },
		"line":       func() (placement.Policy, error) { return p.Copy(placement.AtLine(0, placement.Required, 0, 1)) },
		"whole item": func() (placement.Policy, error) { return p.Remove(placement.AtItem(0)) },
		"toleration": func() (placement.Policy, error) {
			return p.SetToleration(placement.AtToleration(0, 1), placement.Toleration{})
		},
		"too far": func() (placement.Policy, error) {
			return p.AddTerm(placement.AtTerm(0, placement.Required, 3), placement.Term{})
		},
		"from another item": func() (placement.Policy, error) { return p.CopyRules(0, p, 1) },
		"a text for a list": func() (placement.Policy, error) {
			return odd.AddToleration(placement.AtToleration(0, 0), placement.Toleration{})
		},
		"a term in a text": func() (placement.Policy, error) {
			return odd.AddTerm(placement.AtTerm(0, placement.Required, 0), placement.Term{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit()
			if err == nil || got.Items() == nil {
				t.Errorf("error %v, policy %s", err, got.Bytes())
			}
		})
	}
}

// randomEdit makes one edit somewhere, or one that is refused.
func randomEdit(w writer, p placement.Policy) (placement.Policy, error) {
	kind := []placement.Kind{placement.Required, placement.Preferred}[w.IntN(2)]
	term, line := placement.AtTerm(0, kind, w.IntN(4)), placement.AtLine(0, kind, w.IntN(3), w.IntN(4))
	toleration := placement.AtToleration(0, w.IntN(3))
	switch w.IntN(10) {
	case 0:
		p, _, err := p.MoveToOther(term)
		return p, err
	case 1:
		return p.AddTerm(term, w.term())
	case 2:
		return p.AddLine(line, w.line())
	case 3:
		return p.AddToleration(toleration, w.toleration())
	case 4:
		return p.SetLine(line, w.line())
	case 5:
		return p.SetToleration(toleration, w.toleration())
	case 6:
		return p.Remove([]placement.Place{term, line, toleration}[w.IntN(3)])
	case 7:
		return p.Copy([]placement.Place{term, line, toleration}[w.IntN(3)])
	case 8:
		return p.SetWeight(term, w.IntN(100))
	}
	moved, _, err := p.Move([]placement.Place{term, line, toleration}[w.IntN(3)], w.IntN(5)-2)
	return moved, err
}

func TestAnyEditsLeaveAPolicyThatReadsBackTheSame(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		w := writer{rand.New(rand.NewPCG(seed, 1))}
		p := parse(t, rich)
		for range 12 {
			edited, err := randomEdit(w, p)
			if err != nil {
				continue
			}
			again, err := placement.Parse(edited.Bytes())
			if err != nil {
				t.Fatalf("seed %d: %v in %s", seed, err, edited.Bytes())
			}
			if !json.Valid(edited.Bytes()) || !reflect.DeepEqual(again.Items(), edited.Items()) {
				t.Fatalf("seed %d: %s", seed, edited.Bytes())
			}
			p = edited
			if !strings.Contains(string(p.Bytes()), `1.50`) || !strings.Contains(string(p.Bytes()), `[1,2 , 3]`) || p.Items()[1].DeploymentID != "b" {
				t.Fatalf("seed %d: an edit reached further: %s", seed, edited.Bytes())
			}
		}
	}
}
