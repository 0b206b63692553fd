package polling_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

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
