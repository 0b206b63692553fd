// Package program runs other programs: without a shell, in a group of processes that is
// ended as one, with limits for time and output, and without our secrets in their
// environment.
//
// Start at [Command.Run]; [Words] splits a command line.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Words splits a command line at blanks, with the quotes and backslashes of a shell.
// The error goes behind the name of what holds the line, such as "$EDITOR".
func Words(text string) (words []string, err error) {
	var word strings.Builder
	quote, inWord, escaped := rune(0), false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case !unicode.IsSpace(r):
			word.WriteRune(r)
			inWord = true
		case inWord:
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("has an unclosed quote or backslash")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// Environment is the environment for other programs: ours without GEODECK_*, which includes
// the token.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GEODECK_")
	})
}

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Command is a program that prints something, with its arguments.
type Command struct {
	Words []string
	Time  time.Duration // that it may take
	Bytes int           // that it may print
}

// How much of the standard error of a command is kept.
const (
	maxComplaint   = 4 << 10 // bytes
	complaintLines = 3
)

// The errors of a command that was stopped.
var (
	ErrFlood = errors.New("stopped after printing too much")
	ErrTime  = errors.New("stopped after taking too long")
)

// Run runs the command to its end, without a terminal and without standard input, and returns
// its output, also of one that failed, and the last lines of its standard error, cleaned, without the secrets of the
// command line. It is ended with its children where it hangs, floods or fails. The error is
// [ErrFlood], [ErrTime], that of ctx, or a sentence that goes behind the name of the command.
func (c Command) Run(ctx context.Context) (printed []byte, complaint string, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.Time, ErrTime)
	defer cancel()
	stoppable, stop := context.WithCancelCause(limited)
	defer stop(nil)
	out := &bounded{limit: c.Bytes, full: func() { stop(ErrFlood) }}
	complaints := &ending{limit: maxComplaint}
	cmd := exec.CommandContext(stoppable, c.Words[0], c.Words[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = Environment(), out, complaints
	cmd.WaitDelay = time.Second // children of it may hold on to the output
	// In a group of its own it can be ended together with its children. It gets no terminal: a
	// program that asks for a password would write over the screen, and wait for ever.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = endGroup(cmd) // its children
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it succeeded, only a child held on to the output
		err = nil
	}
	complaint = lastLines(secrets.CommandOutput(c.Words, string(complaints.tail)))
	switch {
	case context.Cause(stoppable) == ErrFlood:
		return out.head.Bytes(), complaint, ErrFlood
	case err == nil:
		return out.head.Bytes(), complaint, nil
	case stoppable.Err() != nil:
		return out.head.Bytes(), complaint, context.Cause(stoppable)
	}
	return out.head.Bytes(), complaint, explain(err)
}

// explain says why a program did not run, or failed.
func explain(err error) error {
	switch {
	case errors.Is(err, exec.ErrDot):
		return errors.New("programs in the current directory are not run; give its full path")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return errors.New("no such program; give its full path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("you may not run it; check its permissions")
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("failed (%s)", ended)
	}
	return fmt.Errorf("could not be run: %s", plain.Line(err.Error()))
}

// lastLines joins the last lines of standard error: programs warn first, and say at the end
// why they gave up.
func lastLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = plain.Line(strings.TrimSpace(line)); line != "" {
			lines = append(lines, plain.Clip(line, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-complaintLines):], "; ")
}

// bounded holds the start of what is written to it, and calls full at the limit.
type bounded struct {
	head  bytes.Buffer
	limit int
	full  func()
}

// Write takes what fits.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.head.Len()
	b.head.Write(p[:min(room, len(p))])
	if len(p) > room {
		b.full()
		return room, ErrFlood
	}
	return len(p), nil
}

// ending holds the end of what is written to it.
type ending struct {
	tail  []byte
	limit int
}

// Write takes everything, and drops the start.
func (e *ending) Write(p []byte) (int, error) {
	e.tail = append(e.tail, p...)
	if over := len(e.tail) - e.limit; over > 0 {
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return len(p), nil
}
