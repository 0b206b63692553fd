package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/cli/output"
)

// awaitAnswer waits until a service has answered for a while, and reports how it stands.
func awaitAnswer(ctx context.Context, s shared, site operation.Site, service adminapi.ServiceRef, ids []string) (availability.Snapshot, error) {
	s.wait.pods.command, s.wait.pods.state = operation.CommandText("service status --wait", service.Path()), "not known"
	s.wait.pods.done = cmp.Or(s.wait.pods.done, "the service: ")
	return polling.Wait(ctx, site.Clock, site.Availability().Poll(service, ids), func(step polling.Step[availability.Snapshot]) {
		s.wait.reportUnreachable(adminapi.Job{}, step.Unreachable, "retrying")
		if step.Unreachable == nil {
			s.wait.report("the service: " + step.Value.Text())
			s.wait.pods.state = step.Value.Text()
		}
	})
}

// answerJSON says whether a service answers; null where that is not known.
type answerJSON struct {
	stateJSON
	Answers *bool  `json:"answers"`
	Text    string `json:"text"` // in words
}

func answerOf(now availability.Snapshot) *answerJSON {
	a := &answerJSON{stateJSON: stateOf(now.Service), Text: now.Text()}
	if answer := now.Answer(); answer != availability.AnswerUnknown {
		answers := answer == availability.AnswerRunning
		a.Answers = &answers
	}
	return a
}

// stateJSON is what --state adds to a service.
type stateJSON struct {
	Configured string `json:"configuredState,omitempty"`
	RealTime   string `json:"realTimeState,omitempty"`
	Problem    string `json:"stateError,omitempty"`
}

func stateOf(s availability.State) stateJSON {
	state := stateJSON{Configured: s.Configured, RealTime: s.RealTime}
	if s.Err != nil {
		state.Problem = s.Err.Error()
	}
	return state
}

// serviceState is the state of a service, and the configured one if that differs.
func serviceState(l *output.Renderer, s availability.State) output.Cell {
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

// podsJSON is the status of a deployment as the site sent it.
type podsJSON struct {
	adminapi.DeploymentStatus
	Problem string `json:"statusError,omitempty"`
}

func podsOf(r availability.Snapshot) []podsJSON {
	list := make([]podsJSON, len(r.Deployments))
	for i, d := range r.Deployments {
		list[i].DeploymentStatus, list[i].ID = d.DeploymentStatus, d.ID
		if d.Err != nil {
			list[i].Problem = d.Err.Error()
		}
	}
	return list
}

func podsReady(l *output.Renderer, d availability.Pods) output.Cell {
	switch {
	case d.Err != nil:
		return l.StatusCell(output.Unknown, readyOf(d))
	case d.AllReady():
		return l.StatusCell(output.Good, readyOf(d))
	}
	return l.StatusCell(output.Warned, readyOf(d))
}

func readyOf(d availability.Pods) string {
	switch {
	case d.Err != nil:
		return "not known: " + d.Err.Error()
	case d.TotalReplicas == 0:
		return "none (" + strings.ToLower(d.State) + ")"
	}
	return fmt.Sprintf("%d of %d", d.ReadyReplicas, d.TotalReplicas)
}
