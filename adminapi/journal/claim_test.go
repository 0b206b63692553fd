package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
)

const aSite = "https://gis.example.org/ctx"

func openedIn(t *testing.T, folder string, change ...Option) *Journal {
	t.Helper()
	j, err := Open(folder, aSite, change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// withoutLocks makes a journal one on a file system that has no locks.
func withoutLocks(errno unix.Errno) Option { return WithFiles(unlockable{SystemFiles{}, errno}) }

type unlockable struct {
	Files
	errno unix.Errno
}

type unlockableFile struct {
	File
	errno unix.Errno
}

func (u unlockable) Open(path string, flags int, mode fs.FileMode) (File, error) {
	f, err := u.Files.Open(path, flags, mode)
	if err != nil {
		return nil, err
	}
	return unlockableFile{f, u.errno}, nil
}

func (f unlockableFile) Lock(how int) error {
	if how == unix.LOCK_SH {
		return f.File.Lock(how)
	}
	return f.errno
}

func TestATargetIsClaimedByOneProgramAtATime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, second := openedIn(t, folder), openedIn(t, folder)
	claim, err := first.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range []*Journal{first, second} {
		_, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
		held, is := errors.AsType[*ClaimedError](err)
		if !is || !strings.Contains(held.By, "process") || held.Since.IsZero() || err.Error() != held.By+" is changing this now" {
			t.Errorf("%v", err)
		}
	}
	other, err := second.Claim("service roads.mapserver", "Roads.MapServer")
	if err != nil {
		t.Errorf("another target: %v", err)
	}
	other.Release()
	claim.Release()
	claim.Release() // once more does no harm
	again, err := second.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	claim.Release() // nor does it end that of the next
	if _, err := first.Claim(adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, new(*ClaimedError)) {
		t.Errorf("a claim of another program was released: %v", err)
	}
	again.Release()
}

// removing does something before a file is removed, whose error is that of the removal.
type removing struct {
	Files
	before func(path string) error
}

func (r removing) Remove(path string) error {
	if err := r.before(path); err != nil {
		return err
	}
	return r.Files.Remove(path)
}

// Where the disk has become read-only, what ends is in nobody's way.
func TestAFileThatCannotBeRemovedLocksNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := openedIn(t, folder, WithFiles(removing{SystemFiles{}, func(path string) error {
		return &fs.PathError{Op: "remove", Path: path, Err: unix.EROFS}
	}}))
	second := openedIn(t, folder)
	claim, err := first.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	claim.Release()
	if second.Claimed(adminapi.TargetSite) {
		t.Error("it is claimed after its release")
	}
	again, err := second.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	if _, err := first.SaveDraft("kind", "key", "of the first"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := second.Drafts("kind", "key"); err != nil || len(all) != 1 || all[0].Liveness != Ended {
		t.Errorf("%+v, %v", all, err)
	}
}

// counting are files that count those that are open.
type counting struct {
	Files
	open *atomic.Int64
}

type countedFile struct {
	File
	open *atomic.Int64
}

func (c counting) counted(f File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return countedFile{f, c.open}, nil
}

func (c counting) Open(path string, flags int, mode fs.FileMode) (File, error) {
	return c.counted(c.Files.Open(path, flags, mode))
}

func (c counting) CreateTemp(folder, pattern string) (File, error) {
	return c.counted(c.Files.CreateTemp(folder, pattern))
}

func (f countedFile) Close() error {
	err := f.File.Close()
	if err == nil {
		f.open.Add(-1)
	}
	return err
}

// Who watches an upgrade for a night would else run out of files, and could record nothing any more.
func TestEveryFileThatIsOpenedIsClosed(t *testing.T) {
	t.Parallel()
	folder, open := t.TempDir(), new(atomic.Int64)
	files := WithFiles(counting{SystemFiles{}, open})
	j := openedIn(t, folder, files)
	done := func(what string, want int64, err error) {
		t.Helper()
		if got := open.Load(); got != want || err != nil {
			t.Errorf("%s leaves %d files open, not %d, and says %v", what, got, want, err)
		}
	}
	w := adminapi.Write{ID: 1, Operation: "start the upgrade", Target: adminapi.TargetSite}
	claim, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
	done("a claim", 1, err)
	if _, err := j.Claim(adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, new(*ClaimedError)) {
		t.Error(err)
	}
	_ = j.Claimed(adminapi.TargetSite)
	done("a second claim", 1, nil)
	_, err = claim.SaveBackup("definition", "Roads", []byte("{}"), "me", "before an edit")
	_, again := claim.SaveBackup("definition", "Roads", []byte("{}"), "me", "before an edit")
	done("a backup", 1, errors.Join(err, again))
	err = j.BeforeWrite(w)
	j.AfterWrite(w, adminapi.OutcomeDone, nil)
	done("a write", 1, errors.Join(err, j.Problem()))
	claim.Release()
	done("a claim that was released", 0, nil)
	_, err = j.SaveDraft("kind", "key", "of the first")
	done("a draft", 1, err) // its file shows that this program runs
	other := openedIn(t, folder, WithoutSync())
	_, err = other.SaveDraft("kind", "key", "of the second")
	all, failed := j.Drafts("kind", "key")
	done("other drafts", 1, errors.Join(err, failed))
	_, err = j.TakeDraft(all[1])
	done("a draft that was taken over", 1, err)
	err = j.SaveSnapshot("reports", time.Now(), 0, 1)
	_, failed = j.Snapshot("reports")
	done("a snapshot", 1, errors.Join(err, failed))
	transcript, err := j.OpenTranscript(TranscriptRun{Start: "an upgrade"})
	if err != nil {
		t.Fatal(err)
	}
	err = transcript.Append(TranscriptLine{State: "in_progress"})
	_, listed := j.Transcripts()
	_, _, failed = j.ReadTranscript(transcript.ID())
	done("a transcript", 1, errors.Join(err, listed, failed))
	_, err = j.Actions(0)
	_, failed = j.Verify()
	done("reading", 1, errors.Join(err, failed))
	unlock, err := LockSite(t.Context(), folder, aSite, "signin", files, WithoutSync())
	done("the lock of the site", 2, err)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := LockSite(ended, folder, aSite, "signin", files, WithoutSync()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	done("a wait that was ended", 2, nil)
	unlock()
	done("the lock that was released", 1, nil)
	if err := os.Remove(j.actionsPath()); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(j.actionsPath(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Actions(0); err == nil {
		t.Error("a pipe is read")
	}
	done("a pipe", 1, nil)
	done("a journal that was closed", 0, j.Close())
}

// A file system may refuse a lock for another reason than that somebody holds it.
func TestALockThatFailsIsAnErrorAndLeavesNoFileOpen(t *testing.T) {
	t.Parallel()
	folder, open := t.TempDir(), new(atomic.Int64)
	openedIn(t, folder, WithoutSync())
	j, err := OpenExisting(folder, aSite, WithFiles(unlockable{counting{SystemFiles{}, open}, unix.EIO}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Claim(adminapi.TargetSite, "12.0.0.7286"); err == nil || !strings.Contains(err.Error(), "the disk reports an error for ") {
		t.Errorf("%v", err)
	}
	if got := open.Load(); got != 0 {
		t.Errorf("%d files are open", got)
	}
}

// Whoever takes the lock of a file that is removed then has a claim beside that of the next, who makes a new file.
func TestTheLockOfAClaimIsHeldUntilItsFileIsGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	second, tried := openedIn(t, folder), false
	first := openedIn(t, folder, WithFiles(removing{SystemFiles{}, func(string) error {
		tried = true
		if claim, err := second.Claim(adminapi.TargetSite, "12.0.0.7286"); err == nil {
			t.Error("it was claimed by another program before its file was removed")
			claim.Release()
		}
		return nil
	}}))
	claim, err := first.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	claim.Release()
	if !tried {
		t.Error("its file was not removed")
	}
}

func TestAWriteThatChangesATargetIsNotSentWithoutAClaim(t *testing.T) {
	t.Parallel()
	j := openedIn(t, t.TempDir())
	w := adminapi.Write{ID: 1, Operation: "start the upgrade", Path: "/ctx/admin/system/upgrades/upgrade", Target: adminapi.TargetSite}
	if err := j.BeforeWrite(w); err == nil {
		t.Fatal("it was let go")
	}
	claim, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	if err := j.BeforeWrite(w); err != nil {
		t.Fatal(err)
	}
	if open, err := j.OpenRecords("service roads.mapserver"); err != nil || len(open) != 0 {
		t.Errorf("of another target: %+v, %v", open, err)
	}
	open, err := j.OpenRecords(adminapi.TargetSite)
	if err != nil || len(open) != 1 || open[0].Subject != "12.0.0.7286" || !strings.Contains(open[0].By, "process") {
		t.Errorf("%+v, %v", open, err)
	}
}

func TestAnOverriddenWriteStopsNothingAndStaysUnknown(t *testing.T) {
	t.Parallel()
	j := openedIn(t, t.TempDir())
	claim, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	w := adminapi.Write{ID: 1, Operation: "start the upgrade", Target: adminapi.TargetSite}
	if err := j.BeforeWrite(w); err != nil {
		t.Fatal(err)
	}
	j.AfterWrite(w, adminapi.OutcomeUnknown, &adminapi.Error{Message: "timed out", Explicit: true})
	open, err := j.OpenRecords("")
	if err != nil || len(open) != 1 || !open[0].Explicit {
		t.Fatalf("%+v, %v", open, err)
	}
	if err := j.Override(open[0].ID, "12.0.0.7286 was typed"); err != nil {
		t.Fatal(err)
	}
	if open, err := j.OpenRecords(""); err != nil || len(open) != 0 {
		t.Errorf("still open: %+v, %v", open, err)
	}
	if all, err := j.Actions(0); err != nil || all[0].Outcome != adminapi.OutcomeUnknown || !all[0].Overridden || !strings.Contains(all[0].Note, "typed") {
		t.Errorf("%+v, %v", all, err)
	}
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 {
		t.Errorf("%+v was changed, %v", v.Faults, err)
	}
}

func TestWithoutLocksTheRecordStopsTheNextWrite(t *testing.T) {
	t.Parallel()
	for _, errno := range []unix.Errno{unix.ENOLCK, unix.ENOTSUP, unix.ENOSYS} {
		folder := t.TempDir()
		first, second := openedIn(t, folder, withoutLocks(errno)), openedIn(t, folder, withoutLocks(errno))
		if err := first.LockWarning(); err == nil || !strings.Contains(err.Error(), "no locks") || !strings.Contains(err.Error(), "--state-dir") {
			t.Errorf("%v: %v", errno, err)
		}
		claim, err := first.Claim(adminapi.TargetSite, "12.0.0.7286")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := first.Claim(adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, new(*ClaimedError)) {
			t.Errorf("the same program twice: %v", err)
		}
		if !first.Claimed(adminapi.TargetSite) {
			t.Errorf("%v: it does not know its own claim", errno)
		}
		if err := first.BeforeWrite(adminapi.Write{ID: 1, Target: adminapi.TargetSite}); err != nil {
			t.Fatal(err)
		}
		claim.Release()
		if open, err := second.OpenRecords(adminapi.TargetSite); err != nil || len(open) != 1 {
			t.Errorf("%+v, %v", open, err)
		}
	}
	if err := openedIn(t, t.TempDir()).LockWarning(); err != nil {
		t.Errorf("with locks: %v", err)
	}
}

func TestALockFileThatCannotBeUsedStopsTheWrite(t *testing.T) {
	t.Parallel()
	j := openedIn(t, t.TempDir())
	path := filepath.Join(j.Folder(), "claim-"+fileName(adminapi.TargetSite, adminapi.TargetSite)+".lock")
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Claim(adminapi.TargetSite, "x"); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("left over by a crash"), 0o644); err != nil {
		t.Fatal(err)
	}
	claim, err := j.Claim(adminapi.TargetSite, "x")
	if err != nil {
		t.Fatalf("left over: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("it is %v, %v", info, err)
	}
	claim.Release()
	if _, err := os.Stat(path); err == nil {
		t.Error("its file is left")
	}
}

// watched are files whose first exclusive lock meets somebody who only looks.
type watched struct {
	Files
	looks *int
}

type watchedFile struct {
	File
	looks *int
}

func (w watched) Open(path string, flags int, mode fs.FileMode) (File, error) {
	f, err := w.Files.Open(path, flags, mode)
	if err != nil || !strings.Contains(path, "claim-") {
		return f, err
	}
	return watchedFile{f, w.looks}, nil
}

func (f watchedFile) Lock(how int) error {
	if how == unix.LOCK_EX && *f.looks > 0 {
		*f.looks--
		return unix.EWOULDBLOCK
	}
	return f.File.Lock(how)
}

func TestWhoLooksAtAClaimIsInNobodysWay(t *testing.T) {
	t.Parallel()
	folder, looks := t.TempDir(), 3
	first, second := openedIn(t, folder), openedIn(t, folder, WithFiles(watched{SystemFiles{}, &looks}))
	if _, err := os.Stat(first.claimPath(adminapi.TargetSite)); first.Claimed(adminapi.TargetSite) || !errors.Is(err, fs.ErrNotExist) {
		t.Error("looking left a claim:", err)
	}
	claim, err := second.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil || looks != 0 {
		t.Fatal(err, looks)
	}
	for _, j := range []*Journal{first, second} {
		if !j.Claimed(adminapi.TargetSite) || j.Claimed("service roads.mapserver") {
			t.Error("it is not seen who holds a claim")
		}
	}
	claim.Release()
	if first.Claimed(adminapi.TargetSite) || second.Claimed(adminapi.TargetSite) {
		t.Error("a claim outlives its release")
	}
}

func TestAClaimDoesNotWaitForWhoKeepsLooking(t *testing.T) {
	t.Parallel()
	j := openedIn(t, t.TempDir())
	f, err := os.OpenFile(j.claimPath(adminapi.TargetSite), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Claim(adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, new(*ClaimedError)) || err.Error() != "another program is changing this now" {
		t.Errorf("claimed in spite of a shared lock: %v", err)
	}
}

// Who signs in waits for who does so already, and for nobody longer than is wanted.
func TestTheLockOfASiteIsHeldByOneProgramAtATime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	unlock, err := LockSite(t.Context(), folder, aSite, "signin", WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := LockSite(ended, folder, aSite, "signin", WithoutSync()); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("held by another program: %v", err)
	}
	other, err := LockSite(t.Context(), folder, aSite, "another", WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	other()
	unlock()
	again, err := LockSite(t.Context(), folder, aSite, "signin", WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	again()
	j := openedIn(t, folder, WithoutSync())
	if err := os.Symlink("/etc/passwd", filepath.Join(j.Folder(), "linked.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := LockSite(t.Context(), folder, aSite, "linked", WithoutSync()); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
	if _, err := LockSite(t.Context(), j.actionsPath(), "no address", "signin", WithoutSync()); err == nil {
		t.Error("a site without an address is locked")
	}
}

// Files of earlier versions do not say all of it.
func TestAProgramIsNamedByWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Program{
		"alice on adm1 (process 4711)": {User: "alice", Host: "adm1", PID: 4711},
		"alice on adm1":                {User: "alice", Host: "adm1"},
		"alice":                        {User: "alice"},
		"somebody on adm1":             {Host: "adm1"},
		"somebody":                     {},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}

// What was started under a claim is what its other files and its transcript belong to.
func TestTheRecordOfAClaimIsThatOfItsChange(t *testing.T) {
	t.Parallel()
	j := openedIn(t, t.TempDir(), WithoutSync())
	claim, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	sends := func(id uint64, kind adminapi.WriteKind, target string) error {
		return j.BeforeWrite(adminapi.Write{ID: id, Kind: kind, Operation: "send it", Target: target})
	}
	if err := os.Mkdir(j.actionsPath(), folderMode); err != nil {
		t.Fatal(err)
	}
	if err := sends(1, adminapi.WriteUpgrade, adminapi.TargetSite); err == nil || claim.Record() != "" {
		t.Errorf("of a write that is not recorded: %q, %v", claim.Record(), err)
	}
	if err := os.Remove(j.actionsPath()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sends(2, adminapi.WriteUpload, ""), sends(3, adminapi.WriteUpgrade, adminapi.TargetSite), sends(4, adminapi.WriteUploadDeletion, "")); err != nil {
		t.Fatal(err)
	}
	saved, err := claim.SaveBackup("definition", "Roads", []byte("{}"), "me", "before an edit")
	if content, unread := j.ReadBackup("definition", "Roads", saved.ID); err != nil || unread != nil || string(content) != "{}" {
		t.Errorf("the backup is %q, %v, %v", content, err, unread)
	}
	all, err := j.Actions(0)
	if err != nil || len(all) != 3 || claim.Record() != all[1].ID || all[1].Kind != adminapi.WriteUpgrade {
		t.Errorf("the record is %s of %+v, %v", claim.Record(), all, err)
	}
}
