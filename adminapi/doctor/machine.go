package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/sites"
)

// leastRoom is how much a disk should have left: a transcript may take 64 MiB.
const leastRoom = 100 << 20

// checkState looks at the folder for the records of sites: it writes and locks a file of its
// own there, and removes it. A folder that is missing stays so.
func (e *examination) checkState(ctx context.Context) *Check {
	if e.StateErr != nil {
		return saying(Failed, "There is no place for the state folder.").with(e.StateErr.Error()).advising("Set XDG_STATE_HOME or HOME, or use --state-dir.")
	}
	disk := journal.SystemFiles{}
	folder, err := filepath.Abs(e.State)
	if err != nil {
		return saying(Failed, "The state folder cannot be found.").with(err.Error())
	}
	info, err := disk.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return e.checkFuture(folder)
	}
	const other = "Changes are not sent without a record. "
	switch {
	case err != nil:
		return saying(Failed, "The state folder cannot be used.").with(err.Error()).advising(other + "Name another one with --state-dir.")
	case info.Mode()&fs.ModeSymlink != 0:
		return saying(Failed, "The state folder is a symbolic link.").with(folder).advising(other + "Replace the link by a folder.")
	case !info.IsDir():
		return saying(Failed, "The state folder is a file.").with(folder).advising(other + "Move that file away.")
	case !disk.Owned(info):
		return saying(Failed, "The state folder belongs to another user.").with(folder).advising(other + "Name another one with --state-dir.")
	case info.Mode().Perm()&0o022 != 0:
		return saying(Failed, "Others may write to the state folder.").with(folder, info.Mode().String()).advising(other + "Make it private: chmod go-w.")
	}
	seen := []string{folder + ", " + info.Mode().String()}
	locks, err := tryFolder(folder)
	if err != nil {
		return saying(Failed, "The state folder cannot be written.").with(append(seen, err.Error())...).advising(other + "Make room there, or name another one with --state-dir.")
	}
	sites, held := e.sitesIn(ctx, folder)
	seen = append(seen, count(sites, "site has", "sites have")+" records there")
	free, known := room(folder)
	if known {
		seen = append(seen, sizeText(free)+" free")
	}
	switch {
	case locks != nil:
		return saying(Warning, "The file system of the state folder has no locks.").with(append(seen, locks.Error())...).
			advising("Run one geodeck at a time, or name another folder with --state-dir.")
	case len(held) > 0:
		return saying(Warning, "Another program holds the lock of a record.").with(append(seen, held...)...).
			advising("Changes wait up to 10 s for it. End the other program if it hangs.")
	case known && free < leastRoom:
		return saying(Warning, "The disk of the state folder is nearly full.").with(seen...).advising("Make room: the messages of an upgrade may take 64 MiB.")
	}
	return saying(Passed, "The state folder is private, and can be written and locked.").with(seen...)
}

// checkFuture says whether a folder that is missing could be created.
func (e *examination) checkFuture(folder string) *Check {
	above := filepath.Dir(folder)
	for {
		info, err := os.Stat(above)
		if err == nil && !info.IsDir() {
			return saying(Failed, "The state folder cannot be created.").with(above + " is a file").advising("Name another one with --state-dir.")
		}
		if err == nil || above == filepath.Dir(above) {
			break
		}
		above = filepath.Dir(above)
	}
	if err := unix.Access(above, unix.W_OK|unix.X_OK); err != nil {
		return saying(Failed, "The state folder cannot be created.").with(above + ": " + err.Error()).
			advising("Changes are not sent without a record. Name another one with --state-dir.")
	}
	c := saying(Passed, "There is no state folder yet; the first change creates it.").with(folder)
	if free, known := room(above); known {
		c = c.with(sizeText(free) + " free")
	}
	return c
}

// tryFolder writes, locks and removes a file.
func tryFolder(folder string) (locks, err error) {
	disk := journal.SystemFiles{}
	f, err := disk.CreateTemp(folder, ".geodeck-doctor-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), disk.Remove(f.Name())) }()
	if _, err := f.Write([]byte("geodeck\n")); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return nil, err
	}
	return f.Lock(unix.LOCK_EX), nil
}

// Locks are held for milliseconds.
const (
	lockTries = 10
	lockPause = 50 * time.Millisecond
)

// sitesIn counts the journals in a folder, and names those whose lock another program keeps.
func (e *examination) sitesIn(ctx context.Context, folder string) (sites int, held []string) {
	disk := journal.SystemFiles{}
	entries, err := disk.ReadDir(folder)
	if err != nil {
		return 0, []string{err.Error()}
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name(), "lock")
		if info, err := disk.Lstat(path); !entry.IsDir() || err != nil || !info.Mode().IsRegular() {
			continue
		}
		sites++
		for try := 1; isHeld(path); try++ {
			if try == lockTries {
				held = append(held, path)
				break
			}
			if e.Clock.Sleep(ctx, lockPause) != nil {
				return sites, held
			}
		}
	}
	return sites, held
}

// isHeld reports whether somebody holds the lock of a file.
func isHeld(path string) bool {
	f, err := journal.SystemFiles{}.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close() // which unlocks
	return errors.Is(f.Lock(unix.LOCK_SH), unix.EWOULDBLOCK)
}

// room is how many bytes this user may still write to the disk of a folder.
func room(folder string) (free uint64, known bool) {
	var about unix.Statfs_t
	if err := unix.Statfs(folder, &about); err != nil || about.Bsize <= 0 {
		return 0, false
	}
	return about.Bavail * uint64(about.Bsize), true
}

func sizeText(bytes uint64) string {
	if bytes >= 10<<30 {
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// checkConfig reads the file of the sites.
func (e *examination) checkConfig(context.Context) *Check {
	if e.Config == "" {
		return saying(NotApplicable, "There is no place for a file of the sites.").advising("Set XDG_CONFIG_HOME or HOME, or use --config.")
	}
	if _, err := os.Lstat(e.Config); errors.Is(err, fs.ErrNotExist) {
		return saying(NotApplicable, "There is no file of the sites.").with(e.Config)
	}
	file, err := sites.Read(e.Config)
	if err != nil {
		c := saying(Failed, "The file of the sites cannot be used.").with(err.Error())
		if bad, ok := errors.AsType[*sites.Error](err); ok {
			c = c.advising(bad.Advice)
		}
		return c
	}
	list := file.Sites()
	for _, s := range list {
		if at, err := url.Parse(s.URL); err == nil {
			e.note(ofHost, at.Hostname())
		}
		e.note(ofSite, s.Name)
		e.note(ofUser, s.User)
	}
	c := saying(Passed, "The file is private, and names %s.", count(len(list), "site", "sites")).with(e.Config)
	if file.Current() != "" {
		c = c.with("the current site: " + file.Current())
	}
	return c
}

// checkNodes reads the nodes of the cluster from where the settings say.
func (e *examination) checkNodes(ctx context.Context) *Check {
	const advice = "Run it in a terminal. It has to print what kubectl get nodes -o json does."
	switch {
	case e.NodesErr != nil:
		return saying(Failed, "The source of the nodes cannot be used.").with(e.NodesErr.Error()).advising("Correct --nodes or --nodes-command.")
	case !e.Nodes.Known():
		return saying(NotApplicable, "No source of nodes is given.").advising("Rules of placement show which nodes fit: --nodes-command \"kubectl get nodes -o json\".")
	}
	nodes, err := e.Nodes.Read(ctx, e.Clock)
	switch {
	case err != nil && len(e.Nodes.Command) > 0:
		return saying(Failed, "The command for the nodes failed.").with(err.Error()).advising(advice)
	case err != nil:
		return saying(Failed, "The nodes could not be read.").with(err.Error()).advising("Save them with: kubectl get nodes -o json")
	case len(nodes.List) == 0:
		return saying(Warning, "The list of nodes is empty.").with("from " + e.Nodes.String()).advising("Check the labels and the cluster that it asks for.")
	}
	for _, n := range nodes.List {
		e.note(ofHost, n.Name)
	}
	return saying(Passed, "%s listed.", count(len(nodes.List), "node is", "nodes are")).with("from " + e.Nodes.String())
}
