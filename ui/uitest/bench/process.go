package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Use is what a process has used of the machine so far.
type Use struct {
	CPU     time.Duration // of all threads
	Wakeups int           // times that a thread had waited and ran again
	Memory  int           // resident bytes now
	Threads int           // of the operating system, now
	Files   int           // open descriptors now; -1 where only root may count those of the program
}

// errNoProc says what is missing where this is not Linux.
var errNoProc = errors.New("processor time, wake-ups and memory are read from /proc, which only Linux has")

// Use reads what the program has used so far.
func (s *Session) Use() (u Use, err error) {
	process := filepath.Join("/proc", strconv.Itoa(s.Cmd.Process.Pid))
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		return u, errNoProc
	}
	status, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		return u, err
	}
	kib, err := field(status, "VmRSS:")
	if err != nil {
		return u, err
	}
	u.Memory = kib << 10
	files, err := os.ReadDir(filepath.Join(process, "fd"))
	switch {
	case err == nil:
		u.Files = len(files)
	case errors.Is(err, os.ErrPermission): // the program hides its memory, and with it these
		u.Files = -1
	default:
		return u, err
	}
	threads, err := filepath.Glob(filepath.Join(process, "task", "*"))
	if err != nil {
		return u, err
	}
	u.Threads = len(threads)
	for _, thread := range threads {
		status, err := os.ReadFile(filepath.Join(thread, "status"))
		if errors.Is(err, os.ErrNotExist) {
			continue // it has just ended
		}
		if err != nil {
			return u, err
		}
		wakeups, err := field(status, "voluntary_ctxt_switches:")
		if err != nil {
			return u, err
		}
		u.Wakeups += wakeups
		schedule, err := os.ReadFile(filepath.Join(thread, "schedstat"))
		if err != nil {
			return u, err
		}
		var ran int64
		if _, err := fmt.Sscan(string(schedule), &ran); err != nil {
			return u, err
		}
		u.CPU += time.Duration(ran)
	}
	return u, nil
}

// field returns the number behind a name that begins a line.
func field(status []byte, name string) (int, error) {
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			n, _, _ := strings.Cut(strings.TrimSpace(value), " ")
			return strconv.Atoi(n)
		}
	}
	return 0, fmt.Errorf("/proc has no %s", name)
}
