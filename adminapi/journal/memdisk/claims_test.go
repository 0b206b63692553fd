package memdisk_test

import (
	"errors"
	"fmt"
	"os"
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

// Who does not know what others have open is not told that nobody has.
func TestDraftsThatCannotBeListedAreAnError(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 2; nth++ { // what editors have, then the others
		s := newSession(home)
		other, err := s.open(s.disk.Program())
		must(t, err)
		_, err = other.SaveDraft("kind", "key", "of another")
		must(t, err)
		all, err := other.Drafts("kind", "key")
		must(t, err)
		for name, do := range map[string]func(j *journal.Journal) error{
			"Drafts":     func(j *journal.Journal) error { _, err := j.Drafts("kind", "key"); return err },
			"ListDrafts": func(j *journal.Journal) error { _, err := j.ListDrafts("kind"); return err },
			"SaveDraft":  func(j *journal.Journal) error { _, err := j.SaveDraft("kind", "key", "mine"); return err },
			"TakeDraft":  func(j *journal.Journal) error { _, err := j.TakeDraft(all[0]); return err },
			"Discard":    func(j *journal.Journal) error { return j.DiscardDraft(all[0]) },
		} {
			j, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpRead, Path: "kind-*", Nth: nth, Kind: memdisk.Torn}))
			must(t, err)
			if err := do(j); err == nil || !strings.Contains(err.Error(), "the disk reports an error") {
				t.Errorf("%s, where list %d fails: %v", name, nth, err)
			}
		}
		if texts := s.draftsOf(t); len(texts) != 1 {
			t.Errorf("the drafts are %q", texts)
		}
	}
}

// What was sent or discarded is not offered again after a power cut: it could be sent twice.
func TestADraftThatWasRemovedDoesNotComeBack(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *session, j *journal.Journal) error{
		"sent": func(_ *session, j *journal.Journal) error { return j.DeleteDraft("kind", "key") },
		"discarded": func(s *session, j *journal.Journal) error {
			must(t, j.Close())
			next, err := s.open(s.disk.Program())
			must(t, err)
			all, err := next.Drafts("kind", "key")
			must(t, err)
			return next.DiscardDraft(all[0])
		},
		"of an editor": func(s *session, j *journal.Journal) error {
			must(t, j.DeleteDraft("kind", "key"))
			text, err := j.OpenText("kind", "key", "a.json", []byte("given"), "given")
			must(t, err)
			editor, err := s.disk.Program().Open(text.Path(), os.O_WRONLY|os.O_TRUNC, 0o600)
			must(t, err)
			_, err = editor.Write([]byte("changed"))
			must(t, err)
			must(t, editor.Sync())
			return text.Remove()
		},
	} {
		for seed := range uint64(8) {
			s := newSession(home)
			j, err := s.open(s.disk.Program())
			must(t, err)
			_, err = j.SaveDraft("kind", "key", "an edit")
			must(t, err)
			must(t, remove(s, j))
			s.disk.CutPower(chance(seed))
			if texts := s.draftsOf(t); len(texts) != 0 {
				t.Fatalf("what was %s is back: %q", name, texts)
			}
		}
	}
	s := newSession(home)
	j, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpRemove, Path: "key-*", Kind: memdisk.Denied}))
	must(t, err)
	_, err = j.SaveDraft("kind", "key", "an edit")
	must(t, err)
	if err := j.DeleteDraft("kind", "key"); err == nil || !strings.Contains(err.Error(), "you may not read or write") {
		t.Errorf("what may not be removed is: %v", err)
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
