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
	if err := lock(f, lockPatience); err != nil {
		return explain(path, err)
	}
	return do()
}

// lock waits by the machine's clock: a faster one would give up at once.
func lock(f *os.File, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		// Of uneven length, so that nobody is always late.
		pause := lockPause/2 + rand.N(lockPause)
		if (adminapi.SystemClock{}).Sleep(ctx, pause) != nil {
			return failed(err, "another program has kept the journal locked for %v: %s", patience, f.Name())
		}
	}
}
