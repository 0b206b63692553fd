package operation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
)

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// Hook is a program that is run at an alarm, without a shell and without arguments. It gets
// the alarm as JSON on its standard input, and in its environment GEODECK_ALARM (the kind),
// GEODECK_ALARM_SITE and GEODECK_ALARM_TEXT, but not GEODECK_TOKEN. Its output is dropped.
type Hook struct{ Program string }

// Check returns an error where the program cannot be run.
func (h Hook) Check() error {
	if _, err := exec.LookPath(h.Program); err != nil {
		return fmt.Errorf("the hook %s cannot be run: %w", plain.Line(h.Program), errors.Unwrap(err))
	}
	return nil
}

// Run runs the hook and waits for its end, 30 s at most.
func (h Hook) Run(ctx context.Context, a Alarm) error {
	limited, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	input, err := adminapi.JSONLine(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(limited, h.Program)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(program.Environment(), "GEODECK_ALARM="+string(a.Kind), "GEODECK_ALARM_SITE="+a.Site, "GEODECK_ALARM_TEXT="+a.Text)
	cmd.WaitDelay = time.Second // children of it may hold on to the input
	err = cmd.Run()
	name := plain.Line(h.Program)
	switch {
	case err == nil:
		return nil
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the hook %s was stopped after %s", name, adminapi.FormatDuration(hookTime))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("the hook %s failed: %s", name, ended)
	}
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the name
	}
	return fmt.Errorf("the hook %s could not be run: %w", name, err)
}

// maxEdited is the size of the largest text that is read from an editor, in bytes.
const maxEdited = 64 << 20

// EditorFile is a text in a private temporary file, for the editor of the user.
type EditorFile struct {
	folder, path string
	before       []byte
}

// NewEditorFile writes a text to a file of that name in a new private folder. Close removes
// both.
func NewEditorFile(name string, text []byte) (*EditorFile, error) {
	folder, err := os.MkdirTemp("", "geodeck-edit-")
	if err != nil {
		return nil, fmt.Errorf("the file to edit could not be created: %w", err)
	}
	e := &EditorFile{folder: folder, path: filepath.Join(folder, fileName(name)), before: bytes.Clone(text)}
	if err := os.WriteFile(e.path, text, 0o600); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("the file to edit could not be written: %w", err)
	}
	return e, nil
}

// maxFileName is how long a name becomes in bytes, its ending not counted; file systems allow
// 255 for all of it.
const maxFileName = 100

// fileName makes a name with an ending safe for editors, shells and file systems.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	ending := filepath.Ext(name)
	name = strings.TrimSuffix(name, ending)
	name = strings.ToValidUTF8(name[:min(len(name), maxFileName)], "")
	return cmp.Or(strings.TrimLeft(name+ending, ".-"), "text")
}

// Command returns the editor of the user on the file, from $VISUAL or $EDITOR, else vi. It
// is run without a shell, but its line is split like one of a shell. It gets our environment
// without GEODECK_*.
func (e *EditorFile) Command(env func(string) string) (*exec.Cmd, error) {
	words := []string{"vi"}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := strings.TrimSpace(env(name))
		if text == "" {
			continue
		}
		var err error
		if words, err = program.Words(text); err != nil {
			return nil, fmt.Errorf("$%s %w", name, err)
		}
		break
	}
	cmd := exec.Command(words[0], append(words[1:], e.path)...)
	cmd.Env = program.Environment()
	return cmd, nil
}

// Path is the path of the file.
func (e *EditorFile) Path() string { return e.path }

// Text returns what the editor has saved, and whether it differs from the text before. A
// file that is missing, empty or too large is an error, and the text before still counts.
func (e *EditorFile) Text() (text []byte, changed bool, err error) {
	file, err := os.Open(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, errors.New("the editor removed the file; nothing was changed")
	}
	if err != nil {
		return nil, false, fmt.Errorf("the file that the editor saved cannot be read: %w", err)
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, maxEdited+1))
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("the file that the editor saved cannot be read: %w", err)
	case len(text) > maxEdited:
		return nil, false, fmt.Errorf("the editor saved more than %d MiB; nothing was changed", maxEdited>>20)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, false, errors.New("the editor saved an empty file; nothing was changed")
	}
	return text, !bytes.Equal(text, e.before), nil
}

// Close removes the folder, with all files that the editor has left in it.
func (e *EditorFile) Close() error { return os.RemoveAll(e.folder) }
