package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// NodeSource is where the nodes of the cluster are read from; the API does not tell
// them. The zero source is none. Exactly one of the fields is set.
type NodeSource struct {
	File    string        // a path, of what `kubectl get nodes -o json` or `-o yaml` has printed
	Input   io.Reader     // the same on the standard input; it can be read once
	Command []string      // a program that prints it, and its arguments; run without a shell
	Demo    func() []byte // the simulator's
}

// Nodes are the nodes of the cluster as they were when they were read.
type Nodes struct {
	List    []placement.Node
	Source  NodeSource
	Read    time.Time // by the clock that was given
	Written time.Time // of a file: when it was changed last; else zero
}

// CommandSource reads a command line as a source: words are told apart by blanks,
// quotes and backslashes as a shell does it, and nothing else of a shell is known.
func CommandSource(line string) (NodeSource, error) {
	words, err := CommandWords(line)
	if err != nil {
		return NodeSource{}, fmt.Errorf("the command that prints the nodes %w", err)
	}
	if len(words) == 0 || words[0] == "" {
		return NodeSource{}, errors.New("the command that prints the nodes is empty; such as: kubectl get nodes -o json")
	}
	return NodeSource{Command: words}, nil
}

// Known tells whether there is a source at all.
func (s NodeSource) Known() bool {
	return s.File != "" || s.Input != nil || len(s.Command) > 0 || s.Demo != nil
}

// Again tells whether reading once more can bring something newer: of a file and of a
// command. The nodes of the demo never change.
func (s NodeSource) Again() bool { return s.File != "" || len(s.Command) > 0 }

// String names the source for a person, such as "file nodes.json" or "command kubectl
// get nodes -o json"; clean and one line. What looks like a secret on a command line is
// left out.
func (s NodeSource) String() string {
	switch {
	case s.File != "":
		return "file " + plain.Line(s.File)
	case s.Input != nil:
		return "standard input"
	case len(s.Command) > 0:
		return "command " + plain.Line(withoutSecrets(s.Command))
	case s.Demo != nil:
		return "demo"
	}
	return "none"
}

// Read reads the nodes. A command has 30 s, gets our environment without GEODECK_*,
// no standard input, and is ended with its children where it hangs or prints more
// than nodes can have. The error says what happened and what to do; it holds no more
// than the last lines of what a command has complained, cleaned.
//
// It does I/O and may take long: only commands may call it.
func (s NodeSource) Read(ctx context.Context, clock adminapi.Clock) (Nodes, error) {
	if err := ctx.Err(); err != nil {
		return Nodes{}, err
	}
	text, written, complaint, err := s.text(ctx)
	nodes := Nodes{Source: s, Read: clock.Now(), Written: written}
	if err == nil {
		nodes.List, err = placement.ReadNodes(text)
	}
	switch {
	case err == nil:
		return nodes, nil
	case complaint != "":
		return Nodes{}, fmt.Errorf("%s: %w; it says: %s", s, err, complaint)
	}
	return Nodes{}, fmt.Errorf("%s: %w", s, err)
}

// text is what the source holds; written is zero but for a file, complaint is empty but
// for a command.
func (s NodeSource) text(ctx context.Context) (text []byte, written time.Time, complaint string, err error) {
	switch {
	case s.File != "":
		text, written, err = readNodesFile(s.File)
	case s.Input != nil:
		text, err = readInput(ctx, s.Input)
	case len(s.Command) > 0:
		text, complaint, err = s.run(ctx, nodesTime)
	case s.Demo != nil:
		text = s.Demo()
	default:
		err = errors.New("nothing tells the nodes; give a file or a command that prints them")
	}
	return text, written, complaint, err
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB: more is not read as a list of nodes; save a smaller one with: kubectl get --raw /api/v1/nodes", placement.MaxNodesJSON>>20)

// readNodesFile tells the time before it reads: nodes may be newer than they are said
// to be, never older.
func readNodesFile(path string) (text []byte, written time.Time, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, written, errors.New("there is no such file; save one with: kubectl get nodes -o json")
	case err == nil && info.IsDir():
		return nil, written, errors.New("it is a folder, not a file; save one with: kubectl get nodes -o json")
	case err == nil && !info.Mode().IsRegular():
		return nil, written, errors.New("it is not a regular file; what a pipe holds is given as --nodes -")
	case err == nil:
		written = info.ModTime()
	}
	text, size, err := readFile(path, placement.MaxNodesJSON)
	switch {
	case err != nil:
		return nil, time.Time{}, errors.New(plain.Line(err.Error()) + "; save one with: kubectl get nodes -o json")
	case size > placement.MaxNodesJSON:
		return nil, time.Time{}, errTooLarge
	}
	return text, written, nil
}

// readInput gives up with ctx; the reading itself cannot be stopped, and ends with the
// program.
func readInput(ctx context.Context, input io.Reader) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(input, placement.MaxNodesJSON+1))
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("it cannot be read: %s", plain.Line(r.err.Error()))
		case len(r.text) > placement.MaxNodesJSON:
			return nil, errTooLarge
		case len(bytes.TrimSpace(r.text)) == 0:
			return nil, errors.New("there is nothing on it; it can be read once, so pipe the nodes into it again: kubectl get nodes -o json")
		}
		return r.text, nil
	}
}

// Taken is when the nodes were as they are here: the time of a file, else of the
// reading.
func (n Nodes) Taken() time.Time {
	if !n.Written.IsZero() {
		return n.Written
	}
	return n.Read
}
