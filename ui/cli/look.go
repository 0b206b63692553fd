package cli

import (
	"os"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"geodeck/adminapi/health"
	"geodeck/theme"
	"geodeck/theme/background"
)

// look is how text for people is drawn: with colours and glyphs within the
// width of a terminal, or as plain words of any length into a pipe.
type look struct {
	theme   *theme.Theme
	colours bool
	glyphs  bool
	width   int // cells of the terminal, 0 for any
}

// appearance settles the look of the output once.
func (p *program) appearance() *look {
	if p.look != nil {
		return p.look
	}
	p.look = &look{theme: p.theme()}
	p.look.colours = p.look.theme.Options().Renderer.ColorProfile() != termenv.Ascii
	if fd, ok := terminal(p.Out); ok {
		p.look.glyphs = !p.flags.plain
		if width, _, err := term.GetSize(fd); err == nil {
			p.look.width = width
		}
	}
	return p.look
}

// theme makes the theme for whatever stands at the end of the output.
func (p *program) theme() *theme.Theme {
	light := p.flags.theme == "light" || p.flags.theme == "auto" && !background.Dark(p.Env("COLORFGBG"))
	renderer := lipgloss.NewRenderer(below(p.Out))
	renderer.SetHasDarkBackground(!light)
	if _, ok := terminal(p.Out); !ok || p.colourless() {
		renderer.SetColorProfile(termenv.Ascii)
	}
	ascii := p.flags.ascii || p.flags.plain || theme.WantsASCII(p.Env)
	return theme.New(theme.Options{Renderer: renderer, Light: light, ASCII: ascii})
}

func (p *program) colourless() bool {
	return p.flags.plain || p.flags.noColor || p.Env(envNoColor) != ""
}

// terminal returns the descriptor of a stream that is a terminal.
func terminal(end any) (fd int, ok bool) {
	if s, ok := end.(*stream); ok {
		end = s.out
	}
	file, isFile := end.(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// moment writes a date and time, a dash for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// verdict is a cell with a verdict: glyph and word, or the word alone.
func (l *look) verdict(v health.Verdict) cell {
	glyph, style := l.theme.Glyphs.Unknown, l.theme.Unknown
	switch v {
	case health.Passed:
		glyph, style = l.theme.Glyphs.Pass, l.theme.OK
	case health.Failed:
		glyph, style = l.theme.Glyphs.Fail, l.theme.Fail
	case health.Warning:
		glyph, style = l.theme.Glyphs.Warn, l.theme.Warn
	case health.Running:
		glyph, style = l.theme.Glyphs.Running, l.theme.Running
	case health.Skipped:
		glyph, style = l.theme.Glyphs.Skipped, l.theme.Muted
	}
	return cell{text: l.marked(glyph, v.String()), style: style}
}

func (l *look) marked(glyph, word string) string {
	if !l.glyphs {
		return word
	}
	return glyph + " " + word
}
