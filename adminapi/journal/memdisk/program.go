package memdisk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"geodeck/adminapi/journal"
)

var _ journal.Files = (*Program)(nil)

// Program is a process that uses a disk: the files that a journal is opened with. It is safe
// for concurrent use. Its errors are those of package os.
type Program struct {
	disk   *Disk
	number int // among those of the disk, from 1

	// Guarded by the lock of the disk.
	faults []*counted
	hits   []string
	killed bool
	files  []*file // that hold a lock
	made   int     // temporary files
	away   bool    // on another machine
}

// Program starts a process on the disk, to which the faults happen.
func (d *Disk) Program(faults ...Fault) *Program {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.started++
	p := &Program{disk: d, number: d.started}
	for _, f := range faults {
		p.faults = append(p.faults, &counted{Fault: f})
	}
	d.programs = append(d.programs, p)
	return p
}

// Elsewhere puts the process on another machine that shares the disk: locks of one do not reach the other.
func (p *Program) Elsewhere() *Program {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.away = true
	return p
}

// Kill ends the process: from now on all its calls fail with [ErrKilled] and change nothing.
// Its locks are released, and other programs see what it has written.
func (p *Program) Kill() {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.end()
}

// end is Kill under the lock of the disk.
func (p *Program) end() {
	p.killed = true
	for _, f := range p.files {
		f.node.unlock(f)
	}
	p.files = nil
}

// Killed reports whether the process was killed, by whatever.
func (p *Program) Killed() bool {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	return p.killed
}

// Hits returns the kinds of the faults that were met, one for each call, in their order.
func (p *Program) Hits() []string {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	return slices.Clone(p.hits)
}

// pathError is an error as package os has them.
func pathError(op, path string, err error) error {
	if err == nil || errors.Is(err, ErrKilled) {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

const (
	accessMode = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
	create     = os.O_CREATE | os.O_EXCL
)

// Open opens a file, or a folder to look at it, with the flags of package os.
func (p *Program) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	var opened *file
	err := p.call(func(c *call) (err error) {
		opened, err = c.open(path, flags, mode)
		return pathError("open", path, err)
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (c *call) open(path string, flags int, mode fs.FileMode) (*file, error) {
	d := c.program.disk
	folder, name, n, err := d.place(path)
	if flags&os.O_CREATE != 0 && bare(path) != path {
		if _, _, _, err = d.place(bare(path)); err == nil {
			err = syscall.EISDIR
		}
	}
	if err == nil && n == nil && flags&os.O_CREATE != 0 {
		if err := c.meet(OpCreate, path); err != nil {
			return nil, err
		}
		n = d.newNode(mode.Perm())
		d.rename(entry{folder, name, n})
		return &file{program: c.program, node: n, name: path, flags: flags}, nil
	}
	if broken := c.meet(OpOpen, path); broken != nil {
		// A disk that is read-only can be read.
		if broken != syscall.EROFS || flags&(accessMode|os.O_TRUNC) != os.O_RDONLY {
			return nil, broken
		}
	}
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		return nil, syscall.ENOENT
	case flags&create == create:
		return nil, syscall.EEXIST
	case n.isFolder() && flags&(accessMode|os.O_CREATE|os.O_TRUNC) != os.O_RDONLY:
		return nil, syscall.EISDIR
	}
	if flags&os.O_TRUNC != 0 {
		if err := c.meet(OpTruncate, path); err != nil {
			return nil, err
		}
		n.do(d, write{truncate: true})
	}
	return &file{program: c.program, node: n, name: path, flags: flags}, nil
}

// bare is a path without slashes at its end.
func bare(path string) string { return cmp.Or(strings.TrimRight(path, "/"), path) }

// CreateTemp creates a file with a new name. Names are numbers, the same in every run.
func (p *Program) CreateTemp(folder, pattern string) (journal.File, error) {
	if strings.ContainsRune(pattern, '/') {
		return nil, &fs.PathError{Op: "createtemp", Path: pattern, Err: errors.New("pattern contains path separator")}
	}
	before, after := pattern, ""
	if star := strings.LastIndexByte(pattern, '*'); star >= 0 {
		before, after = pattern[:star], pattern[star+1:]
	}
	for {
		path := filepath.Join(folder, before+p.nextNumber()+after)
		f, err := p.Open(path, os.O_RDWR|create, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// nextNumber is that of a temporary file, which no other program gets.
func (p *Program) nextNumber() string {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.made++
	return fmt.Sprintf("%d%06d", p.number, p.made)
}

// Lstat describes a file.
func (p *Program) Lstat(path string) (fs.FileInfo, error) {
	var found fs.FileInfo
	err := p.call(func(*call) error {
		n, err := p.disk.find(path)
		if err != nil {
			return pathError("lstat", path, err)
		}
		found = n.info(path)
		return nil
	})
	return found, err
}

// Mkdir creates a folder.
func (p *Program) Mkdir(path string, mode fs.FileMode) error {
	return p.call(func(c *call) error {
		folder, name, there, err := p.disk.place(bare(path))
		if there != nil {
			err = syscall.EEXIST
		}
		broken := c.meet(OpMkdir, path)
		switch {
		case broken == ErrKilled:
			return broken
		case err == nil && broken != nil:
			err = broken
		case err == nil:
			p.disk.rename(entry{folder, name, p.disk.newNode(fs.ModeDir | mode.Perm())})
		}
		return pathError("mkdir", path, err)
	})
}

// MkdirAll creates a folder and those above it; one that exists is no error.
func (p *Program) MkdirAll(path string, mode fs.FileMode) error {
	info, err := p.Lstat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		return pathError("mkdir", path, syscall.ENOTDIR)
	}
	if errors.Is(err, ErrKilled) {
		return err
	}
	if above := path[:max(0, strings.LastIndexByte(bare(path), '/'))]; above != "" {
		if err := p.MkdirAll(above, mode); err != nil {
			return err
		}
	}
	if err = p.Mkdir(path, mode); err != nil {
		if info, there := p.Lstat(path); there == nil && info.IsDir() {
			return nil
		}
	}
	return err
}

// ReadDir lists a folder, in the order of the names.
func (p *Program) ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = p.call(func(c *call) error {
		if err := c.meet(OpRead, path); err != nil {
			return pathError("open", path, err)
		}
		folder, err := p.disk.find(path)
		if err == nil && !folder.isFolder() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return pathError("open", path, err)
		}
		for _, name := range sorted(folder.names) {
			entries = append(entries, fs.FileInfoToDirEntry(folder.names[name].info(name)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// Chmod sets the mode of a file or folder.
func (p *Program) Chmod(path string, mode fs.FileMode) error {
	return p.call(func(c *call) error {
		err := c.meet(OpChmod, path)
		if err == nil {
			var n *node
			if n, err = p.disk.find(path); err == nil {
				n.setMode(mode)
			}
		}
		return pathError("chmod", path, err)
	})
}

// Rename renames a file or folder, in place of a file of the new name.
func (p *Program) Rename(from, to string) error {
	return p.call(func(c *call) error {
		err := c.meet(OpRename, to)
		if err == nil {
			err = p.disk.move(from, to)
		}
		if err == nil || err == ErrKilled {
			return err
		}
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	})
}

// move is Rename on the disk.
func (d *Disk) move(from, to string) error {
	oldFolder, oldName, n, err := d.place(from)
	newFolder, newName, there, newErr := d.place(to)
	missing := err
	if err == nil && n == nil {
		missing = syscall.ENOENT
	}
	inFolders := func(err error) bool { return err != nil && err != syscall.ENAMETOOLONG }
	switch { // folders are looked for before the names in them
	case n != nil && n == there && from != to:
		return nil
	case there != nil && there.isFolder(): // package os looks for that first
		return cmp.Or(missing, error(syscall.EEXIST))
	case inFolders(err):
		return err
	case inFolders(newErr):
		return newErr
	case missing != nil:
		return missing
	case newErr != nil:
		return newErr
	case oldFolder == nil:
		return syscall.EBUSY
	case n == there:
		return nil
	case n.isFolder() && strings.HasPrefix(filepath.Clean(to)+"/", filepath.Clean(from)+"/"):
		return syscall.EINVAL
	case n.isFolder() && there != nil:
		return syscall.ENOTDIR
	}
	d.rename(entry{oldFolder, oldName, nil}, entry{newFolder, newName, n})
	return nil
}

// Remove removes a file or an empty folder. A file that is open lives on without a name.
func (p *Program) Remove(path string) error {
	return p.call(func(c *call) error {
		err := c.meet(OpRemove, path)
		if err == nil {
			err = p.disk.remove(path)
		}
		return pathError("remove", path, err)
	})
}

func (d *Disk) remove(path string) error {
	folder, name, n, err := d.place(path)
	switch {
	case err != nil:
		return err
	case n == nil:
		return syscall.ENOENT
	case folder == nil:
		return syscall.EBUSY
	case len(n.names) > 0:
		return syscall.ENOTEMPTY
	}
	d.rename(entry{folder, name, nil})
	return nil
}

// SyncFolder returns when the names in a folder last.
func (p *Program) SyncFolder(path string) error {
	return p.call(func(c *call) error {
		n, err := p.disk.find(path)
		if err != nil {
			return pathError("open", path, err)
		}
		return pathError("sync", path, c.sync(n, path))
	})
}

// sync makes the content of a file or the names of a folder last.
func (c *call) sync(n *node, path string) error {
	if n.isFolder() {
		err := c.meet(OpSyncFolder, path)
		if err == nil {
			c.program.disk.syncNames(n)
		}
		return err
	}
	switch err := c.meet(OpSync, path); err {
	case nil:
		n.content.sync()
		n.lasting = n.mode
		return nil
	case ErrKilled:
		return err
	default:
		n.content.failSync()
		return err
	}
}

// SameFile reports whether both describe the same file.
func (p *Program) SameFile(a, b fs.FileInfo) bool {
	one, ok := a.(info)
	other, is := b.(info)
	return ok && is && one.node == other.node
}

// Owned is always so.
func (p *Program) Owned(fs.FileInfo) bool { return true }
