package rules

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
)

// partState is a state of a policy, judged, with the cursor on its first deployment.
func partState(t *testing.T, name string) *state {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := placement.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &state{inks: newInks(uitest.Theme()), at: func() int { return 0 }}
	s.draft.begin(p, p)
	s.cluster.set([]placement.Node{
		{Name: "gpu-1", Labels: map[string]string{"gpu": "a100", "pool": "gpu"}, Taints: []placement.Taint{{Key: "dedicated", Value: "gis", Effect: placement.NoSchedule}}},
		{Name: "general-1", Labels: map[string]string{"pool": "general"}},
	}, "2 nodes")
	if !s.judge(s.Judging()()) {
		t.Fatal("the judgement is not the one that is waited for")
	}
	return s
}

func TestEqualElementsArePairedAndInOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func() []byte {
		text := make([]byte, random.IntN(9))
		for i := range text {
			text[i] = "abc"[random.IntN(3)]
		}
		return text
	}
	for range 2000 {
		before, after := word(), word()
		pairs, removed := placement.Pairs(before, after, func(a, b byte) bool { return a == b })
		last, equal, some := -1, 0, 0
		for i, pair := range pairs {
			if pair < 0 {
				continue
			}
			if pair <= last {
				t.Fatalf("%s and %s: the pairs %v are not in order", before, after, pairs)
			}
			last = pair
			some++
			if before[pair] == after[i] {
				equal++
			}
		}
		if want := common(before, after); equal != want {
			t.Fatalf("%s and %s: %d equal pairs in %v, %d are possible", before, after, equal, pairs, want)
		}
		if removed != (some < len(before)) {
			t.Fatalf("%s and %s: removed is %v with the pairs %v", before, after, removed, pairs)
		}
	}
}

// common is how many letters two words share in order.
func common(a, b []byte) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return 0
	case a[0] == b[0]:
		return 1 + common(a[1:], b[1:])
	}
	return max(common(a[1:], b), common(a, b[1:]))
}

func TestAMoveOfATermTellsWhereEachOneStands(t *testing.T) {
	t.Parallel()
	at := placement.AtTerm(0, placement.Required, 1)
	for _, c := range []struct{ from, to int }{{1, 3}, {3, 1}, {2, nowhere}, {nowhere, 2}, {0, 0}} {
		terms := []string{"a", "b", "c", "d"}
		after := slices.Clone(terms)
		name := "new"
		if c.from != nowhere {
			name = after[c.from]
			after = slices.Delete(after, c.from, c.from+1)
		}
		if c.to != nowhere {
			after = slices.Insert(after, c.to, name)
		}
		m := moveOf(at, c.from, c.to)
		for n, term := range terms {
			now := m.term(n)
			if now != slices.Index(after, term) {
				t.Errorf("%+v: term %d stands at %d in %v", c, n, now, after)
			}
			if now != nowhere && m.back().term(now) != n {
				t.Errorf("%+v: undone, term %d stands at %d", c, n, m.back().term(now))
			}
		}
	}
	if moveOf(placement.AtToleration(0, 1), 1, 2) != (termMove{}) {
		t.Error("a toleration has something to fold")
	}
}

func TestTheClusterKnowsTheNodesThatItHas(t *testing.T) {
	t.Parallel()
	s := partState(t, "policy.json")
	c := &s.cluster
	if c.set(c.nodes, "an hour old") || c.note != "an hour old" || s.Judging() != nil {
		t.Error("the same nodes are judged anew")
	}
	if len(c.labelKeys()) != 2 || len(c.labelValues("pool")) != 2 || len(c.taintKeys()) != 1 || c.taintEffects("", "") != 1 {
		t.Errorf("labels %v, values %v, taints %v", c.labelKeys(), c.labelValues("pool"), c.taintKeys())
	}
	if !c.set(slices.Clone(c.nodes[:1]), "") || len(c.labelValues("pool")) != 1 || s.Judging() == nil {
		t.Error("other nodes are taken for the same")
	}
}

func TestWordsThatBeginWithATextComeFirst(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, c := range complete.Matching(views.Choices([]string{"big-gpu", "pool", "GPU", "gpu-2"}), "gPu", false) {
		texts = append(texts, c.Text)
	}
	if got := strings.Join(texts, " "); got != "GPU gpu-2 big-gpu" {
		t.Errorf("%s is offered", got)
	}
	for key, want := range map[string]int{"up": 1, "down down down": 0} {
		r := newRulesPane(uitest.Theme(), partState(t, "policy.json"))
		e := &entry{fields: []field{r.newField("key", "", "", nil)}}
		e.offers.Offer("", make([]views.Choice, 2))
		r.tree.entry = e
		for _, k := range uitest.Keys(key) {
			r.key(k)
		}
		if got := e.offers.Marked(); got != want {
			t.Errorf("%s leads to word %d instead of %d", key, got, want)
		}
	}
}

func TestAFindingOfThePanelLeadsToItsRow(t *testing.T) {
	t.Parallel()
	var to rowKey
	s := partState(t, "broken.json")
	p := newPanels(uitest.Theme(), s, func(key rowKey) { to = key })
	p.arrange([]placed{{kind: nodesPanel, width: 60, height: 20}}, "", p.inside)
	p.next()
	p.inside = true
	p.arrange([]placed{{kind: checksPanel, width: 60, height: 20}}, "", p.inside)
	if p.kind != checksPanel || !strings.Contains(p.draw(placed{kind: checksPanel, width: 60, height: 20}), "Checks") {
		t.Fatalf("the panel is %s", p.kind)
	}
	_, enter := p.shown().enter()
	enter()
	if want := keyOf(s.judged.findings[0].In); p.inside || to != want {
		t.Errorf("it leads to %+v instead of %+v", to, want)
	}
}

func TestPanelsTakeTurnsInPlaceOfTheRules(t *testing.T) {
	t.Parallel()
	p := newPanels(uitest.Theme(), partState(t, "policy.json"), nil)
	if p.next(); !p.inside || p.kind != nodesPanel {
		t.Errorf("%s is shown", p.kind)
	}
	for _, want := range []panelKind{checksPanel, jsonPanel, advicePanel, nodesPanel} {
		p.arrange([]placed{{kind: p.kind, width: 60, height: 20}}, "", p.inside)
		if p.next(); p.kind != want {
			t.Errorf("%s is shown instead of %s", p.kind, want)
		}
	}
}

func TestANodeOpensClosesAndLeadsOut(t *testing.T) {
	t.Parallel()
	n := newNodeList(uitest.Theme(), partState(t, "policy.json"))
	n.refresh(60)
	n.list.SetSize(60, 20)
	n.inside = true
	if hint, _ := n.enter(); hint != "open" || n.list.Len() != 2 {
		t.Fatalf("enter says %q in %d rows", hint, n.list.Len())
	}
	n.toggle()
	if hint, _ := n.enter(); hint != "close" || !strings.Contains(n.list.View(), "gpu=a100") || n.list.Len() <= 2 {
		t.Errorf("it is not open:\n%s", n.list.View())
	}
	press := func(name string) {
		for _, row := range n.rows() {
			if slices.Contains(row.Keys(), name) {
				row.Do("")
			}
		}
	}
	press("left")
	if n.isOpen() || !n.inside {
		t.Error("an open node is not closed first")
	}
	if press("left"); n.inside {
		t.Error("the panel is not left")
	}
	if text, what := n.copied(); text != "gpu-1" || what != "node" {
		t.Errorf("%s %q is copied", what, text)
	}
}

func TestTheRulesAreEditedInStepsOnTheirOwn(t *testing.T) {
	t.Parallel()
	s := partState(t, "policy.json")
	r := newRulesPane(uitest.Theme(), s)
	r.tree.open()
	r.tree.list.SetSize(80, 20)
	before := string(s.draft.text)
	line := keyOf(placement.AtLine(0, placement.Required, 0, 0))
	r.tree.goTo(line)
	if text, what := r.copied(); text != "gpu In a100, h100" || what != "line" {
		t.Errorf("%s %q is copied", what, text)
	}
	r.remove()
	if !strings.HasPrefix(s.note, "Deleted gpu In") || string(s.draft.text) == before || s.Judging() == nil {
		t.Errorf("nothing is deleted: %q", s.note)
	}
	r.undo()
	if string(s.draft.text) != before || r.tree.cursor() != line {
		t.Errorf("after undo the cursor is on %+v:\n%s", r.tree.cursor(), s.draft.text)
	}
	if s.draft.history.Undoable() || s.note != "Undone; nothing more to undo." {
		t.Errorf("the note is %q", s.note)
	}
	r.edit()
	e := r.tree.entry
	for _, key := range uitest.Text(" x") {
		r.key(key)
	}
	if r.take(); r.tree.entry != e || !strings.HasPrefix(e.reason, "The key gpu x is not a label name") {
		t.Errorf("a wrong key is taken over: %q", e.reason)
	}
	r.leave()
	r.key(uitest.Key("y"))
	if r.tree.entry != nil || string(s.draft.text) != before {
		t.Error("what was typed is not discarded")
	}
}

func TestAJudgementOfAnotherEditIsNotTaken(t *testing.T) {
	t.Parallel()
	s := partState(t, "policy.json")
	p, err := s.draft.policy.Remove(placement.AtToleration(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	s.draft.put(p)
	old := s.Judging()
	s.draft.put(p)
	if s.judge(old()) || !s.outdated() || s.pendingSign() == "" {
		t.Error("a judgement of an older edit is taken")
	}
	if !s.judge(s.Judging()()) || s.outdated() || s.Judging() != nil {
		t.Error("the judgement of this edit is not taken")
	}
}

func TestANameThatIsCutKeepsBothEnds(t *testing.T) {
	t.Parallel()
	var k inks
	k.Glyphs.Ellipsis = "…"
	for _, cells := range []int{8, 9, 40} {
		name := k.middle("east-"+strings.Repeat("x", 240)+"-1", cells)
		if len([]rune(name)) != cells || !strings.HasPrefix(name, "eas") || !strings.HasSuffix(name, "-1") {
			t.Errorf("%d cells show %q", cells, name)
		}
	}
}
