// Package nodesource reads the nodes of the cluster, which the API does not list: from a file, a program or
// standard input. See [Source.Read].
package nodesource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
	"geodeck/adminapi/secrets"
)

// Source is where the nodes of the cluster are read from; the API does not list them.
// At most one of the fields is set; the zero source is none.
type Source struct {
	File    string        // the path of the output of `kubectl get nodes -o json` or `-o yaml`
	Input   io.Reader     // standard input with the same; it can be read once
	Command []string      // a program that prints the same, and its arguments; run without a shell
	Demo    func() []byte // the simulator's
}

// Nodes are the nodes of the cluster as they were when they were read.
type Nodes struct {
	List    []placement.Node
	Source  Source
	Read    time.Time // by the clock that was given
	Written time.Time // when a file was last changed; else zero
}

// CommandSource makes a source of a command line, which is split at blanks with the quotes
// and backslashes of a shell; nothing else of a shell is supported.
func CommandSource(line string) (Source, error) {
	words, err := program.Words(line)
	if err != nil {
		return Source{}, fmt.Errorf("the node command %w", err)
	}
	if len(words) == 0 || words[0] == "" {
		return Source{}, errors.New("the node command is empty; use for example: kubectl get nodes -o json")
	}
	return Source{Command: words}, nil
}

// Known reports whether there is a source at all.
func (s Source) Known() bool {
	return s.File != "" || s.Input != nil || len(s.Command) > 0 || s.Demo != nil
}

// Repeatable reports whether another read can return newer nodes. Those of the demo never
// change.
func (s Source) Repeatable() bool { return s.File != "" || len(s.Command) > 0 }

// String names the source for a person, such as "file nodes.json" or "command kubectl get
// nodes -o json", in one clean line. What looks like a secret is left out.
func (s Source) String() string {
	switch {
	case s.File != "":
		return "file " + plain.Line(s.File)
	case s.Input != nil:
		return "standard input"
	case len(s.Command) > 0:
		return "command " + plain.Line(secrets.CommandLine(s.Command))
	case s.Demo != nil:
		return "demo"
	}
	return "none"
}

// Read reads the nodes, which may take long. A command has 30 s, our environment without
// GEODECK_*, no standard input, and is ended with its children where it hangs or prints too
// much. The error says what happened and what to do, with the last lines that a command has
// written to standard error, cleaned.
func (s Source) Read(ctx context.Context, clock adminapi.Clock) (Nodes, error) {
	if err := ctx.Err(); err != nil {
		return Nodes{}, err
	}
	return s.read(ctx, clock, nodesLimits{nodesTime, placement.MaxNodesJSON})
}

func (s Source) read(ctx context.Context, clock adminapi.Clock, limits nodesLimits) (Nodes, error) {
	text, written, complaint, err := s.text(ctx, limits)
	nodes := Nodes{Source: s, Read: clock.Now(), Written: written}
	if err == nil {
		nodes.List, err = placement.ReadNodes(text)
	}
	switch {
	case err == nil:
		return nodes, nil
	case complaint != "":
		return Nodes{}, fmt.Errorf("%s: %w; its errors: %s", s, err, complaint)
	}
	return Nodes{}, fmt.Errorf("%s: %w", s, err)
}

// text returns what the source holds; written is set for a file, complaint for a command.
func (s Source) text(ctx context.Context, limits nodesLimits) (text []byte, written time.Time, complaint string, err error) {
	switch {
	case s.File != "":
		text, written, err = readNodesFile(s.File)
	case s.Input != nil:
		text, err = readInput(ctx, s.Input, limits.bytes)
	case len(s.Command) > 0:
		text, complaint, err = s.run(ctx, limits)
	case s.Demo != nil:
		text = s.Demo()
	default:
		err = errors.New("no nodes; give a file or a command that prints them")
	}
	return text, written, complaint, err
}

var errTooLarge = fmt.Errorf("larger than %d MiB; save a smaller list with: kubectl get --raw /api/v1/nodes", placement.MaxNodesJSON>>20)

// readNodesFile takes the time before it reads: nodes may be newer than that, never older.
func readNodesFile(path string) (text []byte, written time.Time, err error) {
	info, err := operation.SystemFiles{}.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, written, errors.New("no such file; save one with: kubectl get nodes -o json")
	case err == nil && info.IsDir():
		return nil, written, errors.New("a folder, not a file; save one with: kubectl get nodes -o json")
	case err == nil && !info.Mode().IsRegular():
		return nil, written, errors.New("not a regular file; read a pipe with --nodes -")
	case err == nil:
		written = info.ModTime()
	}
	text, size, err := operation.ReadFile(operation.SystemFiles{}, path, "file", placement.MaxNodesJSON)
	switch {
	case err != nil:
		return nil, time.Time{}, errors.New(plain.Line(err.Error()) + "; save one with: kubectl get nodes -o json")
	case size > placement.MaxNodesJSON:
		return nil, time.Time{}, errTooLarge
	}
	return text, written, nil
}

// readInput returns when ctx ends; the read itself cannot be stopped.
func readInput(ctx context.Context, input io.Reader, limit int) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(input, int64(limit)+1))
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("cannot be read: %s", plain.Line(r.err.Error()))
		case len(r.text) > limit:
			return nil, errTooLarge
		case len(bytes.TrimSpace(r.text)) == 0:
			return nil, errors.New("empty, or read before; pipe the nodes in again: kubectl get nodes -o json")
		}
		return r.text, nil
	}
}

// Taken is the time of the file, else that of the read.
func (n Nodes) Taken() time.Time {
	if !n.Written.IsZero() {
		return n.Written
	}
	return n.Read
}

// nodesTime is how long a command may take that prints nodes.
const nodesTime = 30 * time.Second

// nodesLimits bound how long a command may take, and how much is read of the standard
// input or of what a command prints.
type nodesLimits struct {
	time  time.Duration
	bytes int
}

var errFlood = fmt.Errorf("stopped after printing more than %d MiB; kubectl get --raw /api/v1/nodes prints less", placement.MaxNodesJSON>>20)

// run runs the command to its end and returns its output, and the end of its standard error.
func (s Source) run(ctx context.Context, limits nodesLimits) (printed []byte, complaint string, err error) {
	printed, complaint, err = program.Command{Words: s.Command, Time: limits.time, Bytes: limits.bytes}.Run(ctx)
	switch {
	case errors.Is(err, program.ErrFlood):
		err = errFlood
	case errors.Is(err, program.ErrTime):
		err = fmt.Errorf("stopped after %s; run it in a terminal: it may be waiting for a password", adminapi.FormatDuration(limits.time))
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("stopped before all nodes were printed: %w", ctx.Err())
	}
	return printed, complaint, err
}
