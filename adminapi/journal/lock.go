package journal

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
)

const (
	lockPatience = 10 * time.Second // others need milliseconds; a stopped one holds it for ever
	lockPause    = 4 * time.Millisecond
)

// locked runs do while no other journal of the site, here or in another
// program, changes anything.
func (j *Journal) locked(do func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	path := filepath.Join(j.folder, "lock")
	f, err := openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return explain(path, err)
	}
	defer f.Close() // which unlocks
	if err := j.lock(f, lockPatience); err != nil {
		return explain(path, err)
	}
	return do()
}

// lock waits by the machine's clock: a faster one would give up at once. Where the file
// system has no locks there is nothing to wait for; see [Journal.Unlocked].
func (j *Journal) lock(f *os.File, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		held, err := j.tryLock(f)
		if !held {
			return err
		}
		// Of uneven length, so that nobody is always late.
		pause := lockPause/2 + rand.N(lockPause)
		if (adminapi.SystemClock{}).Sleep(ctx, pause) != nil {
			return failed(ctx.Err(), "another program has kept the journal locked for %s: %s", adminapi.Spell(patience), f.Name())
		}
	}
}

// tryLock locks a file if nobody else has. held tells that somebody has.
func (j *Journal) tryLock(f *os.File) (held bool, err error) {
	for {
		if err = j.flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
		j.unlocked.Store(true)
		return false, nil
	}
	return false, err
}

// Unlocked returns a sentence about a journal on a file system without locks, nil where
// it has them. Two programs can send the same there at the same moment; what is recorded
// of a write stops the next one all the same.
func (j *Journal) Unlocked() error {
	if !j.unlocked.Load() {
		return nil
	}
	return failed(unix.ENOLCK, "the file system offers no locks: run one geodeck at a time, or name another folder with --state-dir; it is %s", j.folder)
}
