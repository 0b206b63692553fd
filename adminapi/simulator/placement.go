package simulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/placement"
)

// How long an edit of a placement takes by default, and each pod to start after it.
const (
	placementDuration = 3 * time.Second
	podDuration       = 8 * time.Second
)

// deploymentsOf returns the deployments of a service, its own first.
func (a *pods) deploymentsOf(s *service) []*deployment {
	return lists.Each(a.deploymentIDs(s), a.deployment)
}

func (a *pods) showPlacement(q *request, s *service) any {
	items := lists.Each(a.deploymentsOf(s), func(d *deployment) []byte { return d.item })
	text := bytes.Join(items, []byte(",")) // of before another user's edit
	a.countRead(s, q.now)
	return pieces{[]byte(`{"placementPolicy":[`), text, []byte(`]}`)}
}

func (a *pods) editPlacement(q *request, s *service) any {
	text, async := q.required("servicePlacementPolicy"), q.boolean("async")
	if q.err != nil {
		return q.err
	}
	items, err := readPlacement([]byte(text), a.deploymentsOf(s))
	if err != nil {
		return err
	}
	plan := a.scenario.Placement
	if plan.Refused != "" {
		return invalid("The placement policy was refused.", plan.Refused)
	}
	j := a.scheduleEdit(q.now, s, items)
	switch {
	case plan.Answer == answerJobID || plan.Answer == "" && async:
		return a.jobs.inServiceJob(q, j)
	case plan.Answer == answerJobid:
		return a.jobs.inJob(q, j)
	}
	return j.atEnd(q.now)
}

// scheduleEdit schedules what an edit does, and returns its job.
func (a *pods) scheduleEdit(now time.Time, s *service, items map[*deployment][]byte) job {
	plan := a.scenario.Placement
	j := job{name: "Edit placement policy", resource: s.name, begins: now.Add(queueTime), end: plan.Ends}
	j.ends = j.begins.Add(cmp.Or(plan.Takes.Duration, placementDuration))
	s.busyUntil = j.ends
	if !completes(plan.Ends) {
		j.messages = []string{cmp.Or(plan.Message, "The pods of "+s.path()+" were not updated.")}
		return j
	}
	a.schedule(j.ends, func() {
		for _, d := range a.deploymentsOf(s) {
			if item, edited := items[d]; edited {
				a.replaceRules(d, item, j.ends)
			}
		}
	})
	return j
}

// replaceRules gives a deployment other rules. Its pods are replaced where they
// differ.
func (a *pods) replaceRules(d *deployment, item []byte, at time.Time) {
	if same := sameJSON(d.item, item); !same {
		d.replacePods(at, a.podStart())
	}
	d.item, d.waiting, d.revision = item, !a.takes(item), at
}

// podStart is how long a pod takes to start.
func (a *pods) podStart() time.Duration {
	return cmp.Or(a.scenario.Placement.PodStart.Duration, podDuration)
}

// takes reports whether any node takes pods with the rules of an item.
func (a *pods) takes(item []byte) bool {
	policy, err := placement.Parse(item)
	return err == nil && len(policy.Items()) > 0 &&
		slices.ContainsFunc(placement.Explain(policy.Items()[0], a.nodes()), func(v placement.Verdict) bool { return v.Takes })
}

// stateOf returns the state of a service, which is stopped while none of its pods
// answers.
func (a *pods) stateOf(s *service, now time.Time) string {
	d := a.deployment(s.deploymentID)
	if state := s.realState(now); state != serviceStarted || d.ready(now) > 0 || d.stopped() {
		return state
	}
	return serviceStopped
}

// placementItem is what an element of a policy has to hold.
type placementItem struct {
	ID    *string `json:"deploymentId"`
	Type  *string `json:"deploymentType"`
	Rules *struct {
		Affinity    map[string]json.RawMessage `json:"nodeAffinity"`
		Tolerations []map[string]any           `json:"tolerations"`
	} `json:"podPlacementPolicy"`
}

// refusedPlacement refuses a policy that is not valid.
func refusedPlacement(format string, of ...any) *refusal {
	return invalid("The placement policy is not valid.", fmt.Sprintf(format, of...))
}

// readPlacement returns what a text gives each deployment, or why it is not valid. It
// does not check whether any node fits.
func readPlacement(text []byte, of []*deployment) (map[*deployment][]byte, error) {
	var given struct {
		Items []json.RawMessage `json:"placementPolicy"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, refusedPlacement("servicePlacementPolicy is not a JSON object with a list placementPolicy: %s", whyNotJSON(err))
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
		return nil, errors.New(whyNotJSON(err))
	}
	if item.ID == nil || item.Rules == nil {
		return nil, fmt.Errorf("deploymentId or podPlacementPolicy is missing")
	}
	d := find(of, func(d *deployment) bool { return d.id == *item.ID })
	if d == nil {
		return nil, fmt.Errorf("deploymentId %q is no deployment of this service", *item.ID)
	}
	if item.Type != nil && *item.Type != d.kind {
		return nil, fmt.Errorf("deploymentType is %q, not %q", *item.Type, d.kind)
	}
	return d, nil
}

// checkRules checks the words of the rules as Kubernetes does before it accepts an
// object.
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
	bad := func(why string) error { return fmt.Errorf("operator %s of key %q %s", l.Operator, l.Key, why) }
	switch n := len(l.Values); l.Operator {
	case placement.Exists, placement.DoesNotExist:
		if n > 0 {
			return bad("takes no values")
		}
	case placement.Gt, placement.Lt:
		if n != 1 {
			return bad("takes one number")
		}
		if _, err := strconv.ParseInt(l.Values[0], 10, 64); err != nil {
			return bad("takes one number")
		}
	default:
		if n == 0 {
			return bad("needs values")
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

// countRead counts the reads of a policy, and lets another user edit it right
// after the one that the scenario names.
func (a *pods) countRead(s *service, now time.Time) {
	e := a.scenario.Placement.Other
	if e == nil || s.path() != cmp.Or(e.Service, sampleService) {
		return
	}
	if s.policyReads++; s.policyReads != max(e.Reads, 1) {
		return
	}
	d := a.deployment(s.deploymentID)
	a.replaceRules(d, d.itemWith(e.Rules), now)
	a.services.addOtherJob(s, e.User, job{name: "Edit placement policy", operation: "/placementPolicy/edit", ends: now})
}
