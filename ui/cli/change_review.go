package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
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

// changeJSON is one difference; the values are as they were written, with secrets masked.
type changeJSON struct {
	Path document.Path  `json:"path"`
	Kind string         `json:"kind"`
	Old  jsontext.Value `json:"old,omitzero"`
	New  jsontext.Value `json:"new,omitzero"`
}

type riskJSON struct {
	Path     string `json:"path"`
	Label    string `json:"label"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

type findingJSON struct {
	Path     string `json:"path"`
	Line     int    `json:"line,omitzero"`
	Blocking bool   `json:"blocking"`
	Text     string `json:"text"`
}

// appliedJSON is the result of an edit.
type appliedJSON struct {
	reviewJSON
	// Request is what would be sent, with secrets masked; only of a dry run.
	Request *adminapi.Request `json:"request,omitempty"`

	Plan    string          `json:"plan,omitempty"` // the file that the plan was saved in
	Sent    bool            `json:"sent"`
	Kept    bool            `json:"kept"`              // the site has exactly what was sent
	NotKept []changeJSON    `json:"notKept,omitempty"` // from what was sent to what is there
	Unread  string          `json:"unread,omitempty"`  // why it could not be read back
	Backup  *journal.Backup `json:"backup,omitempty"`
	Job     jsontext.Value  `json:"job,omitzero"`    // as the site has it
	State   *answerJSON     `json:"state,omitempty"` // of the service after the edit
}

func reviewOf(edit batching.PlannedEdit) reviewJSON {
	plan := edit.Plan
	return reviewJSON{
		Service: edit.Service.Path(), Changes: changesJSON(plan.Changes), Lost: plan.RemovedKeys, Deployments: each(plan.Moves, moveOf),
		Risks: each(plan.Risks, func(r finding.Finding) riskJSON {
			return riskJSON{r.At.Path, r.ID, r.Strength.String(), r.Text}
		}),
		Findings: each(plan.Findings, func(f finding.Finding) findingJSON {
			return findingJSON{f.At.Path, f.At.Line, f.Blocks(), f.Text}
		}),
	}
}

func changesJSON(changes []document.Change) []changeJSON {
	return each(document.Masked(changes), func(c document.Change) changeJSON {
		return changeJSON{c.Path, c.Kind.String(), valueOf(c.Old), valueOf(c.New)}
	})
}

// valueOf is a value as it was written, nil if there is none.
func valueOf(raw string) jsontext.Value {
	if raw == "" {
		return nil
	}
	return jsontext.Value(raw)
}

// printReview prints what an edit would do, for people.
func printReview(out *output.Output, edit batching.PlannedEdit) error {
	plan := edit.Plan
	text := plan.Review(edit.Service.Path()).Text(edit.AllowRemoved)
	l := out.Renderer()
	for line := range strings.Lines(text) {
		style := l.Theme.Plain
		switch {
		case strings.HasPrefix(line, "  - "):
			style = l.Theme.Fail
		case strings.HasPrefix(line, "  + "):
			style = l.Theme.OK
		case strings.HasPrefix(line, "removed key"), strings.HasPrefix(line, "blocks"):
			style = l.Theme.Warn
		}
		if err := out.PrintLine(style.Render(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	for _, m := range plan.Moves {
		if err := out.PrintLines(moveLines(m)...); err != nil {
			return err
		}
	}
	return nil
}

// dryRunUsage is the help for --dry-run.
const dryRunUsage = "print what would be done and the request, and send nothing"

// printRequest prints what a dry run would have sent, for people.
func printRequest(out *output.Output, r adminapi.Request) error {
	if err := out.PrintLine("\nrequest: " + plain.Line(r.Method+" "+r.Path)); err != nil {
		return err
	}
	for _, field := range r.Fields {
		value := strings.ReplaceAll(string(plain.SafeJSON([]byte(field.Value))), "\n", "\n  ")
		if err := out.PrintLine("\n" + field.Name + "\n  " + value); err != nil {
			return err
		}
	}
	return out.PrintLine("\ndry run: nothing was sent")
}

// changeLines describes changes briefly, as details of a failure.
func changeLines(changes []document.Change) []string {
	return each(document.Masked(changes), func(c document.Change) string {
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

// moveJSON is a deployment whose rules an edit changes. Without nodes there are no
// numbers.
type moveJSON struct {
	ID           string   `json:"deploymentId"`
	Type         string   `json:"deploymentType"`
	Before       string   `json:"before"` // empty if the site does not have it
	After        string   `json:"after"`
	TakingBefore *int     `json:"takingBefore,omitempty"` // nodes that took its pods; absent if the site does not have it
	Taking       *int     `json:"taking,omitempty"`       // nodes that take them with the new rules
	Nodes        *int     `json:"nodes,omitempty"`        // all that were given
	Rules        []string `json:"rules,omitempty"`        // what is different, in the words of rules
}

func moveOf(m editing.Move) moveJSON {
	j := moveJSON{ID: m.After.DeploymentID, Type: m.After.DeploymentType, After: placement.Sentence(m.After)}
	if m.Before != nil {
		j.Before = placement.Sentence(*m.Before)
	}
	for _, d := range m.Differences {
		j.Rules = append(j.Rules, d.Text("->"))
	}
	if m.From.Total > 0 {
		j.TakingBefore = &m.From.Taking
	}
	if m.To.Total > 0 {
		j.Taking, j.Nodes = &m.To.Taking, &m.To.Total
	}
	return j
}

// moveLines says in plain words what an edit of a placement policy means.
func moveLines(m editing.Move) []string {
	before, nodes := "the site does not have it", m.To.String()
	if m.Before != nil {
		before = placement.Sentence(*m.Before)
	}
	if m.From.Total > 0 {
		nodes += "; " + strconv.Itoa(m.From.Taking) + " did before"
	}
	lines := []string{"deployment " + deploymentName(m.After)}
	for _, d := range m.Differences {
		lines = append(lines, "  "+d.Text("->"))
	}
	lines = append(lines, "  before: "+before, "  after: "+placement.Sentence(m.After))
	if m.To.Total > 0 {
		lines = append(lines, "  nodes: "+nodes)
	}
	return lines
}

// errLeft is the error if the user does not confirm.
var errLeft = errors.New("cancelled; nothing was sent")

// prompter asks the user on a terminal, a line at a time.
type prompter struct {
	out *output.Output
	in  *bufio.Reader
}

// newPrompter returns nil if the standard input is no terminal.
func newPrompter(s shared) *prompter {
	if _, ok := output.Terminal(s.in); !ok {
		return nil
	}
	return &prompter{out: s.out, in: bufio.NewReader(s.in)}
}

// ask asks one question. At the end of the input it fails with errLeft.
func (a *prompter) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.out.Err, plain.Line(question)+" ")
	line, err := until(ctx, func() (string, error) { return a.in.ReadString('\n') })
	switch line = strings.TrimSpace(line); {
	case err == nil, errors.Is(err, io.EOF) && line != "":
		return line, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", leftUnsent()
}

// word asks for one of these words, and fails with errLeft without it.
func (a *prompter) word(ctx context.Context, question string, words ...string) error {
	typed, err := a.ask(ctx, question)
	if err == nil && !slices.Contains(words, typed) {
		err = leftUnsent()
	}
	return err
}

// confirm asks for the name of every lost key, and then whether to send.
func confirm(ctx context.Context, a *prompter, edit *editing.Edit) error {
	for _, path := range edit.Unconfirmed() {
		name := path.Name()
		question := fmt.Sprintf("The site will delete %s. Type its name, %s, to confirm, or press enter to cancel:", path, name)
		for {
			typed, err := a.ask(ctx, question)
			if err != nil {
				return err
			}
			if typed == name || typed == path.String() {
				break
			}
			if typed == "" {
				return leftUnsent()
			}
			question = fmt.Sprintf("That is not its name, %s. Try again, or press enter to cancel:", name)
		}
		edit.AllowRemoved = append(edit.AllowRemoved, path)
	}
	if err := confirmNoNode(ctx, a, edit); err != nil {
		return err
	}
	follows := "the service may restart"
	if edit.Part == editing.Placement {
		follows = "its pods are replaced"
	}
	question := "Send this to " + edit.Service.Path() + "? It replaces the whole " + edit.Part.String() + ", and " + follows + "."
	return a.word(ctx, question+" Type yes to send:", "yes")
}

// confirmNoNode asks for the name of the service if no node takes its pods.
func confirmNoNode(ctx context.Context, a *prompter, edit *editing.Edit) error {
	unschedulable := edit.Unschedulable()
	if len(unschedulable) == 0 || edit.AllowNone {
		return nil
	}
	question := fmt.Sprintf("No node takes the pods of %s: they would stay Pending. Type the name of the service, %s, to confirm:",
		strings.Join(unschedulable, ", "), edit.Service.Name)
	err := a.word(ctx, question, edit.Service.Name, edit.Service.Path())
	edit.AllowNone = err == nil
	return err
}

func leftUnsent() error {
	return refusal("left", "", errLeft)
}
