package oracle

import (
	"fmt"
	"slices"
	"time"
)

// Attempt is one try of a person at an intent, with one run of the program, and what that told.
type Attempt struct {
	Day     *Day
	Intent  *Intent
	Program string
	Outcome string // done, refused, not sent, unknown
	Ended   bool   // not only accepted: its end was seen too
	Broken  bool   // the site accepted it and did not do it, and the program says so
	Text    string // for the story
	Dead    bool   // the program was killed, and told nothing
	Hurt    bool   // it was killed at some time, or its disk went wrong
	writes  []*Write
	earlier []*Write
}

// Told judges what a program told of an intent.
func (d *Day) Told(a Attempt) {
	a.Day = d
	for _, w := range d.sent(func(w *Write) bool { return w.Intent == a.Intent }) {
		if w.Program == a.Program {
			a.writes = append(a.writes, w)
		} else {
			a.earlier = append(a.earlier, w)
		}
	}
	for _, w := range a.writes {
		w.Broken = w.Broken || a.Broken && w.Accepted && d.Ask(w.document()) != w.text()
	}
	judge(d, atAttempt, a)
}

var atAttempt = []rule[Attempt]{
	{"one attempt posts once", postsOnce},
	{"not sent is not sent", notSentIsSo},
	{"refused is refused", refusedIsSo},
	{"a clear refusal is told", refusalIsTold},
	{"done is accepted", doneIsSo},
	{"done is there", doneIsThere},
}

func postsOnce(a Attempt) (int, []string) {
	if len(a.writes) > 1 {
		return 1, []string{fmt.Sprintf("%s: %d writes of %s reached the site", a.Intent.Name, len(a.writes), a.Program)}
	}
	return 1, nil
}

// wrong is a told outcome that is not so.
func (a Attempt) wrong(truth string) []string {
	return []string{fmt.Sprintf("%s: %s told %q, %s: %s", a.Intent.Name, a.Program, a.Outcome, truth, a.Text)}
}

func notSentIsSo(a Attempt) (int, []string) {
	if a.Dead || a.Outcome != "not sent" {
		return 0, nil
	}
	if len(a.writes) > 0 {
		return 1, a.wrong("but the site has it")
	}
	return 1, nil
}

func refusedIsSo(a Attempt) (int, []string) {
	if a.Dead || a.Outcome != "refused" {
		return 0, nil
	}
	if accepted(a.writes) {
		return 1, a.wrong("but the site has accepted it")
	}
	return 1, nil
}

// refusalIsTold wants a write that the site has clearly refused, whatever its words, to be told as that.
func refusalIsTold(a Attempt) (int, []string) {
	if a.Dead || a.Hurt || len(a.writes) != 1 || a.writes[0].Worded == nil || !a.writes[0].Worded.Definite {
		return 0, nil
	}
	if a.Outcome != "refused" {
		return 1, a.wrong("but the site has refused it clearly")
	}
	return 1, nil
}

func doneIsSo(a Attempt) (int, []string) {
	if a.Dead || a.Outcome != "done" {
		return 0, nil
	}
	if !accepted(a.writes) && !accepted(a.earlier) && !a.has() && !a.beside() {
		return 1, a.wrong("but the site has never accepted it")
	}
	return 1, nil
}

// beside reports whether somebody else has edited within the two seconds before a post, by the same account: nothing
// that the site shows tells the jobs of the two apart.
func (a Attempt) beside() bool {
	return slices.ContainsFunc(a.writes, func(w *Write) bool {
		apart := w.At.Sub(a.Day.Touched)
		return 0 <= apart && apart <= 2*time.Second
	})
}

func doneIsThere(a Attempt) (int, []string) {
	if a.Dead || a.Outcome != "done" || !a.Ended || a.Broken || a.Intent.Has == nil {
		return 0, nil
	}
	a.Day.mu.Lock()
	undone := a.Day.undone
	a.Day.mu.Unlock()
	if !a.has() && !undone {
		return 1, a.wrong("but the site does not have it")
	}
	return 1, nil
}

func (a Attempt) has() bool { return a.Intent.Has != nil && a.Intent.Has() }

func accepted(writes []*Write) bool {
	for _, w := range writes {
		if w.Accepted {
			return true
		}
	}
	return false
}
