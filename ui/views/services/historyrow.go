package services

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// keptWidth is the column of the time, to the second.
const keptWidth = 20

// whatWidth is the column of what was kept.
const whatWidth = 10

// pastPart is a definition or a placement policy that was there before.
type pastPart struct {
	journal.Backup
	target operation.Target
}

// key names it among all that is kept of a service.
func (p pastPart) key() string { return p.target.Part.String() + " " + p.ID }

// what is the part in one word.
func (p pastPart) what() string {
	if p.target.Part == operation.Placement {
		return "placement"
	}
	return p.target.Part.String()
}

// pastOf lists what is kept of a service, the newest first.
func pastOf(site operation.Site, service adminapi.ServiceRef) (past []pastPart, err error) {
	for _, part := range []operation.Part{operation.Definition, operation.Placement} {
		target := operation.Target{Service: service, Part: part}
		kept, unread := site.History(target)
		err = errors.Join(err, unread)
		for _, b := range kept {
			past = append(past, pastPart{b, target})
		}
	}
	slices.SortStableFunc(past, func(a, b pastPart) int { return b.Saved.Compare(a.Saved) })
	return past, err
}

// pastRows are the old versions as rows.
type pastRows struct{ h *history }

func (p *pastRows) Len() int           { return len(p.h.past) }
func (p *pastRows) Key(i int) string   { return p.h.past[i].key() }
func (p *pastRows) Depth(int) int      { return 0 }
func (p *pastRows) Version(int) uint64 { return uint64(p.h.m.env.Times.Mode) }

func (p *pastRows) Matches(i int, has func(string) bool) bool {
	b := &p.h.past[i]
	return has(b.what()) || has(b.Who) || has(b.Why) || has(p.h.nameOf(*b))
}

func (p *pastRows) Draw(i int, look rows.Look) string {
	b, k := &p.h.past[i], &p.h.m.inks
	ink := k.Plain
	if look.Selected {
		ink = k.Selected
	}
	mark := ""
	if b.key() == p.h.mark {
		mark = k.Accent.On("  " + k.Glyphs.Marked + " to compare")
	}
	size := fmt.Sprintf("%10d", b.Bytes)
	return ink.On(k.Fit(p.h.nameOf(*b), keptWidth)) + " " + k.Fit(b.what(), whatWidth) + " " + k.Fit(plain.Line(b.Who), 14) + " " + size + "  " +
		k.Muted.On(strings.TrimSpace(plain.Line(b.Why))) + mark
}
