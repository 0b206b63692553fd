package rules

import (
	"strconv"
	"strings"

	"geodeck/adminapi/placement"
)

// textVersion names what the texts of panels are made of.
func (p *panels) textVersion() textVersion {
	return textVersion{p.judged.question, p.draft.revision, p.at(), p.cluster.note, p.cut}
}

// findingTexts are the findings as paragraphs, blocking ones first; before them the
// sentence, where there is no room for all of it below the rules.
func (p *panels) findingTexts() (textVersion, func() []paragraph) {
	return p.textVersion(), func() (all []paragraph) {
		if p.cut != "" {
			all = append(all, paragraph{ink: p.inks.Plain, text: p.cut, copied: p.cut, what: "sentence"})
		}
		for _, f := range p.judged.findings {
			sign, ink := p.inks.sign(f, true)
			text := capital(f.Text)
			all = append(all, paragraph{
				sign: sign, ink: ink, text: text, more: p.whereOf(f), copied: f.Path + ": " + text, what: "finding",
				about: func() {
					p.host.leavePanel()
					p.host.goTo(rowOf(f))
				},
			})
		}
		return all
	}
}

// whereOf names the part that a finding is about.
func (p *panels) whereOf(f placement.Finding) string {
	item := p.draft.item(f.At.Item)
	where := placeName(f.At, item.Kind())
	switch key := rowOf(f); key.kind {
	case itemRow:
		where = "deployment"
	case affinityRow:
		where = "affinity"
	case listRow:
		where = key.at.Kind.String() + " affinity"
	case tolerationsRow:
		where = "tolerations"
	}
	if len(p.draft.policy.Items()) > 1 && item.DeploymentID != "" {
		where += " of " + strings.TrimSpace(p.inks.clean(item.DeploymentType, 40)+" "+p.inks.clean(item.DeploymentID, 60))
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

// anyNode stands in lines for kubectl where a person puts the node: which nodes are to
// fit is nothing that can be guessed, and a line that names all of them is soon run.
const anyNode = "node-name"

// aboutWeights is told of preferred terms without weights: nothing here makes a list
// with weights of them.
const aboutWeights = "Preferred terms weigh the same here. Weights need Kubernetes' own form, a list of weight and preference, which the API's contract does not show: " +
	"whether a site takes it has to be tried, by editing the policy as text."

// adviceTexts are what is worth knowing about the deployment, and lines for kubectl.
func (p *panels) adviceTexts() (textVersion, func() []paragraph) {
	return p.textVersion(), func() (all []paragraph) {
		k := &p.inks
		for _, h := range placement.Hints(p.item()) {
			all = append(all, paragraph{sign: k.Glyphs.Dot, ink: k.Plain, text: h.Text, copied: h.Text, what: "hint"})
		}
		if a := p.item().Preferred; a.Present && a.Shape == placement.SelectorTerms {
			all = append(all, paragraph{sign: k.Glyphs.Dot, ink: k.Plain, text: aboutWeights, copied: aboutWeights, what: "hint"})
		}
		all = append(all, paragraph{ink: k.Heading, text: "For kubectl", heading: true,
			more: "To make a node fit, put its name in place of " + anyNode + "; under Nodes, enter shows what each one lacks. " +
				"Nothing is run from here: copy a line with y, read it, and run it yourself."})
		lines := placement.KubectlLines(p.item(), []placement.Node{{Name: anyNode}})
		if len(lines) == 0 {
			return append(all, paragraph{ink: k.Muted, text: "The rules ask for no label and tolerate no taint that could be set."})
		}
		for _, c := range lines {
			all = append(all, paragraph{sign: "$", ink: k.Accent, text: c.Line, more: capital(c.Why), copied: c.Line, what: "line for kubectl"})
		}
		return all
	}
}
