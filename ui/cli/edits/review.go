package edits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/output"
)

// ReviewJSON is what an edit would do.
type ReviewJSON struct {
	Service  string          `json:"service"`
	Part     string          `json:"part"` // definition or placement
	Changes  []ChangeJSON    `json:"changes"`
	Risks    []riskJSON      `json:"risks"`
	Lost     []document.Path `json:"lost"`
	Findings []findingJSON   `json:"findings"`

	Deployments []moveJSON `json:"deployments,omitempty"` // of a placement policy: whose rules differ
	Shared      []string   `json:"shared,omitempty"`      // ids of deployments whose pods move or restart, with other services in them
}

// ChangeJSON is one difference; the values are as they were written, with secrets masked.
type ChangeJSON struct {
	Path document.Path  `json:"path"`
	Kind string         `json:"kind"`
	Old  jsontext.Value `json:"old,omitzero"`
	New  jsontext.Value `json:"new,omitzero"`
}

type riskJSON struct {
	Path     string `json:"path"`
	Label    string `json:"label"`
	Severity string `json:"severity"`
	Accept   string `json:"accept,omitempty"` // the word that accepts it
	Text     string `json:"text"`
}

type findingJSON struct {
	Path     string `json:"path"`
	Line     int    `json:"line,omitzero"`
	Blocking bool   `json:"blocking"`
	Accept   string `json:"accept,omitempty"`
	Text     string `json:"text"`
}

// editJSON is what became of the edit of a service, alone or one of several.
type editJSON struct {
	ReviewJSON
	Outcome string            `json:"outcome"` // done, unchanged, planned, not sent, refused, failed or unknown
	Verdict *string           `json:"verdict"` // succeeded, failed, partly kept or rolled back; null where that was not seen
	Sent    bool              `json:"sent"`
	Kept    bool              `json:"kept"`              // the site has exactly what was sent
	NotKept []ChangeJSON      `json:"notKept,omitempty"` // from what was sent to what is there
	Unread  string            `json:"unread,omitempty"`  // why it could not be read back
	Text    string            `json:"text,omitempty"`    // why, or how the service is
	Request *adminapi.Request `json:"request,omitempty"` // of a dry run, with secrets masked
	Plan    string            `json:"plan,omitempty"`    // the file of the plan
	Backup  string            `json:"backup,omitempty"`  // id of what was replaced
	Job     string            `json:"jobid,omitempty"`   // of the edit; its object may hold what was sent, secrets too
	State   *AnswerJSON       `json:"state,omitempty"`   // of the service after the edit
}

// became fills in how an edit that was tried has ended.
func (j *editJSON) became(a operation.AppliedEdit) {
	j.Outcome, j.Sent, j.Backup, j.Job = a.ForScripts(), a.Sent(), a.Applied.Backup.ID, a.Applied.Job.ID
	j.Kept = a.Sent() && a.Err == nil && a.Applied.ReadBackErr == nil
	if verdict, _ := a.Applied.Verdict(a.Err); a.Sent() {
		j.Verdict = verdict.ForScripts()
	}
	if missing, notKept := errors.AsType[*editing.NotStoredError](a.Err); notKept {
		j.NotKept = ChangesOf(missing.Changes)
	}
	if a.Applied.ReadBackErr != nil {
		j.Unread = a.Applied.ReadBackErr.Error()
	}
}

// Shapes are what the commands that change, compare and list a part of services print as objects of ours.
func Shapes(noun string) output.Shapes {
	return output.Shapes{
		noun + " apply":   {[]editJSON{}},
		noun + " restore": {[]editJSON{}},
		noun + " edit":    {[]editJSON{}},
		noun + " diff":    {[]ReviewJSON{}},
		noun + " history": {[]savedJSON{}},
	}
}

// ReviewOf is what an edit would do, for scripts.
func ReviewOf(edit batching.PlannedEdit) ReviewJSON {
	plan := edit.Plan
	return ReviewJSON{
		Service: edit.Service.Path(), Part: edit.Part.Kind(), Changes: ChangesOf(plan.Changes), Lost: document.RemovedKeys(plan.Risks), Shared: plan.Shared,
		Deployments: lists.Each(plan.Moves, moveOf),
		Risks: lists.Each(plan.Risks, func(r finding.Finding) riskJSON {
			return riskJSON{r.At.Path, r.ID, r.Strength.String(), r.Accept, r.Text}
		}),
		Findings: lists.Each(plan.Findings, func(f finding.Finding) findingJSON {
			return findingJSON{f.At.Path, f.At.Line, f.Blocks(), f.Accept, f.Text}
		}),
	}
}

// ChangesOf are changes, for scripts.
func ChangesOf(changes []document.Change) []ChangeJSON {
	return lists.Each(document.Masked(changes), func(c document.Change) ChangeJSON {
		return ChangeJSON{c.Path, c.Kind.String(), valueOf(c.Old), valueOf(c.New)}
	})
}

// valueOf is a value as it was written, nil if there is none.
func valueOf(raw string) jsontext.Value {
	if raw == "" {
		return nil
	}
	return jsontext.Value(raw)
}

// PrintReview prints what an edit would do, for people.
func PrintReview(out *output.Output, edit batching.PlannedEdit) error {
	plan := edit.Plan
	text := plan.Review(edit.Service.Path()).Text(edit.Accepted.By())
	l := out.Renderer()
	for line := range strings.Lines(text) {
		style := l.Theme.Plain
		switch {
		case strings.HasPrefix(line, "  - "):
			style = l.Theme.Fail
		case strings.HasPrefix(line, "  + "):
			style = l.Theme.OK
		case strings.HasPrefix(line, "blocks"), strings.Contains(line, ", to accept  "):
			style = l.Theme.Warn
		}
		if err := out.PrintLine(style.Render(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	for _, m := range plan.Moves {
		if err := out.PrintLines(moveLines(edit.Edit, m)...); err != nil {
			return err
		}
	}
	return nil
}

// ChangeLines describes changes briefly, a line each, with secrets masked.
func ChangeLines(changes []document.Change) []string {
	return lists.Each(document.Masked(changes), func(c document.Change) string {
		line := c.Kind.String() + "  " + c.Path.String()
		if c.Old != "" {
			line += "  " + briefly(c.Old)
		}
		if c.Old != "" && c.New != "" {
			line += " ->"
		}
		if c.New != "" {
			line += " " + briefly(c.New)
		}
		return line
	})
}

// briefly is a value on one line, cut if it is longer than a usual rule.
func briefly(raw string) string {
	value := jsontext.Value(strings.Clone(raw))
	if value.Compact(output.AsReceived) != nil {
		value = jsontext.Value(raw)
	}
	return plain.Clip(string(plain.SafeJSON(value)), 240)
}

// acceptEach asks for the word of each finding that is left in some edits; one that several have in
// common is asked for once.
func acceptEach(ctx context.Context, a *command.Prompter, all ...*batching.PlannedEdit) error {
	in := map[finding.Finding][]*batching.PlannedEdit{}
	var each []finding.Finding
	for _, e := range all {
		for _, f := range finding.Left(e.Plan.Found(), e.Accepted.By()) {
			if in[f] == nil {
				each = append(each, f)
			}
			in[f] = append(in[f], e)
		}
	}
	for _, f := range each {
		where := ""
		if len(all) > 1 {
			where = " in " + plain.Plural(len(in[f]), "service")
		}
		question := fmt.Sprintf("%s%s, %s Type %s to accept it, or press enter to cancel:", f.Word(), where, f.Said(), f.Accept)
		for {
			typed, err := a.Ask(ctx, question)
			if err != nil {
				return err
			}
			if typed == f.Accept {
				break
			}
			if typed == "" {
				return command.LeftUnsent()
			}
			question = fmt.Sprintf("That is not the word, %s. Try again, or press enter to cancel:", f.Accept)
		}
		for _, e := range in[f] {
			e.Accepted = e.Accepted.And(editing.AcceptedOf([]finding.Finding{f}, finding.Finding.Open))
		}
	}
	return nil
}

// confirm asks for the word of each finding that is left, and then whether to send.
func confirm(ctx context.Context, a *command.Prompter, edit *batching.PlannedEdit) error {
	if err := acceptEach(ctx, a, edit); err != nil {
		return err
	}
	follows := "the service may restart"
	if edit.Part == editing.Placement {
		follows = "its pods are replaced"
	}
	question := "Send this to " + edit.Service.Path() + "? It replaces the whole " + edit.Part.String() + ", and " + follows + "."
	return a.Word(ctx, question+" Type yes to send:", "yes")
}

// noteNotLost warns of paths of --allow-lost that none of the edits loses: probably they are mistyped.
func (o Options) noteNotLost(s command.Env, all ...batching.PlannedEdit) {
	for _, text := range o.AllowLost {
		path, err := document.ParsePath(text)
		if err == nil && !slices.ContainsFunc(all, func(e batching.PlannedEdit) bool { return slices.Contains(document.RemovedKeys(e.Plan.Risks), path) }) {
			s.Out.Note("warning: --allow-lost " + text + ": that key is not lost")
		}
	}
}
