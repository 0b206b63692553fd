package journal

import (
	"context"
	"math"
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
		err = j.locks.wait(ctx, f, math.MaxInt64)
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
