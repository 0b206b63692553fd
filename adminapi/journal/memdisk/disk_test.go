package memdisk_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// chance returns random numbers, the same for the same seed.
func chance(seed uint64) func() uint64 { return rand.New(rand.NewPCG(seed, 2)).Uint64 }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// begun opens a file for writing, which is created.
func begun(t *testing.T, p *memdisk.Program, path string) journal.File {
	t.Helper()
	f, err := p.Open(path, os.O_RDWR|os.O_CREATE, 0o600)
	must(t, err)
	return f
}

func put(t *testing.T, f journal.File, text string) {
	t.Helper()
	_, err := f.Write([]byte(text))
	must(t, err)
}

func TestWhatWasSyncedUnderASyncedNameSurvivesEveryPowerCut(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		d := memdisk.New(noon, "/s")
		p := d.Program()
		f := begun(t, p, "/s/a")
		put(t, f, "first")
		must(t, f.Sync())
		must(t, p.SyncFolder("/s"))
		put(t, f, " second")
		begun(t, p, "/s/b")
		if got := d.Durable(); len(got) != 1 || string(got["/s/a"]) != "first" {
			t.Fatalf("what lasts is %q", got)
		}
		d.CutPower(chance(seed))
		if got := d.Files()["/s/a"]; !bytes.HasPrefix(got, []byte("first")) || d.Modes()["/s/a"] != 0o600 {
			t.Errorf("seed %d left %q", seed, got)
		}
		if _, err := f.Stat(); !errors.Is(err, memdisk.ErrKilled) || !p.Killed() {
			t.Errorf("the program runs on without power: %v", err)
		}
	}
}

func TestAPowerCutLosesKeepsAndTearsWhatWasNotSynced(t *testing.T) {
	t.Parallel()
	left := map[string]int{}
	for seed := range uint64(300) {
		d := memdisk.New(noon, "/s")
		p := d.Program()
		f := begun(t, p, "/s/a")
		must(t, p.SyncFolder("/s"))
		put(t, f, "abcd")
		put(t, f, "efgh")
		d.CutPower(chance(seed))
		left[string(d.Files()["/s/a"])]++
	}
	for _, text := range []string{"", "abcd", "ab", "abcdef", "abcdefgh", "\x00\x00\x00\x00efgh", "abcd\x00\x00\x00\x00"} {
		if left[text] == 0 {
			t.Errorf("never %q, but %v", text, left)
		}
	}
}

func TestNamesThatWereNotSyncedAreKeptInTheirOrder(t *testing.T) {
	t.Parallel()
	left := map[string]int{}
	for seed := range uint64(100) {
		d := memdisk.New(noon, "/s", "/o")
		p := d.Program()
		for _, name := range []string{"/s/a", "/s/b"} {
			f := begun(t, p, name)
			put(t, f, name)
			must(t, f.Sync())
		}
		must(t, p.Rename("/s/b", "/s/a"))
		must(t, p.Rename("/s/a", "/o/c"))
		d.CutPower(chance(seed))
		var names []string
		for path, content := range d.Files() {
			names = append(names, path+string(content))
		}
		slices.Sort(names)
		left[strings.Join(names, " ")]++
	}
	for _, want := range []string{"", "/s/a/s/a", "/s/a/s/a /s/b/s/b", "/s/a/s/b", "/o/c/s/b"} {
		if left[want] == 0 {
			t.Errorf("never %q", want)
		}
		delete(left, want)
	}
	if len(left) > 0 {
		t.Errorf("not in their order: %v", left)
	}
}

func TestAFolderIsSyncedWithTheRenamesIntoItAndWhatTheyBuildUpon(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		d := memdisk.New(noon, "/s", "/o")
		p := d.Program()
		must(t, begun(t, p, "/s/a").Sync())
		must(t, p.Rename("/s/a", "/o/a"))
		begun(t, p, "/s/later")
		must(t, p.SyncFolder("/o"))
		if got := d.Durable(); len(got) != 1 || got["/o/a"] == nil {
			t.Fatalf("what lasts is %q", got)
		}
		d.CutPower(chance(seed))
		if files := d.Files(); files["/o/a"] == nil || files["/s/a"] != nil {
			t.Errorf("seed %d left %q", seed, files)
		}
	}
}

func TestASyncThatFailedIsNotMadeUpForByALaterOne(t *testing.T) {
	t.Parallel()
	lost, kept := 0, 0
	for seed := range uint64(50) {
		d := memdisk.New(noon, "/s")
		p := d.Program(memdisk.Fault{Op: memdisk.OpSync, Kind: memdisk.FailedSync})
		f := begun(t, p, "/s/a")
		must(t, p.SyncFolder("/s"))
		put(t, f, "ab")
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("got %v", err)
		}
		put(t, f, "cd")
		must(t, f.Sync())
		d.CutPower(chance(seed))
		switch got := string(d.Files()["/s/a"]); {
		case got == "abcd":
			kept++
		case len(got) == 4 && got[2:] == "cd":
			lost++
		default:
			t.Errorf("seed %d left %q", seed, got)
		}
	}
	if lost == 0 || kept == 0 {
		t.Errorf("%d lost, %d kept", lost, kept)
	}
}

func TestAFileThatIsWrittenAgainAfterAFailedSyncLasts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		d := memdisk.New(noon, "/s")
		p := d.Program(memdisk.Fault{Op: memdisk.OpSync, Kind: memdisk.Full})
		f := begun(t, p, "/s/a")
		must(t, p.SyncFolder("/s"))
		put(t, f, "abcdef")
		if err := f.Sync(); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("got %v", err)
		}
		must(t, f.Truncate(0))
		_, err := f.WriteAt([]byte("new"), 0)
		must(t, err)
		must(t, f.Sync())
		d.CutPower(chance(seed))
		if got := string(d.Files()["/s/a"]); got != "new" {
			t.Errorf("seed %d left %q", seed, got)
		}
	}
}

func TestAKilledProgramChangesNothingMoreAndItsLocksEnd(t *testing.T) {
	t.Parallel()
	d := memdisk.New(noon, "/s")
	p, other := d.Program(), d.Program()
	f, g := begun(t, p, "/s/a"), begun(t, other, "/s/a")
	must(t, f.Lock(unix.LOCK_EX))
	if err := g.Lock(unix.LOCK_SH); err != unix.EWOULDBLOCK {
		t.Fatalf("a lock that is held: %v", err)
	}
	put(t, f, "before")
	p.Kill()
	must(t, g.Lock(unix.LOCK_EX))
	_, wrote := f.Write([]byte("after"))
	_, opened := p.Open("/s/b", os.O_CREATE|os.O_RDWR, 0o600)
	for _, err := range []error{wrote, opened, f.Close(), f.Lock(unix.LOCK_EX), p.Mkdir("/s/c", 0o700), p.MkdirAll("/s/c/d", 0o700), p.Rename("/s/a", "/s/d"), p.Remove("/s/a"), p.SyncFolder("/s")} {
		if !errors.Is(err, memdisk.ErrKilled) {
			t.Errorf("got %v", err)
		}
	}
	if files := d.Files(); len(d.Modes()) != 2 || string(files["/s/a"]) != "before" {
		t.Errorf("left %q", files)
	}
}

func TestAFaultMeetsTheCallsOfItsNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault memdisk.Fault
		want  []error // of five writes to a, each after one to b
	}{
		{memdisk.Fault{Op: memdisk.OpWrite, Path: "a", Nth: 2, Kind: memdisk.Full}, []error{nil, syscall.ENOSPC, nil, nil, nil}},
		{memdisk.Fault{Op: memdisk.OpWrite, Path: "[ac]", Nth: 3, For: 2, Kind: memdisk.Torn}, []error{nil, nil, syscall.EIO, syscall.EIO, nil}},
		{memdisk.Fault{Op: memdisk.OpWrite, Nth: 4, For: -1, Kind: memdisk.ReadOnly}, []error{nil, syscall.EROFS, syscall.EROFS, syscall.EROFS, syscall.EROFS}},
		{memdisk.Fault{Op: memdisk.OpWrite, Path: "a", Kind: memdisk.Denied}, []error{syscall.EACCES, nil, nil, nil, nil}},
		{memdisk.Fault{Op: memdisk.OpWrite, Path: "a", Nth: 3, Kind: memdisk.KillBefore}, []error{nil, nil, memdisk.ErrKilled, memdisk.ErrKilled, memdisk.ErrKilled}},
		{memdisk.Fault{Path: "a", Nth: 3, Kind: memdisk.KillAfter}, []error{nil, memdisk.ErrKilled, memdisk.ErrKilled, memdisk.ErrKilled, memdisk.ErrKilled}}, // the first creates it
		{memdisk.Fault{Op: memdisk.OpSync, For: -1, Kind: memdisk.FailedSync}, []error{nil, nil, nil, nil, nil}},
	} {
		d := memdisk.New(noon, "/s")
		then := 0
		c.fault.Then = func() { then++; d.Files() } // without a lock
		p := d.Program(c.fault)
		f, g := begun(t, p, "/s/a"), begun(t, p, "/s/b")
		hits, want := 0, ""
		for _, failed := range c.want {
			_, _ = g.Write([]byte("other"))
			_, err := f.Write([]byte("abcd"))
			if !errors.Is(err, failed) || failed == nil && err != nil {
				t.Errorf("%v: got %v, want %v", c.fault.Kind, err, failed)
			}
			switch failed {
			case nil:
				want += "abcd"
			case syscall.ENOSPC, syscall.EIO:
				want += "ab"
			case memdisk.ErrKilled:
				if c.fault.Kind == memdisk.KillAfter && hits == 0 {
					want += "abcd"
				}
			}
			if failed != nil {
				hits++
			}
		}
		if got := string(d.Files()["/s/a"]); got != want {
			t.Errorf("%v: left %q, want %q", c.fault.Kind, got, want)
		}
		met := p.Hits()
		if len(met) != then || (len(met) == 0) != (hits == 0) || slices.ContainsFunc(met, func(name string) bool { return name != c.fault.Kind.String() }) {
			t.Errorf("%v: met %q, and %d were told", c.fault.Kind, met, then)
		}
	}
}

func TestEveryOpCanFail(t *testing.T) {
	t.Parallel()
	acts := []struct {
		op memdisk.Op
		do func(p *memdisk.Program, f journal.File) error
	}{
		{memdisk.OpOpen, func(p *memdisk.Program, _ journal.File) error { _, err := p.Open("/s/a", os.O_RDONLY, 0); return err }},
		{memdisk.OpCreate, func(p *memdisk.Program, _ journal.File) error { _, err := p.CreateTemp("/s", "t*"); return err }},
		{memdisk.OpRead, func(_ *memdisk.Program, f journal.File) error { _, err := f.ReadAt(make([]byte, 1), 0); return err }},
		{memdisk.OpRead, func(p *memdisk.Program, _ journal.File) error { _, err := p.ReadDir("/s"); return err }},
		{memdisk.OpWrite, func(_ *memdisk.Program, f journal.File) error { _, err := f.WriteAt([]byte("x"), 0); return err }},
		{memdisk.OpTruncate, func(_ *memdisk.Program, f journal.File) error { return f.Truncate(0) }},
		{memdisk.OpTruncate, func(p *memdisk.Program, _ journal.File) error {
			_, err := p.Open("/s/a", os.O_RDWR|os.O_TRUNC, 0)
			return err
		}},
		{memdisk.OpSync, func(_ *memdisk.Program, f journal.File) error { return f.Sync() }},
		{memdisk.OpSyncFolder, func(p *memdisk.Program, _ journal.File) error { return p.SyncFolder("/s") }},
		{memdisk.OpRename, func(p *memdisk.Program, _ journal.File) error { return p.Rename("/s/a", "/s/b") }},
		{memdisk.OpRemove, func(p *memdisk.Program, _ journal.File) error { return p.Remove("/s/a") }},
		{memdisk.OpMkdir, func(p *memdisk.Program, _ journal.File) error { return p.MkdirAll("/s/c", 0o700) }},
		{memdisk.OpChmod, func(p *memdisk.Program, _ journal.File) error { return p.Chmod("/s/a", 0o640) }},
		{memdisk.OpChmod, func(_ *memdisk.Program, f journal.File) error { return f.Chmod(0o640) }},
		{memdisk.OpLock, func(_ *memdisk.Program, f journal.File) error { return f.Lock(unix.LOCK_EX) }},
	}
	for _, act := range acts {
		for kind, errno := range map[memdisk.Kind]error{memdisk.None: nil, memdisk.Denied: fs.ErrPermission, memdisk.NoLocks: unix.ENOLCK, memdisk.Held: unix.EWOULDBLOCK, memdisk.KillBefore: memdisk.ErrKilled} {
			d := memdisk.New(noon, "/s")
			setUp := d.Program()
			put(t, begun(t, setUp, "/s/a"), "abc")
			p := d.Program(memdisk.Fault{Op: act.op, Kind: kind})
			f := journal.File(nil)
			if act.op != memdisk.OpOpen {
				f = begun(t, p, "/s/a")
			}
			before := d.Modes()
			err := act.do(p, f)
			if !errors.Is(err, errno) || errno == nil && err != nil || len(p.Hits()) != 1 {
				t.Errorf("%s %v: got %v, met %q", act.op, kind, err, p.Hits())
			}
			if after := d.Modes(); kind != memdisk.None && (len(after) != len(before) || after["/s/a"] != before["/s/a"] || string(d.Files()["/s/a"]) != "abc") {
				t.Errorf("%s %v has changed the disk: %v", act.op, kind, after)
			}
		}
	}
}

func TestADiskThatCanOnlyBeReadIsReadAndAFolderThatExistsIsNoOtherError(t *testing.T) {
	t.Parallel()
	d := memdisk.New(noon, "/s")
	put(t, begun(t, d.Program(), "/s/a"), "abc")
	p := d.Program(memdisk.Fault{Op: memdisk.OpOpen, For: -1, Kind: memdisk.ReadOnly}, memdisk.Fault{Op: memdisk.OpMkdir, For: -1, Kind: memdisk.ReadOnly})
	if _, err := p.Open("/s/a", os.O_RDONLY, 0); err != nil {
		t.Errorf("to read: %v", err)
	}
	if _, err := p.Open("/s/a", os.O_RDWR, 0); !errors.Is(err, syscall.EROFS) {
		t.Errorf("to write: %v", err)
	}
	if err := p.Mkdir("/s", 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that exists: %v", err)
	}
	if err := p.Mkdir("/s/b", 0o700); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a new folder: %v", err)
	}
}

func TestALockDoesNotReachAnotherMachine(t *testing.T) {
	t.Parallel()
	d := memdisk.New(time.Now, "/state")
	lock := func(p *memdisk.Program) error {
		f, err := p.Open("/state/lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f.Lock(unix.LOCK_EX)
	}
	for name, p := range map[string]*memdisk.Program{"here": d.Program(), "elsewhere": d.Program().Elsewhere()} {
		if err := lock(p); err != nil {
			t.Errorf("the first %s: %v", name, err)
		}
	}
	for name, p := range map[string]*memdisk.Program{"here": d.Program(), "elsewhere": d.Program().Elsewhere()} {
		if err := lock(p); !errors.Is(err, unix.EWOULDBLOCK) {
			t.Errorf("the second %s: %v", name, err)
		}
	}
}
