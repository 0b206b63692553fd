package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/rules"
	"geodeck/ui/widget/rows"
)

// manyTerms is a policy of so many terms of two lines.
func manyTerms(count int) string {
	terms := make([]string, count)
	for n := range terms {
		terms[n] = fmt.Sprintf(`{"matchExpressions": [{"key": "example.com/label-%d", "operator": "In", "values": ["value-%d", "other"]}, {"key": "example.com/label-%d", "operator": "NotIn", "values": ["value-1"]}]}`,
			n%16, 20+n, (n+1)%16)
	}
	return `{"placementPolicy": [{"deploymentType": "FeatureServer", "deploymentId": "krh1vura4livmjy61ibe4", "podPlacementPolicy": {"tolerations": [], "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` +
		strings.Join(terms, ", ") + `]}}}}]}`
}

// manyNodes are so many nodes with as many labels as real ones have.
func manyNodes(count int) []placement.Node {
	nodes := make([]placement.Node, count)
	for i := range nodes {
		nodes[i] = placement.Node{Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{}, Ready: placement.Ready}
		for k := range 16 {
			nodes[i].Labels[fmt.Sprintf("example.com/label-%d", k)] = fmt.Sprintf("value-%d", i%(k+20))
		}
		if i%3 == 0 {
			nodes[i].Taints = []placement.Taint{{Key: "dedicated", Value: "gis", Effect: placement.NoSchedule}}
		}
	}
	return nodes
}

func large(b *testing.B) *rules.Builder {
	b.Helper()
	w := rules.New(uitest.ColorTheme())
	w.SetSize(200, 55)
	p := parse(b, manyTerms(50))
	w.Set(p, p)
	w.SetNodes(manyNodes(5000), note)
	w.Judge(w.Judging()())
	for range 61 { // onto a line
		views.Invoke(w, rows.Down, "")
	}
	b.ReportAllocs()
	return w
}

// BenchmarkAnEditOf50TermsOn5000Nodes is an edit with all that comes of it.
func BenchmarkAnEditOf50TermsOn5000Nodes(b *testing.B) {
	w := large(b)
	for b.Loop() {
		views.Invoke(w, "rules.turn", "")
		_ = w.View()
		w.Judge(w.Judging()())
		_ = w.View()
	}
}

// BenchmarkAnEditBeforeItIsJudged is what an edit takes in the update loop.
func BenchmarkAnEditBeforeItIsJudged(b *testing.B) {
	w := large(b)
	for b.Loop() {
		views.Invoke(w, "rules.turn", "")
		_ = w.View()
	}
}

// BenchmarkAJudgementThatIsShown is what the update loop does with a judgement.
func BenchmarkAJudgementThatIsShown(b *testing.B) {
	w := large(b)
	views.Invoke(w, "rules.turn", "")
	j := w.Judging()()
	for b.Loop() {
		w.Judge(j)
		_ = w.View()
	}
}

func BenchmarkAKey(b *testing.B) {
	w := large(b)
	for i := 0; b.Loop(); i++ {
		views.Invoke(w, []string{rows.Down, rows.Up}[i%2], "")
		_ = w.View()
	}
}

func BenchmarkATypedKeyWithCompletion(b *testing.B) {
	w := large(b)
	views.Invoke(w, "rules.edit", "")
	keys := uitest.Keys("x backspace")
	for i := 0; b.Loop(); i++ {
		w.Update(keys[i%2])
		_ = w.View()
		_ = w.Unsaved()
	}
}

func BenchmarkFilterKeyOn5000Nodes(b *testing.B) {
	w := large(b)
	views.Invoke(w, "rules.focus", "")
	views.Invoke(w, rows.Filter, "")
	keys := uitest.Keys("9 backspace")
	for i := 0; b.Loop(); i++ {
		w.Update(keys[i%2])
		_ = w.View()
	}
}
