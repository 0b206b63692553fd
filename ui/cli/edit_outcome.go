package cli

import (
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// adviceHealth is offered after an edit.
const adviceHealth = "See whether the site is well: geodeck health run"

// kindDrift is what an error is called where the site has changed meanwhile.
const kindDrift = "drift"

// printApplied prints what became of an edit that the site took.
func (p *program) printApplied(edit operation.PlannedEdit, applied operation.Applied, err error) error {
	missing, notKept := errors.AsType[*operation.NotKeptError](err)
	if p.json() {
		result := appliedJSON{reviewJSON: reviewOf(edit), Sent: true, Kept: err == nil && applied.Unread == nil,
			Backup: &applied.Backup, Job: applied.Job.Raw}
		if notKept {
			result.NotKept = changesJSON(missing.Changes)
		}
		if applied.Unread != nil {
			result.Unread = applied.Unread.Error()
		}
		if err := p.printValue(result); err != nil {
			return err
		}
	}
	switch {
	case notKept:
		return &failure{code: exitFailed, kind: "not kept", err: err, details: changeLines(missing.Changes), advice: p.undo(edit.Target, applied)}
	case errors.Is(err, operation.ErrJobBroken):
		f := p.explain(err)
		f.details, f.advice = p.stands(edit.Edit, applied), p.undo(edit.Target, applied)
		return f
	case err != nil:
		return err
	case applied.Unread != nil:
		p.note("warning: it is accepted, but could not be read back: " + applied.Unread.Error())
	}
	if p.json() {
		return nil
	}
	return p.sayApplied(edit.Target, applied)
}

func (p *program) sayApplied(target operation.Target, applied operation.Applied) error {
	text := "done: the site has the " + target.String() + " that was sent"
	if applied.Unread != nil {
		text = "accepted: the " + target.String() + " was sent"
	}
	lines := []string{text, p.undo(target, applied)}
	if target.Part == operation.Placement {
		lines = append(lines, adviceOfPods(target))
	}
	for _, line := range append(lines, adviceHealth) {
		if err := p.say(plain.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// undo says how that comes back which was there before.
func (p *program) undo(target operation.Target, applied operation.Applied) string {
	return "The old one is kept: " + commandOn(target, "restore") + " " + applied.Backup.ID
}

// stands says what the site has after a job that failed.
func (p *program) stands(edit operation.Edit, applied operation.Applied) []string {
	switch {
	case applied.Now == nil:
		return []string{"what the site has now could not be read"}
	case len(document.Diff(edit.Base, applied.Now)) == 0:
		return []string{"the site still has the old " + edit.Part.String()}
	case len(document.Diff(edit.Edited, applied.Now)) == 0:
		return []string{"the site has the new " + edit.Part.String() + " all the same"}
	}
	return []string{"the site has neither the old " + edit.Part.String() + " nor the new one"}
}

// unsent explains why an edit was not sent.
func (p *program) unsent(target operation.Target, err error) error {
	if errors.Is(err, operation.ErrNothingChanged) {
		return nil
	}
	blocked, isBlocked := errors.AsType[*operation.BlockedError](err)
	lost, isLost := errors.AsType[*operation.LostKeysError](err)
	drift, isDrift := errors.AsType[*operation.DriftError](err)
	_, isHomeless := errors.AsType[*operation.NoNodeError](err)
	switch {
	case isBlocked:
		f := &failure{code: exitUsage, kind: "blocked", err: err}
		for _, finding := range linesOfFile(target.Part, blocked.Findings) {
			f.details = append(f.details, findingLine(finding))
		}
		return f
	case isLost:
		f := &failure{code: exitRefused, kind: "lost keys", err: err}
		for _, path := range lost.Paths {
			f.details = append(f.details, "--allow-lost "+inShell(path.String()))
		}
		f.advice = "Put them back, or agree to lose each of them."
		return f
	case isHomeless:
		return &failure{code: exitRefused, kind: "no node", err: err,
			advice: "See why: geodeck placement simulate. To send it all the same: --allow-none"}
	case isDrift:
		return &failure{code: exitRefused, kind: kindDrift, err: err, details: changeLines(drift.Changes),
			advice: "Begin again from what the site has: " + commandOn(target, "get")}
	}
	f := p.explain(named(target, err))
	if _, answered := adminapi.KindOf(err); f.code == exitFailed && answered {
		f.code = exitUnreachable
	} else if f.code == exitFailed {
		f.code = exitRefused // it could not be kept or recorded
	}
	if f.advice == "" {
		f.advice = "Nothing was sent; it is safe to try again."
	}
	return f
}

// named says what was to be done where an error of the client does not: it is read-only
// whatever is to be sent.
func named(target operation.Target, err error) error {
	e, ok := errors.AsType[*adminapi.Error](err)
	if !ok || e.Operation != "" {
		return err
	}
	whole := *e
	whole.Operation = "edit the " + target.String()
	return &whole
}

// refusedEdit is what the site did not take, whatever it says of the reason. Only a
// sign-in is asked for by a code of its own.
func (p *program) refusedEdit(err error) error {
	f := p.explain(err)
	if f.code != exitSignIn {
		f.code = exitRefused
	}
	return f
}

// inShell writes an argument as a shell takes it.
func inShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func findingLine(f document.Finding) string {
	if f.Line == 0 {
		return f.Path.String() + ": " + f.Text
	}
	return fmt.Sprintf("line %d, %s: %s", f.Line, f.Path, f.Text)
}

// unknownEdit says that an edit perhaps arrived.
func (p *program) unknownEdit(target operation.Target, err error) error {
	return p.unknownOutcome(err, "it has arrived", commandOn(target, "get")+", geodeck job list")
}
