package rules

import (
	"slices"
	"strings"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// paragraph is a text of a panel: it is wrapped, and chosen as a whole.
type paragraph struct {
	sign    string // before the first line, one cell; may be empty
	ink     rows.Ink
	text    string
	more    string // below the text, muted
	heading bool
	copied  string // what y copies; empty where there is nothing
	what    string // what that is
	about   func() // goes to the rule that it is about; nil for none
}

// textKey is a line of a paragraph.
type textKey struct{ paragraph, line int }

// textList is paragraphs as rows.
type textList struct {
	*state
	list       *rows.List[textKey]
	paragraphs []paragraph
	made       textVersion
	version    func(width int) textVersion
	make       func() []paragraph // of the present version
}

// textVersion names what rows are made of.
type textVersion struct {
	judged         question
	revision, item int
	note, sentence string
	width          int
}

// refresh makes the rows again where they are of another version.
func (t *textList) refresh(width int) {
	if now := t.version(width); now != t.made {
		t.made, t.paragraphs = now, t.make()
		t.list.Set(newTextSource(&t.inks, t.paragraphs, width))
	}
}

// chosen returns the paragraph under the cursor, an empty one where there is none.
func (t *textList) chosen() paragraph {
	key, ok := t.list.Key()
	if !ok {
		return paragraph{}
	}
	return t.paragraphs[key.paragraph]
}

func (t *textList) copied() (text, what string)     { return t.chosen().copied, t.chosen().what }
func (t *textList) enter() (hint string, do func()) { return "go to the rule", t.chosen().about }

func (t *textList) rows() []views.Command {
	return slices.Concat(t.list.Moves(), t.list.Filters(), arrows(func() { t.inside = false }, nil))
}

// textSource is the lines of paragraphs.
type textSource struct {
	rows.Flat
	paragraphs []paragraph
	keys       []textKey
	lines      []string
}

// textMargin is what the cursor and the sign take before a line, in cells, and one more:
// wrapping counts a hyphen at the end of a line too late.
const textMargin = 5

func newTextSource(k *inks, paragraphs []paragraph, width int) *textSource {
	s := &textSource{paragraphs: paragraphs}
	for i := range paragraphs {
		p := &paragraphs[i]
		if p.heading && i > 0 {
			s.add(i, "")
		}
		for n, line := range views.Wrap(p.text, width-textMargin) {
			sign := "  "
			if n == 0 && p.sign != "" {
				sign = p.ink.On(p.sign) + " "
			}
			s.add(i, sign+p.ink.On(line))
		}
		if p.more == "" {
			continue
		}
		for _, line := range views.Wrap(p.more, width-textMargin) {
			s.add(i, "  "+k.Muted.On(line))
		}
	}
	return s
}

func (s *textSource) add(paragraph int, line string) {
	n := 0
	if last := len(s.keys) - 1; last >= 0 && s.keys[last].paragraph == paragraph {
		n = s.keys[last].line + 1
	}
	s.keys = append(s.keys, textKey{paragraph, n})
	s.lines = append(s.lines, line)
}

func (s *textSource) Len() int                       { return len(s.lines) }
func (s *textSource) Key(i int) textKey              { return s.keys[i] }
func (s *textSource) Draw(i int, _ rows.Look) string { return s.lines[i] }

// Matches looks at the whole of a paragraph.
func (s *textSource) Matches(i int, has func(text string) bool) bool {
	p := &s.paragraphs[s.keys[i].paragraph]
	return has(p.text) || has(p.more)
}

// textVersion names what the texts of panels are made of.
func (p *panels) textVersion(width int) textVersion {
	return textVersion{p.judged.question, p.draft.revision, p.at(), p.cluster.note, p.cut, width}
}

// findingTexts are the findings as paragraphs, blocking ones first; before them the
// sentence, where there is no room for all of it below the rules.
func (p *panels) findingTexts() (all []paragraph) {
	if p.cut != "" {
		all = append(all, paragraph{ink: p.inks.Plain, text: p.cut, copied: p.cut, what: "sentence"})
	}
	for _, f := range p.judged.findings {
		sign, ink := p.inks.Weight(f.Strength)
		text := views.Sentence(f.Text)
		all = append(all, paragraph{
			sign: sign, ink: ink, text: text, more: p.whereOf(f), copied: f.At.Path + ": " + text, what: "finding", about: p.toRule(f),
		})
	}
	return all
}

// toRule goes to the rule that a finding is about.
func (p *panels) toRule(f placement.Finding) func() {
	return func() {
		p.inside = false
		p.goTo(keyOf(f.In))
	}
}

// whereOf names the part that a finding is about.
func (p *panels) whereOf(f placement.Finding) string {
	item, where := p.draft.item(f.In.Item), f.In.Name()
	if len(p.draft.policy.Items()) > 1 && item.DeploymentID != "" {
		where += " of " + strings.TrimSpace(p.inks.clean(item.DeploymentType, 40)+" "+p.inks.clean(item.DeploymentID, 60))
	}
	return where
}

// anyNode is put into lines for kubectl in place of a node: which nodes are to fit cannot
// be guessed, and a line that names all of them is soon run.
const anyNode = "node-name"

// aboutWeights is shown for preferred terms without weights: the builder cannot give them
// any.
const aboutWeights = "Preferred terms have equal weight here. Weights need Kubernetes' own form, a list of weight and preference. The API does not document it: " +
	"to try it, edit the policy as text."

// adviceTexts are what is worth knowing about the deployment, and lines for kubectl.
func (p *panels) adviceTexts() (all []paragraph) {
	k, item := &p.inks, p.item()
	hint := func(sign string, ink rows.Ink, text string) {
		all = append(all, paragraph{sign: sign, ink: ink, text: text, copied: text, what: "hint"})
	}
	typos := p.typos()
	for _, f := range typos {
		hint(k.Glyphs.Warn, k.Warn, "Correct the rules: "+f.Text)
		all[len(all)-1].about = p.toRule(f)
	}
	for _, h := range placement.Hints(item) {
		hint("-", k.Plain, h.Text)
	}
	if item.Preferred.Present && item.Preferred.Shape == placement.SelectorTerms {
		hint("-", k.Plain, aboutWeights)
	}
	if len(typos) > 0 { // a line would make nodes fit a typing error
		return all
	}
	all = append(all, paragraph{ink: k.Heading, text: "For kubectl", heading: true,
		more: "To make a node fit, replace " + anyNode + views.Keys(" with its name. Under Nodes, {key:rules.open} shows what each one lacks. ") +
			views.Keys("Nothing is run from here: press {key:rules.copy} to copy a line.")})
	lines := placement.KubectlLines(item, []placement.Node{{Name: anyNode}})
	if len(lines) == 0 {
		return append(all, paragraph{ink: k.Muted, text: placement.NoKubectlLines(item)})
	}
	all = append(all, paragraph{sign: k.Glyphs.Warn, ink: k.Warn, text: placement.KubectlCaution})
	for _, c := range lines {
		all = append(all, paragraph{sign: "$", ink: k.Accent, text: c.Line, more: views.Sentence(c.Why), copied: c.Line, what: "line for kubectl"})
	}
	return all
}
