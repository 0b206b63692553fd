package batching

import (
	"context"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
)

// ReviewedEdits are edits, sent one after the other, whose review can be copied as commands.
type ReviewedEdits struct {
	Edits  []PlannedEdit
	PathOf func(editing.Target) string // names the file of the plan of one; nil where no command is copied
}

// Prepare returns them as they would be sent.
func (r ReviewedEdits) Prepare(s operation.Site) (p operation.Prepared) {
	p.Commands = func() ([]operation.CommandLine, error) { return r.commands(s) }
	p.Requests = func(ctx context.Context) (all []adminapi.Request, err error) {
		for _, e := range r.Edits {
			one, err := operation.PrepareEdit(e.Edit, s).Request(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return all, nil
	}
	return p
}

// commands are one of each edit, in their order. Each applies the plan of its edit, which is written
// into a new private file. What was accepted is in the command, where who runs it sees it.
func (r ReviewedEdits) commands(s operation.Site) (lines []operation.CommandLine, err error) {
	for _, e := range r.Edits {
		by := e.Accepted.By()
		accepted := finding.Words(finding.Those(e.Plan.Found(), func(f finding.Finding) bool { return f.Open() && by(f) }))
		e.Accepted = editing.Accepted{}
		path, err := WritePlan(s, r.PathOf(e.Target), []PlannedEdit{e})
		if err != nil {
			return nil, err
		}
		line := CommandOfPlan(operation.WholePath(path), e.Part)
		line.First = "It sends the plan in " + path + "."
		if len(accepted) > 0 {
			line.Words = append(line.Words, "--accept", strings.Join(accepted, ","))
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// CommandOfPlan is the command that sends what the file of a plan holds, which is of these parts.
func CommandOfPlan(path string, parts ...editing.Part) operation.CommandLine {
	words := []string{"apply", "--plan", path}
	if len(parts) > 0 && slices.Max(parts) == slices.Min(parts) {
		words = slices.Insert(words, 0, parts[0].Noun())
	}
	return operation.CommandLine{Words: words}
}
