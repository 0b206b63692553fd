package diff

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// copiedWidth is how wide the lines of a copied value are at most, in cells.
const copiedWidth = 160

// copy puts the whole review on the clipboard.
func (r *Review) copy() tea.Cmd {
	return views.Send(views.Copy{Text: r.text(), What: "review"})
}

// text is the review in plain words.
func (r *Review) text() string {
	texts := make([]string, len(r.plans))
	for i, plan := range r.plans {
		texts[i] = plan.Text(r.confirmedIn(plan))
	}
	return strings.Join(texts, "\n")
}

// Text returns a plan in plain words and lines, each value whole, as a ticket or a
// pipe takes it. confirmed are the lost keys that were confirmed.
func (p Plan) Text(confirmed []document.Path) string {
	var b strings.Builder
	if p.Service != "" {
		b.WriteString(plain.Line(p.Service) + "\n")
	}
	fmt.Fprintln(&b, countedKinds(p.Changes))
	for i := range p.Findings {
		f, word := &p.Findings[i], "note"
		if f.Blocking {
			word = "blocks"
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", word, f.Path, plain.Line(findingText(f)))
	}
	for _, path := range p.Lost {
		state := "to confirm"
		if slices.Contains(confirmed, path) {
			state = "confirmed"
		}
		fmt.Fprintf(&b, "lost key, %s  %s\n", state, path)
	}
	p.writeChanges(&b)
	return b.String()
}

func countedKinds(changes []document.Change) string {
	if len(changes) == 0 {
		return "no changes"
	}
	return views.Plural(len(changes), "change") + ": " + kinds(changes)
}

func (p Plan) writeChanges(b *strings.Builder) {
	risks := risksByChange(&p)
	for i := range p.Changes {
		c := &p.Changes[i]
		fmt.Fprintf(b, "%s  %s\n", c.Kind, c.Path)
		writeSide(b, "- ", c.Old)
		writeSide(b, "+ ", c.New)
		writeRisks(b, risks[c.Path])
	}
}

func writeSide(b *strings.Builder, sign, raw string) {
	if raw == "" {
		return
	}
	for _, line := range lines(raw, copiedWidth) {
		b.WriteString("  " + sign + line + "\n")
	}
}

func writeRisks(b *strings.Builder, risks []document.Risk) {
	for _, risk := range risks {
		fmt.Fprintf(b, "  %s, %s: %s\n", risk.Severity, risk.Label, plain.Line(risk.Text))
	}
}
