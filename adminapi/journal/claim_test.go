package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	again.Release()
}

// removing does something before a file is removed.
type removing struct {
	Files
	before func(path string)
}

func (r removing) Remove(path string) error {
	r.before(path)
	return r.Files.Remove(path)
}

// Whoever takes the lock of a file that is removed then has a claim beside that of the next, who makes a new file.
func TestTheLockOfAClaimIsHeldUntilItsFileIsGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	second, tried := openedIn(t, folder), false
	first := openedIn(t, folder, WithFiles(removing{SystemFiles{}, func(string) {
		tried = true
		if claim, err := second.Claim(adminapi.TargetSite, "12.0.0.7286"); err == nil {
			t.Error("it was claimed by another program before its file was removed")
			claim.Release()
		}
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
	all, err := j.Actions(0)
	if err != nil || len(all) != 3 || claim.Record() != all[1].ID || all[1].Kind != adminapi.WriteUpgrade {
		t.Errorf("the record is %s of %+v, %v", claim.Record(), all, err)
	}
}
