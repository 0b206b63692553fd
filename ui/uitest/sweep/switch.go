package sweep

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

const starts, stops = "start", "stop"

// cannotStart is a service whose start is accepted, and fails in its job.
var cannotStart = oddity{"the service cannot start", func(p *plan) {
	p.scenario.Editing.Broken = map[string]string{cities.Path(): "no licence for it"}
}}

// madeBefore is a request that is lost, and somebody has done the same an hour before, and undone it.
func madeBefore(play string) Trouble {
	return oddity{"a request is lost that somebody else has made before, by a clock that is off", func(p *plan) {
		p.made, p.skew = true, -50*time.Minute
		p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/services/*/" + play, Method: "POST", Times: 1, What: "close"})
	}}
}

// playSwitch starts a service, or stops it.
func playSwitch(m *machine) {
	want := m.day.Want
	w := wish{name: want, is: func(p *post) bool { return p.path == "/services/"+cities.Path()+"/"+want }, try: switchByCommand(want), intent: &oracle.Intent{}}
	w.has = func() bool { return isSwitched(want, m.site.ask("GET", "/services/"+cities.Path()+"/status", nil)) }
	if m.day.plan.made {
		for _, do := range map[string][]string{starts: {"start", "stop"}, stops: {"stop", "start"}}[want] {
			m.day.log("the second administrator: %s: %.100s", do, m.site.ask("POST", "/services/"+cities.Path()+"/"+do, url.Values{"async": {"true"}}))
			time.Sleep(20 * time.Minute)
		}
	}
	w.intent.Accepted = map[string]string{stops: cities.Name}[want]
	m.insist(w)
}

// isSwitched reports whether a state is what is wanted, as the site or a command tells it.
func isSwitched(wanted, state string) bool {
	var told struct{ ConfiguredState, RealTimeState string }
	want := map[string]string{starts: adminapi.ServiceStarted, stops: adminapi.ServiceStopped}[wanted]
	return json.Unmarshal([]byte(state), &told) == nil && told.ConfiguredState == want && told.RealTimeState == want
}

// switchByCommand starts or stops it by a command, in a hurry or to its end, and looks at the log then. Where an earlier
// request may be sent again, the next attempt does that.
func switchByCommand(want string) func(*run) told {
	again, lost := false, false
	return func(r *run) told {
		m, args := r.machine, []string{"service", want, cities.Path()}
		switch state, ok := m.read("service", "status", cities.Path(), "-o", "json"); {
		case !ok:
			return notSent("its state cannot be read")
		case isSwitched(want, state):
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is so"}
		case want == stops:
			args = append(args, "--confirm", cities.Name)
		}
		if again || lost && m.day.random(r.name+" again").IntN(2) == 0 {
			args = append(args, "--again", cities.Path())
		}
		if m.day.random(r.name+" hurry").IntN(2) == 0 {
			args = append(args, "--timeout", "3s")
		}
		p := r.change("", args...)
		m.notTooSoon(r, p.sendsAgain(), "/services/"+cities.Path()+"/"+want)
		lost = p.code == codeUnknown
		again = p.code == codeUnknown && strings.Contains(p.err, "nothing was sent") && p.sendsAgain()
		_, _ = m.read("log", "--limit", "0") // as people read it: each line is judged as a claim
		if p.code == codeUnreachable {       // also of a site that fell silent after it had taken the request
			return told{text: p.err}
		}
		return p.told()
	}
}
