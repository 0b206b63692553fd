package picture

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest/terminal"
)

// Cast is a recording in the format asciicast v2. It is made of stills: which bytes a program writes for one depends
// on how fast the machine is, the stills do not. Each event paints what differs from the one before.
type Cast struct {
	text strings.Builder
	now  time.Duration
	last terminal.Still
}

// NewCast begins a recording of a size in cells.
func NewCast(width, height int, p Palette, title string) *Cast {
	c := &Cast{}
	c.line(map[string]any{
		"version": 2, "width": width, "height": height, "title": title, "env": map[string]string{"TERM": "xterm-256color"},
		"theme": map[string]string{"fg": p.Text, "bg": p.Background, "palette": strings.Join(p.Sixteen[:], ":")},
	})
	return c
}

func (c *Cast) line(value any) {
	encoder := json.NewEncoder(&c.text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // text and numbers always can be
}

// String returns the recording as it is so far.
func (c *Cast) String() string { return c.text.String() }

// Length is how long the recording is so far.
func (c *Cast) Length() time.Duration { return c.now }

// Mark names the moment, for players that show chapters.
func (c *Cast) Mark(name string) { c.event("m", name) }

func (c *Cast) event(kind, data string) {
	at := json.Number(fmt.Sprintf("%.3f", c.now.Seconds()))
	c.line([]any{at, kind, data})
}

// write records output after a pause.
func (c *Cast) write(after time.Duration, output string) {
	c.now += after
	c.event("o", output)
}

// Command records how a command is typed at a shell, and the empty screen of the program that it starts.
func (c *Cast) Command(command string, each, enter time.Duration) {
	c.write(0, "$ ")
	for _, r := range command {
		c.write(each, string(r))
	}
	c.write(enter, "\r\n"+ansi.SetModeAltScreenSaveCursor+ansi.EraseEntireScreen)
	c.last = terminal.Still{}
}

// Leave records the end of the program: the shell has its screen again.
func (c *Cast) Leave(after time.Duration) {
	c.write(after, ansi.ResetModeAltScreenSaveCursor+ansi.ShowCursor)
}

// Show records what the program shows after a pause. What looks as before takes only the time.
func (c *Cast) Show(after time.Duration, s terminal.Still) {
	if changes := changes(c.last, s); changes != "" {
		c.write(after, changes)
	} else {
		c.now += after
	}
	c.last = s
}

// changes returns what makes one still of another: of each line the cells from the first to the last that
// differ. A still without cells is an empty screen.
func changes(from, to terminal.Still) string {
	var b strings.Builder
	for y := range to.Height {
		line := to.Line(y)
		first, end := 0, len(line)
		if from.Cells != nil {
			before := from.Line(y)
			for first < end && line[first] == before[first] {
				first++
			}
			for end > first && line[end-1] == before[end-1] {
				end--
			}
		}
		if first == end {
			continue
		}
		for first > 0 && line[first].Width == 0 { // half of a wide character
			first--
		}
		b.WriteString(ansi.CursorPosition(first+1, y+1))
		for x := first; x < end; x++ {
			cell := line[x]
			if cell.Width == 0 {
				continue
			}
			if x == first || !cell.Style.Equal(&line[x-1].Style) {
				b.WriteString(ansi.ResetStyle + cell.Style.String())
			}
			b.WriteString(cell.String())
		}
	}
	if b.Len() == 0 && from.Hidden == to.Hidden && (to.Hidden || from.Cursor == to.Cursor) {
		return ""
	}
	b.WriteString(ansi.ResetStyle)
	if to.Hidden {
		return b.String() + ansi.HideCursor
	}
	return b.String() + ansi.CursorPosition(to.Cursor.X+1, to.Cursor.Y+1) + ansi.ShowCursor
}
