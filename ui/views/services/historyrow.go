package services

import (
	"fmt"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// keptWidth is the column of the time, to the second.
const keptWidth = 20

// pastRows are the old definitions as rows.
type pastRows struct{ h *history }

func (p *pastRows) Len() int           { return len(p.h.past) }
func (p *pastRows) Key(i int) string   { return p.h.past[i].ID }
func (p *pastRows) Depth(int) int      { return 0 }
func (p *pastRows) Version(int) uint64 { return uint64(p.h.m.env.Times.Mode) }

func (p *pastRows) Matches(i int, has func(string) bool) bool {
	b := &p.h.past[i]
	return has(b.Who) || has(b.Why) || has(p.h.nameOf(*b))
}

func (p *pastRows) Draw(i int, look rows.Look) string {
	b, k := &p.h.past[i], &p.h.m.inks
	ink := k.Plain
	if look.Selected {
		ink = k.Selected
	}
	mark := ""
	if b.ID == p.h.mark {
		mark = k.Accent.On("  " + k.Glyphs.Marked + " to compare")
	}
	size := fmt.Sprintf("%10d", b.Bytes)
	return ink.On(k.Fit(p.h.nameOf(*b), keptWidth)) + " " + k.Fit(plain.Line(b.Who), 14) + " " + size + "  " +
		k.Muted.On(strings.TrimSpace(plain.Line(b.Why))) + mark
}
