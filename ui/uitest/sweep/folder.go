package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"geodeck/ui/uitest/sweep/oracle"
)

// folder holds the files of a checkout. Checkouts write to the real file system, in a folder and not by the journal's
// interface to a disk: so this is a real one, of a name that no request, output that is judged, or verdict has. A program
// that is killed changes nothing in it from that moment on. What a power cut takes from files that were not synced cannot be
// played here: they stay as they are.
type folder struct {
	path string

	mu    sync.Mutex
	user  *run            // whose command runs now
	death map[string]leaf // what was there when it was killed; nil while it lives
}

func newFolder() (*folder, error) {
	path, err := realFolder("checkout")
	return &folder{path: path}, err
}

// realFolder makes a folder for files that commands take from the real file system. Its path is as long each time: records have it,
// and which of their bytes are torn is the seed's choice.
func realFolder(purpose string) (path string, err error) {
	for range 9 {
		path = filepath.Join(os.TempDir(), fmt.Sprintf("geodeck-%s-%010d", purpose, rand.Uint32()))
		if err = os.Mkdir(path, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return path, err
}

func (f *folder) remove() { _ = os.RemoveAll(f.path) }

// in is the path of a file, which geodeck names with slashes.
func (f *folder) in(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

// dies keeps what a program that is killed leaves; of no folder nothing.
func (f *folder) dies(r *run) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.user == r && f.death == nil {
		f.death = f.all()
	}
}

// by runs a command of a program on the folder. Of one that was killed meanwhile stays what was there at that moment.
func (f *folder) by(r *run, do func() printed) printed {
	f.mu.Lock()
	f.user, f.death = r, nil
	f.mu.Unlock()
	if r.dead.Load() {
		f.dies(r)
	}
	p := do()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.user = nil
	if f.death != nil {
		_ = os.RemoveAll(f.path)
		for name, one := range f.death {
			if one.mode.IsDir() {
				_ = os.MkdirAll(f.in(name), one.mode.Perm())
				continue
			}
			_ = os.MkdirAll(filepath.Dir(f.in(name)), 0o700)
			_ = os.WriteFile(f.in(name), one.content, one.mode.Perm())
		}
		f.death = nil
	}
	return p
}

// leaf is what is at a path of a folder.
type leaf struct {
	content []byte
	mode    fs.FileMode
}

// all are the files and folders, by their names below the folder.
func (f *folder) all() map[string]leaf {
	found := map[string]leaf{}
	_ = filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(f.path, path)
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		one := leaf{mode: info.Mode()}
		if !entry.IsDir() {
			one.content, _ = os.ReadFile(path)
		}
		found[filepath.ToSlash(name)] = one
		return nil
	})
	return found
}

// closed reports whether the program whose command ran was killed: what others save from then on comes after it.
func (f *folder) closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.death != nil
}

// read is what is in a file; empty for none.
func (f *folder) read(name string) string {
	content, _ := os.ReadFile(f.in(name))
	return string(content)
}

// write lets an editor save a file. An empty text deletes it.
func (f *folder) write(name, text string) {
	if text == "" {
		_ = os.Remove(f.in(name))
		return
	}
	_ = os.WriteFile(f.in(name), []byte(text), 0o600)
}

// noRoom lets a file be written no more, as on a full disk: something is where geodeck writes it before it takes its name.
func (f *folder) noRoom(name string) {
	_ = os.MkdirAll(filepath.Join(f.in(beforeItsName(name)), "full"), 0o700)
}

// room ends that.
func (f *folder) room(name string) { _ = os.RemoveAll(f.in(beforeItsName(name))) }

// beforeItsName is where geodeck writes a file.
func beforeItsName(name string) string {
	return filepath.ToSlash(filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new"))
}

// private checks that nobody else on the machine may read what is there: definitions can hold secrets.
func (f *folder) private(d *Day) {
	for name, one := range f.all() {
		if one.mode.Perm()&0o077 != 0 && !strings.HasSuffix(name, ".new/full") {
			d.fail("%s of a checkout has mode %o", name, one.mode.Perm())
		}
	}
}

// around are the files of a folder around a command, for the oracle.
func (f *folder) around(before map[string]leaf, sheets []*sheet, asked func(*sheet) bool) (all []oracle.File) {
	for _, s := range sheets {
		one := oracle.File{Name: s.file, Document: s.where(), Before: string(before[s.file].content), Is: f.read(s.file), Edited: s.saved, Asked: asked(s)}
		if s.meanwhile != "" {
			one.Edited, one.Saved, s.meanwhile = s.meanwhile, true, ""
		}
		all = append(all, one)
	}
	return all
}
