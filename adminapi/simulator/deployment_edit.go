package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"geodeck/adminapi/lists"
)

func (a *pods) showScaling(_ *request, s *service) any {
	return object{"scalingSpec": lists.Each(a.deploymentsOf(s), func(d *deployment) object {
		// Copies: the answer is written when others change these.
		return object{"deploymentId": d.id, "deploymentType": d.kind, "replicas": d.replicas, "resources": d.resources}
	})}
}

// scaling is what an edit gives a deployment.
type scaling struct {
	replicas  replicas
	resources resources
	item      []byte // nil where the edit gives no rules
}

// atMost returns why two texts are not quantities of which the first is the smaller one. A
// minus would be that of an exponent, and 1e-999999999 takes minutes to read.
func atMost(low, high string) error {
	bad := fmt.Errorf("%q to %q is no range of quantities such as 500Mi or 0.5", low, high)
	if strings.Contains(low+high, "-") {
		return bad
	}
	least, err := resource.ParseQuantity(low)
	most, other := resource.ParseQuantity(high)
	if err != nil || other != nil || least.Sign() <= 0 || least.Cmp(most) > 0 {
		return bad
	}
	return nil
}

// scalingWith returns the scaling of a deployment with what is given of another one.
func (d *deployment) scalingWith(n *replicas, r *resources) (scaling, error) {
	to := scaling{replicas: d.replicas, resources: d.resources}
	if n != nil {
		to.replicas = replicas{n.Min, n.Max, cmp.Or(n.Mode, d.replicas.Mode)}
	}
	if r != nil {
		to.resources = resources{cmp.Or(r.MemoryMin, d.resources.MemoryMin), cmp.Or(r.MemoryMax, d.resources.MemoryMax),
			cmp.Or(r.CPUMin, d.resources.CPUMin), cmp.Or(r.CPUMax, d.resources.CPUMax)}
	}
	switch is := to.replicas; {
	case is.Mode != scalingManual && is.Mode != scalingAuto:
		return to, fmt.Errorf("scalingMode is %q; allowed: manual, auto", is.Mode)
	case is.Min < 1 || is.Max < is.Min || is.Max > 100:
		return to, fmt.Errorf("replicas are %d to %d; 1 to 100 are possible", is.Min, is.Max)
	case is.Mode == scalingManual && is.Min != is.Max:
		return to, fmt.Errorf("with manual scaling min and max are the same")
	}
	return to, cmp.Or(atMost(to.resources.MemoryMin, to.resources.MemoryMax), atMost(to.resources.CPUMin, to.resources.CPUMax))
}

// scale schedules what an edit does: pods are added or removed, or all are replaced
// where their resources change.
func (a *pods) scale(d *deployment, to scaling, at time.Time) {
	a.schedule(at, func() {
		d.replicas, d.revision = to.replicas, at
		before := len(d.pods)
		for len(d.pods) < to.replicas.Min {
			d.pods = append(d.pods, at.Add(a.podStart()*time.Duration(len(d.pods)-before+1)))
		}
		d.pods = d.pods[:min(len(d.pods), to.replicas.Max)]
		if d.resources != to.resources {
			d.resources = to.resources
			d.replacePods(at, a.podStart())
		}
		if to.item != nil {
			a.replaceRules(d, to.item, at)
		}
	})
}

func refusedScaling(why string) *refusal {
	return invalid("The scaling is not valid.", why)
}

func (a *pods) editDeployment(q *request, d *deployment) any {
	text := q.required("deploymentJson")
	if q.err != nil {
		return q.err
	}
	var given struct {
		DeploymentID string
		Spec         *struct {
			Replicas           *replicas
			Containers         []containerBody
			PodPlacementPolicy json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return refusedScaling(whyNotJSON(err))
	}
	if given.DeploymentID != "" && given.DeploymentID != d.id {
		return notAllowed("deploymentJson is of the deployment " + given.DeploymentID)
	}
	if given.Spec == nil {
		return missing("deploymentJson has no spec")
	}
	var r *resources
	for i, c := range given.Spec.Containers {
		if c.Name != mainContainer {
			return notAllowed(fmt.Sprintf("there is no container %q", c.Name))
		}
		r = &given.Spec.Containers[i].Resources
	}
	to, err := d.scalingWith(given.Spec.Replicas, r)
	if err != nil {
		return refusedScaling(err.Error())
	}
	if rules := given.Spec.PodPlacementPolicy; rules != nil {
		if d.item == nil || a.version.before("11.2") {
			return notAllowed("podPlacementPolicy is not part of this deployment")
		}
		to.item = d.itemWith(string(rules))
		if err := checkRules(to.item); err != nil {
			return refusedPlacement("podPlacementPolicy: %v", err)
		}
	}
	j, err := a.scaled(q.now, map[*deployment]scaling{d: to})
	if err != nil {
		return err
	}
	return j.atEnd(q.now)
}

func (a *pods) editScaling(q *request, s *service) any {
	var given struct {
		ScalingSpec []struct {
			DeploymentID string
			Replicas     *replicas
			Resources    *resources
		}
	}
	if err := json.Unmarshal([]byte(q.required("serviceScalingSpec")), &given); err != nil {
		q.refuse(refusedScaling(whyNotJSON(err)))
	}
	async, edits := q.boolean("async"), map[*deployment]scaling{}
	for _, item := range given.ScalingSpec {
		d := find(a.deploymentsOf(s), func(d *deployment) bool { return d.id == item.DeploymentID })
		if d == nil {
			return notAllowed(fmt.Sprintf("deploymentId %q is no deployment of this service", item.DeploymentID))
		}
		to, err := d.scalingWith(item.Replicas, item.Resources)
		if err != nil {
			return refusedScaling(err.Error())
		}
		edits[d] = to
	}
	if q.err != nil || len(edits) == 0 {
		q.refuse(missing("serviceScalingSpec names no deployment"))
		return q.err
	}
	j, err := a.scaled(q.now, edits)
	switch {
	case err != nil:
		return err
	case async && a.knowsAsync():
		j.name, j.resource = "Edit service scaling", s.name
		return a.jobs.inServiceJob(q, j)
	}
	return j.atEnd(q.now)
}

// scaled schedules edits, and returns the job of them. A second edit meanwhile would be made
// of what the first replaces.
func (a *pods) scaled(now time.Time, edits map[*deployment]scaling) (job, error) {
	for d := range edits {
		if now.Before(d.busyUntil) {
			return job{}, conflict("Another operation on this deployment is in progress.", d.name+" is being edited.")
		}
	}
	for d, to := range edits {
		d.busyUntil = now.Add(placementDuration)
		a.scale(d, to, d.busyUntil)
	}
	return job{begins: now.Add(queueTime), ends: now.Add(placementDuration)}, nil
}

func (a *pods) refreshDeployment(q *request, d *deployment) any {
	d.replacePods(q.now, a.podStart())
	d.revision = q.now
	return success
}
