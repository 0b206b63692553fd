package cli

import (
	"errors"
	"fmt"

	"geodeck/adminapi/placement"
)

// policyLong tells what a file of rules may hold.
const policyLong = `FILE holds a whole placement policy as placement get prints it, one deployment of it
(an object with podPlacementPolicy), or the rules alone (a podPlacementPolicy, an
object with nodeAffinity and tolerations); - is the standard input.`

// errTwoInputs says that the standard input can be read once.
var errTwoInputs = errors.New("only one file can be the standard input; nothing was sent")

// policyFrom reads rules in any form from a file or the standard input. Whatever is
// wrong with them is bad input, with its line.
func (p *program) policyFrom(path string) (placement.Policy, []byte, error) {
	text, name, err := p.contentOf(path)
	var policy placement.Policy
	if err == nil {
		if policy, err = placement.Parse(text); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil && p.ctx.Err() == nil {
		err = badInput("", err)
	}
	return policy, text, err
}

// deploymentName names a deployment of a policy for a person; what is about bare rules
// has no name.
func deploymentName(i placement.Item) string {
	switch {
	case i.DeploymentID == "":
		return i.DeploymentType
	case i.DeploymentType == "":
		return i.DeploymentID
	}
	return i.DeploymentID + " (" + i.DeploymentType + ")"
}

// deploymentsIn picks the deployments of a policy that are meant: the one with that
// id, without one all.
func deploymentsIn(policy placement.Policy, id string) ([]placement.Item, error) {
	all := policy.Items()
	if len(all) == 0 {
		return nil, badInput("", errors.New("the policy has no deployment"))
	}
	if id == "" {
		return all, nil
	}
	for _, item := range all {
		if item.DeploymentID == id {
			return []placement.Item{item}, nil
		}
	}
	return nil, whichDeployment(all, fmt.Errorf("the policy has no deployment %q", id))
}

// whichDeployment is bad input that lists what can be chosen.
func whichDeployment(all []placement.Item, err error) error {
	f := &failure{code: exitUsage, kind: "usage", err: err}
	for _, item := range all {
		if item.DeploymentID != "" {
			f.details = append(f.details, "--deployment "+inShell(item.DeploymentID)+"  "+item.DeploymentType)
		}
	}
	return f
}
