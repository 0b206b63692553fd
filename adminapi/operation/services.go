package operation

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
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
	group := Parallel{Limit: maxParallel}
	for i, service := range services {
		group.Go(func() {
			states[i] = s.serviceState(ctx, service)
		})
	}
	group.Wait()
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
			if job, failed := errors.AsType[*JobError](err); failed {
				s.settle(claim.claim.Record(), journal.VerdictFailed, "job "+job.Job.Status)
			}
			return ServiceState{}, outcome, err
		}
	}
	state := s.waitSettled(ctx, service)
	if verb := verbOf(start); state.Err == nil && state.Configured == verb.state && state.Settled() {
		s.settle(claim.claim.Record(), journal.VerdictSucceeded, "the service is "+strings.ToLower(verb.state))
	}
	return state, outcome, nil
}

// waitSettled polls the state, and the pods as far as the site tells, until the service is
// as it should be.
func (s Site) waitSettled(ctx context.Context, service adminapi.ServiceRef) ServiceState {
	return s.WaitAnswer(ctx, service, s.deploymentIDs(ctx, service), nil).Service
}

func (s Site) serviceState(ctx context.Context, service adminapi.ServiceRef) (state ServiceState) {
	state.ServiceStatus, state.Err = s.Client.ServiceStatus(ctx, service)
	return state
}

// switchVerb is what a start or stop configures, and the end of the operation of its job.
type switchVerb struct {
	state, path string
	kind        adminapi.WriteKind
}

func verbOf(start bool) switchVerb {
	if start {
		return switchVerb{adminapi.ServiceStarted, "/start", adminapi.WriteStart}
	}
	return switchVerb{adminapi.ServiceStopped, "/stop", adminapi.WriteStop}
}

// contrary reports whether a service is configured otherwise; a site that does not say how tells
// nothing.
func (v switchVerb) contrary(s adminapi.ServiceStatus) bool {
	return s.Configured != "" && s.Configured != v.state
}

// hasJob reports whether the site has a job of this user for a start or stop that was sent at a
// time of its clock: a service that was configured so before, and is not so yet, shows nothing by
// that, and another's job says nothing of this one. For a user who may not read jobs there are
// none.
func (s Site) hasJob(ctx context.Context, service adminapi.ServiceRef, verb switchVerb, sent adminapi.Millis) (bool, error) {
	jobs, err := s.jobsOf(ctx, service)
	jobs = slices.DeleteFunc(jobs, func(j adminapi.Job) bool { return !beganAt(j, sent) || !strings.HasSuffix(j.OperationURI, verb.path) })
	var self adminapi.Self
	if len(jobs) > 0 {
		self, err = s.Client.Self(ctx)
	}
	if adminapi.IsTransient(err) || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
		return false, err
	}
	return self.Username != "" && slices.ContainsFunc(jobs, func(j adminapi.Job) bool { return j.Username == self.Username }), nil
}

// FindSwitch looks for 30 s for the outcome of a start or stop: done where the service is so,
// or the site has a job of this user for it; refused where it is configured otherwise, has no
// such job, and the error of the sending was an answer of the site; else unknown. Jobs, a
// request each, are read at its beginning and its end.
func (s Site) FindSwitch(ctx context.Context, service adminapi.ServiceRef, start bool, sendErr error) (ServiceState, adminapi.Outcome) {
	verb := verbOf(start)
	sent := ofKind(verb.kind)
	began := s.Clock.Now()
	since, until := adminapi.MillisOf(s.serverNow()), began.Add(searchTime)
	target, how, looked, unread := adminapi.TargetService(service), "", false, false
	if at := s.sentAt(target, sent); !at.IsZero() {
		since = at
	}
	state, err := Wait(ctx, s.Clock, pollFunc[ServiceState](func(ctx context.Context) (Step[ServiceState], error) {
		state, over := s.serviceState(ctx, service), !s.Clock.Now().Before(until)
		switch {
		case state.Err != nil:
		case state.Configured == verb.state && state.Settled():
			how = "the service is " + strings.ToLower(verb.state)
		case over || !looked:
			has, err := s.hasJob(ctx, service, verb, since)
			if looked, unread = true, err != nil; has {
				how = "the site has a job for it"
			}
		}
		return Step[ServiceState]{Value: state, Wait: s.Line.Pause(searchPause), Done: how != "" || over}, nil
	}), nil)
	switch {
	case how != "":
		s.resolveOn(target, sent, adminapi.OutcomeDone, how)
		state := s.waitSettled(ctx, service)
		if state.Err == nil && state.Configured == verb.state && state.Settled() {
			s.settleLast(target, sent, began, journal.VerdictSucceeded, "the service is "+strings.ToLower(verb.state))
		}
		return state, adminapi.OutcomeDone
	case err == nil && state.Err == nil && !unread && verb.contrary(state.ServiceStatus) && Answered(sendErr):
		s.resolveOn(target, sent, adminapi.OutcomeRefused, "the site answered with an error, and the service is unchanged")
		return state, adminapi.OutcomeRefused
	}
	return state, adminapi.OutcomeUnknown
}

// ServiceScaling is how many pods the deployments of a service may have, its own first, or
// why that is not known.
type ServiceScaling struct {
	Deployments []adminapi.Scaling
	Err         error
}

// ScalesText says how many pods a deployment, or a service, may have.
func ScalesText(r adminapi.Range) string {
	switch pods := plain.Plural(r.Max, "pod"); {
	case r.Min == r.Max:
		return pods + ", fixed"
	case r.Mode == "auto":
		return strconv.Itoa(r.Min) + " to " + pods + ", automatically"
	default:
		return strconv.Itoa(r.Min) + " to " + pods
	}
}

// ServiceScalings fetches how many pods services may have, one request each, a few at a time.
func (s Site) ServiceScalings(ctx context.Context, services []adminapi.ServiceRef) []ServiceScaling {
	scalings := make([]ServiceScaling, len(services))
	group := Parallel{Limit: maxParallel}
	for i, service := range services {
		group.Go(func() {
			scalings[i].Deployments, scalings[i].Err = s.Client.ServiceScaling(ctx, service)
		})
	}
	group.Wait()
	return scalings
}

// Pods fetches how many pods of deployments are ready, one request each, a few at a time.
func (s Site) Pods(ctx context.Context, ids []string) []DeploymentPods {
	return s.PollPods(ids).read(ctx).Deployments
}

// RuleSentences fetches where the pods of a service may run, in words: each rule once, with the
// type of its deployment where there are several. It is empty where the site does not tell.
func (s Site) RuleSentences(ctx context.Context, service adminapi.ServiceRef) (sentences []string) {
	text, err := s.Client.ServicePlacement(ctx, service)
	if err != nil {
		return nil
	}
	policy, _ := placement.Parse(text)
	items := policy.Items()
	for _, item := range items {
		sentence := placement.Sentence(item)
		if len(items) > 1 {
			sentence = plain.Line(item.DeploymentType) + ": " + sentence
		}
		if !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}
