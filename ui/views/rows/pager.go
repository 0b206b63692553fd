package rows

import (
	"fmt"
	"strings"

	"geodeck/ui/views"
)

// Pager scrolls lines that are only read.
type Pager struct {
	lines         []string
	top           int
	width, height int
	ellipsis      string
}

// NewPager returns an empty pager; ellipsis ends lines that do not fit.
func NewPager(ellipsis string) *Pager { return &Pager{ellipsis: ellipsis} }

// Set shows other lines, which may hold styles. The place is kept where it
// still exists.
func (p *Pager) Set(lines []string) {
	p.lines = lines
	p.clamp()
}

// SetSize gives the pager its cells.
func (p *Pager) SetSize(width, height int) {
	p.width, p.height = width, height
	p.clamp()
}

// Home goes back to the first line.
func (p *Pager) Home() { p.top = 0 }

// Moves are the rows that scroll.
func (p *Pager) Moves() []views.Command { return bound(Moves(), p.Do) }

// Do runs a command of Moves and tells whether it was one.
func (p *Pager) Do(id string) bool {
	if id == Bottom {
		p.top = len(p.lines)
		p.clamp()
		return true
	}
	at, ok := moved(id, p.top, len(p.lines), p.height)
	if ok {
		p.top = at
		p.clamp()
	}
	return ok
}

// Position says which lines are shown where not all are: "1-20 of 44".
func (p *Pager) Position() string {
	if len(p.lines) <= p.height {
		return ""
	}
	return fmt.Sprintf("%d-%d of %d", p.top+1, min(p.top+p.height, len(p.lines)), len(p.lines))
}

// View draws exactly the size that SetSize gave.
func (p *Pager) View() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	var b strings.Builder
	for i := range p.height {
		if i > 0 {
			b.WriteByte('\n')
		}
		if at := p.top + i; at < len(p.lines) {
			b.WriteString(views.Fit(p.lines[at], p.width, p.ellipsis))
		} else {
			writeBlank(&b, p.width)
		}
	}
	return b.String()
}

func (p *Pager) clamp() { p.top = max(0, min(p.top, len(p.lines)-max(1, p.height))) }
