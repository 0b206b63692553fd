package rules

import (
	"strings"
	"sync"

	"geodeck/adminapi/placement"
)

// Judgement is what the nodes make of the rules of one deployment, and what is wrong
// with the policy.
type Judgement struct {
	asked
	verdicts []placement.Verdict
	findings []placement.Finding
}

// asked names a judgement: of which edit, which deployment, and which nodes. The zero
// one is none.
type asked struct{ revision, item, cluster int }

// pending is a judgement that was asked for, and what finds it out.
type pending struct {
	asked
	find func() Judgement
}

// judged is the last judgement and what is shown of it.
type judged struct {
	Judgement
	summary placement.Summary
	byRow   map[rowKey][]placement.Finding
}

// count returns how many findings weigh so much.
func (j *judged) count(s placement.Severity) (n int) {
	for _, f := range j.findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// wanted is the judgement that the screen needs.
func (b *Builder) wanted() asked {
	return asked{revision: b.revision, item: b.Item(), cluster: b.cluster}
}

// old tells whether the judgement that is shown is of something else than the screen
// needs.
func (b *Builder) old() bool { return b.wanted() != b.judged.asked }

// Judging returns what finds out the judgement that the screen waits for, nil where it
// waits for none. It captures values: it may run outside the update loop, and one that
// is overtaken by another edit is ignored by Judge. Asked for again before it was
// judged, it returns the same function, which does its work once.
func (b *Builder) Judging() func() Judgement {
	if !b.old() {
		return nil
	}
	want := b.wanted()
	if b.pending.find == nil || b.pending.asked != want {
		b.pending = pending{want, sync.OnceValue(judging(want, b.policy, b.nodes, b.earlier(want)))}
	}
	return b.pending.find
}

// earlier is the judgement whose findings still hold: those of a policy are the same
// for each of its deployments.
func (b *Builder) earlier(want asked) *Judgement {
	if have := b.judged.Judgement; have.revision == want.revision && have.cluster == want.cluster {
		return &have
	}
	return nil
}

// judging returns what judges. It runs outside the update loop.
func judging(want asked, p placement.Policy, nodes []placement.Node, earlier *Judgement) func() Judgement {
	return func() Judgement {
		j := Judgement{asked: want}
		if len(p.Items()) > 0 {
			j.verdicts = placement.Explain(itemOf(p, want.item), nodes)
		}
		if earlier != nil {
			j.findings = earlier.findings
		} else {
			j.findings = placement.Check(p, nodes)
		}
		return j
	}
}

// Judge shows a judgement. Until it comes the one before is shown, marked as old.
func (b *Builder) Judge(j Judgement) {
	if b.wanted() != j.asked {
		return
	}
	b.pending = pending{}
	b.judged = judged{Judgement: j, summary: placement.Summarize(j.verdicts), byRow: map[rowKey][]placement.Finding{}}
	for _, f := range j.findings {
		key := rowOf(f)
		b.judged.byRow[key] = append(b.judged.byRow[key], f)
	}
	b.list.Redraw()
	b.arrange()
}

// rowOf is the row that a finding is about.
func rowOf(f placement.Finding) rowKey {
	if f.At.Part != placement.ItemPart {
		return keyOf(f.At)
	}
	switch {
	case strings.Contains(f.Path, "requiredDuring"):
		return keyOfList(f.At.Item, placement.Required)
	case strings.Contains(f.Path, "preferredDuring"):
		return keyOfList(f.At.Item, placement.Preferred)
	case strings.HasSuffix(f.Path, "nodeAffinity"):
		return keyOfAffinity(f.At.Item)
	case strings.HasSuffix(f.Path, "tolerations"):
		return keyOfTolerations(f.At.Item)
	}
	return keyOfItem(f.At.Item)
}

// worst returns the finding that weighs most among the rows from one to another.
func (t *tree) worst(from, to int) (worst placement.Finding, found bool) {
	for i := from; i < to; i++ {
		for _, f := range t.b.judged.byRow[t.rows[i].key] {
			if !found || f.Severity > worst.Severity {
				worst, found = f, true
			}
		}
	}
	return worst, found
}

// said caches what is said of a deployment.
type said struct {
	revision, item int
	sentence       string
	width, most    int
	lines          []string // the sentence, broken for that width
	cut            bool     // these are not all
}

// sentence says in plain words where the pods of the deployment under the cursor go.
func (b *Builder) sentence() string {
	if b.said.revision != b.revision || b.said.item != b.Item() {
		b.said = said{revision: b.revision, item: b.Item(), sentence: placement.Sentence(b.item())}
	}
	return b.said.sentence
}

// sentenceLines is the sentence in at most so many lines.
func (b *Builder) sentenceLines(most int) []string {
	text, s := b.sentence(), &b.said
	if s.lines == nil || s.width != b.width || s.most != most {
		s.width, s.most = b.width, most
		s.lines, s.cut = pointed(b.inks.Plain, text, b.width, most, &b.inks)
	}
	return s.lines
}

// sentenceCut tells whether there is no room for all of the sentence below the rules.
func (b *Builder) sentenceCut() bool {
	most := b.mostSentence()
	if len(b.policy.Items()) == 0 || most == 0 {
		return len(b.policy.Items()) > 0
	}
	b.sentenceLines(most)
	return b.said.cut
}
