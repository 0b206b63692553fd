package uitest

import (
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"geodeck/theme"
	"geodeck/ui/paint"
	"geodeck/ui/uitest/terminal"
)

// framesPerSecond is the most that Bubble Tea draws: nobody waits long for a frame.
const framesPerSecond = 120

// BothWays is a program that is drawn in both ways at once, each on a display of its own:
// by cells, and by Bubble Tea.
type BothWays struct {
	*tea.Program
	t            testing.TB
	cells, plain *terminal.Display
	frame        *vt.Emulator // as it should be shown
	ended        chan struct{}
	err          error // once it has ended
}

// RunBothWays runs a model without a keyboard until it quits, at the latest when the test
// ends. seen is told every frame, between two messages.
func RunBothWays(t testing.TB, model tea.Model, width, height int, seen func(frame string)) *BothWays {
	t.Helper()
	b := &BothWays{t: t, frame: vt.NewEmulator(width, height), ended: make(chan struct{})}
	var byCells, byLines *os.File
	b.cells, byCells = terminal.Pipe(t, width, height)
	b.plain, byLines = terminal.Pipe(t, width, height)
	painted := paint.NewTerminal(byCells, func(string) string { return "" })
	painter := paint.NewPainter(painted, func(value any) { panic(value) })
	if _, err := painted.WriteString(ansi.SetModeAltScreenSaveCursor); err != nil {
		t.Fatal(err)
	}
	b.Program = tea.NewProgram(&twice{Model: model, painter: painter, seen: seen, width: width, height: height}, tea.WithInput(nil),
		tea.WithOutput(paint.NewTerminal(byLines, func(string) string { return "" })), tea.WithAltScreen(),
		tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler())
	go func() {
		defer close(b.ended)
		defer painter.Close()
		_, b.err = b.Run()
	}()
	t.Cleanup(func() {
		b.Kill()
		<-b.ended
	})
	return b
}

// Resize gives both displays another size, and tells the program.
func (b *BothWays) Resize(width, height int) {
	b.frame.Resize(width, height)
	b.cells.Resize(width, height)
	b.plain.Resize(width, height)
	b.Send(tea.WindowSizeMsg{Width: width, Height: height})
}

// Equal stops the program between two messages, waits until both displays show its last
// frame, and returns that. It fails where a cell of them is not as in the frame.
func (b *BothWays) Equal() string {
	b.t.Helper()
	stop := stopped{last: make(chan string), goOn: make(chan struct{})}
	defer close(stop.goOn)
	go b.Send(stop)
	select {
	case frame := <-stop.last:
		draw(b.frame, frame)
		b.cells.Equals("the frame drawn by cells", b.frame)
		b.plain.Equals("the frame drawn by lines", b.frame)
		b.cells.ShowsCursor(place(b.t, frame))
		return frame
	case <-b.ended:
		b.t.Fatalf("the program has ended: %v", b.err)
	}
	return ""
}

// End quits and waits for the end.
func (b *BothWays) End() {
	b.t.Helper()
	b.Quit()
	if <-b.ended; b.err != nil {
		b.t.Fatal(b.err)
	}
}

// place returns the column and the line of the cursor in a frame, both below 0 where it is
// hidden.
func place(t testing.TB, frame string) (column, line int) {
	t.Helper()
	before, behind, found := strings.Cut(frame, theme.CursorMark)
	switch {
	case !found:
		return -1, -1
	case strings.Contains(behind, theme.CursorMark):
		t.Errorf("two places have the cursor of the terminal in %q", frame)
	}
	line = strings.Count(before, "\n")
	return ansi.StringWidth(before[strings.LastIndexByte(before, '\n')+1:]), line
}

// draw shows nothing but a frame on a screen.
func draw(screen *vt.Emulator, frame string) {
	lines := strings.ReplaceAll(theme.WithoutCursor(frame), "\n", "\r\n")
	_, _ = screen.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeAutoWrap + ansi.ResetStyle + ansi.EraseEntireScreen + ansi.CursorHomePosition + lines)
}

// twice gives each frame to a painter and to Bubble Tea.
type twice struct {
	tea.Model
	painter       *paint.Painter
	seen          func(frame string)
	width, height int
	last          string
}

// stopped stops the program: it tells the last frame, and waits.
type stopped struct {
	last chan string
	goOn chan struct{}
}

// Init tells the model its size before all else, as the program does.
func (w *twice) Init() tea.Cmd {
	started := w.Model.Init()
	_, sized := w.Model.Update(tea.WindowSizeMsg{Width: w.width, Height: w.height})
	return tea.Batch(started, sized)
}

// Update stops, or gives the message to the model.
func (w *twice) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case stopped:
		msg.last <- w.last
		<-msg.goOn
		return w, nil
	case tea.WindowSizeMsg:
		w.width, w.height = msg.Width, msg.Height
	}
	_, cmd := w.Model.Update(msg)
	return w, cmd
}

// View draws the model.
func (w *twice) View() string {
	w.last = w.Model.View()
	w.seen(w.last)
	w.painter.Show(w.last, w.width, w.height)
	return theme.WithoutCursor(w.last)
}
