package journal

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/plain"
)

// Program is one run of a program that uses a journal. It is zero for what an
// earlier version has written.
type Program struct {
	User string `json:"user,omitempty"`
	Host string `json:"host,omitempty"`
	PID  int    `json:"pid,omitempty"`
	Run  string `json:"run,omitempty"` // random, and another one for each journal
}

// Who names it in a sentence: alice on adm1.
func (p Program) Who() string {
	name, host := plain.Line(p.User), plain.Line(p.Host)
	if name == "" {
		name = "somebody"
	}
	if host == "" {
		return name
	}
	return name + " on " + host
}

// String names it with its process: alice on adm1 (process 4711).
func (p Program) String() string {
	if p.PID <= 0 {
		return p.Who()
	}
	return p.Who() + " (process " + strconv.Itoa(p.PID) + ")"
}

// thisProgram asks the system where the program runs. What it does not know is left
// out. For whom is asked once that is written: a directory of users may be slow.
func thisProgram(run string) Program {
	p := Program{PID: os.Getpid(), Run: run}
	p.Host, _ = os.Hostname()
	return p
}

// WithProgram sets user, host and process that drafts name, instead of those that
// the system tells.
func WithProgram(p Program) Option {
	return func(j *Journal) { j.program.User, j.program.Host, j.program.PID = p.User, p.Host, p.PID }
}

// Life is whether a program runs.
type Life int

const (
	// Ended is a program that has quit or crashed.
	Ended Life = iota
	// Alive is one that runs.
	Alive
	// MayLive is one of which that cannot be known: it was started on another host,
	// or the file system offers no locks.
	MayLive
)

// aliveFolder holds a file for each program with drafts. Its lock ends with the
// program, however that ends; the file goes when the program ends by itself.
const aliveFolder = "programs"

func (j *Journal) alivePath(p Program) string {
	return filepath.Join(j.folder, aliveFolder, p.Run+aliveOn(p.Host))
}

// aliveOn ends the names of the files of a host.
func aliveOn(host string) string { return "-" + fileName(host, host) }

// askUser completes who runs the program. j.mu must be held.
func (j *Journal) askUser() {
	if j.program.User != "" {
		return
	}
	if u, err := user.Current(); err == nil {
		j.program.User = u.Username
	}
}

// signature names this program to others.
func (j *Journal) signature() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.askUser()
	return j.program.String()
}

// announce takes the lock by which others see that this program runs. The lock of
// the folder must be held.
func (j *Journal) announce() error {
	if j.alive != nil {
		return nil
	}
	path := j.alivePath(j.program)
	if err := privateFolder(filepath.Dir(path)); err != nil {
		return err
	}
	j.sweep()
	f, err := openPrivate(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return explain(path, err)
	}
	j.askUser()
	// Where there are no locks, whoever asks finds that out too.
	_ = flock(f, unix.LOCK_EX)
	j.alive = f
	return nil
}

// conceal takes the lock back: the program ends.
func (j *Journal) conceal() {
	if j.alive != nil {
		_ = os.Remove(j.alive.Name())
		_ = j.alive.Close()
		j.alive = nil
	}
}

// sweep removes the files of crashed programs. Those of other hosts stay: their
// locks may not be seen from here.
func (j *Journal) sweep() {
	folder := filepath.Join(j.folder, aliveFolder)
	entries, _ := os.ReadDir(folder) // what cannot be read stays
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if strings.HasSuffix(path, aliveOn(j.program.Host)) && unlocked(path) == nil {
			_ = os.Remove(path)
		}
	}
}

// life finds out whether a program runs, by its lock and not by any time.
func (j *Journal) life(p Program) Life {
	if p.Run == "" {
		return Ended
	}
	switch err := unlocked(j.alivePath(p)); {
	case errors.Is(err, fs.ErrNotExist):
		return Ended
	case errors.Is(err, unix.EWOULDBLOCK):
		return Alive
	case err == nil && p.Host == j.program.Host:
		return Ended
	}
	return MayLive
}

// unlocked is nil where nobody holds the lock of a file. Else it is the reason:
// unix.EWOULDBLOCK where somebody does.
func unlocked(path string) error {
	f, err := openPrivate(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close() // which unlocks
	return flock(f, unix.LOCK_SH)
}

// flock tries once to lock a file.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
