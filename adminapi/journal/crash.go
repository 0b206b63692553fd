package journal

import (
	"os"
	"path/filepath"
	"time"
)

// KeepCrash writes where a program stood when it failed to a new private file, and
// returns its path. The file is in the folder of the journals, or where that is empty or
// cannot be used, in the folder of the system for temporary files.
func KeepCrash(folder string, at time.Time, text []byte) (path string, err error) {
	if folder != "" {
		if err = baseFolder(folder); err == nil {
			if path, err = keepCrash(folder, at, text); err == nil {
				return path, nil
			}
		}
	}
	return keepCrash(os.TempDir(), at, text)
}

func keepCrash(folder string, at time.Time, text []byte) (path string, err error) {
	// A new file with a name that nobody can foresee, for its owner alone.
	f, err := os.CreateTemp(folder, "geodeck-crash-"+at.UTC().Format("20060102T150405Z")+"-*.txt")
	if err != nil {
		return "", explain(folder, err)
	}
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(fileMode)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", explain(f.Name(), err)
	}
	if path, err = filepath.Abs(f.Name()); err != nil {
		return f.Name(), nil
	}
	return path, nil
}
