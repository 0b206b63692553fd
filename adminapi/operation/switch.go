package operation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
)

// Switch is the change that starts or stops a service.
type Switch struct {
	Service adminapi.ServiceRef
	Start   bool
}

// Word is what is typed to stop the service: its name, with its folder where the platform itself uses it.
func (w Switch) Word() string {
	if w.Internal() {
		return w.Service.Folder + "/" + w.Service.Name
	}
	return w.Service.Name
}

// Internal reports whether the platform itself uses the service: other functions and health checks fail without it.
func (w Switch) Internal() bool {
	return strings.EqualFold(w.Service.Folder, "System") || strings.EqualFold(w.Service.Folder, "Utilities")
}

// Effect says who notices it.
func (w Switch) Effect() string {
	switch {
	case w.Start:
		return "its users get access"
	case w.Internal():
		return "the platform itself and users of the service lose access"
	}
	return "users of the service lose access"
}

// SwitchGates are what stands in the way of a start or stop.
var SwitchGates = finding.Gates{
	finding.NewGate([]finding.Change{finding.Switch}, "a stop", "", "Clients of the service are refused. Its name is typed.", finding.Danger),
	finding.NewGate([]finding.Change{finding.Switch}, "a stop in System or Utilities", "", "Other functions and health checks fail. Its name is typed with its folder.", finding.Danger),
}

// Prepare returns it as it would be sent.
func (w Switch) Prepare(s Site) Prepared {
	verb, path := w.verb(), w.Service.Path()
	line := CommandLine{Words: []string{"service", verb.name}, Args: []string{path}}
	if !w.Start {
		line.Words = append(line.Words, "--confirm", w.Word())
	}
	p := Prepared{Kind: verb.kind, Target: adminapi.TargetService(w.Service), Subject: path, What: verb.name + " " + plain.Line(path)}
	if !w.Start {
		gate := SwitchGates[0]
		if w.Internal() {
			gate = SwitchGates[1]
		}
		p.Accepted = []finding.Finding{{ID: gate.ID, Accept: w.Word(), Text: gate.Means}}
	}
	return p.one(s, line, adminapi.SwitchService(w.Service, w.Start, true))
}

// SwitchService sends a start or stop once, waits for its job where there is one, and then
// until the service is as it should be, two minutes at most. It returns the last state, and
// no error where that is not settled. Where the answer is lost, lost is told, and the outcome is
// searched for: it may stay unknown. Not sent: [ErrUnresolved], [ErrBusyHere].
func (s Site) SwitchService(ctx context.Context, w Switch, job func(polling.Step[adminapi.Job]), lost func(error)) (availability.State, Result) {
	verb, p := w.verb(), w.Prepare(s)
	var accepted adminapi.Accepted
	one, result := s.send(ctx, p, nil, func(ctx context.Context) (outcome adminapi.Outcome, err error) {
		accepted, outcome, err = s.Client.Change(ctx, p.call)
		return outcome, err
	})
	defer one.release()
	result = s.find(ctx, one.record, s.lookForSwitch(w.Service, one.record), result, lost)
	if result.Done() && !accepted.Finished() { // of a lost answer no job is known
		_, result.Err = s.WaitJob(ctx, accepted.JobID, job)
	}
	if !result.Done() {
		if job, failed := errors.AsType[*JobError](result.Err); failed {
			s.Memory.Settle(one.record.ID, journal.VerdictFailed, "job "+job.Job.Status)
		}
		return availability.State{}, result
	}
	state := s.Availability().Wait(ctx, w.Service, s.Availability().DeploymentIDs(ctx, w.Service), nil).Service
	if state.Err == nil && state.Configured == verb.state && state.Settled() {
		result.Verdict = journal.VerdictSucceeded
		s.Memory.Settle(one.record.ID, result.Verdict, "the service is "+strings.ToLower(verb.state))
	}
	return state, result
}

// NotThere says that the site has accepted it and the service is not as was asked for; empty where it is.
func (w Switch) NotThere(r Result, state availability.State) string {
	if r.Verdict == journal.VerdictSucceeded {
		return ""
	}
	return "accepted, but " + plain.Line(w.Service.Path()+" is not there yet: "+state.Text())
}

// switchVerb is a start or stop, and what it configures.
type switchVerb struct {
	name, state string
	kind        adminapi.WriteKind
}

func (w Switch) verb() switchVerb {
	if w.Start {
		return switchVerb{"start", adminapi.ServiceStarted, adminapi.WriteStart}
	}
	return switchVerb{"stop", adminapi.ServiceStopped, adminapi.WriteStop}
}

// switchJob returns the newest job of this user for a start or stop that was sent at a time of the
// site's clock, without an id where there is none: a service that was configured so before, and is
// not so yet, shows nothing by that, and another's job says nothing of this one. For a user who may
// not read jobs there are none.
func (s Site) switchJob(ctx context.Context, service adminapi.ServiceRef, verb switchVerb, sent adminapi.Millis) (adminapi.Job, error) {
	jobs, err := s.JobsOf(ctx, service)
	jobs = slices.DeleteFunc(jobs, func(j adminapi.Job) bool {
		return !beganAt(j, sent) || !strings.HasSuffix(j.OperationURI, "/"+verb.name)
	})
	var self adminapi.Self
	if len(jobs) > 0 {
		self, err = s.Client.Session.Self(ctx)
	}
	if adminapi.IsTransient(err) || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
		return adminapi.Job{}, err
	}
	if own := slices.IndexFunc(jobs, func(j adminapi.Job) bool { return j.Username == self.Username }); own >= 0 && self.Username != "" {
		return jobs[own], nil
	}
	return adminapi.Job{}, nil
}

// lookForSwitch looks for a start or stop: done where the service is so, or the site has a job of this
// user for it, even if it was changed back since. Jobs take a request each.
func (s Site) lookForSwitch(service adminapi.ServiceRef, r journal.Record) look {
	verb := Switch{service, r.Kind == adminapi.WriteStart}.verb()
	name := strings.ToLower(verb.state)
	return func(ctx context.Context, thorough bool) (Resolution, error) {
		status, err := s.Client.Services.Status(ctx, service)
		if err != nil {
			return Resolution{}, err
		}
		found := Resolution{How: "the service should be " + name + ", and is not yet"}
		switch {
		case status.Configured == verb.state && status.Settled():
			return Resolution{Outcome: adminapi.OutcomeDone, How: "the service is " + name, Verdict: journal.VerdictSucceeded}, nil
		case status.Configured == "":
			found.How = "the site does not say how the service is configured"
		case status.Configured != verb.state:
			found = Resolution{How: "the service is not " + name, Shows: ShowsUnchanged}
		}
		if !thorough {
			return found, nil
		}
		job, err := s.switchJob(ctx, service, verb, r.Server)
		if job.ID != "" {
			found = Resolution{Outcome: adminapi.OutcomeDone, Job: job, How: "the site has a job for it"}
		}
		if job.Failed() {
			found.Verdict, found.because, found.Err = journal.VerdictFailed, "job "+job.Status, &JobError{Job: job}
		}
		return found, err
	}
}
