package adminapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// ServiceStatus is the state of a service: as it should be, and as it is. The
// words are the site's own, see the Service… words.
type ServiceStatus struct {
	Configured string  `json:"configuredState"`
	RealTime   string  `json:"realTimeState"`
	Unknown    Unknown `json:",embed"`
}

// The states that are known. Any other word is neither.
const (
	ServiceStarted = "STARTED"
	ServiceStopped = "STOPPED"
)

// Running tells whether the service answers at present, whatever is configured.
func (s ServiceStatus) Running() bool { return s.RealTime == ServiceStarted }

// Settled tells whether the service is as it should be. It is not while it
// starts, stops or restarts, or where it cannot start.
func (s ServiceStatus) Settled() bool { return s.RealTime != "" && s.RealTime == s.Configured }

// ServiceStatus reads whether a service should run, and whether it does.
func (c *Client) ServiceStatus(ctx context.Context, s ServiceRef) (ServiceStatus, error) {
	var status ServiceStatus
	k := call{operation: opServiceStatus, shown: true, method: http.MethodGet, path: append(s.segments(), "status")}
	err := c.read(ctx, k, &status, func() string {
		if status.Configured == "" && status.RealTime == "" {
			return "state of the service"
		}
		return ""
	})
	if err != nil {
		return ServiceStatus{}, err
	}
	return status, nil
}

// StartService starts a service. It is sent once; async is as with
// [Client.EditService], but for the version.
func (c *Client) StartService(ctx context.Context, s ServiceRef, async bool) (Accepted, Outcome, error) {
	return c.switchService(ctx, s, opStartService, "start", async)
}

// StopService stops a service: whoever uses it is cut off. It is sent once;
// async is as with [Client.EditService], but for the version.
func (c *Client) StopService(ctx context.Context, s ServiceRef, async bool) (Accepted, Outcome, error) {
	return c.switchService(ctx, s, opStopService, "stop", async)
}

func (c *Client) switchService(ctx context.Context, s ServiceRef, o operation, verb string, async bool) (Accepted, Outcome, error) {
	k := call{operation: o, path: append(s.segments(), verb), target: TargetService(s), fields: url.Values{"async": {strconv.FormatBool(async)}}}
	if !async {
		k.timeout = longTimeout
	}
	return c.change(ctx, k)
}
