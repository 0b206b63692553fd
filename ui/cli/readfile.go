package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"geodeck/adminapi/plain"
)

// until reads until ctx ends: a pipe may never have a writer, and nothing but the end of
// the program stops the reading then.
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

// readUpTo reads a file of at most so many bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAllUpTo(file, plain.Line(path), most)
}

// readAllUpTo reads what a name stands for, at most so many bytes.
func readAllUpTo(from io.Reader, name string, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s is larger than %d MiB", name, most>>20)
	}
	return content, err
}
