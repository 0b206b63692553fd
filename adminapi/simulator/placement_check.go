package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/placement"
)

// placementItem is what is looked at in an element of a policy.
type placementItem struct {
	ID    *string `json:"deploymentId"`
	Type  *string `json:"deploymentType"`
	Rules *struct {
		Affinity    map[string]json.RawMessage `json:"nodeAffinity"`
		Tolerations []map[string]any           `json:"tolerations"`
	} `json:"podPlacementPolicy"`
}

// refusedPlacement is what a policy gets that the site does not take.
func refusedPlacement(format string, of ...any) *refusal {
	return invalid("The placement policy is not valid.", fmt.Sprintf(format, of...))
}

// readPlacement tells what a text gives each deployment, or why the site does
// not take it. Whether any node fits is not looked at.
func readPlacement(text []byte, of []*deployment) (map[*deployment][]byte, error) {
	var given struct {
		Items []json.RawMessage `json:"placementPolicy"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, refusedPlacement("servicePlacementPolicy is not a JSON object with a list placementPolicy: %v", err)
	}
	if len(given.Items) == 0 {
		return nil, refusedPlacement("placementPolicy names no deployment")
	}
	items := map[*deployment][]byte{}
	for i, raw := range given.Items {
		d, err := deploymentIn(raw, of)
		if err == nil && items[d] != nil {
			err = fmt.Errorf("deploymentId %s is there twice", d.id)
		}
		if err == nil {
			err = checkRules(raw)
		}
		if err != nil {
			return nil, refusedPlacement("placementPolicy[%d]: %v", i, err)
		}
		items[d] = raw
	}
	return items, nil
}

// deploymentIn finds the deployment that an element is about.
func deploymentIn(raw []byte, of []*deployment) (*deployment, error) {
	var item placementItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil, err
	}
	if item.ID == nil || item.Rules == nil {
		return nil, fmt.Errorf("deploymentId or podPlacementPolicy is missing")
	}
	i := slices.IndexFunc(of, func(d *deployment) bool { return d.id == *item.ID })
	if i < 0 {
		return nil, fmt.Errorf("deploymentId %q is no deployment of this service", *item.ID)
	}
	if item.Type != nil && *item.Type != of[i].kind {
		return nil, fmt.Errorf("deploymentType is %q, not %q", *item.Type, of[i].kind)
	}
	return of[i], nil
}

// checkRules looks at the words of the rules, as Kubernetes does before it takes
// an object.
func checkRules(raw []byte) error {
	policy, err := placement.Parse(raw)
	if err != nil {
		return err
	}
	for _, item := range policy.Items() {
		for _, kind := range []placement.Kind{placement.Required, placement.Preferred} {
			if err := checkAffinity(kind, item.Affinity(kind)); err != nil {
				return err
			}
		}
		for i, t := range item.Tolerations {
			if err := checkToleration(t); err != nil {
				return fmt.Errorf("tolerations[%d]: %w", i, err)
			}
		}
	}
	return nil
}

func checkAffinity(kind placement.Kind, a placement.Affinity) error {
	if kind == placement.Required && a.Present && len(a.Terms) == 0 {
		return fmt.Errorf("the required affinity has no nodeSelectorTerms")
	}
	for i, term := range a.Terms {
		if a.Shape == placement.WeightedList && (term.Weight < 1 || term.Weight > 100) {
			return fmt.Errorf("term %d: weight is %d; 1 to 100 is wanted", i, term.Weight)
		}
		for _, line := range term.Lines {
			if err := checkLine(line); err != nil {
				return fmt.Errorf("term %d: %w", i, err)
			}
		}
	}
	return nil
}

func checkLine(l placement.Line) error {
	operators := append(placement.Operators(), placement.Gt, placement.Lt)
	if l.Key == "" || !slices.Contains(operators, l.Operator) {
		return fmt.Errorf("key %q, operator %q; a key and one of %s is wanted", l.Key, l.Operator, strings.Join(operators, ", "))
	}
	switch n := len(l.Values); l.Operator {
	case placement.Exists, placement.DoesNotExist:
		if n > 0 {
			return fmt.Errorf("operator %s of key %q takes no values", l.Operator, l.Key)
		}
	case placement.Gt, placement.Lt:
		if n != 1 {
			return fmt.Errorf("operator %s of key %q takes one number", l.Operator, l.Key)
		}
		if _, err := strconv.ParseInt(l.Values[0], 10, 64); err != nil {
			return fmt.Errorf("operator %s of key %q takes one number", l.Operator, l.Key)
		}
	default:
		if n == 0 {
			return fmt.Errorf("operator %s of key %q needs values", l.Operator, l.Key)
		}
	}
	return nil
}

func checkToleration(t placement.Toleration) error {
	switch {
	case t.Effect != "" && !slices.Contains(placement.Effects(), t.Effect):
		return fmt.Errorf("effect is %q; allowed: %s", t.Effect, strings.Join(placement.Effects(), ", "))
	case t.Operator != "" && !slices.Contains(placement.TolerationOperators(), t.Operator):
		return fmt.Errorf("operator is %q; allowed: %s", t.Operator, strings.Join(placement.TolerationOperators(), ", "))
	case t.Key == "" && t.Operator != placement.Exists:
		return fmt.Errorf("without a key the operator has to be Exists")
	case t.Operator == placement.Exists && t.Value != "":
		return fmt.Errorf("operator Exists takes no value")
	case t.Seconds != "" && t.Effect != placement.NoExecute:
		return fmt.Errorf("tolerationSeconds needs the effect NoExecute")
	}
	return nil
}
