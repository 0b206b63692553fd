package views_test

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/views"
)

// counter is a poller that counts its readings, and whether two met.
type counter struct {
	readings int
	inside   bool
	t        *testing.T
}

func (c *counter) Next(context.Context) (polling.Step[int], error) {
	if c.inside {
		c.t.Error("two readings at a time")
	}
	c.inside = true
	defer func() { c.inside = false }()
	c.readings++
	return polling.Step[int]{Value: c.readings, Wait: time.Millisecond}, nil
}

func TestAPollReadsOnceAtATime(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(t.Context())
	defer scope.Close()
	c := &counter{t: t}
	poll := views.NewPoll(scope, adminapi.SystemClock{}, "pods", c, func(s polling.Step[int], err error) tea.Msg { return s.Value })
	first := poll.Now()
	if poll.Now() != nil {
		t.Error("a second reading begins before the first has come back")
	}
	if r := run(t, first); !scope.Current(r) || r.Msg != 1 {
		t.Errorf("the reply is %v", r.Msg)
	}
	poll.Received()
	late := run(t, poll.After(time.Millisecond))
	due, ok := late.Msg.(views.Retry)
	if !ok || !scope.Current(late) || c.readings != 1 {
		t.Fatalf("after the pause comes %v, with %d readings", late.Msg, c.readings)
	}
	if r := run(t, due.Do()); r.Msg != 2 {
		t.Errorf("the second reading is %v", r.Msg)
	}
}

func TestAPollThatIsAskedForNowWaitsNoLonger(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(t.Context())
	defer scope.Close()
	c := &counter{t: t}
	poll := views.NewPoll(scope, adminapi.SystemClock{}, "pods", c, func(s polling.Step[int], err error) tea.Msg { return s.Value })
	pause := poll.After(time.Hour)
	if r := run(t, poll.Now()); r.Msg != 1 || !scope.Current(r) {
		t.Errorf("read %v", r.Msg)
	}
	if r := run(t, pause); r.Msg != nil || scope.Current(r) {
		t.Errorf("the pause is followed by %v", r.Msg)
	}
}
