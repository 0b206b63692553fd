package sweep

import (
	"encoding/json"
	"math/rand/v2"

	"geodeck/adminapi"
	"geodeck/ui/uitest/sweep/oracle"
)

// The wishes for a service that is started, or stopped.
const starts, stops = "start", "stop"

// cannotStart is a service whose start is accepted, and fails in its job.
var cannotStart = oddity{"the service cannot start", func(p *plan) {
	p.scenario.Editing.Broken = map[string]string{cities.Path(): "no licence for it"}
	p.breaks += attempts
}}

// switching is a start or stop of the service of the day.
type switching struct {
	m     *machine
	start bool
	hurry *rand.Rand
}

// playSwitch starts a service, or stops it.
func playSwitch(m *machine) {
	c := &switching{m: m, start: m.day.Want == starts, hurry: m.day.random("hurry")}
	w := wish{name: m.day.Want, is: func(p *post) bool { return p.path == "/services/"+cities.Path()+"/"+m.day.Want }, try: c.byCommand, intent: &oracle.Intent{}}
	w.has = func() bool { return c.is(m.site.ask("GET", "/services/"+cities.Path()+"/status", nil)) }
	if !c.start {
		w.intent.Accepted = cities.Name
	}
	m.insist(w)
}

// is reports whether a state is what is wanted, as the site or a command tells it.
func (c *switching) is(state string) bool {
	var told struct{ ConfiguredState, RealTimeState string }
	want := map[bool]string{true: adminapi.ServiceStarted, false: adminapi.ServiceStopped}[c.start]
	return json.Unmarshal([]byte(state), &told) == nil && told.ConfiguredState == want && told.RealTimeState == want
}

// byCommand starts or stops it by a command, which somebody in a hurry does not let wait for the end, and then
// looks at the log.
func (c *switching) byCommand(r *run) told {
	path := cities.Path()
	state, ok := c.m.read("service", "status", path, "-o", "json")
	switch {
	case !ok:
		return notSent("its state cannot be read")
	case c.is(state):
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is so"}
	}
	args := []string{"service", c.m.day.Want, path}
	if !c.start {
		args = append(args, "--confirm", cities.Name)
	}
	if c.hurry.IntN(2) == 0 {
		args = append(args, "--timeout", "3s")
	}
	p := r.change("", args...)
	if _, read := c.m.read("log", "--limit", "0"); read { // as people read it: each line is judged as a claim
		c.m.day.meet("the log is read")
	}
	return p.told()
}
