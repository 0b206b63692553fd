// Package checkout holds what a site has as files in a folder, for git and for pipelines: the definition of a
// service in Folder/Name.Type.json, the rules that place its pods in Folder/Name.Type.placement.json, and what was
// pulled in .geodeck.json.
//
// Start at [Open]. Pull (pull.go) writes what the site has, [Folder.Compare] (compare.go) compares it with the
// files, and [Folder.Plan] (plan.go) makes the edits that bring the site to what the files have; generated.go says
// which values are left out of files.
package checkout

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

// atATime is how many services are read beside each other.
const atATime = 8

// Folder is a folder of such files. It is safe for one goroutine.
type Folder struct {
	Index Index
	// Before is the folder as it was applied last: where the site has what that has, nobody else changed it.
	// Where it has no such file, and where it is nil, the index decides.
	Before *Folder

	root  *os.Root // files are read and written in it alone, wherever links lead
	saved []byte   // the file of the index
}

// Open opens a folder, with what its index says. A folder without one has pulled nothing yet. The error of
// an index that cannot be read is an [*IndexError]; that of a folder that is not there matches [fs.ErrNotExist].
func Open(folder string) (*Folder, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root}
	if err := f.readIndex(); err != nil {
		_ = root.Close()
		return nil, err
	}
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Path is that of the folder, as it was given.
func (f *Folder) Path() string { return f.root.Name() }

// The ends of the names of files.
const (
	ending          = ".json"
	placementEnding = ".placement.json"
)

// FileOf names the file of a part of a service, with slashes, below the folder.
func FileOf(t editing.Target) string {
	if t.Part == editing.Placement {
		return t.Service.Path() + placementEnding
	}
	return t.Service.Path() + ending
}

// TargetOf reads the name of a file. Files of other names belong to others: a type of a service ends in Server.
func TargetOf(file string) (t editing.Target, ok bool) {
	name, found := strings.CutSuffix(file, placementEnding)
	if found {
		t.Part = editing.Placement
	} else if name, found = strings.CutSuffix(file, ending); !found {
		return t, false
	}
	service, err := adminapi.ParseServicePath(name)
	if err != nil || service.Path() != name || strings.HasPrefix(name, ".") || !strings.HasSuffix(service.Type, "Server") {
		return t, false
	}
	t.Service = service
	return t, true
}

// Targets are the parts of services that the folder has files of, and others, each once, by name. Hidden folders
// are left out. The error is a [*FileError] where two names differ by case alone: a site has one service of them,
// and some disks have one file.
func (f *Folder) Targets(others ...editing.Target) (all []editing.Target, err error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	all = others
	for _, entry := range entries {
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case !f.isFolder(entry):
			all = appendTarget(all, entry.Name())
		default:
			inside, err := fs.ReadDir(f.root.FS(), entry.Name())
			if err != nil {
				return nil, err
			}
			for _, file := range inside {
				if !file.IsDir() {
					all = appendTarget(all, path.Join(entry.Name(), file.Name()))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b editing.Target) int { return cmp.Compare(FileOf(a), FileOf(b)) })
	all = slices.CompactFunc(all, editing.Target.Same)
	names := map[string]string{}
	for _, t := range all {
		folded, file := strings.ToLower(FileOf(t)), FileOf(t)
		if names[folded] != "" {
			return nil, &FileError{file, fmt.Errorf("%s is of the same service; remove one of them", names[folded])}
		}
		names[folded] = file
	}
	return all, nil
}

// isFolder reports whether an entry of the folder is one below it, or a link to one there.
func (f *Folder) isFolder(entry fs.DirEntry) bool {
	info, err := f.root.Stat(entry.Name())
	return err == nil && info.IsDir()
}

func appendTarget(all []editing.Target, file string) []editing.Target {
	if t, ok := TargetOf(file); ok {
		return append(all, t)
	}
	return all
}

// FileError says why a file of the folder cannot be used. Nothing was sent. Exit code 2.
type FileError struct {
	File string // below the folder
	Err  error
}

// Error names the file.
func (e *FileError) Error() string { return plain.Line(e.File) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// read reads a file. One that is not there is nil; what is no document is a [*FileError].
func (f *Folder) read(t editing.Target) (*document.Document, error) {
	content, err := f.content(FileOf(t), document.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var d *document.Document
	if err == nil {
		d, err = document.Parse(content)
	}
	if err != nil {
		return nil, &FileError{FileOf(t), err}
	}
	return d, nil
}

func (f *Folder) content(file string, limit int64) ([]byte, error) {
	opened, err := f.root.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	content, err := io.ReadAll(io.LimitReader(opened, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return content, err
}

// create writes a file to the disk.
func (f *Folder) create(file string, content []byte) error {
	created, err := f.root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = created.Write(content)
	if err == nil {
		err = created.Sync()
	}
	if errors.Is(err, unix.EINVAL) { // a file system that cannot
		err = nil
	}
	return errors.Join(err, created.Close())
}

// write replaces a file whole or not at all, also where the power fails. A definition may hold secrets: only its owner can read it.
func (f *Folder) write(file string, content []byte) error {
	if err := f.root.MkdirAll(path.Dir(file), 0o700); err != nil {
		return err
	}
	unfinished := path.Join(path.Dir(file), "."+path.Base(file)+".new")
	err := f.create(unfinished, content)
	if err == nil {
		err = f.root.Rename(unfinished, file)
	}
	if err != nil {
		_ = f.root.Remove(unfinished)
		if operation.NoRoom(err) {
			return fmt.Errorf("there is no room for %s: %w", plain.Line(file), err)
		}
	}
	return err
}
