package edits

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/output"
)

// AwaitAnswer waits until a service has answered for a while, and reports how it stands.
func AwaitAnswer(ctx context.Context, s command.Env, site operation.Site, service adminapi.ServiceRef, ids []string,
) (availability.Snapshot, error) {
	s.Wait.Pods.Command, s.Wait.Pods.State = operation.CommandText("service status --wait", service.Path()), "not known"
	s.Wait.Pods.Done = cmp.Or(s.Wait.Pods.Done, "the service: ")
	return polling.Wait(ctx, site.Clock, site.Availability().Poll(service, ids),
		func(step polling.Step[availability.Snapshot]) {
			s.Wait.ReportUnreachable(adminapi.Job{}, step.Unreachable, "retrying")
			if step.Unreachable == nil {
				s.Wait.Report("the service: " + step.Value.Text())
				s.Wait.Pods.State = step.Value.Text()
			}
		})
}

// AnswerJSON says whether a service answers; null where that is not known.
type AnswerJSON struct {
	StateJSON
	Answers *bool  `json:"answers"`
	Text    string `json:"text"` // in words
}

// AnswerOf is whether a service answers, for scripts.
func AnswerOf(now availability.Snapshot) *AnswerJSON {
	a := &AnswerJSON{StateJSON: StateOf(now.Service), Text: now.Text()}
	if answer := now.Answer(); answer != availability.AnswerUnknown {
		answers := answer == availability.AnswerRunning
		a.Answers = &answers
	}
	return a
}

// StateJSON is what --state adds to a service.
type StateJSON struct {
	Configured string `json:"configuredState,omitempty"`
	RealTime   string `json:"realTimeState,omitempty"`
	Problem    string `json:"stateError,omitempty"`
}

// StateOf is the state of a service, for scripts.
func StateOf(s availability.State) StateJSON {
	state := StateJSON{Configured: s.Configured, RealTime: s.RealTime}
	if s.Err != nil {
		state.Problem = s.Err.Error()
	}
	return state
}

// ServiceState is the state of a service, and the configured one if that differs.
func ServiceState(l *output.Renderer, s availability.State) output.Cell {
	switch {
	case s.Err != nil:
		return l.StatusCell(output.Unknown, "not known: "+s.Err.Error())
	case !s.Settled():
		return l.StatusCell(output.Warned, s.Text())
	case s.Running():
		return l.StatusCell(output.Good, s.Text())
	case s.RealTime == adminapi.ServiceStopped:
		return l.StatusCell(output.Skipped, s.Text())
	}
	return l.StatusCell(output.Unknown, s.Text())
}

// PodsJSON is how the pods of a deployment are.
type PodsJSON struct {
	Service string         `json:"service"`
	ID      string         `json:"deploymentId"`
	Name    string         `json:"name"`
	State   string         `json:"state"` // the site's word, such as STARTED
	Ready   *int           `json:"ready"` // pods; null where that could not be read
	Wanted  *int           `json:"wanted"`
	Problem string         `json:"statusError,omitempty"` // why it could not be read
	Raw     jsontext.Value `json:"raw"`                   // as the site wrote it
}

// PodsOf are the deployments of a service, for scripts.
func PodsOf(service adminapi.ServiceRef, r availability.Snapshot) []PodsJSON {
	list := make([]PodsJSON, len(r.Deployments))
	for i, d := range r.Deployments {
		list[i] = PodsJSON{Service: service.Path(), ID: d.ID, Name: d.Name, State: d.State, Raw: jsontext.Value("null")}
		if d.Err != nil {
			list[i].Problem = d.Err.Error()
			continue
		}
		list[i].Ready, list[i].Wanted, list[i].Raw = &d.ReadyReplicas, &d.TotalReplicas, output.Raw(d.DeploymentStatus)
	}
	return list
}

// PodsReady is a cell with how many pods of a deployment are ready. Why that is not known has no room there.
func PodsReady(l *output.Renderer, d availability.Pods) output.Cell {
	switch {
	case d.Err != nil:
		return l.StatusCell(output.Unknown, "not known")
	case d.AllReady():
		return l.StatusCell(output.Good, ReadyOf(d))
	}
	return l.StatusCell(output.Warned, ReadyOf(d))
}

// PodsKnown is what a cell says of a deployment, which is not known where its pods are not.
func PodsKnown(d availability.Pods, says string) string {
	if d.Err != nil {
		return "not known"
	}
	return says
}

// ReadyOf says how many pods of a deployment are ready.
func ReadyOf(d availability.Pods) string {
	switch {
	case d.Err != nil:
		return "not known: " + d.Err.Error()
	case d.TotalReplicas == 0:
		return "none (" + strings.ToLower(d.State) + ")"
	}
	return fmt.Sprintf("%d of %d", d.ReadyReplicas, d.TotalReplicas)
}
