package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui"
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

// Run runs one command line, without the program's name, and returns its exit
// code. It prints everything there is to say. The end of ctx counts as an
// interruption by the user.
func Run(ctx context.Context, args []string, from Process) int {
	p := &program{Process: from, ctx: ctx}
	during := func() context.Context { return p.ctx }
	p.Out, p.Err = newStream(from.Out, during), newStream(from.Err, during)
	if p.Clock == nil {
		p.Clock = adminapi.SystemClock{}
	}
	err := p.execute(ctx, args)
	if p.cancel != nil {
		defer p.cancel()
	}
	if p.book != nil {
		defer p.book.close()
	}
	unread := p.flush()
	var f *failure
	switch {
	case err != nil:
		if f = p.explain(err); errors.Is(unread, errUnread) {
			f.details = append(f.details, "Not all of the output was read.")
		}
	case unread != nil:
		f = p.explain(unread)
	}
	if f = p.aborted(f); f == nil {
		return exitDone
	}
	return p.fail(f)
}

// execute runs the command that args name. A panic of it is an error.
func (p *program) execute(ctx context.Context, args []string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &ui.PanicError{Where: "a command", Value: value, Stack: debug.Stack()}
		}
	}()
	root := p.rootCommand()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || p.begun {
		return err
	}
	// Nothing but the command line has been looked at.
	p.flags.output = outputIn(args, p.flags.output)
	if _, ok := errors.AsType[*failure](err); !ok {
		err = misused(cmd, err)
	}
	return err
}

// program is one run of the program.
type program struct {
	Process
	flags  flags
	alarms alarmFlags
	again  string // what --again was given
	nodes  nodeFlags
	ctx    context.Context // ends with the user's patience or --timeout
	cancel context.CancelFunc
	begun  bool // the command line was accepted

	site operation.Site // once connected
	once sync.Once      // for a warning about the file system
	book *book          // of the site, for what is sent to it

	// waiting is the job that goes on at the site while we wait for it.
	waiting  string
	watching bool   // an upgrade goes on at the site while we watch it
	coming   string // the command that waits on for pods which are replaced
	done     string // what is done already while pods are waited for; may be empty
	pods     string // how the pods are that are waited for
	cause    error  // why nothing is heard of it at present; nil where the site answers
	look     *look
}

// begin runs before each command: flags are read, nothing has happened yet.
func (p *program) begin(cmd *cobra.Command) error {
	if cmd.Flags().Changed("token") {
		return badInput("Put it into "+envToken+", or into a file that only you can read for --token-file.", errTokenFlag)
	}
	if err := p.flags.check(); err != nil {
		return err
	}
	p.begun = true
	ctx := cmd.Context()
	if p.flags.timeout > 0 {
		ctx, p.cancel = context.WithTimeoutCause(ctx, p.flags.timeout, errTimeUp)
	}
	p.ctx = operation.WithAgain(ctx, p.again)
	cmd.SetContext(p.ctx)
	return nil
}
