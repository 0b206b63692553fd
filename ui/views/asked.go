package views

import (
	"time"

	"geodeck/adminapi"
)

// How long is waited between attempts while the site does not answer.
const (
	firstPause = 2 * time.Second
	mostPause  = 30 * time.Second
)

// Asked is how a view stands with one thing that it asks the site for. The zero
// value has not been asked for.
type Asked struct {
	Asking  bool      // a request is under way, or waits for its turn
	Reading time.Time // of the last good answer; zero where there was none
	Away    *Away     // the site does not answer; what it told before is still shown
	Problem error     // why nothing is told, where asking again does not help by itself
	pause   time.Duration
}

// Answered notes a good answer.
func (a *Asked) Answered(now time.Time) {
	*a = Asked{Reading: now}
}

// Failed notes an attempt that failed. Where the error may go by itself it returns
// how long to wait before the next attempt, which is under way from then on; zero
// where nothing but the user can help.
func (a *Asked) Failed(now time.Time, err error) (wait time.Duration) {
	if !adminapi.Passing(err) {
		a.Asking, a.Away, a.pause, a.Problem = false, nil, 0, err
		return 0
	}
	a.pause = max(firstPause, min(2*a.pause, mostPause))
	a.Asking, a.Away = true, StillAway(a.Away, now, a.pause, err)
	return a.pause
}
