package watching

import (
	"time"

	"geodeck/adminapi"
)

// silence measures how long a run has been silent, by the site's clock alone: that may run at
// another pace than ours, or be hours off. It may also be set while we watch, which passes
// no time: the one step that differs most from our clock does not count until there are more of
// its kind.
type silence struct {
	server, local time.Time     // of the last answer
	here          time.Duration // of the silence, by our clock
	gain          time.Duration // of the server's clock on ours in it
	ahead, back   time.Duration // the largest gain of a step, and the largest step back
}

// begin starts at the first answer about a run, which has been silent since a time of the
// server's clock; zero where it has said nothing yet.
func (s *silence) begin(server, local time.Time, since adminapi.Millis) {
	*s = silence{server: server, local: local}
	if !since.IsZero() {
		s.here = max(0, server.Sub(since.Time()))
	}
}

// step adds the time since the last answer. spoke is the newest of the messages that are new
// in this one, zero where there is none; later reports whether it is also newer than all
// before: it was written since the last answer then.
func (s *silence) step(server, local time.Time, spoke adminapi.Millis, later bool) {
	there, here := server.Sub(s.server), max(0, local.Round(0).Sub(s.local.Round(0))) // the wall's time: a machine may sleep
	s.server, s.local = server, local
	if later {
		s.here, s.gain, s.ahead, s.back = 0, 0, 0, 0
	}
	s.here += here
	s.gain += there - here
	s.ahead = max(s.ahead, there-here)
	if there < 0 {
		s.back = min(s.back, there-here)
	}
	if spoke.IsZero() {
		return
	}
	if since := max(0, server.Sub(spoke.Time())); since < max(s.here+s.gain, s.lasts()) || there < 0 {
		here = min(s.here, since)
		s.here, s.gain, s.ahead, s.back = here, since-here, since-here, 0
	}
}

// lasts returns how long the run has been silent.
func (s *silence) lasts() time.Duration {
	gain := s.gain
	if s.ahead > 0 && 2*gain > 5*s.ahead { // of many steps: that is the pace of the clock
		return s.here + gain
	}
	for _, without := range []time.Duration{s.gain - s.ahead, s.gain - s.back} {
		if without.Abs() < gain.Abs() {
			gain = without
		}
	}
	return max(0, s.here+gain)
}
