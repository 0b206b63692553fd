package service

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (s commands) startCommand() *cobra.Command {
	return s.switchCommand(&cobra.Command{Use: "start [FOLDER/]NAME.TYPE", Short: "Start a service and wait until it runs"}, true)
}

func (s commands) stopCommand() *cobra.Command {
	return s.switchCommand(&cobra.Command{
		Use:   "stop [FOLDER/]NAME.TYPE --confirm NAME",
		Short: "Stop a service; its users lose access",
		Long: `Stop a service; its users lose access.

--confirm takes the name of the service, with or without its folder and type. In System and
Utilities the folder has to be there: the platform itself uses these services. --dry-run
needs none, and checks one that is given.`,
		Example: "  geodeck service stop SampleWorldCities.MapServer --confirm SampleWorldCities",
	}, false)
}

func (s commands) switchCommand(cmd *cobra.Command, start bool) *cobra.Command {
	var (
		confirm string
		dryRun  bool
	)
	if !start {
		cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the service")
	}
	command.AddDryRun(cmd, &dryRun)
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		service, err := command.ServiceNamed(args[0])
		if err != nil {
			return err
		}
		change := operation.Switch{Service: service, Start: start}
		if word := change.Word(); !start && confirm != word && confirm != service.Path() && (confirm != "" || !dryRun) {
			why := change.Effect()
			if confirm != "" {
				why = "--confirm " + strconv.Quote(plain.Clip(confirm, 60)) + " is not the name of " + service.Path() + "; " + why
			}
			return exit.BadInput("Say --confirm "+word, errors.New(why+"; nothing was sent"))
		}
		return s.switchTo(cmd.Context(), change, dryRun)
	}
	return s.AddOverride(cmd, "the service")
}

func (s commands) switchTo(ctx context.Context, change operation.Switch, dryRun bool) error {
	service := change.Service
	site, err := s.Session.SiteToSend(ctx, adminapi.TargetService(service), dryRun)
	if err != nil {
		return err
	}
	if dryRun {
		return s.drySwitch(ctx, site, change)
	}
	answer := command.Loss{Note: s.Out.Note}
	state, result := site.SwitchService(ctx, change, s.Wait.ReportJob,
		answer.Lost)
	switch {
	case errors.Is(result.Err, adminapi.KindNotFound) && result.Known() && !result.Touched():
		return s.NotThere(ctx, site, service, result.Err)
	case result.Done():
		answer.Found()
	}
	if s.Out.JSON() {
		row := switchJSON{Service: service.Path(), Outcome: result.ForScripts(), Verdict: result.Verdict.ForScripts(), StateJSON: edits.StateOf(state)}
		if result.End() == operation.EndFailed {
			row.Verdict = journal.VerdictFailed.ForScripts()
		}
		if err := output.PrintList(s.Out, []switchJSON{row}); err != nil {
			return err
		}
	}
	if !result.Done() {
		return s.Exit.Of(result)
	}
	return s.printSwitched(change, result, state)
}

// switchJSON is what became of a start or stop.
type switchJSON struct {
	Service string  `json:"service"`
	Outcome string  `json:"outcome"` // done, failed, refused, unknown, not sent or planned
	Verdict *string `json:"verdict"` // succeeded or failed; null where that was not seen
	edits.StateJSON
	Sentence string            `json:"sentence,omitempty"` // of a dry run
	Request  *adminapi.Request `json:"request,omitempty"`  // of a dry run, with secrets masked
}

// drySwitch says what a start or stop would do to the service as it is now.
func (s commands) drySwitch(ctx context.Context, site operation.Site, change operation.Switch) error {
	now, err := site.Client.Services.Status(ctx, change.Service)
	if errors.Is(err, adminapi.KindNotFound) {
		return s.NotThere(ctx, site, change.Service, err)
	}
	if err != nil {
		return err
	}
	sentence := change.Prepare(site).What + ": it is " + cmp.Or(strings.ToLower(now.RealTime), "in no known state") + " now; " + change.Effect()
	if !s.Out.JSON() {
		return s.DryRun(ctx, site, change, sentence)
	}
	prepared := change.Prepare(site)
	request, err := prepared.Request(ctx)
	if err != nil {
		return err
	}
	row := switchJSON{Service: change.Service.Path(), Outcome: "planned", StateJSON: edits.StateOf(availability.State{ServiceStatus: now}), Sentence: sentence, Request: &request}
	refusal := s.Session.CheckSend(ctx, prepared.Target)
	if refusal != nil {
		row.Outcome = "not sent"
	}
	return cmp.Or(output.PrintList(s.Out, []switchJSON{row}), refusal)
}

// printSwitched prints the state, and fails if it is not the expected one.
func (s commands) printSwitched(change operation.Switch, result operation.Result, state availability.State) error {
	service := change.Service
	if state.Err != nil {
		return exit.NotPassed("", "accepted, but the state of "+service.Path()+" could not be read: "+state.Err.Error())
	}
	var err error
	if !s.Out.JSON() {
		err = s.Out.PrintLine(plain.Line(service.Path() + ": " + edits.ServiceState(s.Out.Renderer(), state).Text))
	}
	if why := change.NotThere(result, state); err == nil && why != "" {
		err = exit.NotPassed("Follow it: "+operation.CommandText("service status --wait", service.Path()), why)
	}
	return err
}
