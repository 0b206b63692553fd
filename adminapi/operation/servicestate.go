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
			states[i].ServiceStatus, states[i].Err = s.Client.ServiceStatus(ctx, service)
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
func (s Site) SwitchService(ctx context.Context, service adminapi.ServiceRef, start bool, report func(job adminapi.Job, away error)) (ServiceState, adminapi.Outcome, error) {
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
func (s Site) settled(ctx context.Context, service adminapi.ServiceRef) (state ServiceState) {
	until, pace := s.Clock.Now().Add(settleTime), newPace(jobFirst, jobLast)
	for {
		state.ServiceStatus, state.Err = s.Client.ServiceStatus(ctx, service)
		goesOn := state.Err == nil && !state.Settled() || adminapi.Passing(state.Err)
		if !goesOn || !s.Clock.Now().Before(until) {
			return state
		}
		if err := s.Clock.Sleep(ctx, pace.afterReading()); err != nil {
			return state
		}
	}
}

// FindSwitch looks for 30 s what became of a start or stop of which that is not known: it
// is done where the service is configured so, refused where it is not and lost, why it is
// not known, is an error that the site itself answered with. It only reads.
func (s Site) FindSwitch(ctx context.Context, service adminapi.ServiceRef, start bool, lost error) (ServiceState, adminapi.Outcome) {
	wanted, sent := adminapi.ServiceStopped, endsIn("/stop")
	if start {
		wanted, sent = adminapi.ServiceStarted, endsIn("/start")
	}
	var state ServiceState
	target, until := adminapi.TargetService(service), s.Clock.Now().Add(searchTime)
	for {
		state.ServiceStatus, state.Err = s.Client.ServiceStatus(ctx, service)
		over := !s.Clock.Now().Before(until)
		switch {
		case state.Err == nil && state.Configured == wanted:
			s.resolveOn(target, sent, adminapi.OutcomeDone, "the service is "+strings.ToLower(wanted))
			return s.settled(ctx, service), adminapi.OutcomeDone
		case over && state.Err == nil && Answered(lost):
			s.resolveOn(target, sent, adminapi.OutcomeRefused, "the site answered with an error, and the service is as before")
			return state, adminapi.OutcomeRefused
		case over || s.Clock.Sleep(ctx, searchPause) != nil:
			return state, adminapi.OutcomeUnknown
		}
	}
}
