// Package memdisk is a disk in memory behind the files of a journal: tests of the whole
// program play full disks, torn writes, killed programs and power cuts on it, each time in the
// same way.
//
// Like a real one it has two states. Programs see what was done last; a power cut leaves what
// was synced, and of the rest what chance keeps. The content of a file lasts from its Sync, a
// name from the SyncFolder of its folder. Modes are kept but not enforced, there is no umask,
// and there are no links.
//
// Start at [New] and [Disk.Program], which gives what a journal is opened with; fault.go says
// what can go wrong, and power.go what a power cut leaves.
package memdisk

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Disk is a disk that programs share. It is safe for concurrent use.
type Disk struct {
	now func() time.Time

	mu       sync.Mutex
	root     *node
	renames  []change // of names, since they were synced; the oldest first
	programs []*Program
	started  int // programs, ever
}

// New returns an empty disk with the given folders, which are absolute paths: they last, and
// have the mode 0700. Files get their times from now, which must not use the disk.
func New(now func() time.Time, folders ...string) *Disk {
	d := &Disk{now: now}
	d.root = d.newNode(fs.ModeDir | 0o700)
	for _, folder := range folders {
		at := d.root
		for _, name := range parts(filepath.Clean(folder)) {
			if at.names[name] == nil {
				made := d.newNode(fs.ModeDir | 0o700)
				at.names[name], at.synced[name] = made, made
			}
			at = at.names[name]
		}
	}
	return d
}

// node is a file or a folder, whatever its name.
type node struct {
	mode     fs.FileMode
	lasting  fs.FileMode // the mode that was synced
	modified time.Time

	names, synced map[string]*node // of a folder: as programs see it, and as it was synced
	content       content          // of a file
	locks         []lock
}

// lock is one of an open file.
type lock struct {
	by  *file
	how int
}

func (d *Disk) newNode(mode fs.FileMode) *node {
	n := &node{mode: mode, lasting: mode, modified: d.now()}
	if n.isFolder() {
		n.names, n.synced = map[string]*node{}, map[string]*node{}
	}
	return n
}

func (n *node) isFolder() bool { return n.mode.IsDir() }

// setMode sets the permissions.
func (n *node) setMode(mode fs.FileMode) { n.mode = n.mode.Type() | mode.Perm() }

// parts are the names in a path.
func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

const maxName = 255 // bytes, of one name

// find returns the node of a path.
func (d *Disk) find(path string) (*node, error) {
	_, _, n, err := d.place(path)
	if err == nil && n == nil {
		err = syscall.ENOENT
	}
	return n, err
}

// place returns the folder that holds a path, the last name, and the node of that name: nil
// where there is none. The root, and what .. leads to, have no such folder.
func (d *Disk) place(path string) (folder *node, name string, there *node, err error) {
	switch {
	case path == "":
		return nil, "", nil, syscall.ENOENT
	case !filepath.IsAbs(path), strings.ContainsRune(path, 0):
		return nil, "", nil, syscall.EINVAL
	}
	within := []*node{d.root}
	there = d.root
	for _, part := range parts(path) {
		switch {
		case there == nil:
			return nil, "", nil, syscall.ENOENT
		case !there.isFolder():
			return nil, "", nil, syscall.ENOTDIR
		case len(part) > maxName:
			return nil, "", nil, syscall.ENAMETOOLONG
		case part == ".":
			folder = nil
		case part == "..":
			within = within[:max(1, len(within)-1)]
			folder, there = nil, within[len(within)-1]
		default:
			folder, name, there = there, part, there.names[part]
			within = append(within, there)
		}
	}
	if there != nil && !there.isFolder() && strings.HasSuffix(path, "/") {
		return nil, "", nil, syscall.ENOTDIR
	}
	return folder, name, there, nil
}

// change is a step from one state of the names to the next, of which all or nothing is kept.
type change []entry

// entry is what a name in a folder becomes: nil where it is removed.
type entry struct {
	folder *node
	name   string
	to     *node
}

// apply makes a change to the names that programs see, or to those that last.
func (c change) apply(names func(folder *node) map[string]*node) {
	for _, e := range c {
		if e.to == nil {
			delete(names(e.folder), e.name)
		} else {
			names(e.folder)[e.name] = e.to
		}
	}
}

func seen(folder *node) map[string]*node    { return folder.names }
func lasting(folder *node) map[string]*node { return folder.synced }

// rename makes a change that programs see at once.
func (d *Disk) rename(entries ...entry) {
	change(entries).apply(seen)
	now := d.now()
	for _, e := range entries {
		e.folder.modified = now
	}
	d.renames = append(d.renames, entries)
}

// syncNames makes the names of a folder last, with every change that these build upon.
func (d *Disk) syncNames(folder *node) {
	folder.lasting = folder.mode
	wanted, now := map[*node]bool{folder: true}, make([]bool, len(d.renames))
	for i, c := range slices.Backward(d.renames) {
		now[i] = slices.ContainsFunc(c, func(e entry) bool { return wanted[e.folder] })
		for _, e := range c {
			wanted[e.folder] = wanted[e.folder] || now[i]
		}
	}
	var later []change
	for i, c := range d.renames {
		if now[i] {
			c.apply(lasting)
		} else {
			later = append(later, c)
		}
	}
	d.renames = later
}

// each visits what has a name, in the order of the paths, without the root.
func (d *Disk) each(names func(folder *node) map[string]*node, visit func(path string, n *node)) {
	var below func(path string, folder *node)
	below = func(path string, folder *node) {
		there := names(folder)
		for _, name := range sorted(there) {
			n := there[name]
			visit(path+"/"+name, n)
			if n.isFolder() {
				below(path+"/"+name, n)
			}
		}
	}
	below("", d.root)
}

func sorted(names map[string]*node) []string {
	return slices.Sorted(maps.Keys(names))
}

// Files returns the content of every file as programs see it, by its path.
func (d *Disk) Files() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := map[string][]byte{}
	d.each(seen, func(path string, n *node) {
		if !n.isFolder() {
			files[path] = append([]byte{}, n.content.now...)
		}
	})
	return files
}

// Modes returns the mode of every file and folder as programs see it, by its path.
func (d *Disk) Modes() map[string]fs.FileMode {
	d.mu.Lock()
	defer d.mu.Unlock()
	modes := map[string]fs.FileMode{}
	d.each(seen, func(path string, n *node) { modes[path] = n.mode })
	return modes
}

// Locked reports whether a program holds the lock of a file.
func (d *Disk) Locked(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.find(path)
	return err == nil && len(n.locks) > 0
}

// Durable returns the content that was synced, by the path that was synced: what a power cut
// leaves that drops all that came later.
func (d *Disk) Durable() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := map[string][]byte{}
	d.each(lasting, func(path string, n *node) {
		if !n.isFolder() {
			files[path] = n.content.durable()
		}
	})
	return files
}
