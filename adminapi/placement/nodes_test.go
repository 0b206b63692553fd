package placement_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/placement"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestNodesAreReadAsKubectlPrintsThem(t *testing.T) {
	t.Parallel()
	list := read(t, "nodes.json")
	asYAML, err := yaml.JSONToYAML([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	want := gisNodes(t)
	first := placement.Node{Name: "node-a", Ready: placement.Ready,
		Labels:      map[string]string{"gpu": "a100", "dedicated": "gis", "topology.kubernetes.io/zone": "eu-1a"},
		Taints:      []placement.Taint{{Key: "dedicated", Value: "gis", Effect: "NoSchedule"}},
		Allocatable: []placement.Resource{{Name: "cpu", Amount: "15890m"}, {Name: "memory", Amount: "63Gi"}, {Name: "pods", Amount: "110"}, {Name: "nvidia.com/gpu", Amount: "2"}}}
	if diff := cmp.Diff(first, want[0]); diff != "" {
		t.Error(diff)
	}
	if !want[2].Unschedulable || want[2].Ready != placement.NotReady || want[1].Ready != placement.ReadyUnknown {
		t.Errorf("%+v", want[1:3])
	}
	one := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"solo"}}`
	for name, tt := range map[string]struct {
		text  string
		count int
	}{
		"yaml":                    {string(asYAML), 4},
		"yaml, several documents": {"---\n" + string(asYAML) + "---\nkind: Node\nmetadata:\n  name: solo\n---\n", 5},
		"yaml, twice the same":    {string(asYAML) + "\n---\n" + string(asYAML), 4},
		"one node":                {one, 1},
		"json, several":           {list + "\n" + one, 5},
		"warnings before":         {"Warning: v1 is old\nI0101 plugin says {hello}\n" + list, 4},
		"raw list of the API":     {`{"kind":"NodeList","items":[{"metadata":{"name":"solo"}}]}`, 1},
		"an empty list":           {`{"kind":"List","items":[]}`, 0},
		"a list of none":          {`{"kind":"NodeList","items":null}`, 0},
		"a byte order mark":       {"\ufeff" + one, 1},
		"windows lines":           {strings.ReplaceAll(string(asYAML), "\n", "\r\n"), 4},
		"a warning in yaml":       {"Warning: odd\n" + string(asYAML), 4},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := placement.ReadNodes([]byte(tt.text))
			if err != nil || len(nodes) != tt.count {
				t.Fatalf("%d nodes, %v", len(nodes), err)
			}
			if tt.count >= 4 {
				if diff := cmp.Diff(want, nodes[:4]); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestWhatHoldsNoNodesIsRefusedWithAdvice(t *testing.T) {
	t.Parallel()
	list := read(t, "nodes.json")
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n"
	var many strings.Builder
	for i := range placement.MaxNodes + 1 {
		fmt.Fprintf(&many, `{"kind":"Node","metadata":{"name":"n%d"}}`, i)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {" \n", "nothing to read"},
		"a list of pods":  {`{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"p"}}]}`, "this holds a Pod, not nodes"},
		"pods of the API": {`{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`, "this holds a Pod, not nodes"},
		"pods in yaml":    {"kind: Pod\nmetadata:\n  name: p\n", "this holds a Pod, not nodes"},
		"no kind":         {`{"items":[]}`, "no kind is given"},
		"unsaid":          {`{"kind":"List","items":[{"metadata":{"name":"p"}}]}`, "lacks the kind Node"},
		"an error":        {`{"kind":"Status","status":"Failure","message":"nodes is \u001b[31mforbidden"}`, "Kubernetes answered with an error: nodes is forbidden"},
		"cut":             {list[:len(list)/2], "the text was cut"},
		"a table":         {"NAME     STATUS   ROLES\nnode-a   Ready    <none>\n", "add -o json"},
		"a bare list":     {"[]", "a bare list"},
		"a text":          {"hello", "neither a node nor a list"},
		"broken yaml":     {"a: b: c: d", "neither JSON nor YAML"},
		"only separators": {"---\n---\n", "nothing to read"},
		"no name":         {`{"kind":"List","items":[{"kind":"Node"}]}`, "node 1 has no name"},
		"a number":        {`{"kind":"Node","metadata":{"name":"x","labels":{"gpu":1}}}`, "wrong type of value at /metadata/labels/gpu"},
		"text behind":     {list + "\nWarning: late", "extra text after the nodes"},
		"aliases":         {bomb, "neither JSON nor YAML"},
		"too many":        {many.String(), "more than 20000 nodes"},
		"too much yaml":   {"a: b\n" + strings.Repeat("#\n", placement.MaxNodesYAML/2), "use -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := placement.ReadNodes([]byte(tt.text))
			if err == nil || nodes != nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%d nodes, %v", len(nodes), err)
			}
		})
	}
	if _, err := placement.ReadNodes(bytes.Repeat([]byte("x"), placement.MaxNodesJSON+1)); err == nil {
		t.Error("more than the limit is read")
	}
}

func TestTheWordsOfNodesAreOfferedToChooseFrom(t *testing.T) {
	t.Parallel()
	nodes := gisNodes(t)
	want := []placement.Word{{Text: "dedicated", Nodes: 1}, {Text: "gpu", Nodes: 4}, {Text: "topology.kubernetes.io/zone", Nodes: 4}}
	if diff := cmp.Diff(want, placement.LabelKeys(nodes)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]placement.Word{{Text: "a100", Nodes: 3}, {Text: "h100", Nodes: 1}}, placement.LabelValues(nodes, "gpu")); diff != "" {
		t.Error(diff)
	}
	if taints := placement.Taints(nodes); len(taints) != 4 || taints[0].String() != "dedicated=gis:NoSchedule" || taints[1].String() != "maintenance:NoExecute" {
		t.Errorf("%v", taints)
	}
}
