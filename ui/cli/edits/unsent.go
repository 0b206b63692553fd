package edits

import (
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// linesOfFile removes line numbers that do not belong to the file that the user gave:
// rules are put into the text of the site, where their lines differ.
func linesOfFile(part editing.Part, findings []finding.Finding) []finding.Finding {
	if part != editing.Placement {
		return findings
	}
	placed := slices.Clone(findings)
	for i := range placed {
		placed[i].At.Line = 0
	}
	return placed
}

const kindBlocked = "blocked"

// KindDrift is the kind of an error because of changes at the site.
const KindDrift = "drift"

// unsent explains why an edit was not sent.
func unsent(x *command.Exits, target editing.Target, err error) error {
	if err == nil || errors.Is(err, editing.ErrNothingChanged) {
		return nil
	}
	blocked, isBlocked := errors.AsType[*editing.BlockedError](err)
	left, isLeft := errors.AsType[*editing.NotAcceptedError](err)
	drift, isDrift := errors.AsType[*editing.DriftError](err)
	what := "edit the " + target.String()
	switch {
	case isBlocked:
		f := &exit.Failure{Code: exit.Usage, Kind: kindBlocked, Err: err, Operation: what, Findings: blocked.Findings}
		for _, broken := range linesOfFile(target.Part, blocked.Findings) {
			f.Details = append(f.Details, findingLine(broken))
		}
		return f
	case isLeft:
		f := command.NotAccepted(what, left.Findings)
		found := func(id string) bool {
			return slices.ContainsFunc(left.Findings, func(f finding.Finding) bool { return f.ID == id })
		}
		switch {
		case found(editing.Overwrites):
			f.Advice = "Start again from the site's version: " + commandOn(target, "get")
		case found(editing.NoNode):
			f.Advice = "See why: {command:placement simulate FILE}"
		}
		return f
	case isDrift:
		f := exit.Refusal(KindDrift, "Start again from the site's version: "+commandOn(target, "get"), err)
		f.Operation, f.Details = what, ChangeLines(drift.Changes)
		return f
	}
	return x.NotSent("The edit of "+plain.Line(target.Service.Path()), Named(target, err))
}

// Named tells the operation in an error of a read-only client, which does not know it.
func Named(target editing.Target, err error) error {
	e, ok := errors.AsType[*adminapi.Error](err)
	if !ok || e.Kind != adminapi.KindReadOnly && e.Kind != adminapi.KindLocked {
		return err
	}
	whole := *e
	whole.Operation = "edit the " + target.String()
	return &whole
}

func findingLine(f finding.Finding) string {
	if f.At.Line == 0 {
		return f.At.String() + ": " + f.Text
	}
	return fmt.Sprintf("line %d, %s: %s", f.At.Line, f.At, f.Text)
}
