package placement_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"geodeck/adminapi/placement"
)

// writer makes up rules and nodes from few words, so that they meet often.
type writer struct{ *rand.Rand }

func (w writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w writer) key() string   { return w.pick("gpu", "zone", "pool", "cores") }
func (w writer) value() string { return w.pick("a", "b", "c", "", strconv.Itoa(w.IntN(6))) }

func (w writer) values() []string {
	values := make([]string, 1+w.IntN(3))
	for i := range values {
		values[i] = w.value()
	}
	return values
}

// line is mostly one that Kubernetes can read, sometimes not.
func (w writer) line() placement.Line {
	if w.IntN(12) == 0 {
		return placement.Line{Key: "metadata.name", Operator: w.pick("In", "NotIn"), Values: []string{"node-" + strconv.Itoa(w.IntN(4))}, Field: true}
	}
	l := placement.Line{Key: w.key(), Operator: w.pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "In", "NotIn")}
	switch l.Operator {
	case "In", "NotIn":
		l.Values = w.values()
	case "Gt", "Lt":
		l.Values = []string{strconv.Itoa(w.IntN(6))}
	}
	if w.IntN(25) == 0 {
		l.Values = w.values()
	}
	if w.IntN(60) == 0 {
		l.Key = w.pick("", "no label", "/x")
	}
	if w.IntN(60) == 0 {
		l.Operator = w.pick("", "in", "Equals")
	}
	return l
}

func (w writer) term() placement.Term {
	t := placement.Term{Weight: 1 + w.IntN(100)}
	var fields []placement.Line
	for range w.IntN(4) {
		if l := w.line(); l.Field {
			fields = append(fields, l)
		} else {
			t.Lines = append(t.Lines, l)
		}
	}
	t.Lines = append(t.Lines, fields...)
	return t
}

func (w writer) toleration() placement.Toleration {
	return placement.Toleration{
		Effect: w.pick("NoSchedule", "PreferNoSchedule", "NoExecute", ""), Key: w.pick("gpu", "pool", "maintenance", ""),
		Operator: w.pick("Exists", "Equal", "Equal", ""), Value: w.pick("a", "b", ""),
	}
}

func (w writer) item() (i placement.Item) {
	i.Required.Present, i.Preferred.Present = w.IntN(4) > 0, w.IntN(3) == 0
	i.Preferred.Shape = placement.Shape(w.IntN(2))
	for range w.IntN(4) {
		i.Required.Terms = append(i.Required.Terms, w.term())
	}
	for range w.IntN(3) {
		i.Preferred.Terms = append(i.Preferred.Terms, w.term())
	}
	if !i.Required.Present {
		i.Required.Terms = nil
	}
	if !i.Preferred.Present {
		i.Preferred.Terms = nil
	}
	for range w.IntN(4) {
		i.Tolerations = append(i.Tolerations, w.toleration())
	}
	return i
}

func (w writer) node(n int) placement.Node {
	node := placement.Node{Name: fmt.Sprintf("node-%d", n), Labels: map[string]string{}, Unschedulable: w.IntN(10) == 0}
	for range w.IntN(4) {
		node.Labels[w.key()] = w.value()
	}
	for range w.IntN(3) {
		node.Taints = append(node.Taints, placement.Taint{
			Key: w.pick("gpu", "pool", "maintenance"), Value: w.pick("a", "b", ""), Effect: w.pick("NoSchedule", "PreferNoSchedule", "NoExecute"),
		})
	}
	return node
}

func (w writer) nodes(count int) []placement.Node {
	nodes := make([]placement.Node, count)
	for i := range nodes {
		nodes[i] = w.node(i)
	}
	return nodes
}
