package placement_test

import (
	"encoding/json"
	"strings"
	"testing"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
)

// labelled is a node for each set of labels; one that is called taint has the taint gpu.
func labelled(labels ...map[string]string) (nodes []placement.Node) {
	for i, of := range labels {
		n := placement.Node{Name: "n" + string(rune('0'+i)), Labels: map[string]string{
			"kubernetes.io/hostname": "n" + string(rune('0'+i)), "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
			"topology.kubernetes.io/zone": "eu-1a", "topology.kubernetes.io/region": "eu-1"}}
		for key, value := range of {
			if key == "taint" {
				n.Taints = []placement.Taint{{Key: "gpu", Effect: placement.NoSchedule}}
				continue
			}
			n.Labels[key] = value
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func line(key, operator string, values ...string) string {
	text, _ := json.Marshal(map[string]any{"key": key, "operator": operator, "values": append([]string{}, values...)})
	return string(text)
}

// A pool that has scaled to zero shows no node: the rule may be right. What no pool can give its nodes stays
// a danger.
func TestAPoolMayMakeTheNodeThatARuleAsksFor(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	karpenter := labelled(labels{"karpenter.sh/nodepool": "general", "workload": "web"}, labels{})
	workload := line("workload", "In", "gpu")
	const term = `]},{"matchExpressions":[`
	for name, tt := range map[string]struct {
		lines string
		nodes []placement.Node
		want  bool
	}{
		"no pool in sight":                     {workload, labelled(labels{"workload": "web"}), false},
		"a label of a user":                    {workload, karpenter, true},
		"a pool before Karpenter 0.32":         {workload, labelled(labels{"karpenter.sh/provisioner-name": "x"}), true},
		"a node group of EKS":                  {workload, labelled(labels{"eks.amazonaws.com/nodegroup": "x"}), true},
		"a node pool of GKE":                   {workload, labelled(labels{"cloud.google.com/gke-nodepool": "x"}), true},
		"a node pool of AKS":                   {workload, labelled(labels{"kubernetes.azure.com/agentpool": "x"}), true},
		"a pool by its name":                   {line("karpenter.sh/nodepool", "In", "gpu"), karpenter, true},
		"a node group by its name":             {line("eks.amazonaws.com/nodegroup", "In", "gpu"), karpenter, true},
		"spot":                                 {line("karpenter.sh/capacity-type", "In", "spot"), karpenter, true},
		"a machine type":                       {line("node.kubernetes.io/instance-type", "In", "g5.4xlarge"), karpenter, true},
		"a label of the cloud":                 {line("karpenter.k8s.aws/instance-gpu-count", "Gt", "0"), karpenter, true},
		"a restricted label of a user":         {line("node-restriction.kubernetes.io/tier", "Exists"), karpenter, true},
		"with the processor of the nodes":      {workload + "," + line("kubernetes.io/arch", "In", "amd64"), karpenter, true},
		"another processor":                    {workload + "," + line("kubernetes.io/arch", "In", "arm65"), karpenter, false},
		"another system":                       {workload + "," + line("kubernetes.io/os", "In", "windows"), karpenter, false},
		"a zone without a node":                {line("topology.kubernetes.io/zone", "In", "us-9z"), karpenter, false},
		"another region":                       {line("topology.kubernetes.io/region", "In", "us-9"), karpenter, false},
		"a role":                               {line("node-role.kubernetes.io/gpu", "Exists"), karpenter, false},
		"another label of Karpenter":           {line("karpenter.sh/nodepol", "Exists"), karpenter, false},
		"a node by its name":                   {workload + "," + line("kubernetes.io/hostname", "In", "n0"), karpenter, false},
		"not that node":                        {workload + "," + line("kubernetes.io/hostname", "NotIn", "n0"), karpenter, true},
		"a label that every node has":          {line("workload", "Exists") + "," + line("kubernetes.io/os", "DoesNotExist"), karpenter, false},
		"one of two terms":                     {line("kubernetes.io/arch", "In", "arm65") + term + workload, karpenter, true},
		"neither of two terms":                 {line("kubernetes.io/arch", "In", "arm65") + term + line("kubernetes.io/os", "In", "plan9"), karpenter, false},
		"lines that contradict each other":     {workload + "," + line("workload", "NotIn", "gpu"), karpenter, false},
		"the next of the pool is tainted, too": {workload, labelled(labels{"karpenter.sh/nodepool": "gpu", "workload": "gpu", "taint": ""}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := parse(t, required(tt.lines))
			summary := placement.Summarize(placement.Explain(policy.Items()[0], tt.nodes))
			if !summary.None() || summary.Makeable != tt.want || summary.Stuck() == tt.want {
				t.Errorf("summary %+v", summary)
			}
			found := placement.Check(policy, tt.nodes)
			got := shown(found)
			if strings.Contains(got, "no node has it now; a pool may make one") != tt.want || strings.Contains(got, "Pending") && tt.want {
				t.Errorf("findings: %s", got)
			}
			if danger := len(found) > 0 && found[0].Strength == finding.Danger; danger == tt.want {
				t.Errorf("findings: %s", got)
			}
		})
	}
	taken := placement.Summarize(placement.Explain(parse(t, required(line("workload", "In", "web"))).Items()[0], karpenter))
	if taken.Makeable || taken.Taking != 1 {
		t.Errorf("a node takes them: %+v", taken)
	}
	if got := placement.Summarize(placement.Explain(parse(t, required(workload)).Items()[0], karpenter)).String(); got != "none of 2 nodes takes these pods now; a pool may make one" {
		t.Error(got)
	}
}
