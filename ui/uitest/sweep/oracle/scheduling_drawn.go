package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Drawn are rules and nodes in files of several kinds.
type Drawn struct {
	Rules string
	Nodes []byte // as JSON
	File  string // that holds them, in one kind or the other; or that holds none
	Wrong string // what is to be said of it then; empty for a right one
}

const (
	requiredKey  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredKey = "preferredDuringSchedulingIgnoredDuringExecution"
)

// some draws one of a list.
func some[T any](pick func(int) int, of ...T) T { return of[pick(len(of))] }

var drawnLines = []string{
	`{"key":"pool","operator":"In","values":["gis"]}`, `{"key":"pool","operator":"In","values":["gpu","spot"]}`, `{"key":"pool","operator":"NotIn","values":["gis"]}`,
	`{"key":"disk","operator":"In","values":["ssd"]}`, `{"key":"disk","operator":"Exists"}`, `{"key":"gpu","operator":"DoesNotExist","values":[]}`, `{"key":"gpu","operator":"Exists","values":[]}`,
	`{"key":"topology.kubernetes.io/zone","operator":"In","values":["eu-1a","eu-1b"]}`, `{"key":"topology.kubernetes.io/zone","operator":"NotIn","values":["eu-1a"]}`,
	`{"key":"cores","operator":"Gt","values":["8"]}`, `{"key":"cores","operator":"Lt","values":["32"]}`, `{"key":"cores","operator":"Lt","values":["9"]}`,
	`{"key":"kubernetes.io/hostname","operator":"NotIn","values":["n2"]}`, `{"key":"kubernetes.io/hostname","operator":"In","values":["n1","n3"]}`, `{"key":"pol","operator":"In","values":["gis"]}`,
}

var brokenLines = []string{`{"key":"pool","operator":"In","values":[]}`, `{"key":"disk","operator":"Exists","values":["ssd"]}`, `{"key":"cores","operator":"Gt","values":["many"]}`}

var drawnTolerations = []string{
	`{"key":"gpu","operator":"Exists","effect":"NoSchedule"}`, `{"key":"spot","value":"true"}`, `{"key":"spot","operator":"Equal","value":"true","effect":"PreferNoSchedule"}`,
	`{"key":"dedicated","operator":"Equal","value":"gis","effect":"NoSchedule"}`, `{"operator":"Exists"}`, `{"key":"gone","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`,
	`{"operator":"Exists","effect":"NoExecute"}`, `{"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoSchedule"}`,
}

// Draws are some rules, and some nodes. pick draws a number below another.
func Draws(pick func(int) int) Drawn {
	term := func() string {
		var lines []string
		for range 1 + pick(3) {
			if line := some(pick, drawnLines...); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		if pick(12) == 0 {
			lines = append(lines, some(pick, brokenLines...))
		}
		text := `{"matchExpressions":[` + strings.Join(lines, ",") + `]`
		switch pick(10) {
		case 0:
			return `{"matchExpressions":[]}`
		case 1:
			return text + `,"matchFields":[{"key":"metadata.name","operator":"` + some(pick, "In", "NotIn") + `","values":["n1"]}]}`
		}
		return text + `}`
	}
	terms := func() string { return strings.Join([]string{term(), term(), term()}[:1+pick(3)], ",") }
	var affinity, tolerations []string
	if pick(4) > 0 {
		affinity = append(affinity, `"`+requiredKey+`":{"nodeSelectorTerms":[`+some(pick, terms(), terms(), terms(), terms(), "")+`]}`)
	}
	switch pick(4) {
	case 0:
		affinity = append(affinity, `"`+preferredKey+`":{"nodeSelectorTerms":[`+terms()+`]}`)
	case 1:
		affinity = append(affinity, fmt.Sprintf(`"`+preferredKey+`":[{"weight":%d,"preference":%s},{"weight":%d,"preference":%s}]`, 1+pick(100), term(), 1+pick(100), term()))
	}
	for range pick(4) {
		tolerations = append(tolerations, some(pick, drawnTolerations...))
	}
	rules := `{"nodeAffinity":{` + strings.Join(affinity, ",") + `},"tolerations":[` + strings.Join(tolerations, ",") + `]}`
	d := Drawn{Rules: some(pick, rules, `{"deploymentType":"MapServer","deploymentId":"d1","podPlacementPolicy":`+rules+`}`,
		`{"placementPolicy":[{"deploymentType":"MapServer","deploymentId":"d1","podPlacementPolicy":`+rules+`}]}`, `{"placementPolicies":[{"components":["BLOB"],"placementPolicy":`+rules+`}]}`)}
	var items []any
	for i := range 1 + pick(6) {
		items = append(items, drawsNode(fmt.Sprintf("n%d", i+1), pick))
	}
	d.Nodes, _ = json.Marshal(map[string]any{"kind": "List", "apiVersion": "v1", "items": items})
	d.written(items, pick)
	return d
}

func drawsNode(name string, pick func(int) int) any {
	labels := map[string]any{hostname: name}
	for _, one := range [][]string{{"pool", "gis", "gpu", "spot"}, {"disk", "ssd", "hdd"}, {"gpu", "a100"}, {"topology.kubernetes.io/zone", "eu-1a", "eu-1b", "eu-1c"}, {"cores", "8", "16", "64", "many"}} {
		if pick(3) > 0 {
			labels[one[0]] = some(pick, one[1:]...)
		}
	}
	var taints []any
	for _, t := range []map[string]any{{"key": "gpu", "effect": "NoSchedule"}, {"key": "spot", "value": "true", "effect": "PreferNoSchedule"}, {"key": "dedicated", "value": "gis", "effect": "NoSchedule"}, {"key": "gone", "effect": "NoExecute"}} {
		if pick(4) == 0 {
			taints = append(taints, t)
		}
	}
	return map[string]any{"kind": "Node", "metadata": map[string]any{"name": name, "labels": labels}, "spec": map[string]any{"taints": taints, "unschedulable": pick(6) == 0},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": some(pick, "True", "True", "False", "Unknown")}}}}
}

// written draws how the nodes are written, and what is in the file where it holds none.
func (d *Drawn) written(items []any, pick func(int) int) {
	list := string(d.Nodes)
	one, _ := json.Marshal(items[0])
	var apart, inYAML []string
	for _, item := range append(items, items[0]) { // the first comes twice
		text, _ := json.Marshal(item)
		apart, inYAML = append(apart, string(text)), append(inYAML, strings.TrimPrefix(asYAML(item, "\n"), "\n"))
	}
	d.File = some(pick, list, "W1130 10:00:00 the server is old\n"+list, strings.Replace(list, `"List"`, `"NodeList"`, 1), strings.Join(apart, "\n"),
		"apiVersion: v1\nkind: List\nitems:"+asYAML(items, "\n")+"\n", "---\n"+strings.Join(inYAML, "\n---\n")+"\n...\n")
	if pick(4) > 0 {
		return
	}
	wrong := some(pick, []string{list[:len(list)*2/3], "was cut off"}, []string{strings.ReplaceAll(list, `"Node"`, `"Pod"`), "this holds a Pod, not nodes"},
		[]string{`{"kind":"Status","status":"Failure","message":"nodes is forbidden"}`, "nodes is forbidden"}, []string{"NAME STATUS\nn1 Ready\n", "add -o json"}, []string{"[" + string(one) + "]", "a bare list"},
		[]string{" \n", ""}, []string{strings.Replace(list, `"`+hostname+`":"n1"`, `"`+hostname+`":1`, 1), "wrong type of value"}, []string{strings.Replace(list, `"name":"n1"`, `"name":""`, 1), "has no name"},
		[]string{list + "\nand more", "extra text"}, []string{`{"kind":"List","items":[]}`, "no nodes came"}, []string{`{"items":[]}`, "no kind is given"}, []string{"kind: [List\n", "neither JSON nor YAML"},
		[]string{strings.Replace(list, `"kind":"Node",`, "", 1), "lacks the kind Node"}, []string{"- a\n- b\n", "neither a node nor a list"}, []string{"---\n...\n", "nothing to read"}, []string{"{\"kind\":\"Node\",}", "this is not JSON"})
	if d.File, d.Wrong = wrong[0], wrong[1]; d.Wrong == "" {
		d.Wrong = "nothing to read"
	}
}

// asYAML writes a value in blocks, each line behind a break and its blanks.
func asYAML(value any, line string) (text string) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			text += line + `"` + key + `":` + asYAML(value[key], line+"  ")
		}
		return text
	case []any:
		for _, one := range value {
			text += line + "-" + asYAML(one, line+"  ")
		}
		return text
	}
	raw, _ := json.Marshal(value)
	return " " + string(raw)
}
