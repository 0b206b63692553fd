package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"geodeck/adminapi/journal"
)

// author is a program in the model, and what it must find again.
type author struct {
	*journal.Journal
	who   string
	ended bool
	text  string // its draft; empty for none
	turn  int
	began int // the step in which its draft began
}

// authors are programs that edit the same, in any order.
type authors struct {
	t      *testing.T
	folder string
	clock  *tickingClock
	all    []*author
	step   int
	steps  []string // what happened, for a failure
}

func (m *authors) open() *author {
	m.t.Helper()
	a := &author{who: fmt.Sprintf("u%d", len(m.all))}
	j, err := journal.Open(m.folder, site, journal.WithClock(m.clock), journal.WithProgram(journal.Program{User: a.who, PID: 1}), journal.WithoutSync())
	if err != nil {
		m.t.Fatal(err)
	}
	a.Journal = j
	m.t.Cleanup(func() { _ = j.Close() })
	m.all = append(m.all, a)
	return a
}

// holder is who has the edit instead of a program, nil where that one has it or none.
func (m *authors) holder(beside *author) *author {
	var top *author
	for _, a := range m.all {
		if !a.ended && a.text != "" && (top == nil || a.turn > top.turn || a.turn == top.turn && a.began < top.began) {
			top = a
		}
	}
	if top == beside {
		return nil
	}
	return top
}

func (m *authors) next(except *author) (turn int) {
	for _, a := range m.all {
		if a != except && a.text != "" {
			turn = max(turn, a.turn)
		}
	}
	return turn + 1
}

func (m *authors) failf(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nafter %q", fmt.Sprintf(format, args...), m.steps)
}

func (m *authors) saves(a *author) {
	text := fmt.Sprintf("text %d", m.step)
	m.steps = append(m.steps, a.who+" saves "+text)
	if a.text == "" {
		a.began, a.turn = m.step, 0
		if m.holder(a) == nil {
			a.turn = m.next(a)
		}
	}
	a.text = text
	want := m.holder(a)
	if want == nil {
		a.turn = max(a.turn, m.next(a))
	}
	got, err := a.SaveDraft("definition", "Roads", text)
	if err != nil || (got == nil) != (want == nil) || got != nil && got.Program.User != want.who {
		m.failf("%s is told of %+v, want %+v; %v", a.who, got, want, err)
	}
}

// takes has a program take over a draft.
func (m *authors) takes(a *author, from journal.Draft, owner *author) {
	m.steps = append(m.steps, a.who+" takes from "+owner.who)
	rival := m.holder(a)
	taken, err := a.TakeDraft(from)
	if rival != nil && rival != owner {
		if held, ok := errors.AsType[*journal.DraftHeldError](err); !ok || held.Draft.Program.User != rival.who {
			m.failf("%s takes %s's while %s has it: %v", a.who, owner.who, rival.who, err)
		}
		return
	}
	a.turn = max(a.turn, m.next(a))
	if a.text == "" {
		a.text, a.began = owner.text, m.step
		if owner.ended {
			owner.text = ""
		}
	}
	if err != nil || textOf(m.t, taken) != a.text {
		m.failf("%s takes %s's and has %+v, want %q; %v", a.who, owner.who, taken, a.text, err)
	}
}

func (m *authors) discards(a *author, d journal.Draft, owner *author) {
	m.steps = append(m.steps, a.who+" discards that of "+owner.who)
	err := a.DiscardDraft(d)
	if _, held := errors.AsType[*journal.DraftHeldError](err); held == owner.ended || owner.ended && err != nil {
		m.failf("%v", err)
	}
	if owner.ended {
		owner.text = ""
	}
}

// wantAll fails unless every text is there that was neither discarded nor sent.
func (m *authors) wantAll() {
	m.t.Helper()
	all, err := m.all[0].Drafts("definition", "Roads")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, a := range m.all {
		at := slices.IndexFunc(all, func(d journal.Draft) bool { return d.Program.User == a.who })
		switch {
		case (at >= 0) != (a.text != ""):
			m.failf("%s has %q, a draft is there: %v", a.who, a.text, at >= 0)
		case at >= 0 && textOf(m.t, all[at]) != a.text:
			m.failf("%s has %q, the draft is %q", a.who, a.text, textOf(m.t, all[at]))
		case at >= 0 && (all[at].Liveness == journal.Ended) != a.ended:
			m.failf("%s has ended: %v, its life is %v", a.who, a.ended, all[at].Liveness)
		}
	}
}

// TestNoTextIsLostInAnyOrderOfSteps plays programs that edit the same
// at once against what each of them must find again.
func TestNoTextIsLostInAnyOrderOfSteps(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			m := &authors{t: t, folder: place(t), clock: newClock()}
			m.open() // an observer
			var running []*author
			for m.step = range 40 {
				for len(running) < 2+int(seed%2) {
					running = append(running, m.open())
				}
				at := random.IntN(len(running))
				a := running[at]
				m.plays(random, a)
				m.wantAll()
				if a.ended {
					running = slices.Delete(running, at, at+1)
				}
			}
		})
	}
}

// plays has a program do one thing.
func (m *authors) plays(random *rand.Rand, a *author) {
	others, err := a.Drafts("definition", "Roads")
	if err != nil {
		m.t.Fatal(err)
	}
	others = slices.DeleteFunc(others, func(d journal.Draft) bool { return d.Mine })
	does := random.IntN(10)
	switch {
	case does < 4:
		m.saves(a)
	case does < 8 && len(others) > 0:
		d := others[random.IntN(len(others))]
		owner := m.all[slices.IndexFunc(m.all, func(o *author) bool { return o.who == d.Program.User })]
		if does < 7 {
			m.takes(a, d, owner)
		} else {
			m.discards(a, d, owner)
		}
	case does == 8:
		m.steps = append(m.steps, a.who+" sends or discards its own")
		a.text = ""
		if err := a.DeleteDraft("definition", "Roads"); err != nil {
			m.t.Fatal(err)
		}
	case random.IntN(2) == 0:
		m.steps = append(m.steps, a.who+" quits")
		a.ended = true
		_ = a.Close()
	default:
		m.steps = append(m.steps, a.who+" crashes")
		a.ended = true
		crash(m.t, a.Journal)
	}
}
