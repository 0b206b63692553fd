// Package cli is the command line: the tree of commands, the dashboard, the demo, and the nouns
// of one file. A command runs an operation of package operation, as the dashboard does.
//
// Start at [Run], which makes what the commands share and the tree of commands (root.go). A noun
// such as "geodeck upgrade" is a package of its name with a file for a verb: upgrade/start.go.
// Package session says how a site is reached, command is what every command works with, edits
// sends edits of services, exit has the exit codes, and output prints.
package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/signin"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// Process is what a run of the program takes from its surroundings.
type Process struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string // as os.Getenv
	Hide     func(name string)   // keeps a variable from the programs that are run; may be nil
	Clock    adminapi.Clock      // paces what waits; nil means the machine's
	Rand     adminapi.Rand       // varies pauses and names; nil means the machine's
	// Dial opens connections to the site, as [adminapi.Config.Dial]; nil means the machine's.
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Disk   journal.Files // holds the records of sites; nil means the machine's
	Config journal.Files // holds config.yaml; nil means the machine's
	// Keyring holds the sign-in of sites; nil means the system's.
	Keyring signin.Store
	// Show shows the dashboard until it ends; nil means on the terminal.
	Show Show
}

// System is the process that the operating system started.
func System() Process {
	env := map[string]string{} // as it was: variables with a token are taken away from it
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return Process{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: func(name string) string { return env[name] },
		Clock: adminapi.SystemClock{},
		Hide:  func(name string) { _ = os.Unsetenv(name) },
	}
}

// program is one run of the program.
type program struct {
	command.Env
	flags  *session.Flags
	debug  *session.DebugLog
	alarms *command.Alarms
	nodes  *command.Nodes
	show   Show
	begun  bool // the command line was accepted
}

func newProgram(ctx context.Context, args []string, from Process) *program {
	if from.Clock == nil {
		from.Clock = adminapi.SystemClock{}
	}
	if from.Rand == nil {
		from.Rand = adminapi.SystemRand{}
	}
	if from.Disk == nil {
		from.Disk = journal.SystemFiles{}
	}
	if from.Hide == nil {
		from.Hide = func(string) {}
	}
	from.Hide(session.EnvToken)
	exit := command.NewExits(ctx)
	out := output.New(from.Out, from.Err, from.Env, exit.During)
	p := &program{flags: &session.Flags{}, debug: &session.DebugLog{}, show: from.Show}
	of := session.New(session.Options{
		Args: args, Flags: p.flags, Env: from.Env, Hide: from.Hide, Clock: from.Clock, Rand: from.Rand, Dial: from.Dial, Disk: from.Disk,
		Config: from.Config, Keyring: from.Keyring,
		Debug: p.debug, UserAgent: command.ThisBuild().UserAgent(), Print: out.Note,
	})
	out.About = of.About
	p.Env = command.NewEnv(from.In, out, of, exit)
	p.alarms, p.nodes = &command.Alarms{Env: p.Env}, &command.Nodes{Env: p.Env}
	return p
}

// Run runs one command line, without the program's name, and returns its exit
// code. It prints everything there is to say. The end of ctx counts as an
// interruption by the user.
func Run(ctx context.Context, args []string, from Process) int {
	p := newProgram(ctx, args, from)
	err := p.execute(ctx, args)
	defer p.Exit.End()
	defer p.Session.Close()
	defer p.debug.Close()
	unread := p.Out.Flush()
	var f *exit.Failure
	switch {
	case err != nil:
		if f = p.Exit.Explain(err); errors.Is(unread, output.ErrUnread) {
			f.Details = append(f.Details, "Not all of the output was read.")
		}
	case unread != nil:
		f = p.Exit.Explain(unread)
	}
	switch f = p.Exit.Aborted(f); {
	case f == nil:
		return exit.Done
	case f.Code == exit.Signal+int(syscall.SIGHUP):
		return f.Code // there is no terminal to say it on
	}
	return exit.Print(p.Out, p.Exit.Named(f))
}

// execute runs the command that args name. A panic of it is an error.
func (p *program) execute(ctx context.Context, args []string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			value, stack := parallel.PanicOf(value, debug.Stack())
			err = &command.Crash{Where: "a command", Value: value, Stack: stack}
		}
	}()
	root := p.rootCommand(args)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || p.begun {
		return err
	}
	// Nothing but the command line has been looked at.
	p.Out.FindForm(args)
	if _, ok := errors.AsType[*exit.Failure](err); !ok {
		err = argumentsError(cmd)
	}
	return err
}

// errTokenFlag says why a token is not accepted on the command line.
var errTokenFlag = errors.New("a token on the command line is visible in the list of processes; " +
	"it was not used, and should be replaced")

// begin runs before each command, after its flags were read.
func (p *program) begin(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("token"):
		return exit.BadInput("Put it into "+session.EnvToken+", or into a file that only you can read for --token-file.",
			errTokenFlag)
	case !cmd.Hidden && slices.Contains(cmd.Flags().Args(), ""): // a variable of a script that is not set, most likely
		return exit.BadInput("Is a variable of the script not set? Usage: "+cmd.UseLine(), errors.New("an argument is empty"))
	case p.Exit.Timeout < 0:
		return exit.BadInputf("--timeout takes a positive time such as 90s, not %v", p.Exit.Timeout)
	}
	if err := cmd.ValidateFlagGroups(); err != nil { // the library would check it too late for a mistake of usage
		if _, both, is := strings.Cut(err.Error(), "none of the others can be; ["); is {
			flags, _, _ := strings.Cut(both, "]")
			err = errors.New("--" + strings.ReplaceAll(flags, " ", " and --") + " cannot be given together; nothing was sent")
		}
		return exit.BadInput("Use one of them at a time. See: "+cmd.CommandPath()+" --help", err)
	}
	if err := exit.OneOf("--output", p.Out.Form, output.Forms); err != nil {
		return err
	}
	if err := exit.OneOf("--theme", p.Out.Background, output.Backgrounds); err != nil {
		return err
	}
	if err := p.debug.Open(); err != nil {
		return err
	}
	if command.OutlivesReader(cmd) {
		p.Out.OutliveReaders()
	}
	p.begun = true
	p.Exit.Begin(cmd)
	return nil
}

// Interruptible returns a context that the first signal ends: SIGINT, SIGTERM, SIGQUIT
// or SIGABRT. A second SIGINT or SIGTERM ends the program at once, unless it has a
// dashboard on the terminal.
func Interruptible(parent context.Context) context.Context {
	ctx, end := context.WithCancelCause(parent)
	ends, aborts := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(aborts, syscall.SIGQUIT, syscall.SIGABRT) // never stopped: without it Go prints every stack
	go func() {
		select {
		case got := <-ends:
			cause := context.Canceled
			if got == syscall.SIGTERM {
				cause = &command.Signalled{Signal: syscall.SIGTERM}
			}
			end(cause)
		case got := <-aborts:
			stacks := make([]byte, 1<<20)
			end(&command.Signalled{Signal: got.(syscall.Signal), Stacks: stacks[:runtime.Stack(stacks, true)]})
		}
		signal.Stop(ends)
	}()
	return ctx
}
