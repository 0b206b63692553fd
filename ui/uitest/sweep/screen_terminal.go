package sweep

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"geodeck/theme"
	"geodeck/ui/paint"
	"geodeck/ui/uitest/terminal"
)

// display is the terminal that the dashboard is painted on, by the real painter.
type display struct {
	s       *screen
	file    *os.File // what was written and nobody has read
	out     *paint.Terminal
	painter *paint.Painter
	grid    *terminal.Grid
	want    *terminal.Grid // the same, to which each frame is written as it is
	lines   []string       // of want
	size    tea.WindowSizeMsg
	quiet   time.Time // from when on the painter draws at once
	lent    bool
	draws   *rand.Rand
}

// What Bubble Tea writes where a program gets the terminal, and gives it back.
var (
	takes = []string{ansi.HideCursor, ansi.SetModeAltScreenSaveCursor, ansi.EraseEntireScreen, ansi.CursorHomePosition, ansi.HideCursor, ansi.SetModeBracketedPaste}
	gives = []string{ansi.EraseEntireLine, "\r", ansi.ResetModeBracketedPaste, ansi.ShowCursor, ansi.ResetModeMouseButtonEvent, ansi.ResetModeMouseAnyEvent,
		ansi.ResetModeMouseExtSgr, ansi.ResetModeAltScreenSaveCursor, ansi.ShowCursor}
)

// painterPause is longer than the painter is quiet after a frame.
const painterPause = 10 * time.Millisecond

// shows lets the dashboard be painted.
func (s *screen) shows() error {
	file, err := os.CreateTemp("", "geodeck-sweep-")
	if err != nil {
		return err
	}
	if err = os.Remove(file.Name()); err != nil {
		return err
	}
	d := &display{s: s, file: file, draws: s.run.machine.day.random(s.run.name + " terminal"), size: sizes[1]}
	width := func(r rune) int { return ansi.StringWidth(string(r)) }
	d.grid = terminal.NewGrid(d.size.Width, d.size.Height, func(width, height int) bool { return width == d.size.Width && height == d.size.Height }, width)
	d.want = terminal.NewGrid(d.size.Width, d.size.Height, func(int, int) bool { return true }, width)
	d.out = paint.NewTerminal(file, func(string) string { return "" })
	d.painter = paint.NewPainter(d.out, func(value any) { s.wrong(fmt.Sprint("the painter fails: ", value)) })
	s.display = d
	d.others(takes)
	return nil
}

// written is what the dashboard has written since.
func (d *display) written() string {
	synctest.Wait()
	size, err := d.file.Seek(0, io.SeekCurrent)
	if err != nil || size == 0 {
		return ""
	}
	bytes := make([]byte, size)
	_, _ = d.file.ReadAt(bytes, 0)
	_ = d.file.Truncate(0)
	_, _ = d.file.Seek(0, io.SeekStart)
	return string(bytes)
}

// others writes what Bubble Tea does.
func (d *display) others(sequences []string) {
	d.paints()
	for _, sequence := range sequences {
		_, _ = d.out.WriteString(sequence)
		d.grid.Other(d.written())
	}
}

// paints takes what the painter has written.
func (d *display) paints() {
	if bytes := d.written(); bytes != "" {
		if d.quiet = time.Now().Add(painterPause); d.lent {
			d.s.wrong("it draws where the terminal is another program's")
		}
		d.grid.Paint(bytes)
	}
}

// frame paints a frame, and compares what the terminal shows once it is there.
func (d *display) frame(text string) {
	if size := (tea.WindowSizeMsg{Width: d.s.width, Height: d.s.height}); size != d.size {
		d.size, d.lines = size, nil
		d.grid.Resize(size.Width, size.Height)
		d.want.Resize(size.Width, size.Height)
		d.painter.Redraw()
	}
	d.paints()
	drawn := !time.Now().Before(d.quiet)
	d.painter.Show(text, d.size.Width, d.size.Height)
	d.paints()
	if !drawn || d.lent {
		return
	}
	x, y := -1, -1
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if before, behind, marked := strings.Cut(line, theme.CursorMark); marked {
			x, y, line = min(ansi.StringWidth(before), d.size.Width-1), i, before+behind
			lines[i] = line
		}
		if i < d.size.Height && (d.lines == nil || d.lines[i] != line) {
			d.want.Line(i, line)
		}
	}
	d.lines = lines
	d.s.run.machine.day.meet("terminal: a frame is compared")
	wrong := d.grid.Differs(d.want)
	hidden := slices.Contains(d.grid.Modes(), "25")
	switch {
	case d.grid.Fault != "":
		wrong = d.grid.Fault
	case wrong == "" && (y < 0) != hidden, wrong == "" && y >= 0 && (x != d.grid.X || y != d.grid.Y):
		wrong = fmt.Sprintf("its cursor is at %d,%d, hidden: %t, instead of %d,%d", d.grid.X, d.grid.Y, hidden, x, y)
	}
	if wrong != "" {
		d.s.wrong("the terminal does not show the frame: " + wrong)
	}
}

// lends gives the terminal to another program, which fills the screen, and back.
func (d *display) lends(how string) {
	if d.lent {
		return
	}
	d.s.run.machine.day.meet("terminal: " + how)
	d.others(gives)
	d.lent = true
	d.restored(how)
	d.grid.Overwrite()
}

// takesBack has the terminal again.
func (d *display) takesBack() {
	if !d.lent {
		return
	}
	d.paints()
	d.lent = false
	d.others(takes)
	d.painter.Redraw()
	d.s.stale, d.s.frame = true, ""
}

// restored checks that the terminal is as it was.
func (d *display) restored(how string) {
	if modes := d.grid.Modes(); len(modes) > 0 {
		d.s.wrong(fmt.Sprintf("%s, and the terminal has the modes %q", how, modes))
	}
}

// suspends stops the dashboard for a time, with ctrl+z.
func (s *screen) suspends() {
	s.display.lends("it is stopped with ctrl+z")
	time.Sleep(time.Duration(s.display.draws.IntN(3000)) * time.Millisecond)
	s.display.takesBack()
	s.handle(tea.WindowSizeMsg{Width: s.width, Height: s.height})
	s.handle(tea.ResumeMsg{})
}

// close ends the painting: with the dashboard, or with the line to the terminal, maybe in the middle of a frame.
func (d *display) close() {
	how := "it ends"
	if d.draws.IntN(4) == 0 {
		how = "its terminal hangs up"
		d.paints()
		d.out.Lose()
		d.painter.Show("lost", d.size.Width, d.size.Height)
		_, _ = d.out.WriteString(gives[0])
		if d.written() != "" {
			d.s.wrong("it writes to a terminal that is lost")
		}
		d.out.Abandon(&term.State{})
		d.grid.Other(d.written())
	} else if !d.lent {
		d.others(gives)
	}
	d.s.run.machine.day.meet("terminal: " + how)
	d.restored(how)
	d.painter.Close()
	_ = d.file.Close()
}
