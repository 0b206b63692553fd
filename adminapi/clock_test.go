package adminapi_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"geodeck/adminapi"
)

func TestPausesGrowToALimit(t *testing.T) {
	t.Parallel()
	b := adminapi.Backoff{First: 2 * time.Second, Max: 30 * time.Second, Factor: 2, Jitter: 0.2}
	for n, want := range map[int]time.Duration{0: 2 * time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 4: 16 * time.Second, 5: 30 * time.Second, 1 << 30: 30 * time.Second} {
		if got := b.Pause(n, nil); got != want {
			t.Errorf("after %d attempts %v, want %v", n, got, want)
		}
	}
}

func TestJitterIsRandomAndRepeatable(t *testing.T) {
	t.Parallel()
	one, same := rand.NewPCG(1, 2), rand.NewPCG(1, 2)
	seen := map[time.Duration]bool{}
	for range 100 {
		pause := adminapi.UnreachableBackoff.Pause(9, one)
		if pause < 24*time.Second || pause > 36*time.Second {
			t.Errorf("%v is not 30 s and a fifth of it more or less", pause)
		}
		if again := adminapi.UnreachableBackoff.Pause(9, same); again != pause {
			t.Errorf("%v, and with the same chance %v", pause, again)
		}
		seen[pause] = true
	}
	if len(seen) < 50 {
		t.Errorf("only %d different pauses", len(seen))
	}
}

// While a machine sleeps, a monotonic clock stands still, and the age of what was read would, too.
func TestTheClockOfTheMachineGoesOnWhileItSleeps(t *testing.T) {
	t.Parallel()
	if now := (adminapi.SystemClock{}).Now(); now != now.Round(0) {
		t.Errorf("%v: ages would be measured by the monotonic clock", now)
	}
}

func TestAnEndBeforeItsStartIsNoSpan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start, end adminapi.Millis
		span       time.Duration
		known      bool
	}{{1000, 3000, 2 * time.Second, true}, {1000, 1000, 0, true}, {3000, 1000, 0, false}, {0, 1000, 0, false}, {1000, 0, 0, false}} {
		span, known := adminapi.Span(c.start, c.end)
		check(t, "span", []any{span, known}, []any{c.span, c.known}, nil)
	}
}

func TestAFactIsOldWhereItsTimeIsOverOrItsRefreshFailed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fact := adminapi.FactOf(at, "up", nil)
	failed := fact
	failed.Take(at.Add(time.Second), "", context.DeadlineExceeded)
	for name, c := range map[string]struct {
		fact  adminapi.Fact[string]
		after time.Duration
		want  bool
	}{
		"fresh": {fact, time.Minute, false}, "its time is over": {fact, time.Minute + 1, true},
		"the clock was set back": {fact, -time.Hour, true},
		"its refresh failed":     {failed, time.Second, true}, "never known": {adminapi.Fact[string]{}, time.Hour, false},
	} {
		check(t, name, c.fact.Old(at.Add(c.after), time.Minute), c.want, nil)
	}
	check(t, "value of before", []any{failed.Value, failed.At}, []any{"up", at}, nil)
}
