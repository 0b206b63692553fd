// Package cli is the command line: the commands, their flags, what they print, and
// their exit codes. A command runs an operation of package operation, as the dashboard
// does.
//
// Start at [Run], which makes what the commands share and the tree of commands
// (root.go). A noun such as "geodeck upgrade" is a small struct in a file of its name;
// its larger verbs have files of their own (upgrade_start.go), and so has what the
// definition and the placement policy of a service have in common (part.go). Shared
// values are passed in: package output prints, connection.go makes the site from flags
// and environment, waiting.go reports progress at the site, and exit.go maps errors to
// exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/signin"
	"geodeck/ui/cli/output"
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
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	Disk journal.Files // holds the records of sites; nil means the machine's
	// Keyring holds the sign-in of sites; nil means the system's.
	Keyring signin.Store
}

// System is the process that the operating system started.
func System() Process {
	env := map[string]string{} // as it was: variables with a token are taken away from it
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return Process{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: func(name string) string { return env[name] }, Clock: adminapi.SystemClock{},
		Hide: func(name string) { _ = os.Unsetenv(name) },
	}
}

// shared is what the commands of all nouns work with.
type shared struct {
	in      io.Reader
	out     *output.Output
	session *session
	wait    *waiting
	exit    *exits
}

// newShared is what a command works with that is about a site.
func newShared(in io.Reader, out *output.Output, of *session, exit *exits) shared {
	exit.session, exit.wait, out.Commands = of, &waiting{out: out}, of.commands
	return shared{in: in, out: out, session: of, wait: exit.wait, exit: exit}
}

// program is one run of the program.
type program struct {
	shared
	flags  *flags
	debug  *debugLog
	alarms *alarms
	nodes  *nodes
	begun  bool // the command line was accepted
}

func newProgram(ctx context.Context, from Process) *program {
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
	from.Hide(envToken)
	exit := newExits(ctx)
	out := output.New(from.Out, from.Err, from.Env, exit.during)
	p := &program{flags: &flags{}, debug: &debugLog{}}
	of := newSession(sessionOptions{
		flags: p.flags, env: from.Env, hide: from.Hide, clock: from.Clock, rand: from.Rand, dial: from.Dial, disk: from.Disk, keyring: from.Keyring,
		debug: p.debug, userAgent: thisBuild().userAgent(), print: out.Note,
	})
	p.shared = newShared(from.In, out, of, exit)
	p.alarms, p.nodes = &alarms{shared: p.shared}, &nodes{shared: p.shared}
	return p
}

// Run runs one command line, without the program's name, and returns its exit
// code. It prints everything there is to say. The end of ctx counts as an
// interruption by the user.
func Run(ctx context.Context, args []string, from Process) int {
	p := newProgram(ctx, from)
	err := p.execute(ctx, args)
	defer p.exit.end()
	defer p.session.close()
	defer p.debug.close()
	unread := p.out.Flush()
	var f *failure
	switch {
	case err != nil:
		if f = p.exit.explain(err); errors.Is(unread, output.ErrUnread) {
			f.details = append(f.details, "Not all of the output was read.")
		}
	case unread != nil:
		f = p.exit.explain(unread)
	}
	switch f = p.exit.aborted(f); {
	case f == nil:
		return exitDone
	case f.code == exitSignal+int(syscall.SIGHUP):
		return f.code // there is no terminal to say it on
	}
	return fail(p.out, p.exit.named(f))
}

// execute runs the command that args name. A panic of it is an error.
func (p *program) execute(ctx context.Context, args []string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			value, stack := parallel.PanicOf(value, debug.Stack())
			err = &crash{where: "a command", value: value, stack: stack}
		}
	}()
	root := p.rootCommand(args)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || p.begun {
		return err
	}
	// Nothing but the command line has been looked at.
	p.out.FindForm(args)
	if _, ok := errors.AsType[*failure](err); !ok {
		err = usageError(cmd, err)
	}
	return err
}

// errTokenFlag says why a token is not accepted on the command line.
var errTokenFlag = errors.New("a token on the command line is visible in the list of processes and in the shell's history; " +
	"it was not used, and should be replaced")

// begin runs before each command, after its flags were read.
func (p *program) begin(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("token"):
		return badInput("Put it into "+envToken+", or into a file that only you can read for --token-file.", errTokenFlag)
	case !cmd.Hidden && slices.Contains(cmd.Flags().Args(), ""): // a variable of a script that is not set, most likely
		return badInputf("an argument is empty")
	case p.exit.timeout < 0:
		return badInputf("--timeout takes a positive time, such as 90s")
	}
	if err := cmd.ValidateFlagGroups(); err != nil { // the library would check it too late for a mistake of usage
		return badInput("Use one of them at a time. See: "+cmd.CommandPath()+" --help", err)
	}
	if err := oneOf("--output", p.out.Form, output.Forms); err != nil {
		return err
	}
	if err := oneOf("--theme", p.out.Background, output.Backgrounds); err != nil {
		return err
	}
	if err := p.debug.open(); err != nil {
		return err
	}
	p.begun = true
	p.exit.begin(cmd)
	return nil
}

// maxPanic is how many bytes of a panic's text are shown and saved.
const maxPanic = 400

// crash is a panic of the program.
type crash struct {
	where string // "drawing", "a command"
	value any
	stack []byte
	of    *adminapi.Client // of the site that is shown; may be nil
}

// Error says what failed, without the value.
func (c *crash) Error() string { return "the program failed in " + c.where }

// crashed says that the program itself has failed. The stack goes to a file, not to the
// screen.
func (x *exits) crashed(c *crash) *failure {
	what := x.panicText(c)
	return &failure{
		code: exitFailed, kind: "crash", err: errors.New(c.Error() + ": " + what),
		details: []string{
			"Nothing more is sent from here.",
			"A running upgrade continues at the site.",
			x.keepStacks(c.Error()+": "+what, c.stack),
		},
		advice: x.session.commandsNow("Check with: {command:upgrade status}, {command:job list}"),
	}
}

// panicText is the text of a panic, without secrets. For a value that is neither an error
// nor a string it is the type alone, since the value could hold anything.
func (x *exits) panicText(c *crash) string {
	var text string
	switch value := c.value.(type) {
	case error:
		text = value.Error()
	case string:
		text = value
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
	mask := secrets.Of(secrets.Secret(x.session.env(envToken)))
	if client := cmp.Or(c.of, x.session.client()); client != nil {
		mask = mask.And(client.Secrets())
	}
	return plain.Clip(plain.Line(mask.Text(text, secrets.Anywhere)), maxPanic)
}

// keepStacks writes the stacks to a private file and returns the sentence that names it.
func (x *exits) keepStacks(title string, stacks []byte) string {
	b := thisBuild()
	text := fmt.Appendf(nil, "geodeck %s %s %s %s\n%s\n\n%s", b.Version, b.Revision, b.Go, b.Platform, title, stacks)
	folder, err := x.session.stateFolder()
	if err != nil {
		folder = ""
	}
	path, err := journal.SaveCrash(folder, x.session.clock().Now(), text)
	if err != nil {
		return "The stack could not be saved: " + err.Error()
	}
	return "The stack is in " + path
}

// signalled is a signal other than SIGINT that ended the program.
type signalled struct {
	signal syscall.Signal
	stacks []byte // of every goroutine, for SIGQUIT and SIGABRT
}

// Error names the signal.
func (s *signalled) Error() string { return "ended by " + unix.SignalName(s.signal) }

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
				cause = &signalled{signal: syscall.SIGTERM}
			}
			end(cause)
		case got := <-aborts:
			stacks := make([]byte, 1<<20)
			end(&signalled{got.(syscall.Signal), stacks[:runtime.Stack(stacks, true)]})
		}
		signal.Stop(ends)
	}()
	return ctx
}

// aborted returns the failure of a program that such a signal ended, otherwise f. It
// keeps what f says about work that continues at the site. SIGTERM has the code of its own
// only where it ended the work.
func (x *exits) aborted(f *failure) *failure {
	by := signalIn(x.ctx)
	if by == nil || by.stacks == nil && (f == nil || f.code != exitInterrupted) {
		return f
	}
	return x.abortedBy(by, f)
}

// signalIn returns the signal that ended a context, nil for none and for SIGINT.
func signalIn(ctx context.Context) *signalled {
	by, _ := errors.AsType[*signalled](context.Cause(ctx))
	return by
}

func (x *exits) abortedBy(by *signalled, f *failure) *failure {
	code := exitSignal + int(by.signal)
	switch {
	case f == nil:
		f = &failure{err: by}
	case f.code == code:
		return f
	}
	f.code, f.kind = code, "interrupted"
	if by.stacks != nil {
		f.details = append(f.details, x.keepStacks(unix.SignalName(by.signal), by.stacks))
	}
	return f
}
