package service

import (
	"cmp"
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (s commands) statusCommand() *cobra.Command {
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
		RunE:    command.RunsWith(&wait, s.status),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the service answers")
	return cmd
}

func (s commands) status(ctx context.Context, name string, wait bool) error {
	site, service, err := s.SiteOf(ctx, name)
	if err != nil {
		return err
	}
	scaling := site.Availability().Scalings(ctx, []adminapi.ServiceRef{service})[0]
	ids := lists.Each(scaling.Deployments, func(d adminapi.Scaling) string { return d.DeploymentID })
	now := site.Availability().Read(ctx, service, ids)
	if wait && now.Service.Err == nil {
		if now, err = edits.AwaitAnswer(ctx, s.Env, site, service, ids); err != nil {
			return err
		}
	}
	if now.Service.Err != nil {
		return s.OrNotThere(ctx, site, service, now.Service.Err)
	}
	if err := s.printStatus(service, scaling, now); err != nil {
		return err
	}
	if now.Answer() == availability.AnswerWaiting {
		return exit.NotPassed("See why: "+operation.CommandText("service explain", service.Path()),
			"the service does not answer: "+now.Text())
	}
	return nil
}

// statusJSON is how a service stands.
type statusJSON struct {
	Service string `json:"service"`
	edits.AnswerJSON
	Pods    []edits.PodsJSON `json:"pods"`
	Scaling []scalingJSON    `json:"scaling"`
}

// scalingJSON is how many pods a deployment may have.
type scalingJSON struct {
	ID   string         `json:"deploymentId"`
	Type string         `json:"deploymentType"`
	Min  int            `json:"min"`
	Max  int            `json:"max"`
	Mode string         `json:"scalingMode"` // the site's word, such as manual or auto
	Raw  jsontext.Value `json:"raw"`         // as the site wrote it
}

func scalingOf(s adminapi.Scaling) scalingJSON {
	return scalingJSON{s.DeploymentID, s.Type, s.Replicas.Min, s.Replicas.Max, s.Replicas.Mode, output.Raw(s)}
}

func (s commands) printStatus(service adminapi.ServiceRef, scaling availability.Scaling, now availability.Snapshot) error {
	if s.Out.JSON() {
		return s.Out.PrintValue(statusJSON{Service: service.Path(), AnswerJSON: *edits.AnswerOf(now), Pods: edits.PodsOf(service, now),
			Scaling: lists.Each(scaling.Deployments, scalingOf)})
	}
	l := s.Out.Renderer()
	if err := s.Out.PrintLine(service.Path() + ": " + now.Text()); err != nil {
		return err
	}
	if scaling.Err != nil {
		s.Out.Note("its pods are not known: " + scaling.Err.Error())
		return nil
	}
	rows := make([][]output.Cell, len(now.Deployments))
	for i, d := range now.Deployments {
		if d.Err != nil {
			s.Out.Note("the pods of " + d.ID + " are not known: " + d.Err.Error())
		}
		rows[i] = l.Row(d.ID, edits.PodsReady(l, d), availability.ScalesText(scaling.Deployments[i].Replicas),
			edits.PodsKnown(d, strings.ToLower(d.State)), edits.PodsKnown(d, cmp.Or(d.Name, scaling.Deployments[i].Type)))
	}
	return s.Out.PrintTable([]string{"DEPLOYMENT", "READY", "SCALES", "STATE", "NAME"}, rows)
}
