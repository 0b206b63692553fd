package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"geodeck/adminapi/parallel"
	"geodeck/theme"
	_ "geodeck/theme/background" // sets the background before the terminal is queried for it
	"geodeck/ui/keyboard"
	"geodeck/ui/paint"
	"geodeck/ui/views"
)

// framesPerSecond is how often Bubble Tea's own renderer draws at most. A painter keeps it
// quiet; its clock never stops.
const (
	framesPerSecond        = 30
	framesPerSecondPainted = 1
)

// garbagePercent keeps a dashboard that is open for hours small: half as much garbage
// as usual may accumulate. There is little work for the collector.
const garbagePercent = 50

// endGrace is how long a program that a signal ends may take; tests change it.
var endGrace = 2 * time.Second

// answerGrace is how long the terminal may take for an answer that is expected, before it is
// another program's; tests change it.
var answerGrace = 100 * time.Millisecond

// ErrInterrupted says that SIGINT ended the dashboard. The exit code is 130.
var ErrInterrupted = errors.New("interrupted")

// SignalError says that another signal ended the dashboard. The exit code is 128 and the
// signal's number.
type SignalError struct {
	Signal syscall.Signal // SIGTERM, SIGHUP (also where the terminal is gone), SIGQUIT or SIGABRT
	Stacks []byte         // of every goroutine, for the signals that request them
}

// Error names the signal.
func (e *SignalError) Error() string { return "ended by " + unix.SignalName(e.Signal) }

// ErrNoTerminal says that there is nothing to draw a dashboard on.
var ErrNoTerminal = errors.New("the dashboard needs a terminal")

// Run shows the dashboard on out until the user quits, the context ends, or a
// signal comes: [ErrInterrupted] after SIGINT, a [*SignalError] after others. It returns
// [ErrNoTerminal] where out is none, and a [*PanicError]
// where the program failed. The terminal is as it was before on every exit.
//
// Nothing waits for what the terminal answers. Before another program gets the terminal, at
// the end, after ctrl+z and for an editor, an answer that is expected has 100 ms to come: what
// comes later, or after SIGKILL or SIGSTOP, is read by that program.
func Run(ctx context.Context, o Options, in io.Reader, out *os.File) error {
	if !term.IsTerminal(int(out.Fd())) {
		return ErrNoTerminal
	}
	terminal := paint.NewTerminal(out, os.Getenv)
	o.Terminal = terminal
	root := newDeck(o)
	defer root.Close()
	return run(ctx, root, in, terminal, o)
}

// run ends the program by its own quit whatever the reason: Bubble Tea's kill
// closes the input while it is still read. Of the options it takes how frames are drawn.
func run(ctx context.Context, root tea.Model, in io.Reader, terminal *paint.Terminal, o Options) error {
	before, err := term.GetState(int(terminal.Screen().Fd()))
	if err != nil {
		return err
	}
	signals, resized := make(chan os.Signal, 4), make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	jobs := &jobControl{screen: terminal.Screen(), grace: answerGrace, woken: make(chan uint64, 1)}
	guard, frames := &guard{model: root, jobs: jobs, terminal: terminal, learned: o.Learned}, framesPerSecond
	size := sizeOf(terminal)
	guard.width, guard.height = size.Width, size.Height
	if !o.PlainPaint {
		guard.painter, frames = paint.NewPainter(terminal, func(value any) { guard.fail("drawing", value) }), framesPerSecondPainted
		defer guard.painter.Close()
	}
	guard.setBackground(o.Background)
	keys, closeKeys, err := openKeys(in, func(value any) { guard.fail("reading keys", value) })
	if err != nil {
		return err
	}
	defer closeKeys()
	guard.asks, guard.query, jobs.keys = keys.SetAsking, keys.QueryBackground, keys
	quitting := make(chan struct{})
	program := tea.NewProgram(guard, tea.WithInput(keys), tea.WithOutput(terminal), tea.WithAltScreen(), tea.WithFPS(frames),
		tea.WithoutSignalHandler(), tea.WithFilter(filter(terminal, jobs, sync.OnceFunc(func() { close(quitting) }))))
	jobs.program = program
	guard.stop = func() { go program.Quit() }
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT,
		syscall.SIGTSTP, syscall.SIGCONT)
	defer signal.Stop(signals)

	ended := make(chan error, 1)
	go func() {
		_, err := program.Run()
		ended <- err
	}()
	var got os.Signal
	var stacks []byte
	for ending := false; got == nil && !ending; {
		select {
		case err := <-ended:
			return exitError(guard, err, nil, nil)
		case <-resized:
			go program.Send(measure())
		case s := <-signals:
			switch s {
			case syscall.SIGTSTP:
				jobs.stopSignal()
			case syscall.SIGCONT:
				jobs.continueSignal()
			case syscall.SIGQUIT, syscall.SIGABRT:
				got, stacks = s, allStacks()
			case syscall.SIGHUP:
				got = s
				terminal.Lose()
				defer terminal.Abandon(before)
			default:
				got = s
			}
		case <-ctx.Done():
			ending = true
		case <-quitting:
			ending = true
		}
	}
	go program.Quit()
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case err = <-ended:
	case <-grace.C:
		// It hangs, or the terminal takes nothing any more.
		terminal.Abandon(before)
		program.Kill()
		err = nil
	}
	return exitError(guard, err, got, stacks)
}

// filter returns what sees messages before Bubble Tea and the program: it reads the size of
// the terminal, calls quits before the end, and makes keys of what the terminal sent.
func filter(terminal *paint.Terminal, jobs *jobControl, quits func()) func(tea.Model, tea.Msg) tea.Msg {
	var decoder keyboard.Decoder
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.WindowSizeMsg:
			return sizeOf(terminal) // as it is now: of two messages the older may come last
		case tea.QuitMsg:
			quits()
		}
		if msg = decoder.Decode(msg); msg != nil {
			msg = jobs.filter(msg)
		}
		return msg
	}
}

// measure has the size of the terminal read anew.
func measure() tea.Msg { return tea.WindowSizeMsg{} }

// sizeOf returns the size of a terminal, 0 by 0 where it does not report one.
func sizeOf(terminal *paint.Terminal) tea.WindowSizeMsg {
	width, height, _ := term.GetSize(int(terminal.Screen().Fd()))
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// allStacks returns the stack of every goroutine.
func allStacks() []byte {
	stacks := make([]byte, 1<<20)
	return stacks[:runtime.Stack(stacks, true)]
}

// openKeys returns the keys of in, or of the terminal itself where in is none, and what
// closes it. Where the reading panics it calls failed.
func openKeys(in io.Reader, failed func(value any)) (*keyboard.Reader, func(), error) {
	if file, ok := in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return keyboard.NewReader(file, failed), func() {}, nil
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nil, ErrNoTerminal
	}
	return keyboard.NewReader(terminal, failed), func() { _ = terminal.Close() }, nil
}

// exitError returns why the program ended. Errors of the terminal after a signal are
// expected.
func exitError(g *guard, err error, got os.Signal, stacks []byte) error {
	failed := g.failure()
	switch {
	case failed != nil:
		return failed
	case got == syscall.SIGINT:
		return ErrInterrupted
	case got != nil:
		return &SignalError{Signal: got.(syscall.Signal), Stacks: stacks}
	case errors.Is(err, syscall.EIO): // a lost terminal fails the reading, maybe before the signal is here
		return &SignalError{Signal: syscall.SIGHUP}
	}
	return err
}

// PanicError is a failure of the program itself.
type PanicError struct {
	Where string // "drawing", "a message", "a command", "reading keys"
	Value any
	Stack []byte
}

// Error says what failed, without the value, which may hold anything.
func (e *PanicError) Error() string { return "the program failed in " + e.Where }

// guard wraps the root for Bubble Tea. A panic ends the program in the usual
// order, so that the terminal is restored before the error is printed; Bubble Tea's own
// handler prints into the alternate screen.
type guard struct {
	model    tea.Model
	jobs     *jobControl
	asks     func(bool)    // says whether a question is open
	query    func() string // for the background, to be written to the terminal
	terminal *paint.Terminal
	learned  func(theme.Background) // nil where the terminal is not asked
	stop     func()

	background    theme.Background
	painter       *paint.Painter // nil where Bubble Tea draws
	width, height int            // of the terminal, in cells; 0 before it is known
	sized         bool           // Bubble Tea knows the size too

	failed atomic.Pointer[PanicError]
}

func (g *guard) failure() error {
	if e := g.failed.Load(); e != nil {
		return e
	}
	return nil
}

// recovered keeps the first panic and ends the program. Use it deferred.
func (g *guard) recovered(where string) {
	if value := recover(); value != nil {
		g.fail(where, value)
	}
}

// fail ends the program after a panic, on whose stack it is called.
func (g *guard) fail(where string, value any) {
	value, stack := parallel.PanicOf(value, debug.Stack())
	g.failed.CompareAndSwap(nil, &PanicError{Where: where, Value: value, Stack: stack})
	g.stop()
}

// Init starts the root with the size of the terminal, so that the first frame is whole. What
// it begins to do waits for that frame: nobody waits for a site to see a screen.
func (g *guard) Init() tea.Cmd {
	defer g.recovered("the start")
	started := g.model.Init()
	_, sized := g.model.Update(tea.WindowSizeMsg{Width: g.width, Height: g.height})
	if g.learned != nil {
		started = tea.Batch(views.Send(queryBackground{}), started)
	}
	cmd := g.watch(tea.Batch(started, sized, measure))
	return func() tea.Msg {
		if g.painter != nil {
			g.painter.AwaitFirst()
		}
		debug.SetGCPercent(garbagePercent)
		return cmd()
	}
}

// queryBackground has the terminal asked for its background.
type queryBackground struct{}

// setBackground gives frames the colours of a background.
func (g *guard) setBackground(b theme.Background) {
	g.background = b
	if g.painter != nil {
		g.painter.SetBackground(b)
	}
}

// Update passes a message to the root.
func (g *guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g // also after a panic: Bubble Tea draws once more
	if g.failure() != nil {
		return g, nil
	}
	defer g.recovered("a message")
	switch msg := msg.(type) {
	case queryBackground:
		query := g.query()
		return g, func() tea.Msg {
			_, _ = g.terminal.WriteString(query)
			return nil
		}
	case theme.Background:
		if g.learned == nil {
			return g, nil // the terminal answers another program
		}
		g.setBackground(msg)
		return g, g.watch(func() tea.Msg {
			g.learned(msg)
			return nil
		})
	case tea.WindowSizeMsg:
		g.width, g.height = msg.Width, msg.Height
		if g.width <= 0 || g.height <= 0 {
			g.width, g.height = unsizedWidth, unsizedHeight
		}
		if g.painter != nil && g.sized {
			g.painter.Redraw()
		}
		g.sized = true
	}
	if cmd, ours := g.jobs.update(msg); ours {
		return g, cmd
	}
	_, cmd = g.model.Update(msg)
	if asker, ok := g.model.(interface{ Asks() bool }); ok {
		g.asks(asker.Asks())
	}
	return g, g.watch(cmd)
}

// A terminal that does not report its size is taken for one of this.
const (
	unsizedWidth  = 80
	unsizedHeight = 24
)

// View draws the root.
func (g *guard) View() string {
	if g.failure() != nil {
		return ""
	}
	defer g.recovered("drawing")
	text := g.model.View()
	if g.painter == nil {
		return g.background.Recolour(theme.WithoutCursor(text))
	}
	g.painter.Show(text, g.width, g.height)
	return paint.Frame
}

var cmdType = reflect.TypeFor[tea.Cmd]()

// wrapEach puts what wrap returns in the place of each command that a message holds, and reports
// whether it is one of commands. Batches are a type of Bubble Tea, sequences one that it does not
// export: both are slices of commands.
func wrapEach(msg tea.Msg, wrap func(tea.Cmd) tea.Cmd) bool {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != cmdType {
		return false
	}
	for i := range list.Len() {
		if c, _ := list.Index(i).Interface().(tea.Cmd); c != nil {
			list.Index(i).Set(reflect.ValueOf(wrap(c)))
		}
	}
	return true
}

// watch returns a command whose panics are recovered, with those of the commands that it yields.
func (g *guard) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recovered("a command")
		msg = cmd()
		wrapEach(msg, g.watch)
		return msg
	}
}
