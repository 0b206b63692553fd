package cli

import (
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
)

func TestALongWaitIsReportedEachMinute(t *testing.T) {
	var said lines
	p := newProgram(t.Context(), Process{Err: &said, Env: func(string) string { return "" }})
	clock := simtest.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	ended := p.wait.eachMinute(t.Context(), clock, "not answered yet")
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
	if err := p.out.Flush(); err != nil || string(said) != "not answered yet, 1 min\nnot answered yet, 2 min\n" {
		t.Errorf("it says %q, %v", said, err)
	}
}

// lines is an output that keeps what is written.
type lines []byte

func (l *lines) Write(p []byte) (int, error) {
	*l = append(*l, p...)
	return len(p), nil
}
