package memdisk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

// A claim may end between the moment when the next program opens its file and that when it locks it: the lock
// is one of a file without a name then, and would keep nobody else away.
func TestAClaimThatEndsWhileAnotherIsTakenLeavesOneHolder(t *testing.T) {
	t.Parallel()
	for _, third := range []bool{false, true} { // takes it in between
		s := newSession(home)
		first, err := s.open(s.disk.Program())
		must(t, err)
		claim, err := first.Claim(adminapi.TargetSite, "12.0")
		must(t, err)
		var between *journal.Claim
		ends := func() {
			claim.Release()
			if third {
				between, err = first.Claim(adminapi.TargetSite, "12.0")
				must(t, err)
			}
		}
		second, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpOpen, Path: "claim-*", Then: ends}))
		must(t, err)
		taken, err := second.Claim(adminapi.TargetSite, "12.0")
		if held := errors.As(err, new(*journal.ClaimedError)); held != third {
			t.Errorf("taken in between %v, and the claim is taken: %v", third, err)
		}
		if _, err := first.Claim(adminapi.TargetSite, "12.0"); !errors.As(err, new(*journal.ClaimedError)) {
			t.Errorf("two programs hold one claim: %v", err)
		}
		taken.Release()
		between.Release()
		again, err := second.Claim(adminapi.TargetSite, "12.0")
		must(t, err)
		again.Release()
	}
}

// draftsOf are the texts of the drafts that the next program finds.
func (s *session) draftsOf(t *testing.T) (texts []string) {
	t.Helper()
	j, err := s.open(s.disk.Program())
	must(t, err)
	all, err := j.Drafts("kind", "key")
	must(t, err)
	for _, d := range all {
		var text string
		must(t, d.Read(&text))
		texts = append(texts, text)
	}
	return texts
}

// Where the locks of others cannot be seen, a program of this machine may still run.
func TestWithoutLocksTheDraftOfAnotherProgramIsNotTakenForLeft(t *testing.T) {
	t.Parallel()
	s := newSession(home)
	runs, err := s.open(s.disk.Program())
	must(t, err)
	_, err = runs.SaveDraft("kind", "key", "of the first")
	must(t, err)
	j, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpLock, For: -1, Kind: memdisk.NoLocks}))
	must(t, err)
	holder, err := j.SaveDraft("kind", "key", "of the second")
	must(t, err)
	if holder == nil || holder.Liveness != journal.MaybeAlive {
		t.Fatalf("the edit is that of %+v", holder)
	}
	if err := j.DeleteDraft("kind", "key"); err != nil {
		t.Fatal(err)
	}
	taken, err := j.TakeDraft(*holder)
	must(t, err)
	if texts := s.draftsOf(t); len(texts) != 2 || !taken.Mine {
		t.Errorf("the drafts are %q", texts)
	}
}

// Whatever call fails when a draft is taken over, each text that was saved is there, and nothing was taken for
// the other.
func TestADraftThatCannotBeTakenOverIsNotLost(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		for _, kind := range []memdisk.Kind{memdisk.Full, memdisk.Torn, memdisk.Denied} {
			failed := 0
			for n := 1; ; n++ {
				s := newSession(home)
				left := s.disk.Program()
				j, err := s.open(left)
				must(t, err)
				_, err = j.SaveDraft("kind", "key", "left")
				must(t, err)
				left.Kill()
				want := []string{"left"}
				p := s.disk.Program(memdisk.Fault{Nth: n, Kind: kind})
				j, err = s.open(p)
				if err == nil && own {
					_, err = j.SaveDraft("kind", "key", "own")
				}
				if err != nil {
					continue // nothing is taken over yet
				}
				all, err := j.Drafts("kind", "key")
				at := slices.IndexFunc(all, func(d journal.Draft) bool { return !d.Mine && d.Damaged == nil })
				if err != nil || at < 0 {
					continue
				}
				if own {
					want = append(want, "own")
				}
				if _, err = j.TakeDraft(all[at]); err != nil {
					failed++
				}
				when := fmt.Sprintf("%v at call %d, with an own draft %v: %v", kind, n, own, err)
				texts := s.draftsOf(t)
				for _, text := range want {
					if !slices.Contains(texts, text) {
						t.Errorf("%s: the drafts are %q", when, texts)
					}
				}
				if len(p.Hits()) == 0 {
					break
				}
			}
			if failed == 0 {
				t.Errorf("%v, with an own draft %v: nothing has failed", kind, own)
			}
		}
	}
}

// Whatever call fails, a claim is held and says by whom, or it is an error and in nobody's way.
func TestAClaimThatCannotBeTakenIsNone(t *testing.T) {
	t.Parallel()
	for _, kind := range []memdisk.Kind{memdisk.Full, memdisk.Torn, memdisk.Denied} {
		for n := 1; ; n++ {
			s := newSession(home)
			p := s.disk.Program(memdisk.Fault{Path: "claim-*", Nth: n, Kind: kind})
			j, err := s.open(p)
			must(t, err)
			other, err := s.open(s.disk.Program())
			must(t, err)
			when := fmt.Sprintf("%v at call %d", kind, n)
			w := adminapi.Write{ID: 1, Operation: "start the upgrade", Target: adminapi.TargetSite, Sent: noon()}
			claim, err := j.Claim(adminapi.TargetSite, "12.0")
			if err != nil {
				if j.BeforeWrite(w) == nil {
					t.Errorf("%s: a write is recorded without a claim", when)
				}
				claim, err = j.Claim(adminapi.TargetSite, "12.0")
				if err != nil {
					t.Errorf("%s: then %v", when, err)
				}
			}
			_, err = other.Claim(adminapi.TargetSite, "12.0")
			if held, is := errors.AsType[*journal.ClaimedError](err); !is || !strings.Contains(held.By, "me on adm1") {
				t.Errorf("%s: another program is told %v", when, err)
			}
			claim.Release()
			if len(p.Hits()) == 0 {
				break
			}
		}
	}
}
