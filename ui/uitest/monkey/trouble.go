package monkey

import (
	"fmt"
	"time"

	"geodeck/adminapi/simulator"
)

// worlds are the scenarios that trouble is added to: each opens other screens.
var worlds = []string{
	"healthy", "healthy", "degraded", "hostile", "running-patch", "running-release", "running-release-fails", "messages-odd", "messages-hostile", "messages-shuffled",
	"odd-definitions", "odd-manifest", "edit-elses", "edit-fails", "edit-slow", "edit-answer-lost", "placement-odd", "placement-elses", "placement-fails", "no-node",
	"services-down", "many-services", "long-definition", "patch-fails", "release-fails", "upgrade-stalls", "all-offers", "old", "readonly", "refused-settings",
	"answer-lost-silent", "api-garbled", "drops-keys", "ends-unknown", "eight-hours", "elses-upgrade-soon",
}

// faults are what goes wrong between a site and its clients.
var faults = []string{
	"delay", "delay", "status", "html", "empty", "within", "headers", "half", "cut", "close", "reset", "silent", "slow", "again", "leads",
}

// paths are what faults hit.
var paths = []string{
	"admin/**", "admin/**", "admin/jobs/*", "admin/services/**", "admin/healthCheck/**", "admin/mode", "admin/system/**", "admin/uploads/**", "admin/*",
}

// Trouble makes a world in which much goes wrong, mostly not for long. Where the program
// cannot sign in again by itself, tokens stay valid.
func (m *Monkey) Trouble(signsIn bool) simulator.Scenario {
	name := one(m, worlds...)
	s, _ := simulator.BuiltIn(name)
	s.Name = "monkey-" + name
	s.HostileText = s.HostileText || m.IntN(3) == 0
	if m.IntN(4) == 0 {
		s.Latency = m.span(time.Millisecond, 300*time.Millisecond)
	}
	what := faults
	if signsIn {
		what = append(what[:len(what):len(what)], "token")
	}
	for range m.IntN(8) {
		every := m.span(5*time.Second, 2*time.Minute)
		from := simulator.Moment{Plus: m.span(0, 20*time.Second)}
		fault := simulator.Fault{
			Path: one(m, paths...), Method: one(m, "", "", "GET", "POST"), What: one(m, what...), Performed: m.IntN(2) == 0,
			Window: simulator.Window{From: &from, For: simulator.Duration{Duration: every.Duration / time.Duration(2+m.IntN(10))}, Every: every},
		}
		switch fault.What {
		case "delay", "slow":
			fault.Delay = m.span(10*time.Millisecond, 5*time.Second)
		case "status", "html":
			fault.Status = one(m, 200, 400, 403, 404, 429, 500, 502, 503, 504)
		}
		s.Faults = append(s.Faults, fault)
	}
	for range m.IntN(4) {
		event := simulator.Event{At: m.span(time.Second, 5*time.Minute)}
		switch on := m.IntN(2) == 0; {
		case signsIn && m.IntN(2) == 0:
			event.ExpireTokens = true
		default:
			event.ReadOnly, event.Message = &on, "Maintenance \x1b[31mtonight\u202e"
		}
		s.Events = append(s.Events, event)
	}
	if s.Editing.Other == nil && m.IntN(3) == 0 {
		s.Editing.Other = &simulator.OtherEdit{
			Reads: 1 + m.IntN(5), Times: 1 + m.IntN(20),
			Set: []simulator.Setting{{At: "/description", Value: []byte(fmt.Sprintf(`"edited %d \u001b[2J"`, m.IntN(1000)))}},
		}
	}
	return s
}

// span is a time between two, in milliseconds.
func (m *Monkey) span(least, most time.Duration) simulator.Duration {
	return simulator.Duration{Duration: (least + time.Duration(m.Int64N(int64(most-least)))).Round(time.Millisecond)}
}
