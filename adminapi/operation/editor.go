package operation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
)

// maxEdited is the largest file that is taken back from an editor, in bytes.
const maxEdited = 64 << 20

// Editing is a text in a private temporary file that the user's own editor works
// on.
type Editing struct {
	folder, path string
	before       []byte
}

// NewEditing writes a text to a file of that name in a folder of its own, which
// nobody else can read. Close removes both.
func NewEditing(name string, text []byte) (*Editing, error) {
	folder, err := os.MkdirTemp("", "geodeck-edit-")
	if err != nil {
		return nil, fmt.Errorf("there is no place for the file to edit: %w", err)
	}
	e := &Editing{folder: folder, path: filepath.Join(folder, fileName(name)), before: bytes.Clone(text)}
	if err := os.WriteFile(e.path, text, 0o600); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("the file to edit could not be written: %w", err)
	}
	return e, nil
}

// fileName leaves letters, digits, dots and dashes: editors and shells see the name.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.TrimLeft(name, ".-"), "text")
}

// Command returns the user's editor on the file, from $VISUAL or $EDITOR, else vi.
// It is run without a shell; words are told apart by blanks, quotes and backslashes
// as a shell does it. It gets our environment without GEODECK_*.
func (e *Editing) Command(env func(string) string) (*exec.Cmd, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := strings.TrimSpace(env(name))
		if text == "" {
			continue
		}
		words, err := CommandWords(text)
		if err != nil {
			return nil, fmt.Errorf("$%s %w", name, err)
		}
		return outside(words[0], append(words[1:], e.path)...), nil
	}
	return outside("vi", e.path), nil
}

// outside is a program that gets no token of ours, nor does whatever that starts.
func outside(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = ProgramEnv()
	return cmd
}

// Path is the file.
func (e *Editing) Path() string { return e.path }

// Text returns what the editor has left, and whether it differs from what it was
// given. A file that is gone, empty or too large is an error: the text before is
// still what counts.
func (e *Editing) Text() (text []byte, changed bool, err error) {
	file, err := os.Open(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, errors.New("the editor has removed the file; nothing was taken over")
	}
	if err != nil {
		return nil, false, fmt.Errorf("what the editor has saved cannot be read: %w", err)
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, maxEdited+1))
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("what the editor has saved cannot be read: %w", err)
	case len(text) > maxEdited:
		return nil, false, fmt.Errorf("the editor has saved more than %d MiB; nothing was taken over", maxEdited>>20)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, false, errors.New("the editor has saved an empty file; nothing was taken over")
	}
	return text, !bytes.Equal(text, e.before), nil
}

// Close removes the file and its folder, with what an editor has left beside it.
func (e *Editing) Close() error { return os.RemoveAll(e.folder) }
