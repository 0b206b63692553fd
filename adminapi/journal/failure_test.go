package journal

import (
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

func TestTheWaitForALockEnds(t *testing.T) {
	t.Parallel()
	j := &Journal{turn: make(turn, 1), disk: disk{Files: SystemFiles{}}, locks: locks{rand: adminapi.SystemRand{}, clock: adminapi.SystemClock{}}}
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
