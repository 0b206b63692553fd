package polling_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/simulator/simtest"
)

// steps is a poller that returns what was written down.
type steps []polling.Step[int]

var errLast = errors.New("there is no further step")

func (s *steps) Next(context.Context) (polling.Step[int], error) {
	if len(*s) == 0 {
		return polling.Step[int]{Value: -1}, errLast
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return next, nil
}

func TestWaitPollsToTheEnd(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, c := range map[string]struct {
		steps  steps
		told   []int
		value  int
		waited time.Duration
		err    error
	}{
		"at once":           {steps{{Value: 1, Wait: time.Hour, Done: true}}, []int{1}, 1, 0, nil},
		"after an absence":  {steps{{Value: 1, Wait: time.Second}, {Value: 1, Wait: time.Minute, Unreachable: away}, {Value: 2, Done: true}}, []int{1, 1, 2}, 2, 61 * time.Second, nil},
		"not told an error": {steps{{Value: 1, Wait: time.Second}}, []int{1}, -1, time.Second, errLast},
	} {
		clock := simtest.NewSteppedClock(time.Unix(0, 0))
		var told []int
		value, err := polling.Wait(t.Context(), clock, &c.steps, func(s polling.Step[int]) { told = append(told, s.Value) })
		if value != c.value || !errors.Is(err, c.err) || !slices.Equal(told, c.told) || clock.Now().Sub(time.Unix(0, 0)) != c.waited {
			t.Errorf("%s: %d after %v, %v, told %v", name, value, clock.Now().Sub(time.Unix(0, 0)), err, told)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	value, err := polling.Wait(ended, simtest.NewSteppedClock(time.Unix(0, 0)), &steps{{Value: 7, Wait: time.Second}}, nil)
	if value != 7 || !errors.Is(err, context.Canceled) {
		t.Errorf("given up with %d, %v", value, err)
	}
}

// half is a source of chance that draws the middle: pauses are those of the backoff.
type half struct{}

func (half) Uint64() uint64 { return 1 << 52 }

func TestAPaceGrowsWithWhatStaysTheSameAndBeginsAnewAfterIt(t *testing.T) {
	t.Parallel()
	const answer, failure, reset, slow, fast = 'a', 'f', 'r', 's', 'n'
	for name, c := range map[string]struct {
		does  string
		waits []time.Duration // in milliseconds
	}{
		"while nothing changes":        {"aaaaaa", []time.Duration{2000, 3000, 4500, 6750, 10_000, 10_000}},
		"once something changes":       {"aaara", []time.Duration{2000, 3000, 4500, 2000}},
		"at a site that is away":       {"ffffff", []time.Duration{2000, 4000, 8000, 16_000, 30_000, 30_000}},
		"at one that answered between": {"afffaff", []time.Duration{2000, 2000, 4000, 8000, 3000, 2000, 4000}},
		"a change ends no absence":     {"ffrf", []time.Duration{2000, 4000, 8000}},
		"over a slow line":             {"saafnaf", []time.Duration{4000, 6000, 4000, 4500, 2000}},
	} {
		line := polling.NewLine(false)
		pace := polling.NewPace(polling.QuietBackoff, line, half{})
		var waits []time.Duration
		for _, does := range c.does {
			switch does {
			case answer:
				waits = append(waits, pace.AfterAnswer()/time.Millisecond)
			case failure:
				waits = append(waits, pace.AfterFailure()/time.Millisecond)
			case reset:
				pace.Reset()
			case slow, fast:
				line.SetSlow(does == slow)
			}
		}
		if !slices.Equal(waits, c.waits) {
			t.Errorf("%s: it waits %d ms, want %d", name, waits, c.waits)
		}
	}
}

// Programs that lost a site together do not come back to it together.
func TestPausesAtASiteThatIsAwayAreDrawnAndThoseOfOneThatAnswersAreNot(t *testing.T) {
	t.Parallel()
	drawn, exact := map[time.Duration]bool{}, map[time.Duration]bool{}
	for range 20 {
		pace := polling.NewPace(polling.JobBackoff, nil, adminapi.SystemRand{})
		exact[pace.AfterAnswer()] = true
		wait := pace.AfterFailure()
		if drawn[wait] = true; wait < 1600*time.Millisecond || wait > 2400*time.Millisecond {
			t.Errorf("a pause of %v is not within a fifth of two seconds", wait)
		}
	}
	if len(drawn) < 2 || len(exact) != 1 {
		t.Errorf("after failures %v, after answers %v", drawn, exact)
	}
}

func TestTheWayToASiteIsNotSlowUnlessThatIsSaid(t *testing.T) {
	t.Parallel()
	var none *polling.Line
	for line, want := range map[*polling.Line]time.Duration{
		none: time.Minute, {}: time.Minute, polling.NewLine(false): time.Minute, polling.NewLine(true): 2 * time.Minute,
	} {
		if got := line.Pause(time.Minute); got != want || line.Slow() != (want > time.Minute) {
			t.Errorf("a minute becomes %v, slow %v; want %v", got, line.Slow(), want)
		}
	}
}
