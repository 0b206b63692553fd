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

// settleTime is how long a service is watched after it was started or stopped.
const settleTime = 2 * time.Minute

// ServiceState is the state of a service, or why it is not known.
type ServiceState struct {
	adminapi.ServiceStatus
	Err error
}

// ServiceStates reads the states of services, one request each, a few at a time.
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

// SwitchService starts or stops a service once, waits for the job where there is
// one, and then until the service is as it should be, two minutes at most. The state
// is the last one that was read; where it is not settled by then that is no error. Not
// sent: [ErrUnresolved], [ErrBusyHere].
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

// waitSettled reads the state until the service is as it should be.
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

// FindSwitch looks for 30 s what became of a start or stop of which that is not known: it
// is done where the service is configured so, refused where it is not and lost, why it is
// not known, is an error that the site itself answered with. It only reads.
func (s Site) FindSwitch(ctx context.Context, service adminapi.ServiceRef, start bool, lost error) (ServiceState, adminapi.Outcome) {
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
	case err == nil && state.Err == nil && Answered(lost):
		s.resolveOn(target, sent, adminapi.OutcomeRefused, "the site answered with an error, and the service is as before")
		return state, adminapi.OutcomeRefused
	}
	return state, adminapi.OutcomeUnknown
}

// PodsSnapshot is how the pods of some deployments stood.
type PodsSnapshot struct {
	Deployments []DeploymentPods // in the order in which they were asked for
	At          time.Time        // by this machine's clock
	// Unchanged is how many snapshots in a row have told this, an absence of the site ends the
	// row. Changed is when another one was told last.
	Unchanged int
	Changed   time.Time
}

// DeploymentPods is how the pods of one deployment stood.
type DeploymentPods struct {
	ID string
	adminapi.DeploymentStatus
	// Err is why nothing is told of it, such as the role of the default administrator
	// that the caller has not; what was told before still stands beside it.
	Err error
}

// Ready reports whether every pod of every deployment answers. Where one is not known it
// is not so.
func (r PodsSnapshot) Ready() bool {
	for _, d := range r.Deployments {
		if d.Err != nil || !d.AllReady() {
			return false
		}
	}
	return len(r.Deployments) > 0
}

// complete reports whether nothing is to come by this snapshot alone: every pod is ready, or
// there is to be none, as of a service that is stopped, or the site will never tell.
func (r PodsSnapshot) complete() bool {
	return len(r.Deployments) > 0 && !slices.ContainsFunc(r.Deployments, func(d DeploymentPods) bool {
		if d.Err != nil {
			return adminapi.IsTransient(d.Err)
		}
		return !d.AllReady() && (d.TotalReplicas > 0 || !strings.EqualFold(d.State, adminapi.ServiceStopped))
	})
}

// CompleteInARow is how many snapshots in a row have found nothing that is to come.
func (r PodsSnapshot) CompleteInARow() int {
	if r.complete() {
		return r.Unchanged
	}
	return 0
}

// PodsSettledAfter is how many snapshots in a row must tell the same before pods count as
// settled: they are replaced one after the other, and the old ones are ready until their
// turn comes.
const PodsSettledAfter = 8

// Settled reports whether nothing is to come, and has been so for long enough.
func (r PodsSnapshot) Settled() bool { return r.CompleteInARow() >= PodsSettledAfter }

// podsPatience is how long pods are asked for while nothing changes.
const podsPatience = 30 * time.Minute

// Stalled reports whether nothing has changed for so long that a person has to act: there
// is little use in asking on.
func (r PodsSnapshot) Stalled(now time.Time) bool { return now.Sub(r.Changed) >= podsPatience }

// Refused returns the error of a site that will tell nothing however often it is asked;
// nil where it told of any, or may yet.
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

// PodsPoller reads how pods come back after an edit: every 2 s, growing to 10 s while
// nothing changes. It ends where they have settled, and where the site will tell nothing
// ([PodsSnapshot.Refused]). That all are ready does not end it: pods are replaced one
// after the other, and the old ones are ready until then.
type PodsPoller struct {
	site Site
	ids  []string
	pace pace
	last PodsSnapshot
}

// PollPods returns a poller of the pods of deployments. Nothing is asked yet.
func (s Site) PollPods(ids []string) *PodsPoller {
	p := &PodsPoller{site: s, ids: slices.Clone(ids), pace: s.pace(quietBackoff), last: PodsSnapshot{Changed: s.Clock.Now()}}
	for _, id := range ids {
		p.last.Deployments = append(p.last.Deployments, DeploymentPods{ID: id, DeploymentStatus: adminapi.DeploymentStatus{ID: id}})
	}
	return p
}

// Next reads once. An error is a sign-in that is needed ([adminapi.KindSignIn]), or a
// caller that gave up; after either it can go on.
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

// Restart counts anew after an end: whoever asks again wants to see whether it holds.
func (p *PodsPoller) Restart() {
	p.last.Unchanged, p.last.Changed = 0, p.site.Clock.Now()
	p.pace.reset()
}

// read asks for every deployment. One that tells nothing keeps what it told before.
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
	_ = group.Wait() // every error stands beside its deployment
	return fresh
}

// fatal returns the error that concerns every deployment, and that no pause helps.
func fatal(fresh []DeploymentPods) error {
	for _, d := range fresh {
		if errors.Is(d.Err, adminapi.KindSignIn) || errors.Is(d.Err, adminapi.KindCancelled) {
			return d.Err
		}
	}
	return nil
}

// unreachable returns the first error where no deployment was told of.
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
