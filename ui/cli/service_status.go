package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/cli/output"
)

func (s serviceCommands) statusCommand() *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "status [FOLDER/]NAME.TYPE",
		Short: "Show whether a service answers, and how many of its pods are ready",
		Long: `Show whether a service answers, and how many of its pods are ready.

Pods need the role of the default administrator; without it only the state is shown.
--wait waits until the service answers and stays so for a while.

Exit codes: 0 it runs, or is stopped as configured; 1 it is not as configured, pods are
not ready, or its state cannot be read; 7 with --wait: the time was up first.`,
		Example: "  geodeck service status SampleWorldCities.MapServer --wait --timeout 10m",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.status(cmd.Context(), args[0], wait) },
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the service answers")
	return cmd
}

func (s serviceCommands) status(ctx context.Context, name string, wait bool) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	site, err := s.session.site(ctx)
	if err != nil {
		return err
	}
	scaling := site.Availability().Scalings(ctx, []adminapi.ServiceRef{service})[0]
	var ids []string
	for _, d := range scaling.Deployments {
		ids = append(ids, d.DeploymentID)
	}
	now := site.Availability().Read(ctx, service, ids)
	if wait && now.Service.Err == nil {
		if now, err = s.awaitAnswer(ctx, site, service, ids); err != nil {
			return err
		}
	}
	if now.Service.Err != nil {
		return now.Service.Err
	}
	if err := s.printStatus(service, scaling, now); err != nil {
		return err
	}
	if now.Answer() == availability.AnswerWaiting {
		return notPassed("See why: "+operation.CommandText("service explain", service.Path()),
			"the service does not answer: "+now.Text())
	}
	return nil
}

// awaitAnswer waits until a service has answered for a while, and reports how it stands.
func (p partCommands) awaitAnswer(ctx context.Context, site operation.Site, service adminapi.ServiceRef, ids []string) (availability.Snapshot, error) {
	p.wait.pods.command, p.wait.pods.state = operation.CommandText("service status --wait", service.Path()), "not known"
	p.wait.pods.done = cmp.Or(p.wait.pods.done, "the service: ")
	return polling.Wait(ctx, site.Clock, site.Availability().Poll(service, ids), func(step polling.Step[availability.Snapshot]) {
		p.wait.reportUnreachable(adminapi.Job{}, step.Unreachable, "retrying")
		if step.Unreachable == nil {
			p.wait.report("the service: " + step.Value.Text())
			p.wait.pods.state = step.Value.Text()
		}
	})
}

// statusJSON is how a service stands.
type statusJSON struct {
	Service string `json:"service"`
	answerJSON
	Pods    []podsJSON         `json:"pods"`
	Scaling []adminapi.Scaling `json:"scaling"`
}

// answerJSON says whether a service answers; null where that is not known.
type answerJSON struct {
	stateJSON
	Answers *bool  `json:"answers"`
	Text    string `json:"text"` // in words
}

func answerOf(now availability.Snapshot) *answerJSON {
	a := &answerJSON{stateJSON: stateOf(now.Service), Text: now.Text()}
	if answer := now.Answer(); answer != availability.AnswerUnknown {
		answers := answer == availability.AnswerRunning
		a.Answers = &answers
	}
	return a
}

func (s serviceCommands) printStatus(service adminapi.ServiceRef, scaling availability.Scaling, now availability.Snapshot) error {
	if s.out.JSON() {
		return s.out.PrintValue(statusJSON{Service: service.Path(), answerJSON: *answerOf(now), Pods: podsOf(now), Scaling: scaling.Deployments})
	}
	l := s.out.Renderer()
	if err := s.out.PrintLine(service.Path() + ": " + now.Text()); err != nil {
		return err
	}
	if scaling.Err != nil {
		s.out.Note("its pods are not known: " + scaling.Err.Error())
		return nil
	}
	rows := make([][]output.Cell, len(now.Deployments))
	for i, d := range now.Deployments {
		rows[i] = l.Row(d.ID, podsReady(l, d), availability.ScalesText(scaling.Deployments[i].Replicas),
			strings.ToLower(d.State), cmp.Or(d.Name, scaling.Deployments[i].Type))
	}
	return s.out.PrintTable([]string{"DEPLOYMENT", "READY", "SCALES", "STATE", "NAME"}, rows)
}
