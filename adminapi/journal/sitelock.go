package journal

import (
	"context"
	"os"
	"path/filepath"
)

// LockSite waits until no other program holds the lock of that name for a site, and returns
// what unlocks it. It ends with the program too. The folder of the site is created where it is
// missing.
func LockSite(ctx context.Context, folder, site, name string, options ...Option) (unlock func(), err error) {
	j, err := Open(folder, site, options...)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(j.folder, name+".lock")
	f, err := j.disk.openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err == nil {
		err = j.locks.waitFor(ctx, f)
	}
	unlock = func() {
		if f != nil {
			_ = f.Close() // which unlocks
		}
		_ = j.Close()
	}
	if err != nil {
		unlock()
		return nil, explain(path, err)
	}
	return unlock, nil
}

// waitFor locks a file as soon as nobody else holds the lock, or fails when ctx ends.
func (l *locks) waitFor(ctx context.Context, f File) error {
	for {
		held, err := l.try(f)
		if !held {
			return err
		}
		if err := l.clock.Sleep(ctx, l.pause()); err != nil {
			return err
		}
	}
}
