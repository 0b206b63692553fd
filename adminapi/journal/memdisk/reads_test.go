package memdisk_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

// written is a session with more of everything than one read takes in, and the write that was refused first.
func written(t *testing.T) (s *session, refused string) {
	t.Helper()
	s = newSession(home)
	must(t, s.sendAll(s.disk.Program()))
	j, err := s.open(s.disk.Program())
	must(t, err)
	first := adminapi.Write{ID: 10, Operation: "run a health check", Sent: noon()}
	must(t, j.BeforeWrite(first))
	for id := uint64(11); id < 90; id++ {
		w := adminapi.Write{ID: id, Operation: "run a health check", Sent: noon()}
		must(t, j.BeforeWrite(w))
		j.AfterWrite(w, adminapi.OutcomeDone, nil)
	}
	j.AfterWrite(first, adminapi.OutcomeRefused, nil)
	all, err := j.Actions(0)
	must(t, err)
	must(t, j.SaveSnapshot("reports", noon(), 0, strings.Repeat("x", 40<<10)))
	transcript, err := j.OpenTranscript(journal.TranscriptRun{Start: "another upgrade"})
	must(t, err)
	for i := range 40 {
		m := adminapi.UpgradeMessage{Code: 2038, When: adminapi.MillisOf(noon()) + adminapi.Millis(i), Message: fmt.Sprint(i, strings.Repeat("x", 1<<10))}
		must(t, transcript.Append(journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: m, Nth: 1}}}))
	}
	for _, r := range all {
		if r.Outcome == adminapi.OutcomeRefused {
			refused = r.ID
		}
	}
	if refused == "" {
		t.Fatal("nothing was refused")
	}
	return s, refused
}

// Where a call fails while something is read, a part of it is not told as the whole.
func TestWhatCannotBeReadWholeIsAnError(t *testing.T) {
	t.Parallel()
	s, refused := written(t)
	for name, read := range map[string]func(j *journal.Journal) (any, error){
		"the records":   func(j *journal.Journal) (any, error) { return j.Actions(0) },
		"open records":  func(j *journal.Journal) (any, error) { return j.OpenRecords("") },
		"a record":      func(j *journal.Journal) (any, error) { return j.RecordLines(refused) },
		"the backups":   func(j *journal.Journal) (any, error) { return j.Backups("definition", roads) },
		"a snapshot":    func(j *journal.Journal) (any, error) { return j.Snapshot("reports") },
		"all summaries": func(j *journal.Journal) (any, error) { return j.Transcripts() },
		"a backup": func(j *journal.Journal) (any, error) {
			all, err := j.Backups("definition", roads)
			if err != nil {
				return nil, err
			}
			return j.ReadBackup("definition", roads, all[0].ID)
		},
		"a transcript": func(j *journal.Journal) (any, error) {
			all, err := j.Transcripts()
			if err != nil {
				return nil, err
			}
			summary, lines, err := j.ReadTranscript(all[0].ID)
			return fmt.Sprint(summary, lines), err
		},
	} {
		whole := ""
		for n := 0; ; n++ {
			var faults []memdisk.Fault
			if n > 0 {
				faults = append(faults, memdisk.Fault{Nth: n, Kind: memdisk.Torn})
			}
			p := s.disk.Program(faults...)
			j, err := journal.OpenExisting(state, site, journal.WithFiles(p), journal.WithClock(s.clock), journal.WithRand(s.rand))
			if err != nil {
				continue
			}
			got, err := read(j)
			told := fmt.Sprintf("%+v", got)
			switch {
			case n == 0:
				must(t, err)
				whole = told
			case err == nil && told != whole:
				t.Errorf("%s, where call %d fails: %d bytes are told instead of %d", name, n, len(told), len(whole))
			}
			if n > 0 && len(p.Hits()) == 0 {
				break
			}
		}
	}
}

// Who only reads changes nothing, so the disk may be read-only.
func TestAJournalOnADiskThatCanOnlyBeReadIsRead(t *testing.T) {
	t.Parallel()
	s, _ := written(t)
	var faults []memdisk.Fault
	for _, op := range []memdisk.Op{
		memdisk.OpCreate, memdisk.OpWrite, memdisk.OpTruncate, memdisk.OpRename, memdisk.OpRemove, memdisk.OpMkdir, memdisk.OpChmod,
	} {
		faults = append(faults, memdisk.Fault{Op: op, For: -1, Kind: memdisk.ReadOnly})
	}
	j, err := journal.OpenExisting(state, site, journal.WithFiles(s.disk.Program(faults...)))
	must(t, err)
	if all, err := j.Actions(0); err != nil || len(all) == 0 {
		t.Errorf("%d records, %v", len(all), err)
	}
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 || v.Backups == 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if all, err := j.Transcripts(); err != nil || len(all) == 0 {
		t.Errorf("%d transcripts, %v", len(all), err)
	}
}

// A folder that cannot be made says why, and not that it is missing.
func TestAFolderThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	for kind, why := range map[memdisk.Kind]string{
		memdisk.Full: "there is no space left on the disk for ", memdisk.Denied: "you may not read or write ", memdisk.ReadOnly: " is read-only",
	} {
		s := newSession(home)
		j, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpMkdir, Path: "snapshots", Kind: kind}))
		must(t, err)
		if err := j.SaveSnapshot("reports", noon(), 0, 1); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// What is recorded later relies on all that was recorded before.
func TestAnOutcomeThatCannotBeReadIsNotReplaced(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		s, refused := written(t)
		p := s.disk.Program(memdisk.Fault{Path: journal.LogName, Nth: n, Kind: memdisk.Torn})
		j, err := s.open(p)
		must(t, err)
		if j.Resolve(refused, adminapi.OutcomeDone, "it is there") == nil || j.Override(refused, "its name was typed") == nil || j.Settle(refused, journal.VerdictSucceeded, "it is there") == nil {
			t.Errorf("where call %d fails, what was refused gets another end", n)
		}
		if len(p.Hits()) == 0 {
			return
		}
	}
}

// A folder above that of this user cannot always be synced: who may not read it has not changed it.
func TestAStateFolderBelowOneOfOthersIsUsed(t *testing.T) {
	t.Parallel()
	for _, kind := range []memdisk.Kind{memdisk.Denied, memdisk.ReadOnly} {
		s := newSession(home)
		must(t, s.sendAll(s.disk.Program(memdisk.Fault{Op: memdisk.OpSyncFolder, Path: "home", For: -1, Kind: kind})))
		s.verify(t, fmt.Sprint(kind))
	}
}
