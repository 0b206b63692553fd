package ui

import (
	"fmt"
	"slices"
	"strings"
)

// meant decides what enter runs, or says why nothing. Commands change a site, so
// none is guessed. Enter runs
//
//   - the completion that the user went to by the arrows;
//   - a line that names a command, or that tab has made of a completion;
//   - whole words with which the name of one command of this screen begins.
//
// What merely resembles a name is offered, and so is what could be two things, a
// command that the screen has but cannot run now included: the same word may name
// something else in another view. The line is returned in any case.
func (p *palette) meant() (r ran, problem string) {
	line := strings.TrimSpace(p.input.Value())
	if p.picked {
		c := p.found[p.at]
		if c.entry != nil {
			return ran{c.line, *c.entry, c.rest}, ""
		}
		line = c.line
	}
	e, rest, ok := p.resolve(line)
	if longer := p.longer(line); !ok || rest != "" && len(longer) > 0 {
		return p.begun(line, longer, ok)
	}
	if e.barred {
		return ran{line: line}, notNow
	}
	return ran{line, e, rest}, ""
}

const notNow = "not possible here right now; the help (?) says what is"

// begun decides about a line that is no more than the beginning of names, or which
// is a command with an argument and the beginning of another name as well.
func (p *palette) begun(line string, longer []entry, named bool) (r ran, problem string) {
	r.line = line
	possible := slices.DeleteFunc(slices.Clone(longer), func(e entry) bool { return e.barred })
	switch {
	case len(longer) > 0 && len(possible) == 0:
		return r, notNow
	case len(longer) > 1 || named:
		return r, "could be several commands; the arrows or tab choose one"
	case len(longer) == 1 && strings.HasPrefix(longer[0].Name, line+" "):
		return ran{line: longer[0].Name, entry: longer[0]}, ""
	case len(p.found) > 0:
		return r, "no such command; tab takes the marked one"
	}
	return r, fmt.Sprintf("there is no command %q; the help (?) lists them all", line)
}

// longer returns the commands of this screen whose name begins with a line and goes
// on.
func (p *palette) longer(line string) []entry {
	var list []entry
	for _, e := range p.entries {
		same := func(known entry) bool { return known.Name == e.Name }
		if !e.elsewhere && e.Name != line && strings.HasPrefix(e.Name, line) && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// resolve finds the command that a line names, and what follows the name. One that
// tab has put there comes before another of the same name.
func (p *palette) resolve(line string) (found entry, argument string, ok bool) {
	if p.taken != nil {
		found, argument, ok = resolve([]entry{*p.taken}, line)
	}
	e, rest, named := resolve(p.entries, line)
	if named && len(e.Name) > len(found.Name) {
		return e, rest, true
	}
	return found, argument, ok
}

// sure tells whether enter runs the marked completion.
func (p *palette) sure() bool {
	r, problem := p.meant()
	return problem == "" && p.at >= 0 && p.at < len(p.found) && p.found[p.at].line == r.line
}
