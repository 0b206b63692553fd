package views

import (
	"time"

	"geodeck/adminapi"
)

// StillAway describes a site after one more attempt that failed; before is how
// it was, nil where it answered. The time starts anew where something else is
// wrong than before: a page of a proxy is no silence.
func StillAway(before *Away, now time.Time, wait time.Duration, err error) *Away {
	a := &Away{Since: now, Next: now.Add(wait), Err: err}
	if before != nil && before.What() == a.What() {
		a.Since = before.Since
	}
	return a
}

// What says in a few words what is wrong: "no answer".
func (a Away) What() string { return adminapi.AwayText(a.Err) }
