package diff

import (
	"fmt"
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

// text is the review in plain words, as a ticket takes it.
func (r *Review) text() string {
	var b strings.Builder
	for i, plan := range r.plans {
		if i > 0 {
			b.WriteByte('\n')
		}
		if plan.Service != "" {
			b.WriteString(plain.Line(plan.Service) + "\n")
		}
		r.writePlan(&b, plan)
	}
	return b.String()
}

func (r *Review) writePlan(b *strings.Builder, plan Plan) {
	fmt.Fprintf(b, "%s: %s\n", views.Plural(len(plan.Changes), "change"), kinds(plan.Changes))
	for i := range plan.Findings {
		f, word := &plan.Findings[i], "note"
		if f.Blocking {
			word = "blocks"
		}
		fmt.Fprintf(b, "%s  %s  %s\n", word, f.Path, plain.Line(findingText(f)))
	}
	for _, path := range plan.Lost {
		state := "to confirm"
		if r.confirmed[lostKey{plan.Service, path}] {
			state = "confirmed"
		}
		fmt.Fprintf(b, "lost key, %s  %s\n", state, path)
	}
	risks := risksByChange(&plan)
	for i := range plan.Changes {
		c := &plan.Changes[i]
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
