package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/placement"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (p commands) podsCommand() *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "pods [FOLDER/]NAME.TYPE",
		Short: "Show how many pods of each deployment of a service are ready",
		Long: `Show how many pods of each deployment of a service are ready. This needs the role of
the default administrator.

--wait waits until all are ready and stay so for a while. -o json has the site's own
status of each deployment in raw.

Exit codes: 0 all are ready, or the service is stopped as configured; 1 pods are not ready;
4 the site does not report the pods of every deployment; 7 with --wait: the time was up
first.`,
		Example: "  geodeck placement pods SampleWorldCities.MapServer --wait --timeout 10m",
		Args:    cobra.ExactArgs(1),
		RunE:    command.RunsWith(&wait, p.pods),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until all are ready")
	return cmd
}

func (p commands) pods(ctx context.Context, name string, wait bool) error {
	site, service, err := p.SiteOf(ctx, name)
	if err != nil {
		return err
	}
	ids, err := deploymentIDs(ctx, site, service)
	if err != nil {
		return p.OrNotThere(ctx, site, service, err)
	}
	pods := site.Availability().PollPods(ids)
	first, err := pods.Next(ctx)
	snapshot, err := first.Value, cmp.Or(err, first.Unreachable, first.Value.Refused())
	if err == nil && wait {
		snapshot, err = awaitPods(ctx, p.Env, site, service, pods)
	}
	if err != nil {
		return err
	}
	if err := p.printPods(service, snapshot); err != nil {
		return err
	}
	if err := missingStatus(snapshot); err != nil || !slices.ContainsFunc(snapshot.Deployments, availability.Pods.Short) {
		return err
	}
	return exit.NotPassed("See why: "+operation.CommandText("service explain", service.Path()), "not every pod is ready")
}

// missingStatus is why the status of a deployment is missing; nil if none is.
func missingStatus(r availability.Snapshot) error {
	for _, d := range r.Deployments {
		if d.Err != nil {
			return fmt.Errorf("the site does not report the pods of %s: %w", d.ID, d.Err)
		}
	}
	return nil
}

// deploymentIDs reads the ids of a service's deployments, in the order of its policy.
func deploymentIDs(ctx context.Context, site operation.Site, service adminapi.ServiceRef) (ids []string, err error) {
	raw, err := site.Client.Services.Placement(ctx, service)
	if err != nil {
		return nil, err
	}
	policy, err := placement.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the placement policy that the site sent cannot be read: %w", err)
	}
	if ids = policy.DeploymentIDs(); len(ids) == 0 {
		return nil, errors.New("the site names no deployment of " + service.Path())
	}
	return ids, nil
}

// awaitRules waits for the pods of deployments whose rules were changed. If the site
// does not report pods, the edit is still done.
func awaitRules(ctx context.Context, c edits.Change) error {
	var ids []string
	for _, m := range c.Edit.Plan.Moves {
		if m.After.DeploymentID != "" {
			ids = append(ids, m.After.DeploymentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	c.Wait.Pods.Done = "the edit is done, and "
	snapshot, err := awaitPods(ctx, c.Env, c.Site, c.Edit.Service, c.Site.Availability().PollPods(ids))
	switch {
	case ctx.Err() != nil:
		return err
	case snapshot.Refused() != nil:
		c.Out.Note("warning: the site does not report its pods: " + snapshot.Refused().Error())
		return nil
	case err != nil:
		return fmt.Errorf("the edit is done, but the state of its pods is not known: %w", err)
	}
	if err := missingStatus(snapshot); err != nil {
		c.Out.Note("warning: " + err.Error())
	}
	return nil
}

// awaitPods waits until the pods have settled, and reports how many are ready. It returns
// the last snapshot, even if the site refuses to answer.
func awaitPods(ctx context.Context, s command.Env, site operation.Site, service adminapi.ServiceRef,
	pods *availability.Poller,
) (availability.Snapshot, error) {
	s.Wait.Pods.Command, s.Wait.Pods.State = operation.CommandText("placement pods --wait", service.Path()), podsNotKnown
	snapshot, err := polling.Wait(ctx, site.Clock, pods, func(step polling.Step[availability.Snapshot]) {
		s.Wait.ReportUnreachable(adminapi.Job{}, step.Unreachable, "the pods continue")
		if step.Unreachable == nil && step.Value.Refused() == nil {
			s.Wait.Report(podsText(step.Value))
		}
		s.Wait.Pods.State = podsState(step)
	})
	return snapshot, cmp.Or(err, snapshot.Refused())
}

const podsNotKnown = "whether every pod is ready is unknown"

// podsState is the state of pods that are waited for, in words.
func podsState(s polling.Step[availability.Snapshot]) string {
	switch {
	case s.Unreachable != nil:
		return podsNotKnown
	case s.Value.CompleteInARow() > 0:
		return "every pod was ready, and not yet seen so " + strconv.Itoa(availability.SettledAfter) + " times in a row"
	}
	return "not every pod is ready yet"
}

// podsText says how many pods are ready.
func podsText(r availability.Snapshot) string {
	parts := lists.Each(r.Deployments, func(d availability.Pods) string { return d.ID + " " + edits.ReadyOf(d) })
	return "pods ready: " + strings.Join(parts, ", ")
}

func (p commands) printPods(service adminapi.ServiceRef, r availability.Snapshot) error {
	if p.Out.JSON() {
		return output.PrintList(p.Out, edits.PodsOf(service, r))
	}
	return output.PrintEach(p.Out, r.Deployments, []string{"DEPLOYMENT", "READY", "STATE", "NAME"},
		func(l *output.Renderer, d availability.Pods) []output.Cell {
			return l.Row(d.ID, edits.PodsReady(l, d), edits.PodsKnown(d, strings.ToLower(d.State)), edits.PodsKnown(d, d.Name))
		})
}
