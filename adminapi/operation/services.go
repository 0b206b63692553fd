package operation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"geodeck/adminapi"
)

// settleTime is how long a service is polled after it was started or stopped.
const settleTime = 2 * time.Minute

// ServiceState is the state of a service, or why it is not known.
type ServiceState struct {
	adminapi.ServiceStatus
	Err error
}

// ServiceStates fetches the states of services, one request each, a few at a time.
func (s Site) ServiceStates(ctx context.Context, services []adminapi.ServiceRef) []ServiceState {
	states := make([]ServiceState, len(services))
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for i, service := range services {
		group.Go(func() error {
			states[i] = s.serviceState(ctx, service)
			return nil
		})
	}
	_ = group.Wait()
	return states
}

// SwitchService sends a start or stop once, waits for its job where there is one, and then
// until the service is as it should be, two minutes at most. It returns the last state, and
// no error where that is not settled. Not sent: [ErrUnresolved], [ErrBusyHere].
func (s Site) SwitchService(ctx context.Context, service adminapi.ServiceRef, start bool, report func(Step[adminapi.Job])) (ServiceState, adminapi.Outcome, error) {
	send := s.Client.StopService
	if start {
		send = s.Client.StartService
	}
	claim, err := outcomes{s}.claimNow(ctx, adminapi.TargetService(service), service.Path())
	if err != nil {
		return ServiceState{}, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	accepted, outcome, err := send(ctx, service, true)
	if outcome != adminapi.OutcomeDone {
		return ServiceState{}, outcome, err
	}
	if !accepted.Finished() {
		if _, err := s.WaitJob(ctx, accepted.JobID, report); err != nil {
			return ServiceState{}, outcome, err
		}
	}
	return s.waitSettled(ctx, service), outcome, nil
}

// waitSettled polls the state until the service is as it should be.
func (s Site) waitSettled(ctx context.Context, service adminapi.ServiceRef) ServiceState {
	until, pace := s.Clock.Now().Add(settleTime), s.pace(jobBackoff)
	state, _ := Wait(ctx, s.Clock, pollFunc[ServiceState](func(ctx context.Context) (Step[ServiceState], error) {
		state := s.serviceState(ctx, service)
		goesOn := state.Err == nil && !state.Settled() || adminapi.IsTransient(state.Err)
		return Step[ServiceState]{Value: state, Wait: pace.afterAnswer(), Done: !goesOn || !s.Clock.Now().Before(until)}, nil
	}), nil)
	return state
}

func (s Site) serviceState(ctx context.Context, service adminapi.ServiceRef) (state ServiceState) {
	state.ServiceStatus, state.Err = s.Client.ServiceStatus(ctx, service)
	return state
}

// FindSwitch looks for 30 s for the outcome of a start or stop: done where the service is
// configured so; refused where it is not, and the error of the sending was an answer of the
// site; else unknown.
func (s Site) FindSwitch(ctx context.Context, service adminapi.ServiceRef, start bool, sendErr error) (ServiceState, adminapi.Outcome) {
	wanted, sent := adminapi.ServiceStopped, endsIn("/stop")
	if start {
		wanted, sent = adminapi.ServiceStarted, endsIn("/start")
	}
	until := s.Clock.Now().Add(searchTime)
	state, err := Wait(ctx, s.Clock, pollFunc[ServiceState](func(ctx context.Context) (Step[ServiceState], error) {
		state := s.serviceState(ctx, service)
		over := !s.Clock.Now().Before(until)
		return Step[ServiceState]{Value: state, Wait: searchPause, Done: over || state.Err == nil && state.Configured == wanted}, nil
	}), nil)
	target := adminapi.TargetService(service)
	switch {
	case state.Err == nil && state.Configured == wanted:
		s.resolveOn(target, sent, adminapi.OutcomeDone, "the service is "+strings.ToLower(wanted))
		return s.waitSettled(ctx, service), adminapi.OutcomeDone
	case err == nil && state.Err == nil && Answered(sendErr):
		s.resolveOn(target, sent, adminapi.OutcomeRefused, "the site answered with an error, and the service is as before")
		return state, adminapi.OutcomeRefused
	}
	return state, adminapi.OutcomeUnknown
}

// PodsSnapshot is the state of the pods of some deployments.
type PodsSnapshot struct {
	Deployments []DeploymentPods // in the order of the request
	At          time.Time        // by this machine's clock
	Unchanged   int              // snapshots in a row with this state; an outage ends the row
	Changed     time.Time        // when the state has changed last
}

// DeploymentPods is the state of the pods of one deployment.
type DeploymentPods struct {
	ID string
	adminapi.DeploymentStatus
	// Err is why the state could not be fetched, such as a missing role; the status beside
	// it is then the latest known.
	Err error
}

// Ready reports whether every pod of every deployment is known to be ready.
func (r PodsSnapshot) Ready() bool {
	for _, d := range r.Deployments {
		if d.Err != nil || !d.AllReady() {
			return false
		}
	}
	return len(r.Deployments) > 0
}

// complete reports whether this snapshot alone shows nothing to wait for: every pod is
// ready, or the service is stopped, or the site refuses to tell.
func (r PodsSnapshot) complete() bool {
	return len(r.Deployments) > 0 && !slices.ContainsFunc(r.Deployments, func(d DeploymentPods) bool {
		if d.Err != nil {
			return adminapi.IsTransient(d.Err)
		}
		return !d.AllReady() && (d.TotalReplicas > 0 || !strings.EqualFold(d.State, adminapi.ServiceStopped))
	})
}

// CompleteInARow returns how many snapshots in a row show nothing to wait for.
func (r PodsSnapshot) CompleteInARow() int {
	if r.complete() {
		return r.Unchanged
	}
	return 0
}

// PodsSettledAfter is how many snapshots in a row must be the same before pods count as
// settled: they are replaced one by one, and the old ones are ready until then.
const PodsSettledAfter = 8

// Settled reports whether there was nothing to wait for in enough snapshots.
func (r PodsSnapshot) Settled() bool { return r.CompleteInARow() >= PodsSettledAfter }

// podsStallTime is how long pods may stay unchanged before they count as stalled.
const podsStallTime = 30 * time.Minute

// Stalled reports whether nothing has changed for so long that a person has to act.
func (r PodsSnapshot) Stalled(now time.Time) bool { return now.Sub(r.Changed) >= podsStallTime }

// Refused returns the error of a site that refuses the state of every deployment; nil where
// it returned any, or may yet.
func (r PodsSnapshot) Refused() error {
	var first error
	for _, d := range r.Deployments {
		if d.Err == nil || adminapi.IsTransient(d.Err) {
			return nil
		}
		if first == nil {
			first = d.Err
		}
	}
	return first
}

// PodsPoller polls the pods of deployments after an edit. It ends where they have settled,
// and where the site refuses to tell ([PodsSnapshot.Refused]).
type PodsPoller struct {
	site Site
	ids  []string
	pace pace
	last PodsSnapshot
}

// PollPods returns a poller of the pods of deployments. It sends nothing yet.
func (s Site) PollPods(ids []string) *PodsPoller {
	p := &PodsPoller{site: s, ids: slices.Clone(ids), pace: s.pace(quietBackoff), last: PodsSnapshot{Changed: s.Clock.Now()}}
	for _, id := range ids {
		p.last.Deployments = append(p.last.Deployments, DeploymentPods{ID: id, DeploymentStatus: adminapi.DeploymentStatus{ID: id}})
	}
	return p
}

// Next fetches once. An error is a missing sign-in ([adminapi.KindSignIn]) or a cancelled
// ctx; Next can be called again after it.
func (p *PodsPoller) Next(ctx context.Context) (Step[PodsSnapshot], error) {
	fresh := p.read(ctx)
	if err := fatal(fresh); err != nil {
		return Step[PodsSnapshot]{Value: p.last}, err
	}
	if err := unreachable(fresh); err != nil {
		p.last.Unchanged = 0
		return Step[PodsSnapshot]{Value: p.last, Wait: p.pace.afterFailure(), Unreachable: err}, nil
	}
	now := p.site.Clock.Now()
	snapshot := PodsSnapshot{Deployments: fresh, At: now, Unchanged: p.last.Unchanged + 1, Changed: p.last.Changed}
	if p.last.At.IsZero() || p.changed(fresh) {
		p.pace.reset()
		snapshot.Unchanged, snapshot.Changed = 1, now
	}
	p.last = snapshot
	if snapshot.Refused() != nil {
		return Step[PodsSnapshot]{Value: snapshot, Done: true}, nil
	}
	return Step[PodsSnapshot]{Value: snapshot, Wait: p.pace.afterAnswer(), Done: snapshot.Settled()}, nil
}

// Restart counts anew, for a user who goes on after the end.
func (p *PodsPoller) Restart() {
	p.last.Unchanged, p.last.Changed = 0, p.site.Clock.Now()
	p.pace.reset()
}

// read fetches every deployment. One that cannot be fetched stays as it was.
func (p *PodsPoller) read(ctx context.Context) []DeploymentPods {
	fresh := slices.Clone(p.last.Deployments)
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for i, id := range p.ids {
		group.Go(func() error {
			status, err := p.site.Client.DeploymentStatus(ctx, id)
			if err == nil {
				fresh[i].DeploymentStatus = status
			}
			fresh[i].Err = err
			return nil
		})
	}
	_ = group.Wait() // errors are beside their deployments
	return fresh
}

// fatal returns an error that concerns every deployment, and that does not pass by itself.
func fatal(fresh []DeploymentPods) error {
	for _, d := range fresh {
		if errors.Is(d.Err, adminapi.KindSignIn) || errors.Is(d.Err, adminapi.KindCancelled) {
			return d.Err
		}
	}
	return nil
}

// unreachable returns the first error where the site has answered for no deployment.
func unreachable(fresh []DeploymentPods) error {
	for _, d := range fresh {
		if d.Err == nil || !adminapi.IsTransient(d.Err) {
			return nil
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return fresh[0].Err
}

func (p *PodsPoller) changed(fresh []DeploymentPods) bool {
	return !slices.EqualFunc(p.last.Deployments, fresh, func(a, b DeploymentPods) bool {
		return a.ReadyReplicas == b.ReadyReplicas && a.TotalReplicas == b.TotalReplicas && a.State == b.State && (a.Err == nil) == (b.Err == nil)
	})
}
