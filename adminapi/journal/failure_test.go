package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
)

func TestErrorsOfTheDiskAreSentences(t *testing.T) {
	t.Parallel()
	for errno, words := range map[syscall.Errno]string{
		syscall.ENOSPC: "no space left", syscall.EDQUOT: "quota", syscall.EROFS: "read-only",
		syscall.EACCES: "you may not", syscall.EPERM: "you may not", syscall.ENOLCK: "no locks", syscall.EBUSY: "cannot be used",
	} {
		err := explain("/home/me\x1b[2J/x", &fs.PathError{Op: "write", Path: "x", Err: errno})
		if !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "/home/me") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%v: %q", errno, err)
		}
		if !errors.Is(err, errno) {
			t.Errorf("%v cannot be asked for any more", errno)
		}
	}
}

// pausing is a clock that says how long each pause was.
type pausing struct {
	adminapi.SystemClock
	paused *[]time.Duration
}

func (p pausing) Sleep(ctx context.Context, pause time.Duration) error {
	*p.paused = append(*p.paused, pause)
	return p.SystemClock.Sleep(ctx, pause)
}

func TestTheWaitForALockEnds(t *testing.T) {
	t.Parallel()
	var paused []time.Duration
	j := &Journal{turn: make(turn, 1), disk: disk{Files: SystemFiles{}}, locks: locks{rand: adminapi.SystemRand{}, clock: pausing{paused: &paused}}}
	path := t.TempDir() + "/lock"
	var files [2]File
	for i := range files {
		f, err := j.disk.openPrivate(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	if err := j.locks.wait(t.Context(), files[0], time.Minute); err != nil {
		t.Fatal(err)
	}
	err := j.locks.wait(t.Context(), files[1], time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "another program") {
		t.Fatalf("got %v", err)
	}
	for _, pause := range paused {
		if pause < lockPause/2 || pause >= 2*lockPause { // who does not pause keeps a processor busy
			t.Errorf("it paused for %v", pause)
		}
	}
	if err := files[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.locks.wait(t.Context(), files[1], time.Minute); err != nil {
		t.Fatal(err)
	}
}

func TestALastLineOfAnyLengthIsFound(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 8<<10 - 1, 8 << 10, 40 << 10, 200 << 10} {
		path := t.TempDir() + "/log"
		long := strings.Repeat("x", size)
		for _, line := range []string{"first", long} {
			if err := (disk{Files: SystemFiles{}}).appendLine(path, func([]byte) ([]byte, error) { return []byte(line), nil }); err != nil {
				t.Fatal(err)
			}
		}
		err := disk{Files: SystemFiles{}}.appendLine(path, func(last []byte) ([]byte, error) {
			if string(last) != long {
				t.Errorf("of %d bytes, %d were found", size, len(last))
			}
			return []byte("end"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The longest line that is written is read: where it was not, its write would be one of unknown outcome for ever.
func TestTheLongestLineThatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	d, path := disk{Files: SystemFiles{}, noSync: true}, t.TempDir()+"/log"
	of := func(size int) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return []byte(strings.Repeat("x", size)), nil }
	}
	if err := d.appendLine(path, of(maxLine-1)); err != nil {
		t.Fatal(err)
	}
	if err := d.appendLine(path, of(maxLine)); err == nil || !strings.Contains(err.Error(), "too long to save") {
		t.Errorf("a longer one is written: %v", err)
	}
	var sizes []int
	if err := d.eachLine(path, func(_ int, line []byte) bool { sizes = append(sizes, len(line)); return true }); err != nil || len(sizes) != 1 || sizes[0] != maxLine-1 {
		t.Errorf("lines of %d bytes are read, %v", sizes, err)
	}
}

// A head that says how another log ends is no head of this one, whatever it counts; and that is told once.
func TestAHeadOfOtherLinesStaysTold(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(links []string) logHead{
		"as many as there are":  func([]string) logHead { return logHead{Lines: 6, Last: hashOf([]byte("x"))} },
		"fewer":                 func([]string) logHead { return logHead{Lines: 3, Last: hashOf([]byte("x"))} },
		"a link of another one": func(links []string) logHead { return logHead{Lines: 5, Last: links[3]} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := openedIn(t, t.TempDir(), WithoutSync())
			sends := func(id uint64) {
				t.Helper()
				w := adminapi.Write{ID: id, Operation: "run a health check"}
				if err := j.BeforeWrite(w); err != nil {
					t.Fatal(err)
				}
				j.AfterWrite(w, adminapi.OutcomeDone, nil)
			}
			for id := range uint64(3) {
				sends(id)
			}
			var links []string
			if err := j.disk.eachLine(j.actionsPath(), func(_ int, line []byte) bool { links = append(links, linkOf(line)); return true }); err != nil || len(links) != 6 {
				t.Fatal(links, err)
			}
			if err := j.writeHead(forge(links)); err != nil {
				t.Fatal(err)
			}
			if v, err := j.Verify(); err != nil || len(v.Faults) != 1 || v.Faults[0].Kind != FaultEnding {
				t.Errorf("found %+v, %v", v.Faults, err)
			}
			sends(4)
			if v, err := j.Verify(); err != nil || len(v.Faults) != 1 || v.Faults[0].Kind != FaultHead || v.Faults[0].Line != 7 {
				t.Errorf("found %+v after the next write, %v", v.Faults, err)
			}
		})
	}
}

// A line that is longer than any that is written is not read, whatever it says: it may have been a write.
func TestALineThatIsTooLongMayHaveBeenAWrite(t *testing.T) {
	t.Parallel()
	for name, line := range map[string][]byte{
		"blanks":  []byte(strings.Repeat(" ", maxLine+20<<10)),
		"a write": seal([]byte(`{"event":"after","id":"AAAAAAAA-1","outcome":"done"`+strings.Repeat(" ", maxLine)+"}"), firstLink(aSite)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := openedIn(t, t.TempDir(), WithoutSync())
			if err := os.WriteFile(j.actionsPath(), append(line, '\n'), fileMode); err != nil {
				t.Fatal(err)
			}
			if err := j.BeforeWrite(adminapi.Write{ID: 1, Operation: "run a health check"}); err != nil {
				t.Fatal(err)
			}
			all, err := j.Actions(0)
			if err != nil || len(all) != 2 || all[1].ID != damagedName(1) || !all[1].Damaged() || !all[1].Open() || all[0].Operation != "run a health check" {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}
