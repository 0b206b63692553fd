package memdisk_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

const roads = "Hosted/Roads.MapServer"

// sendAll edits a service and starts an upgrade, as far as the program lives.
func (s *session) sendAll(p *memdisk.Program) error {
	j, err := s.open(p)
	if err == nil {
		err = s.sendEdit(j)
	}
	if err == nil {
		err = s.sendUpgrade(j)
	}
	return err
}

func (s *session) sendEdit(j *journal.Journal) error {
	edit, err := j.Claim("service "+strings.ToLower(roads), roads)
	if err != nil {
		return err
	}
	s.asked++
	if _, err = edit.SaveBackup("definition", roads, fmt.Appendf(nil, "content %d", s.asked), "me", "before an edit"); err == nil {
		err = j.BeforeWrite(adminapi.Write{ID: 1, Operation: "edit the service", Path: "/services/Hosted/Roads.MapServer/edit", Target: "service " + strings.ToLower(roads), Sent: noon()})
	}
	if err != nil {
		return err
	}
	j.AfterWrite(adminapi.Write{ID: 1, Operation: "edit the service", Sent: noon()}, adminapi.OutcomeDone, nil)
	edit.Release()
	return nil
}

func (s *session) sendUpgrade(j *journal.Journal) error {
	upgrade, err := j.Claim(adminapi.TargetSite, "12.0")
	if err != nil {
		return err
	}
	w := adminapi.Write{ID: 2, Operation: "start the upgrade", Path: "/system/upgrades/upgrade", Target: adminapi.TargetSite, Sent: noon()}
	if err := j.BeforeWrite(w); err != nil {
		return err
	}
	j.AfterWrite(w, adminapi.OutcomeDone, nil)
	transcript, err := j.OpenTranscript(journal.TranscriptRun{Start: fmt.Sprint("upgrade ", s.asked), Here: true, Record: upgrade.Record()})
	if err == nil {
		err = transcript.Append(journal.TranscriptLine{State: "in_progress"})
	}
	upgrade.Release()
	return err
}

// verify checks the record as a program that only reads.
func (s *session) verify(t *testing.T, when string) (v journal.Verification) {
	t.Helper()
	j, err := journal.OpenExisting(state, site, journal.WithFiles(s.disk.Program()))
	if err != nil {
		return v // there is none
	}
	v, err = j.Verify()
	if err != nil || len(v.Faults) > 0 {
		t.Errorf("%s: %+v, %v", when, v.Faults, err)
	}
	return v
}

// What a crash leaves is no fault, at any call, before or after the next program has opened the
// journal, and after that has sent something or was killed itself.
func TestNoCrashOfAWriteIsTakenForARemovedLine(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		hit := false
		for i, kind := range []memdisk.Kind{memdisk.KillBefore, memdisk.KillAfter, memdisk.Torn, memdisk.FailedSync} {
			f := memdisk.Fault{Nth: n, Kind: kind}
			// The next program is killed as well; 33: its line is on disk, its head is not.
			again := []int{0, 33, 1 + n*37%70}[(n+i)%3]
			s := newSession(home)
			p := s.disk.Program(f)
			_ = s.sendAll(p)
			hit = hit || len(p.Hits()) > 0
			when := fmt.Sprintf("%v at call %d", f.Kind, n)
			s.verify(t, when)
			if again > 0 {
				if j, err := s.open(s.disk.Program(memdisk.Fault{Nth: again, Kind: memdisk.KillAfter})); err == nil {
					_ = s.sendUpgrade(j)
				}
				when += fmt.Sprintf(", then a kill after call %d", again)
				s.verify(t, when)
			}
			s.disk.CutPower(chance(uint64(n + 1000*again)))
			s.verify(t, when+", without power")
			p = s.disk.Program()
			if _, err := s.open(p); err != nil {
				t.Errorf("%s: %v", when, err)
			}
			if v := s.verify(t, when+", opened"); v.Uncounted > 0 {
				t.Errorf("%s: the head lacks %d lines", when, v.Uncounted)
			}
			must(t, s.sendAll(s.disk.Program()))
			s.verify(t, when+", and the next writes")
		}
		if !hit {
			return
		}
	}
}

// Whatever crash came before, what is removed is found, also once it was opened and written to.
func TestWhatIsRemovedAfterACrashIsFound(t *testing.T) {
	t.Parallel()
	for n := 1; ; n += 10 {
		crashed := func() (*session, bool) {
			s := newSession(home)
			must(t, s.sendAll(s.disk.Program()))
			p := s.disk.Program(memdisk.Fault{Nth: n, Kind: memdisk.KillAfter})
			_ = s.sendAll(p)
			_, err := s.open(s.disk.Program())
			must(t, err)
			return s, len(p.Hits()) > 0
		}
		s, hit := crashed()
		lines := s.verify(t, "whole").Lines
		for cut := 0; cut <= lines; cut++ {
			for _, names := range []string{"", journal.HeadName, journal.HeadName + " transcripts", "transcripts backups"} {
				if cut == 0 && !strings.Contains(names, journal.HeadName) {
					continue
				}
				s, _ := crashed()
				s.remove(t, cut, strings.Fields(names)...)
				when := fmt.Sprintf("killed after call %d, without the last %d lines and %q", n, cut, names)
				s.wantFaults(t, when)
				_, err := s.open(s.disk.Program())
				must(t, err)
				s.wantFaults(t, when+", opened")
				must(t, s.sendAll(s.disk.Program()))
				s.wantFaults(t, when+", and the next writes")
			}
		}
		if !hit {
			return
		}
	}
}

// What a program cannot make last it does not count either: after a power cut that would be a line that somebody
// has removed.
func TestALineThatIsNotOnDiskIsNotCounted(t *testing.T) {
	t.Parallel()
	faults := []memdisk.Fault{{Op: memdisk.OpSync, Path: journal.LogName, Kind: memdisk.FailedSync}}
	for nth := 1; nth <= 4; nth++ {
		faults = append(faults, memdisk.Fault{Op: memdisk.OpOpen, Path: journal.LogName, Nth: nth, Kind: memdisk.Denied})
	}
	for seed := range uint64(25) {
		s := newSession(home)
		first := s.disk.Program(memdisk.Fault{Op: memdisk.OpWrite, Path: journal.LogName, Kind: memdisk.KillAfter})
		_ = s.sendAll(first)
		if len(first.Hits()) == 0 {
			t.Fatal("no line was written")
		}
		_, _ = s.open(s.disk.Program(faults[int(seed)%len(faults)]))
		s.disk.CutPower(chance(seed))
		s.verify(t, fmt.Sprintf("seed %d", seed))
	}
}

// Where the head is behind and the log cannot be read, the next line leaves the head as it is, and says what it counts.
func TestNoFailureOfTheDiskIsTakenForAChangeOfTheRecord(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		s := newSession(home)
		p := s.disk.Program(memdisk.Fault{Op: memdisk.OpRename, Path: journal.HeadName, Nth: 2, Kind: memdisk.Full}, memdisk.Fault{Nth: n, Kind: memdisk.Torn})
		j, err := s.open(p)
		for id := uint64(1); err == nil && id <= 3; id++ {
			w := adminapi.Write{ID: id, Operation: "run a health check", Sent: noon()}
			if j.BeforeWrite(w) == nil {
				j.AfterWrite(w, adminapi.OutcomeDone, nil)
			}
		}
		when := fmt.Sprintf("%s at call %d", strings.Join(p.Hits(), ", "), n)
		if v := s.verify(t, when); err == nil && v.Lines >= 4 && v.Uncounted == 0 {
			s.remove(t, 1)
			s.wantFaults(t, when+", without the last line")
		}
		if len(p.Hits()) < 2 && n > 30 {
			return
		}
	}
}

// remove removes the last lines of the log, and what else is named.
func (s *session) remove(t *testing.T, lines int, names ...string) {
	t.Helper()
	p := s.disk.Program()
	for path, content := range s.disk.Files() {
		if filepath.Base(path) == journal.LogName {
			all := strings.SplitAfter(strings.TrimSuffix(string(content), "\n"), "\n")
			left := 0
			for _, line := range all[:len(all)-lines] {
				left += len(line)
			}
			f, err := p.Open(path, 2, 0)
			must(t, err)
			must(t, f.Truncate(int64(left)))
			must(t, f.Close())
		}
		for _, name := range names {
			if strings.Contains(path+"/", "/"+name+"/") {
				must(t, p.Remove(path))
			}
		}
	}
}

func (s *session) wantFaults(t *testing.T, when string) {
	t.Helper()
	j, err := journal.OpenExisting(state, site, journal.WithFiles(s.disk.Program()))
	must(t, err)
	if v, err := j.Verify(); err != nil || len(v.Faults) == 0 {
		t.Errorf("%s: nothing is missed: %+v, %v", when, v, err)
	}
}

// A disk that could not sync once may have lost what it says it has: the same backup is written anew, its line too.
func TestABackupOfWhichASyncHasFailedLastsOnceItIsSavedAgain(t *testing.T) {
	t.Parallel()
	content := []byte(`{"type":"MapServer"}`)
	save := func(s *session, faults ...memdisk.Fault) error {
		j, err := s.open(s.disk.Program(faults...))
		if err == nil {
			_, err = j.SaveBackup("definition", "Cities.MapServer", content, "ada", "before an edit")
		}
		return err
	}
	for seed := range uint64(25) {
		s := newSession(home)
		for _, kind := range []memdisk.Kind{memdisk.KillBefore, memdisk.FailedSync} {
			if err := save(s, memdisk.Fault{Op: memdisk.OpSync, Path: "index.jsonl", Kind: kind}); err == nil {
				t.Fatalf("%v: it was saved", kind)
			}
		}
		must(t, save(s))
		s.disk.CutPower(chance(seed))
		j, err := s.open(s.disk.Program())
		must(t, err)
		all, err := j.Backups("definition", "Cities.MapServer")
		if err != nil || len(all) != 1 {
			t.Fatalf("seed %d: %d backups, %v", seed, len(all), err)
		}
		if kept, err := j.ReadBackup("definition", "Cities.MapServer", all[0].ID); err != nil || string(kept) != string(content) {
			t.Errorf("seed %d: %q, %v", seed, kept, err)
		}
	}
}
