package rules

import (
	"strconv"
	"strings"

	"geodeck/adminapi/placement"
)

// judgedVersion names what the texts of panels are made of.
func (b *Builder) judgedVersion() any {
	type version struct {
		judged         asked
		revision, item int
		note           string
		cut            bool
	}
	return version{b.judged.asked, b.revision, b.Item(), b.nodesNote, b.sentenceCut()}
}

// findingTexts are the findings as paragraphs, blocking ones first; before them the
// sentence, where there is no room for all of it below the rules.
func (b *Builder) findingTexts() func() []paragraph {
	return func() (all []paragraph) {
		if b.sentenceCut() {
			all = append(all, paragraph{ink: b.inks.Plain, text: b.sentence(), copied: b.sentence(), what: "sentence"})
		}
		for i, f := range b.judged.findings {
			sign, ink := b.inks.sign(f, true)
			text := capital(f.Text)
			all = append(all, paragraph{sign: sign, ink: ink, text: text, more: b.whereOf(f), copied: f.Path + ": " + text, what: "finding", finding: i + 1})
		}
		return all
	}
}

// whereOf names the part that a finding is about.
func (b *Builder) whereOf(f placement.Finding) string {
	item := itemOf(b.policy, f.At.Item)
	where := placeName(f.At, item.Kind())
	switch key := rowOf(f); key.part {
	case itemRow:
		where = "deployment"
	case affinityRow:
		where = "affinity"
	case listRow:
		where = key.at.Kind.String() + " affinity"
	case tolerationsRow:
		where = "tolerations"
	}
	if len(b.policy.Items()) > 1 && item.DeploymentID != "" {
		where += " of " + strings.TrimSpace(b.inks.clean(item.DeploymentType, 40)+" "+b.inks.clean(item.DeploymentID, 60))
	}
	return where
}

// placeName names a part of a deployment, "" for the whole of it.
func placeName(at placement.Place, kind placement.Kind) string {
	switch at.Part {
	case placement.TolerationPart:
		return "toleration " + strconv.Itoa(at.Toleration+1)
	case placement.TermPart, placement.LinePart:
		name := "term " + strconv.Itoa(at.Term+1)
		if kind == placement.Both {
			name = at.Kind.String() + " " + name
		}
		if at.Part == placement.LinePart {
			name += ", line " + strconv.Itoa(at.Line+1)
		}
		return name
	}
	return ""
}

// goToFinding goes to the row that the finding under the cursor is about.
func (b *Builder) goToFinding() {
	if f, ok := b.chosenFinding(); ok {
		b.leavePanel()
		b.goTo(rowOf(f))
	}
}

// chosenFinding is the finding under the cursor of the checks.
func (b *Builder) chosenFinding() (placement.Finding, bool) {
	i, ok := b.side.checks.chosen()
	if !ok || i >= len(b.side.checks.paragraphs) {
		return placement.Finding{}, false
	}
	n := b.side.checks.paragraphs[i].finding
	if n == 0 || n > len(b.judged.findings) {
		return placement.Finding{}, false
	}
	return b.judged.findings[n-1], true
}

// anyNode stands in lines for kubectl where a person puts the node: which nodes are to
// fit is nothing that can be guessed, and a line that names all of them is soon run.
const anyNode = "node-name"

// aboutWeights is told of preferred terms without weights: nothing here makes a list
// with weights of them.
const aboutWeights = "Preferred terms weigh the same here. Weights need Kubernetes' own form, a list of weight and preference, which the API's contract does not show: " +
	"whether a site takes it has to be tried, by editing the policy as text."

// adviceTexts are what is worth knowing about the deployment, and lines for kubectl.
func (b *Builder) adviceTexts() func() []paragraph {
	return func() (all []paragraph) {
		k := &b.inks
		for _, h := range placement.Hints(b.item()) {
			all = append(all, paragraph{sign: k.Glyphs.Dot, ink: k.Plain, text: h.Text, copied: h.Text, what: "hint"})
		}
		if a := b.item().Preferred; a.Present && a.Shape == placement.SelectorTerms {
			all = append(all, paragraph{sign: k.Glyphs.Dot, ink: k.Plain, text: aboutWeights, copied: aboutWeights, what: "hint"})
		}
		all = append(all, paragraph{ink: k.Heading, text: "For kubectl", heading: true,
			more: "To make a node fit, put its name in place of " + anyNode + "; under Nodes, enter shows what each one lacks. " +
				"Nothing is run from here: copy a line with y, read it, and run it yourself."})
		lines := placement.KubectlLines(b.item(), []placement.Node{{Name: anyNode}})
		if len(lines) == 0 {
			return append(all, paragraph{ink: k.Muted, text: "The rules ask for no label and tolerate no taint that could be set."})
		}
		for _, c := range lines {
			all = append(all, paragraph{sign: "$", ink: k.Accent, text: c.Line, more: capital(c.Why), copied: c.Line, what: "line for kubectl"})
		}
		return all
	}
}
