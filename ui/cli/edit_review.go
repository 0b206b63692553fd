package cli

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// reviewJSON is what an edit would do.
type reviewJSON struct {
	Service  string          `json:"service"`
	Changes  []changeJSON    `json:"changes"`
	Risks    []riskJSON      `json:"risks"`
	Lost     []document.Path `json:"lost"`
	Findings []findingJSON   `json:"findings"`

	Deployments []moveJSON `json:"deployments,omitempty"` // of a placement policy: whose rules differ
}

// changeJSON is one difference; the values are as they were written.
type changeJSON struct {
	Path document.Path  `json:"path"`
	Kind string         `json:"kind"`
	Old  jsontext.Value `json:"old,omitzero"`
	New  jsontext.Value `json:"new,omitzero"`
}

type riskJSON struct {
	Path     document.Path  `json:"path"`
	Label    document.Label `json:"label"`
	Severity string         `json:"severity"`
	Text     string         `json:"text"`
}

type findingJSON struct {
	Path     document.Path `json:"path"`
	Line     int           `json:"line,omitzero"`
	Blocking bool          `json:"blocking"`
	Text     string        `json:"text"`
}

// appliedJSON is what became of an edit.
type appliedJSON struct {
	reviewJSON
	Sent    bool            `json:"sent"`
	Kept    bool            `json:"kept"`              // the site has exactly what was sent
	NotKept []changeJSON    `json:"notKept,omitempty"` // from what was sent to what is there
	Unread  string          `json:"unread,omitempty"`  // why it could not be read back
	Backup  *journal.Backup `json:"backup,omitempty"`
	Job     jsontext.Value  `json:"job,omitzero"` // as the site has it
}

func reviewOf(edit operation.PlannedEdit) reviewJSON {
	plan := edit.Plan
	r := reviewJSON{Service: edit.Service.Path(), Changes: changesJSON(plan.Changes), Risks: make([]riskJSON, len(plan.Risks)),
		Lost: append([]document.Path{}, plan.Lost...), Findings: make([]findingJSON, len(plan.Findings))}
	for i, risk := range plan.Risks {
		r.Risks[i] = riskJSON{risk.Path, risk.Label, risk.Severity.String(), risk.Text}
	}
	for i, f := range plan.Findings {
		r.Findings[i] = findingJSON{f.Path, f.Line, f.Blocking, f.Text}
	}
	for _, m := range plan.Moves {
		r.Deployments = append(r.Deployments, moveOf(m))
	}
	return r
}

func changesJSON(changes []document.Change) []changeJSON {
	list := make([]changeJSON, len(changes))
	for i, c := range changes {
		list[i] = changeJSON{c.Path, c.Kind.String(), valueOf(c.Old), valueOf(c.New)}
	}
	return list
}

// valueOf is a value as it was written, nil where there is none.
func valueOf(raw string) jsontext.Value {
	if raw == "" {
		return nil
	}
	return jsontext.Value(raw)
}

// printReview prints what an edit would do, for people.
func (p *program) printReview(edit operation.PlannedEdit) error {
	plan := edit.Plan
	text := document.Review{Service: edit.Service.Path(), Changes: plan.Changes, Risks: plan.Risks, Lost: plan.Lost, Findings: plan.Findings}.Text(edit.AllowLost)
	l := p.appearance()
	for line := range strings.Lines(text) {
		style := l.theme.Plain
		switch {
		case strings.HasPrefix(line, "  - "):
			style = l.theme.Fail
		case strings.HasPrefix(line, "  + "):
			style = l.theme.OK
		case strings.HasPrefix(line, "lost key"), strings.HasPrefix(line, "blocks"):
			style = l.theme.Warn
		}
		if err := p.say(style.Render(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return p.printMoves(plan.Moves)
}

// changeLines are changes in few words, as details of a failure.
func changeLines(changes []document.Change) []string {
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.Kind.String() + "  " + c.Path.String()
		if c.Old != "" {
			lines[i] += "  " + briefly(c.Old)
		}
		if c.Old != "" && c.New != "" {
			lines[i] += " ->"
		}
		if c.New != "" {
			lines[i] += " " + briefly(c.New)
		}
	}
	return lines
}

// briefly is a value on one line: whole where it is as long as a rule, else its begin.
func briefly(raw string) string {
	value := jsontext.Value(strings.Clone(raw))
	if value.Compact(asReceived) != nil {
		value = jsontext.Value(raw)
	}
	return plain.Clip(string(escapeUnseen(value)), 240)
}
