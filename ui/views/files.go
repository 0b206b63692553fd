package views

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

// ResolvePath makes a path as people type it whole: ~ is the home folder, and
// relative ones begin at folder.
func ResolvePath(path, folder string) (string, error) {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the home folder is not known: %w", err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path), nil
}

// mostNumbers bounds the numbers tried for a name that is taken.
const mostNumbers = 1000

// FileSafe keeps of a text what can stand in the name of a file on any system.
func FileSafe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, strings.TrimLeft(s, "."))
}

// WriteNew writes a file that was not there before, whole or not at all, for
// its owner only. A name that is taken gets a number; the path that was written is
// returned. It does I/O: only commands may call it.
func WriteNew(path string, write func(io.Writer) error) (string, error) {
	ending := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ending)
	for n := 2; n < mostNumbers; n++ {
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
