package sweep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest/sweep/oracle"
)

// sharing is the wish for one edit, before which several programs of the machine keep what they have at once: one
// is stopped, or killed, in the middle of what it writes, and others come to the same files.
const sharing = "programs at once"

// shared are the programs of a day of [sharing], and what they have kept.
type shared struct {
	m       *machine
	r       *rand.Rand
	mu      sync.Mutex // of what follows: two programs are at work at once
	folder  string
	members []*member
	deeds   []*oracle.Deed
	claims  []oracle.Claiming
	marks   int
	same    string // the message that was kept last
	warned  []bool
}

// member is one of the programs.
type member struct {
	*run
	r          *rand.Rand // its own: which of two programs draws first is not the seed's choice
	journal    *journal.Journal
	transcript *journal.Transcript
	claim      *journal.Claim
	edit       int // when it began the edit that several have open, or took it over; 0 for not
	after      int // calls of the disk until something happens; negative for nothing
	locked     bool
	moment     func()
	ids        uint64
	owed       string // the message that could not be kept
	marks      int
}

// noLocks is a machine whose disk has no locks.
var noLocks = oddity{"the disk has no locks", func(p *plan) { p.noLocks = true }}

// playSharing lets two or three programs keep records, drafts, texts, messages, backups and snapshots, each beside another one.
func playSharing(m *machine) {
	s := &shared{m: m, r: m.day.random("sharing")}
	for range 2 + s.r.IntN(2) {
		s.members = append(s.members, &member{})
	}
	for range 12 {
		if !s.fills() {
			continue
		}
		one, two := s.pair()
		switch kind := pick(s.r, []string{"together", "together", "together", "claim", "claim", "draft"}); {
		case m.day.plan.apart && s.r.IntN(3) == 0:
			s.drafts(one, two)
		case (m.day.plan.noLocks || m.day.plan.apart) && kind != "draft":
			s.does(pick(s.r, kinds), one, false)
		case kind == "together":
			s.together(one, two)
		case kind == "claim":
			s.claiming(one, two)
		default:
			s.drafts(one, two)
		}
		time.Sleep(time.Duration(1+s.r.IntN(3000)) * time.Millisecond)
	}
	s.gives()
	s.judged()
	for _, one := range s.members {
		one.ends()
	}
	m.insist(setting(m, cities, "maxIdleTime", fmt.Sprint(900+s.r.IntN(99))).wish("edit after others"))
}

// kinds are what a program keeps.
var kinds = []string{"record", "draft", "message", "backup", "snapshot", "text"}

// pair draws two of the programs that run.
func (s *shared) pair() (one, two *member) {
	at := s.r.Perm(len(s.members))
	return s.members[at[0]], s.members[at[1]]
}

// fills begins a program in place of each that was killed, and reports whether all run.
func (s *shared) fills() (all bool) {
	all = true
	for i, one := range s.members {
		if one.run != nil && !one.dead.Load() {
			continue
		}
		one.ends()
		next := &member{after: -1}
		next.run = s.m.begin()
		elsewhere := s.m.day.plan.apart && i%2 == 1
		if elsewhere {
			next.host = "adm2"
		}
		next.r = s.m.day.random("sharing by " + next.name)
		next.disk = s.m.disk.Program(append(slices.Concat(s.m.day.plan.diskFaults(len(s.m.runs), next.run), s.noRoom(next.r)),
			memdisk.Fault{Op: memdisk.OpLock, Path: "lock", For: -1, Then: func() { next.locked = true }},
			memdisk.Fault{For: -1, Then: next.called})...)
		if elsewhere {
			next.disk.Elsewhere()
		}
		var err error
		next.journal, err = next.run.journal()
		if err != nil {
			if !next.hurt() {
				s.m.day.fail("%s cannot open what the machine has kept: %v", next.name, err)
			}
			next.kill()
			all = false
		} else {
			s.folder = next.journal.Folder()
		}
		s.members[i] = next
	}
	return all
}

// noRoom is a disk that fails at times as a message of an upgrade is kept: the program gives it again.
func (s *shared) noRoom(r *rand.Rand) []memdisk.Fault {
	if r.IntN(2) > 0 {
		return nil
	}
	of := pick(r, []memdisk.Fault{{Op: memdisk.OpWrite, Kind: memdisk.Full}, {Op: memdisk.OpWrite, Kind: memdisk.Torn}, {Op: memdisk.OpSync, Kind: memdisk.FailedSync}})
	of.Path, of.Nth, of.For = transcriptFiles, 1+r.IntN(3), 1+r.IntN(2)
	return []memdisk.Fault{of}
}

// transcriptFiles are those of transcripts, by the time in their names.
const transcriptFiles = "2*.jsonl"

// called counts a call of the disk, from the next lock on.
func (p *member) called() {
	if p.after < 0 || !p.locked {
		return
	}
	if p.after--; p.after < 0 {
		p.moment()
	}
}

// ends is the orderly end of a program.
func (p *member) ends() {
	if p.run == nil {
		return
	}
	if !p.dead.Load() && p.journal != nil {
		p.claim.Release()
		_ = p.journal.Close()
	}
	p.run.end()
}

// wounded reports whether something of its disk went wrong. That there are no locks on it is of the whole machine.
func (p *member) wounded() bool {
	return p.dead.Load() || slices.ContainsFunc(p.disk.Hits(), func(kind string) bool {
		return kind != memdisk.None.String() && kind != memdisk.NoLocks.String()
	})
}

// mark is a text that stands nowhere else.
func (p *member) mark() string {
	p.marks++
	return fmt.Sprintf("mark-%d-%d-%06d", p.pid(), p.marks, p.r.IntN(1_000_000))
}

// together lets one program keep something, and another one while it does: the first waits in the middle of it for
// a moment or for long, or is killed there.
func (s *shared) together(one, two *member) {
	first, second := pick(s.r, kinds), pick(s.r, kinds)
	if s.r.IntN(2) == 0 {
		second = first
	}
	long := pick(s.r, []time.Duration{40 * time.Millisecond, 300 * time.Millisecond, 7 * time.Second, time.Duration(12+s.r.IntN(90)) * time.Second})
	killed, same := s.r.IntN(4) == 0, s.r.IntN(3) == 0
	done := make(chan struct{})
	one.after, one.locked = s.r.IntN(12), false
	one.moment = func() {
		held := s.m.disk.Locked(filepath.Join(s.folder, "lock"))
		from := time.Now()
		how := "went on"
		to := from.Add(long)
		if killed {
			how, to = "killed", from.Add(1)
			one.kill()
		}
		if !held { // it was done with it by then
			to = time.Time{}
		} else {
			s.m.day.meet("a program waits in the middle of what it keeps: " + how)
		}
		beside := func() {
			defer close(done)
			s.keepsSome(second, two, same && second == "message", oracle.Deed{HeldFrom: from, HeldTo: to, HeldBy: how})
		}
		if killed {
			beside()
			return
		}
		go beside()
		time.Sleep(long)
	}
	s.does(first, one, false)
	if one.after >= 0 { // the moment never came
		one.after = -1
		s.does(second, two, same && second == "message")
		return
	}
	<-done
	one.moment = nil
}

// does lets a program keep something.
func (s *shared) does(kind string, by *member, same bool) {
	s.keepsSome(kind, by, same, oracle.Deed{})
}

// keeps runs one step that keeps something, and notes what came of it.
func (s *shared) keeps(kind, mark string, by *member, held oracle.Deed, do func() error) (*oracle.Deed, error) {
	k := held
	k.Program, k.Kind, k.Mark, k.Waits, k.From = by.name, kind, mark, true, time.Now()
	err := do()
	s.mu.Lock()
	defer s.mu.Unlock()
	k.To, k.Dead, k.Hurt, k.Said = time.Now(), by.dead.Load(), by.wounded(), errorText(err)
	s.m.day.log("%s keeps its %s %s: %s", by.name, kind, mark, k.Said)
	for _, old := range s.deeds {
		switch {
		case old.Kind != kind:
		case kind == "snapshot" && (err == nil || k.Hurt), kind == "draft" && old.Program == by.name && (err == nil || k.Hurt):
			old.Replaced = true
		case old.Mark == mark:
			old.Others, k.Others = true, true
		}
	}
	s.m.day.meet("several programs: a " + kind)
	s.deeds = append(s.deeds, &k)
	return &k, err
}

// noting changes what is noted of a deed.
func (s *shared) noting(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// The edit that several programs have open, and the run of an upgrade that they watch.
const (
	openKind, openKey = "definition of others", "Roads.MapServer"
	snapshotKind      = "what others keep"
)

// keepsSome is does while another program may hold the lock.
func (s *shared) keepsSome(kind string, by *member, same bool, held oracle.Deed) {
	mark, another := by.mark(), by.mark()
	j := by.journal
	switch kind {
	case "record":
		by.ids++
		w := adminapi.Write{ID: by.ids, Operation: "delete reports", Kind: adminapi.WriteReportDeletion, Path: "/geodeck/admin/healthCheck/reports/delete",
			Fields: url.Values{"reports": {mark}}, Sent: s.m.clock.Now()}
		if _, err := s.keeps(kind, mark, by, held, func() error { return j.BeforeWrite(w) }); err != nil {
			return
		}
		_, _ = s.keeps(kind, another, by, oracle.Deed{}, func() error {
			j.AfterWrite(w, adminapi.OutcomeRefused, errors.New(another))
			return j.Problem()
		})
	case "draft":
		s.saves(by, mark, held)
	case "message":
		s.mu.Lock()
		if same && s.same != "" {
			mark = s.same
		}
		if by.owed != "" {
			mark = by.owed
			s.m.day.meet("a message that could not be kept is given again")
		}
		s.same = mark
		s.mu.Unlock()
		run := journal.TranscriptRun{Began: adminapi.MillisOf(s.m.day.begun), Start: "The upgrade of others has begun.", From: "11.5", To: "12.0"}
		add := func() error {
			return by.transcript.Append(journal.TranscriptLine{Messages: []journal.TranscriptMessage{
				{UpgradeMessage: adminapi.UpgradeMessage{Code: 2900, When: adminapi.MillisOf(s.m.day.begun), Message: mark}, Nth: 1},
			}})
		}
		if by.transcript == nil {
			begun := time.Now()
			var err error
			if by.transcript, err = j.OpenTranscript(run); err != nil {
				by.transcript, add = nil, func() error { return err }
			}
			deed, _ := s.keeps(kind, mark, by, held, add)
			s.noting(func() { deed.From = begun })
			by.owe(deed)
			return
		}
		deed, _ := s.keeps(kind, mark, by, held, add)
		by.owe(deed)
	case "backup":
		_, err := s.keeps(kind, mark, by, held, func() error {
			_, err := j.SaveBackup(openKind, openKey, []byte(`{"mark":"`+mark+`"}`), "ada", another)
			return err
		})
		deed, _ := s.keeps(kind, another, by, oracle.Deed{}, func() error { return err })
		s.noting(func() {
			deed.Waits, deed.HeldTo = false, time.Time{}
			if err != nil && !held.HeldTo.IsZero() {
				deed.HeldTo = held.HeldTo
			}
		})
	case "snapshot":
		_, _ = s.keeps(kind, mark, by, held, func() error { return j.SaveSnapshot(snapshotKind, s.m.clock.Now(), 0, mark) })
	case "text":
		var text *journal.Text
		given := []byte(`{}`)
		unsaved := by.r.IntN(2) == 0 // yet: it lasts as long as its program
		if unsaved {
			given = []byte(mark)
		}
		deed, err := s.keeps(kind, mark, by, held, func() (err error) {
			text, err = j.OpenText(openKind, openKey, "definition.json", given, another)
			if err == nil && !unsaved {
				err = s.editorSaves(text.Path(), mark)
			}
			return err
		})
		s.noting(func() { deed.Unsaved = unsaved })
		if err == nil && !by.dead.Load() && by.r.IntN(3) == 0 {
			s.noting(func() { deed.Replaced = true })
			_ = text.Remove()
		}
	}
}

// gives lets the programs keep what they could not before: by then there is room.
func (s *shared) gives() {
	for _, p := range s.members {
		for range 3 {
			if p.journal != nil && !p.dead.Load() && p.owed != "" {
				s.does("message", p, false)
			}
		}
	}
}

// owe notes a message that could not be kept.
func (p *member) owe(k *oracle.Deed) {
	if p.owed = ""; k.Said != "" && !p.dead.Load() {
		p.owed = k.Mark
	}
}

// editorSaves lets an editor save a file: it knows no lock.
func (s *shared) editorSaves(file, text string) error {
	f, err := s.m.disk.Program().Open(file, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write([]byte(text))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	return err
}

// saves saves a draft of the edit that several have open: the program is told who has it.
func (s *shared) saves(by *member, mark string, held oracle.Deed) {
	var before *member
	s.noting(func() { before = s.whoEdits() })
	var holder *journal.Draft
	_, err := s.keeps("draft", mark, by, held, func() (err error) {
		holder, err = by.journal.SaveDraft(openKind, openKey, mark)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks++
	if err != nil {
		if by.wounded() {
			by.edit = max(by.edit, s.marks)
		}
		return
	}
	if by.edit == 0 {
		by.edit = -s.marks
	}
	if !held.HeldTo.IsZero() || s.m.day.plan.noLocks { // who has it may have changed meanwhile
		return
	}
	if s.m.day.plan.apart && (holder != nil || before == nil || before == by) {
		return // one that has ended elsewhere may have it as well: nobody here can know
	}
	c := oracle.Claiming{Program: by.name, Got: holder == nil, Hurt: s.anyWounded()}
	if holder != nil {
		c.Said = holder.Program.String()
	}
	if before != nil && before != by {
		c.Holders = []string{fmt.Sprintf("(process %d)", before.pid())}
	}
	s.claims = append(s.claims, c)
	s.m.day.meet("a draft is saved beside another one")
}

// anyWounded reports whether something of a disk went wrong: then a draft or a right may be there that nobody was told of.
func (s *shared) anyWounded() bool { return slices.ContainsFunc(s.members, (*member).wounded) }

func (s *shared) judged() {
	var deeds []oracle.Deed
	for _, k := range s.deeds {
		k.Replaced = k.Replaced || k.Unsaved && !slices.ContainsFunc(s.members, func(p *member) bool { return p.name == k.Program && !p.dead.Load() })
		deeds = append(deeds, *k)
	}
	for _, p := range s.members {
		if p.journal != nil && !p.wounded() && slices.ContainsFunc(deeds, func(k oracle.Deed) bool { return k.Program == p.name && k.Said == "" }) {
			s.warned = append(s.warned, p.journal.LockWarning() != nil)
		}
	}
	s.m.day.oracle.Shares(oracle.Shared{Deeds: deeds, Files: own(s.m.disk.Files()), Claims: s.claims, NoLocks: s.m.day.plan.noLocks, Warned: s.warned})
}
