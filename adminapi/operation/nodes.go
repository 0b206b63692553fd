package operation

import (
	"context"
	"io"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
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
func CommandSource(line string) (NodeSource, error) { panic("contract only") }

// Known tells whether there is a source at all.
func (s NodeSource) Known() bool { panic("contract only") }

// Again tells whether reading once more can bring something newer.
func (s NodeSource) Again() bool { panic("contract only") }

// String names the source for a person, such as "file nodes.json" or "command kubectl
// get nodes -o json"; clean and one line.
func (s NodeSource) String() string { panic("contract only") }

// Read reads the nodes. A command has 30 s, gets our environment without GEODECK_*,
// no standard input, and is ended with its children where it hangs or prints more
// than nodes can have. The error says what happened and what to do; it holds no more
// than the first lines of what a command has complained, cleaned.
//
// It does I/O and may take long: only commands may call it.
func (s NodeSource) Read(ctx context.Context, clock adminapi.Clock) (Nodes, error) {
	panic("contract only")
}

// Taken is when the nodes were as they are here: the time of a file, else of the
// reading.
func (n Nodes) Taken() time.Time { panic("contract only") }
