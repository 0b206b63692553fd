package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"geodeck/adminapi/operation"

	"github.com/google/renameio/v2"
)

// fileThere looks whether a file that is to be written exists already. What cannot be
// written is bad input.
func fileThere(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if folder, err := os.Stat(filepath.Dir(path)); err != nil || !folder.IsDir() {
			return false, badInput("", fmt.Errorf("there is no folder %s", filepath.Dir(path)))
		}
		return false, nil
	case err != nil:
		return false, badInput("", err)
	case !info.Mode().IsRegular():
		return true, badInput("", fmt.Errorf("%s is not a file that can be written", path))
	}
	return true, nil
}

// writeFile writes a file that appears whole or not at all, and that only its owner can
// read.
func writeFile(path string, content []byte) error {
	err := renameio.WriteFile(path, content, 0o600, renameio.WithStaticPermissions(0o600))
	if operation.NoRoom(err) {
		return &failure{code: exitFailed, kind: "failed", err: err, advice: "Make room on that disk, or name a file on another one."}
	}
	return err
}
