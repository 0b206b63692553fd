package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// FlagDryRun is the flag of every command that changes something at a site.
const FlagDryRun = "dry-run"

// AddDryRun adds the flag that prints a change in place of sending it.
func AddDryRun(cmd *cobra.Command, dryRun *bool) {
	cmd.Flags().BoolVar(dryRun, FlagDryRun, false, "print what would be done and the request, and send nothing")
}

// DryRunJSON is a change that was not sent.
type DryRunJSON struct {
	Outcome  string           `json:"outcome"` // planned
	Sentence string           `json:"sentence"`
	Request  adminapi.Request `json:"request"` // with secrets masked
}

// DryRun prints what a change would do and its request, and fails where it would not be sent now.
func (s Env) DryRun(ctx context.Context, site operation.Site, change operation.Change, sentence string) error {
	prepared := change.Prepare(site)
	request, err := prepared.Request(ctx)
	if err != nil {
		return err
	}
	if s.Out.JSON() {
		err = s.Out.PrintValue(DryRunJSON{"planned", sentence, request})
	} else if err = s.Out.PrintLines(sentence); err == nil {
		err = PrintRequest(s.Out, request)
	}
	return cmp.Or(err, s.Session.CheckSend(ctx, prepared.Target))
}

// PrintRequest prints what a dry run would have sent, for people.
func PrintRequest(out *output.Output, r adminapi.Request) error {
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
