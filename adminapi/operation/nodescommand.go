package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// nodesTime is how long a command may take that prints nodes.
const nodesTime = 30 * time.Second

// What of the complaints of a command is told.
const (
	mostComplaint  = 4 << 10 // bytes
	complaintLines = 3
)

var errFlood = fmt.Errorf("it has printed more than %d MiB, more than is read as a list of nodes, and was ended; kubectl get --raw /api/v1/nodes prints less", placement.MaxNodesJSON>>20)

// run runs the command to its end, for so long at most, and returns what it has printed,
// and its complaints.
func (s NodeSource) run(ctx context.Context, limit time.Duration) (printed []byte, complaint string, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stoppable, stop := context.WithCancelCause(limited)
	defer stop(nil)
	out := &bounded{most: placement.MaxNodesJSON, full: func() { stop(errFlood) }}
	complaints := &ending{most: mostComplaint}
	cmd := exec.CommandContext(stoppable, s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = ProgramEnv(), out, complaints
	cmd.WaitDelay = time.Second // children of it may hold on to the output
	ownGroup(cmd)
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = endGroup(cmd) // what it has left behind
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well, only a child held on
		err = nil
	}
	complaint = lastLines(withoutSecretsOf(s.Command, string(complaints.kept)))
	switch {
	case context.Cause(stoppable) == errFlood:
		return nil, complaint, errFlood
	case err == nil:
		return out.kept.Bytes(), complaint, nil
	case ctx.Err() != nil:
		return nil, complaint, fmt.Errorf("it was ended before it had printed the nodes: %w", ctx.Err())
	case limited.Err() != nil:
		return nil, complaint, fmt.Errorf("it has not ended within %s and was ended; try it in a terminal: it may wait for a password", adminapi.Spell(limit))
	}
	return nil, complaint, plainRunError(err)
}

// plainRunError says why a program did not run, or not well.
func plainRunError(err error) error {
	switch {
	case errors.Is(err, exec.ErrDot):
		return errors.New("it lies in the current directory, where no program is looked for; name it with its whole path")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such program; name it with its whole path, or give a file with the nodes")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this user may not run it; check the permissions of the program")
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("it has failed (%s)", ended)
	}
	return fmt.Errorf("it could not be run: %s", plain.Line(err.Error()))
}

// lastLines keeps the end of what a program has complained, on one line: programs
// warn first, and say at the end why they gave up.
func lastLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = plain.Line(strings.TrimSpace(line)); line != "" {
			lines = append(lines, plain.Clip(line, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-complaintLines):], "; ")
}

// bounded keeps the start of what is written to it. At the bound it tells full, and
// takes no more.
type bounded struct {
	kept bytes.Buffer
	most int
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.kept.Len()
	b.kept.Write(p[:min(room, len(p))])
	if len(p) > room {
		b.full()
		return room, errFlood
	}
	return len(p), nil
}

// ending keeps the end of what is written to it.
type ending struct {
	kept []byte
	most int
}

func (e *ending) Write(p []byte) (int, error) {
	e.kept = append(e.kept, p...)
	if over := len(e.kept) - e.most; over > 0 {
		e.kept = append(e.kept[:0], e.kept[over:]...)
	}
	return len(p), nil
}
