// Package files reads and writes the files that commands are given: up to a size, until the
// command ends, and private ones whole or not at all.
//
// Start at [Content] and [CheckNew].
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// Until reads until ctx ends: a pipe may never get a writer, and such a read cannot be
// stopped.
func Until[T any](ctx context.Context, read func() (T, error)) (T, error) {
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

// Read reads a file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, operation.PlainPathError(plain.Line(path), err)
	}
	defer file.Close()
	content, err := readAll(file, plain.Line(path), limit)
	if errors.As(err, new(*fs.PathError)) {
		err = operation.PlainPathError(plain.Line(path), err)
	}
	return content, err
}

// readAll reads at most limit bytes. An error names the source.
func readAll(from io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d MiB", name, limit>>20)
	}
	return content, err
}

// ErrInputTerminal says that the standard input is not a pipe or file.
var ErrInputTerminal = errors.New("the standard input is a terminal; give a file, or something in a pipe")

// Standard names the standard input or output in place of a file.
const Standard = "-"

// ErrTwoInputs says that the standard input can be read only once.
var ErrTwoInputs = errors.New("only one file can be the standard input; nothing was sent")

// Content reads a file or the standard input until ctx ends, at most the size of a
// document.
func Content(ctx context.Context, in io.Reader, path string) (content []byte, name string, err error) {
	return ContentUpTo(ctx, in, path, document.MaxSize)
}

// ContentUpTo is Content of another size.
func ContentUpTo(ctx context.Context, in io.Reader, path string, limit int64) (content []byte, name string, err error) {
	name = "standard input"
	read := func() ([]byte, error) { return readAll(in, "the "+name, limit) }
	if path != Standard {
		name = plain.Line(path)
		read = func() ([]byte, error) { return Read(path, limit) }
	} else if _, ok := output.Terminal(in); ok {
		return nil, name, ErrInputTerminal
	}
	content, err = Until(ctx, read)
	return content, name, err
}

// adviceReplace is for a file that exists already.
const adviceReplace = "Choose another name, or replace it with --force."

// Out is the file that a command writes what it makes into.
type Out struct {
	Path  string
	force bool
}

// Register adds its flags.
func (o *Out) Register(set *pflag.FlagSet, usage string) {
	set.StringVar(&o.Path, "out", "", usage)
	set.BoolVar(&o.force, "force", false, "replace an existing file")
}

// Printed reports whether it is the standard output instead.
func (o Out) Printed() bool { return o.Path == "" || o.Path == Standard }

// CheckPrinted is Check of one that may be the standard output.
func (o Out) CheckPrinted() error {
	if o.Printed() {
		return nil
	}
	return o.Check()
}

// Check is [CheckNew] of the file.
func (o Out) Check() error { return CheckNew(o.Path, o.force, adviceReplace) }

// Write writes the file, and returns its whole path.
func (o Out) Write(content []byte) (path string, err error) {
	if path, err = filepath.Abs(o.Path); err == nil {
		err = Write(path, content)
	}
	return path, err
}

// CheckNew checks a file that will be written, before anything is sent to the site. An
// existing one is refused with that advice, unless it may be replaced.
func CheckNew(path string, replace bool, advice string) error {
	switch path {
	case "":
		return nil
	case Standard:
		return exit.BadInputf("this cannot go to the standard output: name a file in place of %s", Standard)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if folder, err := os.Stat(filepath.Dir(path)); err != nil || !folder.IsDir() {
			return exit.BadInputf("there is no folder %s", filepath.Dir(path))
		}
		return nil
	case err != nil:
		return exit.BadInput("", err)
	case !info.Mode().IsRegular():
		return exit.BadInputf("%s is not a file that can be written", path)
	case !replace:
		return exit.BadInput(advice, fmt.Errorf("%s exists already", path))
	}
	return nil
}

// Write is [operation.Replace] with a content, and advice where there is no room.
func Write(path string, content []byte) error {
	return written(operation.Replace(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}))
}

// Append adds to a file, and returns when that is on disk. Only its owner can read one that it makes.
func Append(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return exit.BadInput("", err)
	}
	_, err = file.Write(content)
	return written(cmp.Or(err, file.Sync(), file.Close()))
}

func written(err error) error {
	if operation.NoRoom(err) {
		return exit.New(exit.Failed, "Make room on that disk, or name a file on another one.", err)
	}
	return err
}
