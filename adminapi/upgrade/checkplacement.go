package upgrade

import (
	"fmt"
	"strings"

	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// podPlacement is the part of a placement policy that a sentence is made of.
type podPlacement struct {
	NodeAffinity struct {
		Required  jsontext.Value `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		Preferred jsontext.Value `json:"preferredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
	Tolerations []struct {
		Key, Operator, Value, Effect string
	} `json:"tolerations"`
}

var tolerantly = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true))

func checkPlacement(f Facts) result {
	if !f.Placement.Known {
		return unknown("Where the pods of the upgrade will run could not be read", f.Placement.Err, "")
	}
	var p podPlacement
	if len(f.Placement.Value) > 0 {
		if err := json.Unmarshal(f.Placement.Value, &p, tolerantly); err != nil {
			return unknown("The placement of the upgrade's pods is not put together as placements are", nil, askTheSite)
		}
	}
	tolerates := ""
	if len(p.Tolerations) > 0 {
		var keys []string
		for _, t := range p.Tolerations {
			keys = append(keys, wordOr(t.Key, "everything"))
		}
		tolerates = " and tolerate taints of " + plain.Clip(strings.Join(keys, ", "), 120)
	}
	switch {
	case isGiven(p.NodeAffinity.Required):
		return warning("Make sure that such a node is there and has room.", "They run only on nodes with %s%s.", labels(p.NodeAffinity.Required), tolerates)
	case isGiven(p.NodeAffinity.Preferred):
		return ok("They prefer nodes with %s%s.", labels(p.NodeAffinity.Preferred), tolerates)
	}
	return ok("They may run on any node%s.", tolerates)
}

func isGiven(v jsontext.Value) bool {
	text := strings.TrimSpace(string(v))
	return text != "" && text != "null" && text != "{}" && text != "[]"
}

// labels names the labels that an affinity asks for, in whatever form it is.
func labels(affinity jsontext.Value) string {
	var tree any
	_ = json.Unmarshal(affinity, &tree, tolerantly) // it is part of what was read
	var found []string
	collectLabels(tree, &found)
	if len(found) == 0 {
		return "labels that could not be read"
	}
	return plain.Clip(strings.Join(found, "; "), 200)
}

func collectLabels(tree any, found *[]string) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			collectLabels(element, found)
		}
	case map[string]any:
		if key, ok := node["key"].(string); ok {
			*found = append(*found, strings.TrimSpace(fmt.Sprintf("%s %v %s", key, node["operator"], values(node["values"]))))
			return
		}
		for _, name := range []string{"nodeSelectorTerms", "preference", "matchExpressions", "matchFields"} {
			collectLabels(node[name], found)
		}
	}
}

func values(v any) string {
	list, _ := v.([]any)
	var texts []string
	for _, value := range list {
		texts = append(texts, fmt.Sprint(value))
	}
	return strings.Join(texts, ", ")
}
