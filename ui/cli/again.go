package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// againLong says what the flag is for, in the help of every command that has it.
const againLong = `Where nobody knows what became of an earlier request that changes the same, nothing is
sent (exit 6) until reading settles it. --again lets the next one go all the same: it
takes what the error names, from 10 minutes after an upgrade was sent, else 2.`

// addAgain gives a command the flag that lets a write go after one that is not settled.
func (p *program) addAgain(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&p.again, "again", "", "send though the outcome of an earlier request is not known: "+what+", as the error names it")
	cmd.Long = strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")) + "\n\n" + againLong
}

// connectToSend connects with a journal, and looks whether a write on a target may be
// sent.
func (p *program) connectToSend(ctx context.Context, target string) (operation.Site, error) {
	site, err := p.connectToWrite()
	if err == nil {
		err = p.maySend(ctx, site, target)
	}
	return site, err
}

// maySend looks whether an earlier write on a target is in the way, before anything is
// prepared for the next one.
func (p *program) maySend(ctx context.Context, site operation.Site, target string) error {
	open, _ := site.Journal.OpenOn(target)
	if err := site.MaySend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && r.Outcome != adminapi.OutcomeUnknown {
			p.note("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}

// notSettled explains an error about an earlier write, nil for any other.
func (p *program) notSettled(err error) *failure {
	earlier, isEarlier := errors.AsType[*operation.UnsettledError](err)
	_, isTyped := errors.AsType[*operation.AgainError](err)
	var unrecorded *operation.UnrecordedError
	switch {
	case isEarlier:
		return &failure{code: exitUnknown, kind: "outcome unknown", err: err, advice: p.adviceUnsettled(earlier)}
	case errors.Is(err, operation.ErrBusyHere):
		return &failure{code: exitRefused, kind: "busy", err: err, advice: "Try again when it has ended."}
	case errors.As(err, &unrecorded):
		return &failure{code: exitRefused, kind: adminapi.KindReadOnly.String(), err: err, advice: cmp.Or(operation.Advice(err), adviceStateDir)}
	case isTyped:
		return badInput("", err).(*failure)
	}
	return nil
}

// adviceUnsettled says where to look, and from when on it can be sent all the same.
func (p *program) adviceUnsettled(e *operation.UnsettledError) string {
	text := "Look first: " + lookCommand(e.Record) + ". To send it all the same: --again " + inShell(plain.Line(e.Record.Subject))
	if e.Wait > 0 && p.again != "" {
		text = "--again is too early. " + text
	}
	if e.Wait > 0 {
		text += fmt.Sprintf(", from %s on (in %s)", p.Clock.Now().Add(e.Wait).UTC().Format("15:04:05 UTC"), adminapi.Spell(e.Wait))
	}
	return text
}

// lookCommand shows what a write would have changed.
func lookCommand(r journal.Record) string {
	subject := inShell(plain.Line(r.Subject))
	switch {
	case operation.StartsUpgrade(r):
		return "geodeck upgrade status"
	case strings.HasSuffix(r.Path, "/importManifest"):
		return "geodeck upgrade available"
	case strings.Contains(r.Path, "/healthCheck/"):
		return "geodeck health reports"
	case strings.HasSuffix(r.Path, "/start"), strings.HasSuffix(r.Path, "/stop"):
		return "geodeck service list --state"
	case strings.HasSuffix(r.Path, "/placementPolicy/edit"):
		return "geodeck placement get " + subject
	}
	return "geodeck service get " + subject
}
