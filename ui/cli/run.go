package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// Process is what a run of the program takes from its surroundings.
type Process struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string // as os.Getenv
	Clock    adminapi.Clock      // paces what waits; nil means the machine's
}

// System is the process that the operating system started.
func System() Process {
	return Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Clock: adminapi.SystemClock{}}
}

// shared is what the commands of all nouns work with.
type shared struct {
	in   io.Reader
	out  *output
	conn *connection
	wait *waiting
	exit *exits
}

// program is one run of the program.
type program struct {
	shared
	alarms *alarms
	nodes  *nodes
	begun  bool // the command line was accepted
	cancel context.CancelFunc
}

func newProgram(ctx context.Context, from Process) *program {
	if from.Clock == nil {
		from.Clock = adminapi.SystemClock{}
	}
	exit := &exits{ctx: ctx}
	during := func() context.Context { return exit.ctx }
	out := &output{out: newStream(from.Out, during), err: newStream(from.Err, during), env: from.Env}
	exit.conn = &connection{out: out, env: from.Env, clock: from.Clock, debug: &debugLog{}}
	exit.wait = &waiting{out: out}
	p := &program{shared: shared{in: from.In, out: out, conn: exit.conn, wait: exit.wait, exit: exit}}
	p.alarms = &alarms{out: out, env: from.Env}
	p.nodes = &nodes{in: from.In, env: from.Env, clock: from.Clock, exit: exit}
	return p
}

// Run runs one command line, without the program's name, and returns its exit
// code. It prints everything there is to say. The end of ctx counts as an
// interruption by the user.
func Run(ctx context.Context, args []string, from Process) int {
	p := newProgram(ctx, from)
	err := p.execute(ctx, args)
	if p.cancel != nil {
		defer p.cancel()
	}
	defer p.conn.close()
	defer p.conn.debug.close()
	unread := p.out.flush()
	var f *failure
	switch {
	case err != nil:
		if f = p.exit.explain(err); errors.Is(unread, errUnread) {
			f.details = append(f.details, "Not all of the output was read.")
		}
	case unread != nil:
		f = p.exit.explain(unread)
	}
	if f = p.exit.aborted(f); f == nil {
		return exitDone
	}
	return p.out.fail(f)
}

// execute runs the command that args name. A panic of it is an error.
func (p *program) execute(ctx context.Context, args []string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &crash{where: "a command", value: value, stack: debug.Stack()}
		}
	}()
	root := p.rootCommand()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || p.begun {
		return err
	}
	// Nothing but the command line has been looked at.
	p.out.form = outputIn(args, p.out.form)
	if _, ok := errors.AsType[*failure](err); !ok {
		err = misused(cmd, err)
	}
	return err
}

// errTokenFlag says why a token is not taken from the command line.
var errTokenFlag = errors.New("a token on the command line stands in the list of processes and in the shell's history; " +
	"it was not used, and is better replaced")

// begin runs before each command: flags are read, nothing has happened yet.
func (p *program) begin(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("token"):
		return badInput("Put it into "+envToken+", or into a file that only you can read for --token-file.", errTokenFlag)
	case p.exit.timeout < 0:
		return badInput("", errors.New("--timeout takes a positive time, such as 90s"))
	}
	if err := p.out.check(); err != nil {
		return err
	}
	if err := p.conn.debug.open(); err != nil {
		return err
	}
	p.begun = true
	ctx := cmd.Context()
	if p.exit.timeout > 0 {
		ctx, p.cancel = context.WithTimeoutCause(ctx, p.exit.timeout, errTimeUp)
	}
	p.exit.ctx = operation.WithAgain(ctx, p.conn.again)
	cmd.SetContext(p.exit.ctx)
	return nil
}
