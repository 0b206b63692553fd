package placement_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

func lines(commands []placement.Command) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString(c.Line + "\n")
	}
	return b.String()
}

func TestTheLinesForKubectlMakeNodesFit(t *testing.T) {
	t.Parallel()
	policy := parse(t, strings.TrimSuffix(required(a100NotInC), "}")+`,"tolerations":[{"key":"dedicated","operator":"Equal","value":"gis","effect":"NoSchedule"}]}`)
	got := lines(placement.KubectlLines(policy.Items()[0], append(gisNodes(t), placement.Node{Name: "new-1"}, placement.Node{Name: "new-2"})))
	want := `kubectl label nodes --overwrite node-b topology.kubernetes.io/zone-
kubectl label nodes --overwrite new-1 new-2 gpu=a100
kubectl uncordon node-c
kubectl taint nodes node-f maintenance:NoExecute-
kubectl taint nodes node-b node-c node-f new-1 new-2 dedicated=gis:NoSchedule
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestWhereThereAreNoLinesTheReasonIsTrue(t *testing.T) {
	t.Parallel()
	const (
		fits   = "Nothing to set: a node without labels already fits."
		never  = "No label makes a node fit. Change the rules; the findings say why."
		byName = "The rules choose nodes by name; no label makes another fit."
		wish   = "Nothing to set: the rules only prefer labels."
		none   = "Nothing to set: the rules name no label and no taint."
	)
	affinity := func(key, value string) string { return `{"nodeAffinity":{"` + key + `":` + value + `}}` }
	hard := func(terms string) string {
		return affinity("requiredDuringSchedulingIgnoredDuringExecution", `{"nodeSelectorTerms":[`+terms+`]}`)
	}
	soft := func(list string) string { return affinity("preferredDuringSchedulingIgnoredDuringExecution", list) }
	expression := func(line string) string { return `{"matchExpressions":[` + line + `]}` }
	field := `{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}`
	for rules, want := range map[string]string{

		`{"tolerations":[]}`:                                              none,
		`{"tolerations":[{"operator":"Exists"}]}`:                         none,
		hard(expression(`{"key":"a","operator":"NotIn","values":["x"]}`)): fits,
		hard(expression(`{"key":"a","operator":"DoesNotExist"}`)):         fits,
		hard(expression(`{"key":"a","operator":"DoesNotExist"}`) + "," + expression(`{"key":"b","operator":"Exists"}`)): fits,
		hard(expression(`{"key":"a","operator":"In","values":["x"]}`)):                                                  "",
		hard(expression(`{"key":"a","operator":"Exists"}`)):                                                             "",
		hard(expression(`{"key":"a","operator":"Gt","values":["4"]}`)):                                                  "",
		hard(expression(`{"key":"a","operator":"Lt","values":["4"]}`)):                                                  "",
		hard(expression(`{"key":"a","operator":"Gt","values":["four"]}`)):                                               never,
		hard(expression(`{"key":"a","operator":"Exists"},{"key":"a","operator":"DoesNotExist"}`)):                       never,
		hard(""):    never,
		hard("{}"):  never,
		hard(field): byName,
		hard(`{"matchExpressions":[{"key":"a","operator":"Exists"}],` + field[1:]):                       byName,
		hard(field + "," + expression(`{"key":"a","operator":"Exists"}`)):                                "",
		soft(`[{"weight":1,"preference":` + expression(`{"key":"a","operator":"Exists"}`) + `}]`):        wish,
		soft(`{"nodeSelectorTerms":[` + expression(`{"key":"a","operator":"In","values":["x"]}`) + `]}`): wish,
		soft(`[{"weight":1,"preference":` + field + `}]`):                                                none,
	} {
		item := parse(t, rules).Items()[0]
		commands := placement.KubectlLines(item, []placement.Node{{Name: "new"}})
		if len(commands) > 0 != (want == "") {
			t.Errorf("%s has the lines %s", rules, lines(commands))
		} else if got := placement.NoKubectlLines(item); want != "" && got != want {
			t.Errorf("%s: %s", rules, got)
		}
	}
}

func TestNothingThatAShellObeysReachesTheLines(t *testing.T) {
	t.Parallel()
	item := placement.Item{
		Required:    placement.Affinity{Present: true, Terms: []placement.Term{{Lines: []placement.Line{{Key: "gpu", Operator: "In", Values: []string{"$(reboot)", "'; rm"}}}}}},
		Tolerations: []placement.Toleration{{Key: "`id`", Operator: "Exists"}, {Key: "k", Operator: "Equal", Value: "a b\x1b"}},
	}
	nodes := []placement.Node{{Name: "ok"}, {Name: "--all"}, {Name: "a;b"}, {Name: "x\ny"},
		{Name: "t", Taints: []placement.Taint{{Key: "$HOME", Effect: "NoSchedule"}, {Key: "k", Value: "`x`", Effect: "NoExecute"}}}}
	if got := placement.KubectlLines(item, nodes); len(got) != 0 {
		t.Errorf("%s", lines(got))
	}
}

func TestNodesOfNamesThatKubernetesRefusesAreLeftOut(t *testing.T) {
	t.Parallel()
	item := parse(t, required(`{"key":"gpu","operator":"Exists"}`)).Items()[0]
	nodes := []placement.Node{{Name: "--all"}, {Name: "a;b"}, {Name: "$(x)"}, {Name: "ok.example"}, {Name: "x\ny"}}
	if got := lines(placement.KubectlLines(item, nodes)); got != "kubectl label nodes --overwrite ok.example gpu=true\n" {
		t.Error(got)
	}
}

func TestTaintsOfKubernetesItselfAreLeftToIt(t *testing.T) {
	t.Parallel()
	node := placement.Node{Name: "n", Taints: []placement.Taint{{Key: "node.kubernetes.io/not-ready", Effect: "NoExecute"}}}
	item := placement.Item{Tolerations: []placement.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}}}
	if got := placement.KubectlLines(item, []placement.Node{node}); len(got) != 0 {
		t.Errorf("%s", lines(got))
	}
}

// run does to nodes what the lines tell kubectl to do.
func run(t *testing.T, commands []placement.Command, nodes []placement.Node) {
	t.Helper()
	for _, c := range commands {
		words := strings.Fields(strings.ReplaceAll(c.Line, " --overwrite", ""))
		for i := range nodes {
			if !slices.Contains(words, nodes[i].Name) {
				continue
			}
			change := words[len(words)-1]
			switch {
			case words[1] == "uncordon":
				nodes[i].Unschedulable = false
			case words[1] == "label":
				for _, change := range words[3:] {
					if key, value, ok := strings.Cut(change, "="); ok {
						nodes[i].Labels[key] = value
					} else if key, ok := strings.CutSuffix(change, "-"); ok {
						delete(nodes[i].Labels, key)
					}
				}
			case strings.HasSuffix(change, "-"):
				nodes[i].Taints = slices.DeleteFunc(nodes[i].Taints, func(t placement.Taint) bool { return t.String() == strings.TrimSuffix(change, "-") })
			default:
				pair, effect, _ := strings.Cut(change, ":")
				key, value, _ := strings.Cut(pair, "=")
				nodes[i].Taints = append(nodes[i].Taints, placement.Taint{Key: key, Value: value, Effect: effect})
			}
		}
		if c.Why == "" {
			t.Errorf("%s does not say why", c.Line)
		}
	}
}

func TestNodesFitOnceTheLinesHaveRun(t *testing.T) {
	t.Parallel()
	made := 0
	for seed := range uint64(3000) {
		w := writer{rand.New(rand.NewPCG(seed, 6))}
		i, nodes := w.item(), w.nodes(4)
		before := placement.Explain(i, slices.Clone(nodes))
		commands := placement.KubectlLines(i, nodes)
		changed := make([]placement.Node, len(nodes))
		for k, n := range nodes {
			changed[k] = n
			changed[k].Labels, changed[k].Taints = maps.Clone(n.Labels), slices.Clone(n.Taints)
		}
		run(t, commands, changed)
		for k, v := range placement.Explain(i, changed) {
			labelled := slices.ContainsFunc(commands, func(c placement.Command) bool {
				return strings.HasPrefix(c.Line, "kubectl label") && slices.Contains(strings.Fields(c.Line), v.Node.Name)
			})
			if (labelled || before[k].Matches) && !v.Takes {
				t.Fatalf("seed %d: %s still does not fit (%s) after\n%sof %+v\nnow %+v", seed, v.Node.Name, v.Reason(), lines(commands), nodes[k], *v.Node)
			}
			if labelled {
				made++
			}
		}
	}
	if made < 500 {
		t.Errorf("only %d nodes were labelled", made)
	}
}

func TestALongListOfNodesIsCutIntoLines(t *testing.T) {
	t.Parallel()
	var nodes []placement.Node
	for i := range 120 {
		nodes = append(nodes, placement.Node{Name: fmt.Sprintf("n%d", i)})
	}
	item := parse(t, required(`{"key":"gpu","operator":"Exists"}`)).Items()[0]
	if got := placement.KubectlLines(item, nodes); len(got) != 3 || len(strings.Fields(got[2].Line)) != 25 {
		t.Errorf("%s", lines(got))
	}
}
