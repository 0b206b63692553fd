package operation_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

// What a site tells without a state, and with a code that nobody knows, ends nothing
// and has gone well for nobody.
func TestAStatusWithoutAStateEndsNoWatchUnlessItsCodeIsKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  string // all of it but the messages
		meaning progress.State
		ended   bool
	}{
		{`"code":2`, progress.StateUnknown, false},
		{`"state":"","code":2`, progress.StateUnknown, false},
		{`"state":null,"code":2`, progress.StateUnknown, false},
		{`"state":"success","code":2`, progress.StateUnknown, false},
		{`"state":"in_progress","code":2`, progress.StateUnknown, false},
		{`"code":4`, progress.StateUnknown, false},
		{`"state":"failed","code":2`, progress.StateFailed, true},
		{`"code":3`, progress.StateSucceeded, true},
	} {
		p := remembering(t, builtIn(t, "healthy"), t.TempDir())
		first := p.first(0)
		p.tells(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
		watch := p.WatchUpgrade(nil)
		before := readings(t, p, watch, 1)
		if !before.Seen || before.Ended {
			t.Fatalf("while it runs: %+v", before)
		}
		p.tells(fmt.Sprintf(`{%s,"messages":[%s,%s]}`, c.status, first, p.end()))
		reading := readings(t, p, watch, 1)
		if reading.Meaning != c.meaning || reading.Ended != c.ended || reading.Progress.Meaning != c.meaning {
			t.Errorf("%s: %v, ended %v, progress %+v", c.status, reading.Meaning, reading.Ended, reading.Progress)
		}
		alarm, due := p.AlarmOf(before, reading, p.clock.Now())
		if !due || (alarm.Kind == operation.AlarmUnknown) != (c.meaning == progress.StateUnknown) {
			t.Errorf("%s: alarm %+v, due %v", c.status, alarm, due)
		}
		if c.meaning == progress.StateUnknown && (strings.Contains(alarm.Text, "is ,") || !strings.Contains(alarm.Text, ", code ")) {
			t.Errorf("%s: it does not say what the site tells: %s", c.status, alarm.Text)
		}
		if !c.ended && readings(t, p, p.WatchUpgrade(nil), 1).Ended {
			t.Errorf("%s: a watch that is resumed takes it for an end", c.status)
		}
	}
}
