package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// until reads until ctx ends: a pipe may never get a writer, and such a read cannot be
// stopped.
func until[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// readUpTo reads a file of at most limit bytes.
func readUpTo(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAllUpTo(file, plain.Line(path), limit)
}

// readAllUpTo reads at most limit bytes. An error names the source.
func readAllUpTo(from io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d MiB", name, limit>>20)
	}
	return content, err
}

// errInputTerminal says that the standard input is not a pipe or file.
var errInputTerminal = errors.New("the standard input is a terminal; give a file, or something in a pipe")

// fromInput names the standard input in place of a file.
const fromInput = "-"

// errTwoInputs says that the standard input can be read only once.
var errTwoInputs = errors.New("only one file can be the standard input; nothing was sent")

// contentOf reads a file or the standard input until ctx ends, at most the size of a
// document.
func contentOf(ctx context.Context, in io.Reader, path string) (content []byte, name string, err error) {
	name = "standard input"
	read := func() ([]byte, error) { return readAllUpTo(in, "the "+name, document.MaxSize) }
	if path != fromInput {
		name = plain.Line(path)
		read = func() ([]byte, error) { return readUpTo(path, document.MaxSize) }
	} else if _, ok := output.Terminal(in); ok {
		return nil, name, errInputTerminal
	}
	content, err = until(ctx, read)
	return content, name, err
}

// documentFrom reads a JSON document from the file given with a flag. Errors are bad
// input, and name the line.
func documentFrom(ctx context.Context, in io.Reader, flag, path string, part editing.Part) (*document.Document, error) {
	if path == "" {
		return nil, noFile(flag, part)
	}
	content, name, err := contentOf(ctx, in, path)
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(content); err == nil {
			return d, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return nil, badInputf("--%s: %w; nothing was sent", flag, err)
}

func noFile(flag string, part editing.Part) error {
	return badInputf("say --%s FILE, a file with the %s, or - for the standard input", flag, part)
}

// adviceReplace is for a file that exists already.
const adviceReplace = "Choose another name, or replace it with --force."

// checkNewFile checks a file that will be written, before anything is sent to the site. An
// existing one is refused with that advice, unless it may be replaced.
func checkNewFile(path string, replace bool, advice string) error {
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if folder, err := os.Stat(filepath.Dir(path)); err != nil || !folder.IsDir() {
			return badInputf("there is no folder %s", filepath.Dir(path))
		}
		return nil
	case err != nil:
		return badInput("", err)
	case !info.Mode().IsRegular():
		return badInputf("%s is not a file that can be written", path)
	case !replace:
		return badInput(advice, fmt.Errorf("%s exists already", path))
	}
	return nil
}

// writeFile writes a file atomically; only its owner can read it.
func writeFile(path string, content []byte) error {
	err := renameio.WriteFile(path, content, 0o600, renameio.WithStaticPermissions(0o600))
	if operation.NoRoom(err) {
		return &failure{code: exitFailed, kind: "failed", err: err, advice: "Make room on that disk, or name a file on another one."}
	}
	return err
}
