package operation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/renameio/v2"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// maxNumbers bounds the numbers that are tried for a name that is taken.
const maxNumbers = 1000

// WriteNew writes a new file, whole or not at all, for its owner only. A name that is taken
// gets a number; it returns the path of the file from the root.
func WriteNew(path string, write func(io.Writer) error) (string, error) {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
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
		if err := Replace(path, write); err != nil {
			_ = os.Remove(path)
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("there are too many files like %s", path)
}

// WriteJSON is [WriteNew] of a value as JSON for people.
func WriteJSON(path string, value any) (string, error) {
	text, err := json.Marshal(value, jsontext.WithIndent("  "))
	if err != nil {
		return "", err
	}
	return WriteNew(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Replace writes a file whole or not at all. Only its owner can read it, also where others could read the one
// that it replaces.
func Replace(path string, write func(io.Writer) error) error {
	pending, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = pending.Cleanup() }()
	if err := write(pending); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}

// WriteText is [WriteNew] of a text.
func WriteText(path, text string) (string, error) {
	return WriteNew(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// Files opens files that a person has named.
type Files interface {
	// Open opens a file for reading. It does not wait for the writer of a pipe.
	Open(path string) (fs.File, error)
}

// SystemFiles are those of the machine.
type SystemFiles struct{}

// Open opens a file for reading, without waiting for the writer of a pipe.
func (SystemFiles) Open(path string) (fs.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Stat follows links.
func (SystemFiles) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

func (s Site) files() Files { return cmp.Or[Files](s.Files, SystemFiles{}) }

// CheckAnswer reads a file that answers a setting, and checks it. The error never shows content.
func (s Site) CheckAnswer(path string, field upgrade.Field) upgrade.GivenFile {
	content, err := readAnswer(s.files(), path, field)
	return upgrade.GivenFile{Path: path, Size: int64(len(content)), Err: err, Licence: upgrade.ReadLicence(content)}
}

func readAnswer(files Files, path string, field upgrade.Field) ([]byte, error) {
	content, size, err := ReadFile(files, path, "file", upgrade.MaxLicence)
	if err != nil {
		return nil, err
	}
	return content, upgrade.CheckFile(path, size, content, field)
}

// maxManifest is the size of the largest manifest file that is read, in bytes.
const maxManifest = 64 << 20

// ReadManifestFile reads a version manifest from a file and checks it.
func ReadManifestFile(path string) ([]byte, adminapi.Manifest, error) {
	return readManifest(SystemFiles{}, path)
}

func readManifest(files Files, path string) ([]byte, adminapi.Manifest, error) {
	content, size, err := ReadFile(files, path, "file", maxManifest)
	if err == nil && size > maxManifest {
		err = fmt.Errorf("%s has %d MiB, too large for a manifest", path, size>>20)
	}
	if err != nil {
		return nil, adminapi.Manifest{}, err
	}
	manifest, err := adminapi.DecodeManifest(content)
	return content, manifest, err
}

// maxReport is the size of the largest file of a report that is read, in bytes: that of the largest answer.
const maxReport = 64 << 20

// ReadReportFile reads the report of a health check from a file.
func ReadReportFile(path string) (report adminapi.Report, err error) {
	content, size, err := ReadFile(SystemFiles{}, path, "report", maxReport)
	if err == nil && size > maxReport {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxReport>>20)
	}
	if err != nil {
		return report, err
	}
	if report, err = adminapi.DecodeReport(content); err != nil {
		return report, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}

// ReadFile reads a regular file up to a limit; noun is what it has to be. Of a larger file it returns only
// the size.
func ReadFile(files Files, path, noun string, limit int64) (content []byte, size int64, err error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, 0, PlainPathError(path, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, 0, PlainPathError(path, err)
	case info.IsDir():
		return nil, 0, fmt.Errorf("%s is a folder, not a %s", path, noun)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > limit:
		return nil, info.Size(), nil
	}
	content, err = io.ReadAll(io.LimitReader(file, limit+1))
	return content, int64(len(content)), err
}

// PlainPathError says in words why a file cannot be read, without the name of the call. It matches err.
func PlainPathError(path string, err error) error {
	said := path + " cannot be read: " + cmp.Or(errors.Unwrap(err), err).Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		said = "there is no file " + path
	case errors.Is(err, fs.ErrPermission):
		said = "you may not read " + path
	case errors.Is(err, syscall.EISDIR):
		said = path + " is a folder, not a file"
	}
	return pathError{errors.New(said), err}
}

type pathError struct {
	error
	of error
}

// Unwrap returns the error of the system.
func (e pathError) Unwrap() error { return e.of }
