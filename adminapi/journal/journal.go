package journal

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
)

// Journal remembers one site. It is safe for concurrent use, also by several
// journals of the same site, in this program and in others. It is the observer
// of the writes of a client: see [Journal.BeforeWrite].
type Journal struct {
	clock     adminapi.Clock
	site      string // in its one spelling
	folder    string
	throwaway string // what Close removes
	run       string // begins the ids that this journal gives
	flock     func(fd, how int) error
	budget    int64 // of a transcript, in bytes
	program   Program

	mu     sync.Mutex // held together with the lock of the folder
	closed bool
	alive  *os.File // its lock says that this program runs; nil before it keeps a draft

	unlocked atomic.Bool // the file system has no locks
	writes   inFlight
	claims   claims
}

// Option changes how a journal is opened.
type Option func(*Journal)

// WithClock sets where the times of the journal come from, instead of from the
// machine's clock.
func WithClock(clock adminapi.Clock) Option {
	return func(j *Journal) { j.clock = clock }
}

// Open opens the journal of a site, such as https://gis.example.org/ctx (see
// [SiteOf]), below folder, and makes what is missing. The errors are sentences:
// the folder is a file, a symbolic link, belongs to another user, others may
// write to it, no space is left, it may not be written.
func Open(folder, site string, options ...Option) (*Journal, error) {
	key, err := siteKey(site)
	if err != nil {
		return nil, err
	}
	if folder == "" {
		return nil, failed(nil, "no folder is given for the journal")
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, explain(folder, err)
	}
	if err := baseFolder(folder); err != nil {
		return nil, err
	}
	j := &Journal{
		clock: adminapi.SystemClock{}, site: key, folder: filepath.Join(folder, siteFolder(key)), run: rand.Text()[:runLength],
		flock: unix.Flock, budget: transcriptBudget,
	}
	j.program = thisProgram(j.run)
	for _, change := range options {
		change(j)
	}
	if err := privateFolder(j.folder); err != nil {
		return nil, err
	}
	// A journal that cannot be written is told of now, not before the first write.
	if err := j.locked(func() error { return nil }); err != nil {
		return nil, err
	}
	return j, nil
}

// runLength of 32-ary digits tells some 10^12 runs apart.
const runLength = 8

// OpenThrowaway opens a journal in a temporary folder of its own, which Close
// removes: for the demonstration and for tests.
func OpenThrowaway(options ...Option) (*Journal, error) {
	folder, err := os.MkdirTemp("", "geodeck-journal-")
	if err != nil {
		return nil, explain(os.TempDir(), err)
	}
	j, err := Open(folder, "throwaway://journal", options...)
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	j.throwaway = folder
	return j, nil
}

// Close ends the use of the journal: its drafts are those of a program that has ended. A throwaway journal is removed.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	j.conceal()
	if j.throwaway == "" {
		return nil
	}
	return explain(j.throwaway, os.RemoveAll(j.throwaway))
}

// Folder returns the folder that holds the journal of this site.
func (j *Journal) Folder() string { return j.folder }

func (j *Journal) isOpen() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	return nil
}
