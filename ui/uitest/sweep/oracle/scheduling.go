package oracle

import (
	"encoding/json"
	"slices"
	"strconv"
)

// rules are those of a deployment, which are read as Kubernetes documents them.
type rules struct {
	DeploymentID, DeploymentType string
	PodPlacementPolicy           podRules
}

type podRules struct {
	NodeAffinity struct {
		Required  *struct{ NodeSelectorTerms []term } `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		Preferred wishes                              `json:"preferredDuringSchedulingIgnoredDuringExecution"`
	}
	Tolerations []toleration
}

// wishes are preferred terms, with weights as Kubernetes has them, or without as the contract does.
type wishes struct {
	weighted bool
	terms    []wishFor
}

type wishFor struct {
	Weight     int
	Preference term
}

// UnmarshalJSON reads both.
func (w *wishes) UnmarshalJSON(text []byte) error {
	if w.weighted = text[0] == '['; w.weighted {
		return json.Unmarshal(text, &w.terms)
	}
	var plain struct{ NodeSelectorTerms []term }
	err := json.Unmarshal(text, &plain)
	for _, t := range plain.NodeSelectorTerms {
		w.terms = append(w.terms, wishFor{1, t})
	}
	return err
}

type term struct{ MatchExpressions, MatchFields []expression }

type expression struct {
	Key, Operator string
	Values        []string
	field         bool
}

type taint struct{ Key, Value, Effect string }

type toleration struct {
	taint
	Operator          string
	TolerationSeconds json.Number
}

type node struct {
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Taints        []taint
		Unschedulable bool
	}
	Status struct {
		Conditions []struct{ Type, Status string }
	}
}

const hostname = "kubernetes.io/hostname"

var cordon = taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}

func rulesIn(policy string) (r rules) {
	var told struct{ PlacementPolicy []rules }
	if json.Unmarshal([]byte(policy), &told) == nil && len(told.PlacementPolicy) > 0 {
		r = told.PlacementPolicy[0]
	}
	return r
}

func nodesIn(list []byte) []node {
	var told struct{ Items []node }
	_ = json.Unmarshal(list, &told)
	return told.Items
}

// taking counts the nodes that take pods by some rules, of all.
func (r podRules) taking(nodes []node) (n int) {
	for _, one := range nodes {
		if _, takes := r.on(one); takes {
			n++
		}
	}
	return n
}

// on says whether the labels of a node fit, and whether it takes the pods. Of preferred terms that cannot be read there are no pods.
func (r podRules) on(n node) (fits, takes bool) {
	fits = !r.unread() && (r.NodeAffinity.Required == nil || slices.ContainsFunc(r.required(), func(t term) bool { return t.fits(n) }))
	return fits, fits && len(r.repelling(n)) == 0
}

func (r podRules) unread() bool {
	return slices.ContainsFunc(r.NodeAffinity.Preferred.terms, func(w wishFor) bool { return w.Preference.broken() })
}

func (r podRules) required() []term {
	if r.NodeAffinity.Required == nil {
		return nil
	}
	return r.NodeAffinity.Required.NodeSelectorTerms
}

// score is the sum of the weights of the preferred terms that a node fits.
func (r podRules) score(n node) (score int) {
	for _, w := range r.NodeAffinity.Preferred.terms {
		if w.Preference.fits(n) && !r.unread() {
			score += w.Weight
		}
	}
	return score
}

// taints are those of a node; one that is cordoned has one for it.
func (n node) taints(keep func(taint) bool) (all []taint) {
	all = slices.Clone(n.Spec.Taints)
	if n.Spec.Unschedulable && !slices.Contains(all, cordon) {
		all = append(all, cordon)
	}
	return slices.DeleteFunc(all, func(t taint) bool { return !keep(t) })
}

func (r podRules) repelling(n node) []taint {
	return n.taints(func(t taint) bool { return t.Effect != "PreferNoSchedule" && !r.tolerates(t) })
}

func (r podRules) tolerates(t taint) bool {
	return slices.ContainsFunc(r.Tolerations, func(own toleration) bool { return own.answers(t) })
}

func (own toleration) answers(t taint) bool {
	return (own.Effect == "" || own.Effect == t.Effect) && (own.Key == t.Key || own.Key == "" && own.Operator == "Exists") &&
		(own.Operator == "Exists" || own.Value == t.Value)
}

// lines are all of a term, those of fields last.
func (t term) lines() []expression {
	all := slices.Clone(t.MatchExpressions)
	for _, e := range t.MatchFields {
		e.field = true
		all = append(all, e)
	}
	return all
}

func (t term) broken() bool { return slices.ContainsFunc(t.lines(), expression.broken) }

func (t term) fits(n node) bool {
	return len(t.lines()) > 0 && !t.broken() && !slices.ContainsFunc(t.lines(), func(e expression) bool { return !e.fits(n) })
}

// broken reports whether Kubernetes cannot read a line.
func (e expression) broken() bool {
	switch e.Operator {
	case "In", "NotIn":
		return len(e.Values) == 0
	case "Exists", "DoesNotExist":
		return len(e.Values) > 0
	case "Gt", "Lt":
		return len(e.Values) != 1 || !isNumber(e.Values[0])
	}
	return true
}

func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// valueOn is what a node has for a line.
func (e expression) valueOn(n node) (value string, has bool) {
	if e.field {
		return n.Metadata.Name, true
	}
	value, has = n.Metadata.Labels[e.Key]
	return value, has
}

func (e expression) fits(n node) bool {
	value, has := e.valueOn(n)
	switch e.Operator {
	case "In":
		return has && slices.Contains(e.Values, value)
	case "NotIn":
		return !has || !slices.Contains(e.Values, value)
	case "Exists":
		return has
	case "DoesNotExist":
		return !has
	}
	own, _ := strconv.ParseInt(value, 10, 64)
	limit, _ := strconv.ParseInt(e.Values[0], 10, 64)
	return has && isNumber(value) && (e.Operator == "Gt" && own > limit || e.Operator == "Lt" && own < limit)
}
