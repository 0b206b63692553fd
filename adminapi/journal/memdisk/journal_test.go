package memdisk_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

const (
	home  = "/home/me"
	state = home + "/.local/state/geodeck"
	site  = "https://gis.example.org/ctx"
)

// tickingClock is a second later at each call.
type tickingClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *tickingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

func (c *tickingClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// seeded is the chance of a journal.
type seeded func() uint64

func (s seeded) Uint64() uint64 { return s() }

// session is a program with a journal, and what that has acknowledged.
type session struct {
	clock *tickingClock
	rand  seeded
	disk  *memdisk.Disk

	draft, asked int      // the last value that was saved, and the last that was to be
	sent         []string // operations of the writes that were recorded
	backups      int
	messages     int // of the transcript
}

func newSession(folder string) *session {
	clock := &tickingClock{now: noon()}
	return &session{clock: clock, rand: chance(0), disk: memdisk.New(clock.Now, folder)}
}

// open opens the journal as a new program.
func (s *session) open(p *memdisk.Program, options ...journal.Option) (*journal.Journal, error) {
	return journal.Open(state, site, append(options, journal.WithFiles(p), journal.WithClock(s.clock), journal.WithRand(s.rand), journal.WithProgram(journal.Program{User: "me", Host: "adm1", PID: 1}))...)
}

// work uses a journal for some rounds, until something fails.
func (s *session) work(p *memdisk.Program, rounds int, options ...journal.Option) error {
	j, err := s.open(p, options...)
	if err != nil {
		return err
	}
	transcript, err := j.OpenTranscript(journal.TranscriptRun{Start: "an upgrade"})
	for i := 0; err == nil && i < rounds; i++ {
		w := adminapi.Write{ID: uint64(i), Operation: fmt.Sprint("write ", len(s.sent)), Sent: noon()}
		if err = j.BeforeWrite(w); err != nil {
			break
		}
		s.sent = append(s.sent, w.Operation)
		j.AfterWrite(w, adminapi.OutcomeDone, nil)
		s.asked++
		if _, err = j.SaveDraft("kind", "key", s.asked); err != nil {
			break
		}
		s.draft = s.asked
		if err = s.edit(p, j); err != nil {
			break
		}
		if _, err = j.SaveBackup("kind", "key", fmt.Appendf(nil, "content %d", s.backups), "me", "a test"); err != nil {
			break
		}
		s.backups++
		line := journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: adminapi.UpgradeMessage{Message: fmt.Sprint("message ", s.messages)}}}}
		if err = transcript.Append(line); err != nil {
			break
		}
		s.messages++
	}
	return err
}

// edit has an editor save the next draft, which the journal takes then.
func (s *session) edit(p *memdisk.Program, j *journal.Journal) error {
	text, err := j.OpenText("kind", "key", "a.json", fmt.Append(nil, s.draft), s.draft)
	if err != nil {
		return err
	}
	editor, err := p.Open(text.Path(), os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	s.asked++
	if _, err = editor.Write(fmt.Append(nil, s.asked)); err != nil {
		return err
	}
	if err = editor.Sync(); err != nil {
		return err
	}
	s.draft = s.asked
	if read, changed, err := text.Read(); err != nil || !changed || string(read) != fmt.Sprint(s.asked) {
		return fmt.Errorf("the text is %q, changed %v: %w", read, changed, err)
	}
	if _, err = j.SaveDraft("kind", "key", s.asked); err != nil {
		return err
	}
	return text.Remove()
}

// lost opens the journal as another program, and says what is not there or damaged.
func (s *session) lost() (missing []string) {
	lack := func(format string, args ...any) { missing = append(missing, fmt.Sprintf(format, args...)) }
	j, err := s.open(s.disk.Program())
	if err != nil {
		return []string{err.Error()}
	}
	defer j.Close()
	records, err := j.Actions(0)
	if err != nil {
		lack("the log: %v", err)
	}
	for _, operation := range s.sent {
		if !slices.ContainsFunc(records, func(r journal.Record) bool { return r.Operation == operation }) {
			lack("%s", operation)
		}
	}
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 {
		lack("the log at %+v: %v", v.Faults, err)
	}
	drafts, err := j.Drafts("kind", "key")
	newest := 0
	for _, d := range drafts {
		value := 0
		if err := d.Read(&value); err != nil {
			lack("a draft: %v", err)
		}
		if d.Outside {
			_, _ = fmt.Sscan(string(d.Text), &value) // torn by a power cut, as the editor has written it
		}
		newest = max(newest, value)
	}
	if d, err := j.OpenText("kind", "key", "a.json", nil, 0); err != nil || d.Remove() != nil {
		lack("the next text: %v", err)
	}
	for path := range s.disk.Files() {
		if strings.Contains(path, "/.key") && strings.Contains(path, ".editor") {
			lack("what was swept: %s", path)
		}
	}
	if err != nil || newest < s.draft || newest > s.asked {
		lack("draft %d, but %d: %v", s.draft, newest, err)
	}
	backups, err := j.Backups("kind", "key")
	if err != nil || len(backups) < s.backups {
		lack("backup %d of %d: %v", len(backups), s.backups, err)
	}
	for _, b := range backups {
		if _, err := j.ReadBackup("kind", "key", b.ID); err != nil {
			lack("a backup: %v", err)
		}
	}
	transcripts, err := j.Transcripts()
	messages := 0
	for _, of := range transcripts {
		messages += of.Messages
	}
	if err != nil || messages < s.messages {
		lack("message %d of %d: %v", messages, s.messages, err)
	}
	return missing
}

// 60 ms: 200 power cuts.
func TestWhatAJournalHasAcknowledgedSurvivesAPowerCutBeforeEveryCall(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		s := newSession(home)
		p := s.disk.Program(memdisk.Fault{Nth: n, Kind: memdisk.KillBefore})
		err := s.work(p, 3)
		s.disk.CutPower(chance(uint64(n)))
		if missing := s.lost(); len(missing) > 0 {
			t.Errorf("without power before call %d: %q", n, missing)
		}
		if len(p.Hits()) == 0 {
			if err != nil || n < 190 {
				t.Errorf("only %d calls: %v", n, err)
			}
			return
		}
	}
}

func TestAJournalThatIsNotSyncedLosesWhatItHasAcknowledged(t *testing.T) {
	t.Parallel()
	losses := 0
	for seed := range uint64(20) {
		s := newSession(home)
		must(t, s.work(s.disk.Program(), 3, journal.WithoutSync()))
		s.disk.CutPower(chance(seed))
		if len(s.lost()) > 0 {
			losses++
		}
	}
	if losses < 10 {
		t.Errorf("only %d of 20 power cuts have lost something", losses)
	}
}

// 60 ms: 80 kills.
func TestAProgramThatIsKilledAtAnyCallLeavesAJournalThatTheNextCanUse(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		s := newSession(state)
		p := s.disk.Program(memdisk.Fault{Nth: n, Kind: memdisk.KillAfter})
		_ = s.work(p, 1)
		if missing := s.lost(); len(missing) > 0 {
			t.Errorf("killed after call %d: %q", n, missing)
		}
		if err := s.work(s.disk.Program(), 1); err != nil {
			t.Errorf("after the kill at call %d: %v", n, err)
		}
		s.disk.CutPower(chance(uint64(n)))
		if missing := s.lost(); len(missing) > 0 {
			t.Errorf("killed after call %d, without power after the next program: %q", n, missing)
		}
		if len(p.Hits()) == 0 {
			return
		}
	}
}

// 100 ms: 160 failures.
func TestAJournalGoesOnAfterAnyCallThatFailedOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []memdisk.Kind{memdisk.Full, memdisk.Torn} {
		for n := 1; ; n++ {
			s := newSession(home)
			p := s.disk.Program(memdisk.Fault{Nth: n, Kind: kind})
			_ = s.work(p, 1)
			if len(p.Hits()) == 0 {
				break
			}
			if err := s.work(p, 1); err != nil {
				t.Errorf("%v at call %d, then %v", kind, n, err)
			}
			lasting := s.disk.Durable()
			for path, content := range s.disk.Files() {
				if strings.HasSuffix(path, ".jsonl") && !bytes.Equal(lasting[path], content) {
					t.Errorf("%v at call %d: %s is not synced", kind, n, path)
				}
			}
			s.disk.CutPower(chance(uint64(n)))
			if missing := s.lost(); len(missing) > 0 {
				t.Errorf("%v at call %d: %q", kind, n, missing)
			}
		}
	}
}

func TestWhatIsReadDoesNotWaitForWhatAnotherProgramHasLocked(t *testing.T) {
	t.Parallel()
	waits := make(chan struct{})
	program := memdisk.New(time.Now, home).Program(memdisk.Fault{
		Op: memdisk.OpLock, Path: "lock", Nth: 2, For: -1, Kind: memdisk.Held, Then: sync.OnceFunc(func() { close(waits) }),
	})
	j, err := journal.Open(state, site, journal.WithFiles(program))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		ended <- j.Override("none", "it waits for the lock")
	}()
	<-waits
	if _, err := j.Actions(0); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		t.Errorf("the log was read only after the lock was given up: %v", err)
	default:
	}
	program.Kill()
	if err := <-ended; err == nil {
		t.Error("the lock was taken")
	}
}

// Messages with a secret in them are told apart by their copies: one that could not be written counts as none.
func TestAMessageWithASecretThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	failed := 0
	for nth := 1; nth < 8; nth++ {
		s := newSession(home)
		j, err := s.open(s.disk.Program(memdisk.Fault{Op: memdisk.OpWrite, Path: "began-*.jsonl", Nth: nth, For: 1, Kind: memdisk.Full}))
		if err != nil {
			t.Fatal(err)
		}
		run := journal.TranscriptRun{Start: "an upgrade"}
		transcript, err := j.OpenTranscript(run)
		if err != nil {
			transcript, err = j.OpenTranscript(run)
		}
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{"It has begun.", "The password [secret] is wrong.", "It goes on."}
		for i, text := range texts {
			message := adminapi.UpgradeMessage{Code: 2038, When: adminapi.MillisOf(noon()) + adminapi.Millis(i), Message: text}
			line := journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: message, Nth: 1}}}
			for transcript.Append(line) != nil {
				failed++
			}
		}
		if summary, _, err := j.ReadTranscript(transcript.ID()); err != nil || summary.Messages != len(texts) {
			t.Errorf("where write %d fails the transcript has %d messages of %d, %v", nth, summary.Messages, len(texts), err)
		}
	}
	if failed == 0 {
		t.Error("no write has failed")
	}
}
