package operation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
)

// maxNumbers bounds the numbers tried for a name that is taken.
const maxNumbers = 1000

// WriteNew writes a file that was not there before, whole or not at all, for
// its owner only. A name that is taken gets a number; the path that was written is
// returned.
func WriteNew(path string, write func(io.Writer) error) (string, error) {
	ending := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ending)
	for n := 2; n < maxNumbers; n++ {
		reserved, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			path = stem + "-" + strconv.Itoa(n) + ending
			continue
		}
		if err != nil {
			return "", err
		}
		_ = reserved.Close()
		if err := fill(path, write); err != nil {
			_ = os.Remove(path)
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("there are too many files like %s", path)
}

func fill(path string, write func(io.Writer) error) error {
	pending, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = pending.Cleanup() }()
	if err := write(pending); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}
