package simulator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestAManualClockWakesSleepersInTime(t *testing.T) {
	t.Parallel()
	c := simtest.NewManualClock(noon)
	woken := make(chan time.Duration)
	for _, d := range []time.Duration{time.Minute, time.Hour} {
		go func() {
			if err := c.Sleep(t.Context(), d); err != nil {
				t.Error(err)
			}
			woken <- d
		}()
	}
	if err := c.AwaitWaiters(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	c.Advance(59 * time.Second)
	if c.Waiters() != 2 {
		t.Error("a sleeper woke too early")
	}
	c.Advance(time.Second)
	if got := <-woken; got != time.Minute || c.Waiters() != 1 {
		t.Errorf("%s woke first, %d still wait", got, c.Waiters())
	}
	c.Advance(time.Hour)
	<-woken
	if want := noon.Add(time.Hour + time.Minute); !c.Now().Equal(want) {
		t.Errorf("now %s, want %s", c.Now(), want)
	}
}

func TestASleeperLeavesAManualClockWithItsContext(t *testing.T) {
	t.Parallel()
	c := simtest.NewManualClock(noon)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- c.Sleep(ctx, time.Hour) }()
	if err := c.AwaitWaiters(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) || c.Waiters() != 0 {
		t.Errorf("left with %v, %d still wait", err, c.Waiters())
	}
	if err := c.AwaitWaiters(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a sleeper ended with %v", err)
	}
	if err := c.Sleep(t.Context(), 0); err != nil {
		t.Errorf("no time at all: %v", err)
	}
}

func TestASteppedClockMovesByItsSleepers(t *testing.T) {
	t.Parallel()
	c := simtest.NewSteppedClock(noon)
	if err := c.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Sleep(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a sleep that is called off: %v", err)
	}
	if want := noon.Add(61 * time.Minute); !c.Now().Equal(want) {
		t.Errorf("now %s, want %s", c.Now(), want)
	}
}

func TestAScaledClockRunsFaster(t *testing.T) {
	t.Parallel()
	c := simulator.NewScaledClock(100_000)
	begin, wall := c.Now(), time.Now()
	if err := c.Sleep(t.Context(), 100*time.Second); err != nil {
		t.Fatal(err)
	}
	if passed := c.Now().Sub(begin); passed < 100*time.Second {
		t.Errorf("only %s passed", passed)
	}
	if took := time.Since(wall); took > 5*time.Second {
		t.Errorf("took %s of wall time", took)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Sleep(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a sleep that is called off: %v", err)
	}
}
