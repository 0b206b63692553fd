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

// What tells a site that is silent from one in whose place something else
// answers, in a few words: "no answer".
func (a Away) What() string {
	kind, known := adminapi.KindOf(a.Err)
	switch {
	case !known || kind == adminapi.KindUnreachable:
		return "no answer"
	case kind == adminapi.KindNotJSON:
		return "answers with a web page"
	case kind == adminapi.KindSignIn:
		return "sign-in needed"
	}
	return "answers with errors"
}
