package operation

import (
	"context"
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
	group.SetLimit(jobsAtOnce)
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
// sent: [ErrUnsettled], [ErrBusyHere].
func (s Site) SwitchService(ctx context.Context, service adminapi.ServiceRef, start bool, report func(Step[adminapi.Job])) (ServiceState, adminapi.Outcome, error) {
	send := s.Client.StopService
	if start {
		send = s.Client.StartService
	}
	claim, err := s.claim(ctx, adminapi.TargetService(service), service.Path())
	if err == nil {
		defer claim.release()
		err = claim.use()
	}
	if err != nil {
		return ServiceState{}, adminapi.OutcomeNotSent, err
	}
	accepted, outcome, err := send(ctx, service, true)
	if outcome != adminapi.OutcomeDone {
		return ServiceState{}, outcome, err
	}
	if !accepted.Finished() {
		if _, err := s.WaitJob(ctx, accepted.JobID, report); err != nil {
			return ServiceState{}, outcome, err
		}
	}
	return s.settled(ctx, service), outcome, nil
}

// settled reads the state until the service is as it should be.
func (s Site) settled(ctx context.Context, service adminapi.ServiceRef) ServiceState {
	until, pace := s.Clock.Now().Add(settleTime), s.pace(jobBackoff)
	state, _ := Wait(ctx, s.Clock, pollFunc[ServiceState](func(ctx context.Context) (Step[ServiceState], error) {
		state := s.serviceState(ctx, service)
		goesOn := state.Err == nil && !state.Settled() || adminapi.Passing(state.Err)
		return Step[ServiceState]{Value: state, Wait: pace.afterReading(), Done: !goesOn || !s.Clock.Now().Before(until)}, nil
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
		return s.settled(ctx, service), adminapi.OutcomeDone
	case err == nil && state.Err == nil && Answered(lost):
		s.resolveOn(target, sent, adminapi.OutcomeRefused, "the site answered with an error, and the service is as before")
		return state, adminapi.OutcomeRefused
	}
	return state, adminapi.OutcomeUnknown
}
