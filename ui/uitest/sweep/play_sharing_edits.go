package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

	"geodeck/adminapi/journal"
	"geodeck/ui/uitest/sweep/oracle"
)

// whoEdits is the program that has the edit: of those that run the one that has taken it over last, else the first.
func (s *shared) whoEdits() (who *member) {
	rank := func(p *member) int {
		if p.edit > 0 {
			return 1_000_000 + p.edit
		}
		return 500_000 + p.edit
	}
	for _, p := range s.members {
		if p.edit != 0 && !p.dead.Load() && (who == nil || rank(p) > rank(who)) {
			who = p
		}
	}
	return who
}

// drafts lets a program look for the drafts of others, and take one over or discard it.
func (s *shared) drafts(one, two *member) {
	if s.r.IntN(2) == 0 {
		s.saves(two, two.mark(), oracle.Deed{})
	}
	all, err := one.journal.Drafts(openKind, openKey)
	if err != nil || one.wounded() {
		return
	}
	for _, d := range all {
		alive := slices.ContainsFunc(s.members, func(p *member) bool { return p.journal != nil && !p.dead.Load() && p.pid() == d.Program.PID })
		elsewhere := s.m.day.plan.apart && d.Program.Host != cmp.Or(one.host, "adm1")
		if alive && d.Liveness == journal.Ended {
			s.m.day.fail("%s takes the draft of %s, which runs, for left behind", one.name, d.Program)
		}
		switch {
		case d.Mine || d.Damaged != nil:
		case elsewhere: // nobody here can know whether it runs
			s.m.day.meet("the draft of a program of another machine is seen")
		case alive && s.m.day.plan.noLocks: // a person may know that it has ended
		case alive:
			if err := one.journal.DiscardDraft(d); err == nil {
				s.m.day.fail("%s has discarded the draft of %s, which runs", one.name, d.Program)
			}
			s.m.day.meet("the draft of a program that runs is not discarded")
		default:
			s.m.day.meet("the draft of a killed program is taken over")
			_, err := one.journal.TakeDraft(d)
			var held *journal.DraftHeldError
			switch who := s.whoEdits(); {
			case err == nil:
				if who != nil && who != one && !s.anyWounded() && !s.m.day.plan.noLocks {
					s.m.day.fail("%s has taken over an edit that %s has", one.name, who.name)
				}
				s.adopts(one, d)
			case one.wounded():
				s.adopts(one, d)
			case errors.As(err, &held) && (who != nil && who != one || s.anyWounded()), s.m.day.plan.noLocks, errors.Is(err, journal.ErrNoDraft):
			default:
				s.m.day.fail("%s cannot take over the draft of a program that was killed: %v", one.name, err)
			}
			return
		}
	}
}

// adopts notes that a draft of a program that was killed is now that of another.
func (s *shared) adopts(one *member, d journal.Draft) {
	s.marks++
	var text string
	_ = d.Read(&text)
	for _, k := range s.deeds {
		if k.Kind == "draft" && k.Mark == text {
			if one.edit == 0 {
				k.Program = one.name
			}
			k.Replaced = k.Replaced || one.wounded()
		}
		if k.Kind == "text" && string(d.Text) == k.Mark {
			k.Replaced = true // it is the text of a draft from now on, which the next save replaces
		}
	}
	one.edit = s.marks
}

// claiming lets two programs ask for the right to one change. The first has it for a while, ends it while the second asks,
// or is killed.
func (s *shared) claiming(one, two *member) {
	const target = "service of others"
	if one.claim == nil {
		s.claims = append(s.claims, s.asks(one, target))
	}
	if s.r.IntN(3) == 0 && one.claim != nil { // ends between two steps of the other
		two.locked, two.after, two.moment = true, s.r.IntN(6), func() { s.releases(one) }
		free := two.claim == nil
		s.asks(two, target)
		two.after = -1
		if !free {
			return
		}
		s.m.day.meet("a right ends while another program asks for it")
		for _, p := range s.members { // whoever has it now, nobody else gets it
			if p.claim == nil && !p.dead.Load() {
				s.claims = append(s.claims, s.asks(p, target))
			}
		}
		return
	}
	if s.r.IntN(3) == 0 {
		s.m.day.meet("a program that has a right is killed")
		one.kill()
		s.claims = append(s.claims, s.asks(two, target))
		return
	}
	s.claims = append(s.claims, s.asks(two, target))
	if s.r.IntN(2) == 0 {
		s.releases(one)
	}
}

func (s *shared) releases(p *member) {
	p.claim.Release()
	p.claim = nil
}

// asks asks for a right, and notes who has it.
func (s *shared) asks(p *member, target string) oracle.Claiming {
	c := oracle.Claiming{Program: p.name, Hurt: s.anyWounded() && p.wounded()}
	for _, other := range s.members {
		if other.claim != nil && !other.dead.Load() {
			c.Holders = append(c.Holders, fmt.Sprintf("(process %d)", other.pid()))
		}
	}
	claim, err := p.journal.Claim(target, path.Base(target))
	c.Got, c.Said, c.Hurt = err == nil, errorText(err), p.wounded()
	if err == nil && p.claim == nil {
		p.claim = claim
	}
	s.m.day.meet("several programs ask for one right")
	return c
}

// judged lets the oracle judge all that was kept.
