package journal

import "path/filepath"

// KeepFile writes a private file of that name beside the log, such as the plan of an edit that is being
// sent to several services, and returns its path.
func (j *Journal) KeepFile(name string, content []byte) (path string, err error) {
	path = filepath.Join(j.folder, name)
	return path, j.locked(func() error { return j.disk.replaceWhole(path, content) })
}

// RemoveFile removes a file of [Journal.KeepFile]; one that cannot be removed stays.
func (j *Journal) RemoveFile(path string) { _ = j.disk.Remove(path) }
