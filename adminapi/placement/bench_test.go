package placement_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
)

// cluster makes nodes with as many labels as real ones have.
func cluster(count int) []placement.Node {
	w := writer{rand.New(rand.NewPCG(1, 7))}
	nodes := w.nodes(count)
	for i := range nodes {
		for k := range 16 {
			nodes[i].Labels[fmt.Sprintf("example.com/label-%d", k)] = fmt.Sprintf("value-%d", i%(k+1))
		}
		nodes[i].Labels["kubernetes.io/hostname"] = nodes[i].Name
	}
	return nodes
}

// terms writes a policy that nearly no node matches, so that every term is tried.
func terms(t testing.TB, count, each int) placement.Policy {
	i := placement.Item{Required: placement.Affinity{Present: true}}
	for n := range count {
		var term placement.Term
		for k := range each {
			term.Lines = append(term.Lines, placement.Line{Key: fmt.Sprintf("example.com/label-%d", (n+k)%16), Operator: "In", Values: []string{fmt.Sprintf("value-%d", 20+n), "other"}})
		}
		i.Required.Terms = append(i.Required.Terms, term)
	}
	return policyOf(t, i)
}

func BenchmarkExplain100NodesOf20LinesWithReasons(b *testing.B) {
	nodes, item := cluster(100), terms(b, 5, 4).Items()[0]
	for b.Loop() {
		for _, v := range placement.Explain(item, nodes) {
			_ = v.Reasons()
		}
	}
}

func BenchmarkExplain5000NodesOf50Terms(b *testing.B) {
	nodes, item := cluster(5000), terms(b, 50, 2).Items()[0]
	for b.Loop() {
		placement.Summarize(placement.Explain(item, nodes))
	}
}

func BenchmarkCheck5000NodesOf50Terms(b *testing.B) {
	nodes, p := cluster(5000), terms(b, 50, 2)
	for b.Loop() {
		placement.Check(p, nodes)
	}
}

func BenchmarkEditOf50Terms(b *testing.B) {
	p := terms(b, 50, 2)
	for b.Loop() {
		if _, err := p.SetLine(placement.AtLine(0, placement.Required, 30, 1), placement.Line{Key: "a", Operator: "Exists"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadNodes(b *testing.B) {
	padding := strings.Repeat(`{"names":["registry.example.com/image@sha256:0123456789abcdef"],"sizeBytes":12345678},`, 50)
	node := `{"kind":"Node","metadata":{"name":"n%d","labels":{"a":"b"}},"spec":{},"status":{"images":[` + padding[:len(padding)-1] + `]}}`
	var list strings.Builder
	list.WriteString(`{"kind":"List","items":[`)
	for i := range 1000 {
		if i > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, node, i)
	}
	list.WriteString("]}")
	text := []byte(list.String())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := placement.ReadNodes(text); err != nil {
			b.Fatal(err)
		}
	}
}
