package simulator

import (
	"cmp"
	"math"
	"time"

	"geodeck/adminapi/placement"
)

// How long an edit of a placement takes, and each pod to start after it, where
// the scenario says nothing.
const (
	placementTakes = 3 * time.Second
	podTakes       = 8 * time.Second
)

// discouraging is what a taint of PreferNoSchedule weighs: more than any terms.
const discouraging = 10_000

func placementRoutes(w *world) []route {
	show, edit := w.onService(w.showPlacement), w.onFreeService(w.editPlacement)
	return []route{
		get("/services/{service}/placementPolicy", "Placement policy", show).needing(privSecurity).from("11.2"),
		get("/services/{folder}/{service}/placementPolicy", "Placement policy", show).needing(privSecurity).from("11.2"),
		post("/services/{service}/placementPolicy/edit", "Edit placement policy", edit).needing(privSecurity).from("11.2"),
		post("/services/{folder}/{service}/placementPolicy/edit", "Edit placement policy", edit).needing(privSecurity).from("11.2"),
	}
}

// deploymentsOf returns the deployments of a service, its own first.
func (w *world) deploymentsOf(s *service) []*deployment {
	var list []*deployment
	for _, id := range w.deploymentIDs(s) {
		list = append(list, w.deploymentList().byID[id])
	}
	return list
}

func (w *world) showPlacement(q *request, s *service) (answer, error) {
	text := []byte(`{"placementPolicy":[`)
	for i, d := range w.deploymentsOf(s) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, d.item...)
	}
	w.policyWasRead(s, q.now)
	return answer{text: append(text, `]}`...)}, nil
}

func (w *world) editPlacement(q *request, s *service) (answer, error) {
	text, err := q.required("servicePlacementPolicy")
	if err != nil {
		return answer{}, err
	}
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	items, err := readPlacement([]byte(text), w.deploymentsOf(s))
	if err != nil {
		return answer{}, err
	}
	if why := w.scenario.Placement.Refused; why != "" {
		return answer{}, invalid("The placement policy was refused.", why)
	}
	return w.answerPlacement(q, async, w.takePlacement(q.now, s, items)), nil
}

// takePlacement lets an edit happen from now on, and returns its job.
func (w *world) takePlacement(now time.Time, s *service, items map[*deployment][]byte) job {
	plan := w.scenario.Placement
	j := job{name: "Edit placement policy", resource: s.name, begins: now.Add(queueTime), end: plan.Ends}
	j.ends = j.begins.Add(cmp.Or(plan.Takes.Duration, placementTakes))
	s.busyUntil = j.ends
	if plan.Ends != "" && plan.Ends != jobCompleted {
		j.messages = []string{cmp.Or(plan.Message, "The pods of "+s.path()+" were not updated.")}
		return j
	}
	w.schedule(j.ends, func() {
		for _, d := range w.deploymentsOf(s) {
			if item, edited := items[d]; edited {
				w.replacePlacement(d, item, j.ends)
			}
		}
	})
	return j
}

// answerPlacement answers as the scenario says, else as it was asked to.
func (w *world) answerPlacement(q *request, async bool, j job) answer {
	switch how := w.scenario.Placement.Answer; {
	case how == answerJobID || how == "" && async:
		return w.inJob(q, j)
	case how == answerJobid:
		return w.accepted(w.startJob(q, j))
	case len(j.messages) > 0:
		return answer{body: operationError{"error", j.messages, 500}, after: j.ends.Sub(q.now)}
	}
	return answer{body: statusBody{"success"}, after: j.ends.Sub(q.now)}
}

// replacePlacement gives a deployment other rules. Its pods are replaced unless
// nothing differs.
func (w *world) replacePlacement(d *deployment, item []byte, at time.Time) {
	same := sameJSON(d.item, item)
	d.item = item
	if !same {
		d.roll(w.ids, w.takers(item), at, cmp.Or(w.scenario.Placement.PodStart.Duration, podTakes))
	}
}

// takers returns the nodes that take pods with the rules of an item: of these,
// the ones that the scheduler likes best.
func (w *world) takers(item []byte) []string {
	policy, err := placement.Parse(item)
	if err != nil || len(policy.Items()) == 0 {
		return nil
	}
	var names []string
	best := math.MinInt
	for _, v := range placement.Explain(policy.Items()[0], w.nodeList()) {
		liking := v.Score - discouraging*len(v.Discouraged())
		if !v.Takes || liking < best {
			continue
		}
		if liking > best {
			names, best = nil, liking
		}
		names = append(names, v.Node.Name)
	}
	return names
}

// realStateOf returns whether a service answers: it cannot while none of its
// pods does.
func (w *world) realStateOf(s *service, now time.Time) string {
	d := w.deploymentList().byID[s.deploymentID]
	if state := s.realState(now); state != serviceStarted || d.ready(now) > 0 || d.stopped() {
		return state
	}
	return serviceStopped
}
