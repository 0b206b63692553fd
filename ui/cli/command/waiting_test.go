package command

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli/output"
)

func TestALongWaitIsReportedEachMinute(t *testing.T) {
	var said strings.Builder
	out := output.New(io.Discard, &said, func(string) string { return "" }, t.Context)
	wait := Waiting{out: out}
	clock := simtest.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	ended := wait.EachMinute(t.Context(), clock, "not answered yet")
	for range 2 {
		if err := clock.AwaitWaiters(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Minute)
	}
	if err := clock.AwaitWaiters(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ended()
	if err := out.Flush(); err != nil || said.String() != "not answered yet, 1 min\nnot answered yet, 2 min\n" {
		t.Errorf("it says %q, %v", said.String(), err)
	}
}

// An outage is one line, whatever differs from one try to the next, and so is its end.
func TestAnOutageIsReportedOnce(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	out := output.New(io.Discard, &said, func(string) string { return "" }, t.Context)
	wait := Waiting{out: out}
	for _, text := range []string{"", "reset by port 4711", "reset by port 4712", "timeout", "", ""} {
		var err error
		if text != "" {
			err = errors.New(text)
		}
		wait.ReportUnreachable(adminapi.Job{}, err, "retrying")
	}
	if err := out.Flush(); err != nil || said.String() != "the site: no answer at present, retrying: reset by port 4711\nthe site answers again\n" {
		t.Errorf("it says %q, %v", said.String(), err)
	}
}

// The same step at each look is one line, also where it is that of a service.
func TestAStepOfAServiceIsReportedOnce(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	out := output.New(io.Discard, &said, func(string) string { return "" }, t.Context)
	wait := Waiting{out: out, About: "Cities.MapServer", Several: true}
	for range 3 {
		wait.ReportFor(adminapi.Job{ID: "j1"}, "job j1: EXECUTING")
	}
	if err := out.Flush(); err != nil || said.String() != "Cities.MapServer: job j1: EXECUTING\n" {
		t.Errorf("it says %q, %v", said.String(), err)
	}
}
