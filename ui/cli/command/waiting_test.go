package command

import (
	"io"
	"strings"
	"testing"
	"time"

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
