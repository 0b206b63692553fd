package edits

import (
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
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
	lost, isLost := errors.AsType[*editing.RemovedKeysError](err)
	drift, isDrift := errors.AsType[*editing.DriftError](err)
	_, isUnschedulable := errors.AsType[*editing.NoNodeError](err)
	switch {
	case isBlocked:
		f := &exit.Failure{Code: exit.Usage, Kind: kindBlocked, Err: err}
		for _, broken := range linesOfFile(target.Part, blocked.Findings) {
			f.Details = append(f.Details, findingLine(broken))
		}
		return f
	case isLost:
		f := exit.Refusal("lost keys", "Add them again, or agree to lose each one.", err)
		for _, path := range lost.Paths {
			f.Details = append(f.Details, "--allow-lost "+plain.ShellWord(path.String()))
		}
		return f
	case isUnschedulable:
		return exit.Refusal("no node", "See why: {command:placement simulate FILE}\nTo send it anyway: --allow-none", err)
	case isDrift:
		f := exit.Refusal(KindDrift, "Start again from the site's version: "+commandOn(target, "get"), err)
		f.Details = changeLines(drift.Changes)
		return f
	}
	return x.NotSent(Named(target, err))
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

// conflicting names the places that two people changed in different ways.
func conflicting(target editing.Target, conflicts []document.Conflict) error {
	f := exit.Refusal("conflict", "Start again from the site's version: "+commandOn(target, "get"),
		fmt.Errorf("the %s was changed in the same places at the site; nothing was sent", target.Part))
	for _, c := range conflicts {
		f.Details = append(f.Details, c.Path.String()+": it was "+valueOrNone(c, c.Base)+
			", yours is "+valueOrNone(c, c.Mine)+", the site has "+valueOrNone(c, c.Theirs))
	}
	return f
}

func valueOrNone(c document.Conflict, raw string) string {
	if raw == "" {
		return "not there"
	}
	return briefly(c.Shown(raw))
}
