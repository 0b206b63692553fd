package placement_test

import (
	"fmt"

	"geodeck/adminapi/placement"
)

func Example() {
	policy, err := placement.Parse([]byte(`{"placementPolicy":[{"deploymentId":"roads","podPlacementPolicy":{"tolerations":[]}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	onGPU := placement.Term{Lines: []placement.Line{{Key: "gpu", Operator: placement.In, Values: []string{"a100"}}}}
	if policy, err = policy.AddTerm(placement.AtTerm(0, placement.Required, 0), onGPU); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(placement.Sentence(policy.Items()[0]))

	nodes := []placement.Node{
		{Name: "node-1", Labels: map[string]string{"gpu": "a100"}, Ready: placement.Ready},
		{Name: "node-2", Ready: placement.Ready},
	}
	for _, verdict := range placement.Explain(policy.Items()[0], nodes) {
		fmt.Println(verdict.Node.Name, verdict.Takes, verdict.Reason())
	}
	// Output:
	// Pods must run on nodes whose gpu is a100; they tolerate no taint.
	// node-1 true gpu is a100
	// node-2 false no gpu, wants a100
}
