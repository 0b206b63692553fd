package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"

	_ "geodeck/theme/background" // settles the background before the terminal is asked for it
	"geodeck/ui/paint"
)

// framesPerSecond is how often a changed screen is drawn at most: a key is
// answered within 33 ms, and a thin line is not flooded.
const framesPerSecond = 30

// garbagePercent keeps a dashboard that is open for hours small: half as much garbage
// as usual may gather beside what is used. There is little work for the collector.
const garbagePercent = 50

// hangUpGrace is how long a program whose terminal is gone may take to end.
const hangUpGrace = 2 * time.Second

// ErrInterrupted says that an interrupt from outside ended the dashboard. Exit
// code 130.
var ErrInterrupted = errors.New("interrupted")

// ErrNoTerminal says that there is nothing to draw a dashboard on.
var ErrNoTerminal = errors.New("the dashboard needs a terminal; for scripts there are the subcommands (geodeck help)")

// Run shows the dashboard on out until the user quits, the context ends, or a
// signal comes. It returns nil then, [ErrInterrupted] after SIGINT,
// [ErrNoTerminal] where out is none, and a [*PanicError] where the program
// failed. The terminal is as it was before on every way out.
func Run(ctx context.Context, o Options, in io.Reader, out *os.File) error {
	if !term.IsTerminal(int(out.Fd())) {
		return ErrNoTerminal
	}
	terminal := paint.NewTerminal(out, os.Getenv)
	o.Terminal = terminal
	root := New(o)
	defer root.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	return run(ctx, root, in, terminal)
}

// run ends the program by its own quit whatever the reason: Bubble Tea's kill
// closes the input while it is still read.
func run(ctx context.Context, root tea.Model, in io.Reader, terminal *paint.Terminal) error {
	guard := &guard{model: root}
	program := tea.NewProgram(guard, input(in), tea.WithOutput(terminal), tea.WithAltScreen(),
		tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler())
	guard.stop = func() { go program.Quit() }
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	ended := make(chan error, 1)
	go func() {
		_, err := program.Run()
		ended <- err
	}()
	var got os.Signal
	select {
	case err := <-ended:
		return outcome(guard, err, nil)
	case got = <-signals:
	case <-ctx.Done():
	}
	go program.Quit()
	return outcome(guard, await(ended, got, program.Kill), got)
}

// await waits for the end that a signal asked for. A terminal that hung up may
// never take the last bytes, and nobody is there to see them.
func await(ended <-chan error, got os.Signal, kill func()) error {
	if got != syscall.SIGHUP {
		return <-ended
	}
	grace := time.NewTimer(hangUpGrace)
	defer grace.Stop()
	select {
	case err := <-ended:
		return err
	case <-grace.C:
		kill()
		return nil
	}
}

// input reads keys from in, or from the terminal itself where in is a pipe.
func input(in io.Reader) tea.ProgramOption {
	if f, ok := in.(*os.File); ok && !term.IsTerminal(int(f.Fd())) {
		return tea.WithInputTTY()
	}
	return tea.WithInput(in)
}

// outcome says how the program ended. What a terminal complains of after a
// signal is no news.
func outcome(g *guard, err error, got os.Signal) error {
	failed := g.failure()
	switch {
	case failed != nil:
		return failed
	case got == syscall.SIGINT:
		return ErrInterrupted
	case got != nil, errors.Is(err, syscall.EIO):
		return nil // a lost terminal fails the reading, maybe before the signal is here
	}
	return err
}
