// Package availability tells which services answer, and whether their pods are ready: once, or polled after a
// write. See [Reader], and [Snapshot.Answer].
package availability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// Snapshot is the state of the pods of some deployments, and of the service that they
// are followed for.
type Snapshot struct {
	Followed    bool // the state of a service is read too
	Service     State
	Deployments []Pods    // in the order of the request
	At          time.Time // by this machine's clock
	Unchanged   int       // snapshots in a row with this state; an outage ends the row
	Changed     time.Time // when the state has changed last
}

// Pods is the state of the pods of one deployment.
type Pods struct {
	ID string
	adminapi.DeploymentStatus
	// Err is why the state could not be fetched, such as a missing role; the status beside
	// it is then the latest known.
	Err error
}

// Ready reports whether every pod of every deployment is known to be ready.
func (r Snapshot) Ready() bool {
	for _, d := range r.Deployments {
		if d.Err != nil || !d.AllReady() {
			return false
		}
	}
	return len(r.Deployments) > 0
}

// Short reports whether pods of the deployment are known to be missing.
func (d Pods) Short() bool {
	return d.Err == nil && !d.AllReady() && (d.TotalReplicas > 0 || !strings.EqualFold(d.State, adminapi.ServiceStopped))
}

// Answer is what is known of a service that is followed after a write.
type Answer int

// The answers, from the zero value on.
const (
	AnswerUnknown Answer = iota // its state could not be read
	AnswerWaiting               // it is not as configured, or pods of it are not ready
	AnswerStopped               // it is stopped, as configured
	AnswerRunning               // it runs, and every pod whose state the site reports is ready
)

// Answer says whether the service answers, as far as this snapshot tells.
func (r Snapshot) Answer() Answer {
	switch s := r.Service; {
	case s.Err != nil || s.RealTime == "":
		return AnswerUnknown
	case !s.Settled():
		return AnswerWaiting
	case !s.Running():
		return AnswerStopped
	case slices.ContainsFunc(r.Deployments, Pods.Short):
		return AnswerWaiting
	}
	return AnswerRunning
}

// Text says in a few words how the service stands, such as "stopped, should run" or
// "1 of 3 pods ready"; not cleaned.
func (r Snapshot) Text() string {
	switch r.Answer() {
	case AnswerUnknown:
		return "state not known"
	case AnswerStopped:
		return "stopped, as configured"
	case AnswerRunning:
		return "started"
	}
	if !r.Service.Settled() {
		return r.Service.Text()
	}
	ready, total := 0, 0
	for _, d := range r.Deployments {
		ready, total = ready+d.ReadyReplicas, total+d.TotalReplicas
	}
	return fmt.Sprintf("%d of %s ready", ready, plain.Plural(total, "pod"))
}

// Text says in a few words how the service is, and how it should be where that differs.
func (s State) Text() string {
	switch {
	case s.RealTime == "":
		return "not known"
	case s.Settled() && s.Running():
		return "started"
	case s.Down():
		return "stopped, should run"
	case s.Running() && s.Configured == adminapi.ServiceStopped:
		return "runs, should not"
	}
	return strings.ToLower(s.RealTime)
}

// complete reports whether this snapshot alone shows nothing to wait for: every pod is
// ready, or the service is stopped, or the site refuses to tell.
func (r Snapshot) complete() bool {
	if r.Followed && (adminapi.IsTransient(r.Service.Err) || r.Answer() == AnswerWaiting) || len(r.Deployments) == 0 && !r.Followed {
		return false
	}
	return !slices.ContainsFunc(r.Deployments, func(d Pods) bool { return d.Short() || d.Err != nil && adminapi.IsTransient(d.Err) })
}

// CompleteInARow returns how many snapshots in a row show nothing to wait for.
func (r Snapshot) CompleteInARow() int {
	if r.complete() {
		return r.Unchanged
	}
	return 0
}

// SettledAfter is how many snapshots in a row must be the same before pods count as
// settled: they are replaced one by one, and the old ones are ready until then.
const SettledAfter = 8

// Settled reports whether there was nothing to wait for in enough snapshots.
func (r Snapshot) Settled() bool { return r.CompleteInARow() >= SettledAfter }

// podsStallTime is how long pods may stay unchanged before they count as stalled.
const podsStallTime = 30 * time.Minute

// Stalled reports whether nothing has changed for so long that a person has to act.
func (r Snapshot) Stalled(now time.Time) bool { return now.Sub(r.Changed) >= podsStallTime }

// Refused returns the error of a site that refuses the state of every deployment, and of the
// service where that is followed; nil where it returned any, or may yet.
func (r Snapshot) Refused() error {
	return r.eachFailed(func(err error) bool { return err != nil && !adminapi.IsTransient(err) })
}

// Poller polls the pods of deployments after an edit. It ends where they have settled,
// and where the site refuses to tell ([Snapshot.Refused]).
type Poller struct {
	site    Reader
	service *adminapi.ServiceRef // that is followed; nil for none
	pace    polling.Pace
	last    Snapshot
}

// Reader reads which services answer.
type Reader struct {
	Client *adminapi.Client
	Clock  adminapi.Clock
	Line   *polling.Line // nil means one that is not slow
	Rand   adminapi.Rand // nil means [adminapi.SystemRand]
}

// PollPods returns a poller of the pods of deployments. It sends nothing yet.
func (s Reader) PollPods(ids []string) *Poller {
	p := &Poller{site: s, pace: polling.NewPace(polling.QuietBackoff, s.Line, s.Rand), last: Snapshot{Changed: s.Clock.Now()}}
	for _, id := range ids {
		p.last.Deployments = append(p.last.Deployments, Pods{ID: id, DeploymentStatus: adminapi.DeploymentStatus{ID: id}})
	}
	return p
}

// Poll returns a poller of a service and of its deployments, after a write. It sends
// nothing yet.
func (s Reader) Poll(service adminapi.ServiceRef, ids []string) *Poller {
	p := s.PollPods(ids)
	p.service, p.last.Followed = &service, true
	return p
}

// Read fetches once how a service and its deployments stand.
func (s Reader) Read(ctx context.Context, service adminapi.ServiceRef, ids []string) Snapshot {
	return s.Poll(service, ids).read(ctx)
}

// Next fetches once. An error is a missing sign-in ([adminapi.KindSignIn]) or a cancelled
// ctx; Next can be called again after it.
func (p *Poller) Next(ctx context.Context) (polling.Step[Snapshot], error) {
	snapshot := p.read(ctx)
	if err := snapshot.fatal(); err != nil {
		return polling.Step[Snapshot]{Value: p.last}, err
	}
	if err := snapshot.eachFailed(adminapi.IsTransient); err != nil {
		p.last.Unchanged = 0
		return polling.Step[Snapshot]{Value: p.last, Wait: p.pace.AfterFailure(), Unreachable: err}, nil
	}
	now := p.site.Clock.Now()
	snapshot.At, snapshot.Unchanged, snapshot.Changed = now, p.last.Unchanged+1, p.last.Changed
	if p.last.At.IsZero() || p.changed(snapshot) {
		p.pace.Reset()
		snapshot.Unchanged, snapshot.Changed = 1, now
	}
	p.last = snapshot
	if snapshot.Refused() != nil {
		return polling.Step[Snapshot]{Value: snapshot, Done: true}, nil
	}
	return polling.Step[Snapshot]{Value: snapshot, Wait: p.pace.AfterAnswer(), Done: snapshot.Settled()}, nil
}

// Restart counts anew, for a user who goes on after the end.
func (p *Poller) Restart() {
	p.last.Unchanged, p.last.Changed = 0, p.site.Clock.Now()
	p.pace.Reset()
}

// read fetches the service and every deployment. What cannot be fetched stays as it was.
func (p *Poller) read(ctx context.Context) Snapshot {
	fresh := Snapshot{Followed: p.service != nil, Service: p.last.Service, Deployments: slices.Clone(p.last.Deployments)}
	group := parallel.Group{Limit: parallel.MaxRequests}
	if p.service != nil {
		group.Go(func() {
			if state := p.site.state(ctx, *p.service); state.Err == nil {
				fresh.Service = state
			} else {
				fresh.Service.Err = state.Err
			}
		})
	}
	for i := range fresh.Deployments {
		group.Go(func() {
			d := &fresh.Deployments[i]
			status, err := p.site.Client.Deployments.Status(ctx, d.ID)
			if d.Err = err; err == nil {
				d.DeploymentStatus = status
			}
		})
	}
	group.Wait() // errors are beside what they are about
	return fresh
}

// errs are the errors of a snapshot, nil for each fetch that succeeded.
func (r Snapshot) errs() (errs []error) {
	if r.Followed {
		errs = append(errs, r.Service.Err)
	}
	for _, d := range r.Deployments {
		errs = append(errs, d.Err)
	}
	return errs
}

// fatal returns an error that concerns every fetch, and that does not pass by itself.
func (r Snapshot) fatal() error {
	for _, err := range r.errs() {
		if errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindCancelled) {
			return err
		}
	}
	return nil
}

// eachFailed returns the first error where every fetch has one of some kind, else nil.
func (r Snapshot) eachFailed(so func(error) bool) error {
	errs := r.errs()
	if len(errs) == 0 || slices.ContainsFunc(errs, func(err error) bool { return !so(err) }) {
		return nil
	}
	return errs[0]
}

func (p *Poller) changed(fresh Snapshot) bool {
	before, now := p.last.Service, fresh.Service
	return before.Configured != now.Configured || before.RealTime != now.RealTime || (before.Err == nil) != (now.Err == nil) ||
		!slices.EqualFunc(p.last.Deployments, fresh.Deployments, func(a, b Pods) bool {
			return a.ReadyReplicas == b.ReadyReplicas && a.TotalReplicas == b.TotalReplicas && a.State == b.State && (a.Err == nil) == (b.Err == nil)
		})
}

// Wait polls a service and its deployments until it is as configured with every pod
// ready, two minutes at most, or until the site refuses to tell. It returns the latest known. A clock
// that is set meanwhile makes it neither shorter nor longer.
func (s Reader) Wait(ctx context.Context, service adminapi.ServiceRef, ids []string, report func(Snapshot)) Snapshot {
	waited, pace, poller := time.Duration(0), polling.NewPace(polling.JobBackoff, s.Line, s.Rand), s.Poll(service, ids)
	for {
		began := s.Clock.Now()
		step, err := poller.Next(ctx)
		now := step.Value
		if away := cmp.Or(err, step.Unreachable); away != nil {
			now.Service.Err = away
		} else if report != nil {
			report(now)
		}
		pause := pace.AfterAnswer()
		waited += polling.Passed(began, s.Clock.Now(), lookTime)
		over := err != nil || step.Done || now.complete() || waited >= settleTime
		if over || s.Clock.Sleep(ctx, pause) != nil {
			return now
		}
		waited += pause
	}
}

// DeploymentIDs fetches the ids of a service's deployments, none where the site does not
// tell.
func (s Reader) DeploymentIDs(ctx context.Context, service adminapi.ServiceRef) (ids []string) {
	scaling, _ := s.Client.Services.Scaling(ctx, service)
	for _, d := range scaling {
		if d.DeploymentID != "" {
			ids = append(ids, d.DeploymentID)
		}
	}
	return ids
}

const (
	settleTime = 2 * time.Minute  // how long a service is polled after it was started or stopped
	lookTime   = 30 * time.Second // what a look counts as at most
)

// State is the state of a service, or why it is not known.
type State struct {
	adminapi.ServiceStatus
	Err error
}

// States fetches the states of services, one request each, a few at a time.
func (s Reader) States(ctx context.Context, services []adminapi.ServiceRef) []State {
	states := make([]State, len(services))
	group := parallel.Group{Limit: parallel.MaxRequests}
	for i, service := range services {
		group.Go(func() {
			states[i] = s.state(ctx, service)
		})
	}
	group.Wait()
	return states
}

func (s Reader) state(ctx context.Context, service adminapi.ServiceRef) (state State) {
	state.ServiceStatus, state.Err = s.Client.Services.Status(ctx, service)
	return state
}

// Scaling is how many pods the deployments of a service may have, its own first, or
// why that is not known.
type Scaling struct {
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

// Scalings fetches how many pods services may have, one request each, a few at a time.
func (s Reader) Scalings(ctx context.Context, services []adminapi.ServiceRef) []Scaling {
	scalings := make([]Scaling, len(services))
	group := parallel.Group{Limit: parallel.MaxRequests}
	for i, service := range services {
		group.Go(func() {
			scalings[i].Deployments, scalings[i].Err = s.Client.Services.Scaling(ctx, service)
		})
	}
	group.Wait()
	return scalings
}

// Pods fetches how many pods of deployments are ready, one request each, a few at a time.
func (s Reader) Pods(ctx context.Context, ids []string) []Pods {
	return s.PollPods(ids).read(ctx).Deployments
}
