package availability

import (
	"context"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

// settleTime is how long a service is polled after it was started or stopped.
const settleTime = 2 * time.Minute

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
