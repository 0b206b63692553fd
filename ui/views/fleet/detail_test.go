package fleet

import (
	"errors"
	"testing"
	"time"

	"geodeck/adminapi/fleet"
)

// What is said of the mode is what was read of it, and no more.
func TestTheModeOfASiteIsWhatWasReadOfIt(t *testing.T) {
	t.Parallel()
	read := fleet.Row{Updated: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), SignIn: fleet.SignedIn, ModeRead: true}
	for says, change := range map[string]func(*fleet.Row){
		"":                            func(r *fleet.Row) { *r = fleet.Row{} },
		"takes changes":               func(*fleet.Row) {},
		"takes changes; locked here":  func(r *fleet.Row) { r.Locked = true },
		"read-only":                   func(r *fleet.Row) { r.ReadOnly, r.Err = true, errors.New("gone") }, // as it was
		"not known":                   func(r *fleet.Row) { r.ModeErr = errors.New("refused") },
		"not known; it was read-only": func(r *fleet.Row) { r.ModeErr, r.ReadOnly = errors.New("refused"), true },
	} {
		row := read
		if change(&row); mode(row) != says {
			t.Errorf("%q, and it should be %q", mode(row), says)
		}
	}
	never := read
	if never.SignIn, never.ModeRead, never.Err = fleet.SignInNotKept, false, errors.New("gone"); mode(never) != "not known" {
		t.Errorf("of a site that needs a sign-in and is away: %q", mode(never))
	}
}
