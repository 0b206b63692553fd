package palette

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// Entry is a command as the palette runs it.
type Entry struct {
	views.Command
	Elsewhere   string // the title of its view, where that is not shown
	Unavailable bool   // of the view that is shown, but not possible at present
	at          int    // its place among what matches
}

// completion is a line that the palette suggests.
type completion struct {
	line        string // the whole line
	label       string // how it is shown
	before      string // its description: a key, or a view that is not shown
	description string
	entry       *Entry // what it runs; nil for a line that was run before
	argument    string // with this argument
}

// complete finds the completions of what is typed, and marks the one that enter runs: none
// on an empty line, and none where the line itself is a command with its argument.
func (p *Palette) complete() {
	marked := 0
	text := strings.TrimLeft(p.input.Value(), " ")
	switch e, rest, ok := p.resolve(text); {
	case text == "":
		moves := func(e Entry) bool { return rows.Moving(e.ID) }
		own := slices.DeleteFunc(slices.Clone(p.entries), moves)
		moving := slices.DeleteFunc(slices.Clone(p.entries), func(e Entry) bool { return !moves(e) })
		p.completions = append(p.recent(), p.names(append(own, moving...))...)
		marked = -1
	case ok && strings.HasPrefix(text, e.Name+" "):
		found := p.choices(e, rest)
		whole := slices.ContainsFunc(found, func(c completion) bool { return c.argument == rest })
		p.completions = append(found, p.names(p.withPrefix(text))...)
		if rest == "" || len(found) == 0 || whole || e.Files {
			marked = -1
		}
	default:
		list := p.matching(text)
		p.completions = p.names(list)
		longer := p.withPrefix(text)
		impossible := len(longer) > 0 && !slices.ContainsFunc(longer, func(e Entry) bool { return !e.Unavailable })
		if impossible || p.why(text) != "" || list[0].guessed() || ok && (e.Unavailable || p.inserted != nil) {
			marked = -1
		}
	}
	list := make([]views.Choice, len(p.completions))
	names := 0
	for _, c := range p.completions {
		names = max(names, min(ansi.StringWidth(c.label), complete.MaxNames))
	}
	for i, c := range p.completions {
		note := views.Clause(c.description, p.width-names-ansi.StringWidth(c.before)-gapCells)
		list[i] = views.Choice{Text: c.line, Shown: c.label, Note: c.before + note}
	}
	p.list.Offer(text, list)
	p.list.Mark(min(marked, len(list)-1))
}

// why says why the best match of a line cannot be run, or that nothing matches; empty where it can.
func (p *Palette) why(line string) string {
	list := p.matching(line)
	switch {
	case len(list) == 0:
		return unknown(line, views.Keys("{key:filter.empty} lists all."))
	case !list[0].Unavailable:
		return ""
	case list[0].Refusal() != "":
		return list[0].Refusal()
	}
	return fmt.Sprintf(views.Keys("%q is not available here; {key:filter.empty} lists what is"), list[0].Name)
}

// unknown says that a line is no command, and what to do.
func unknown(line, next string) string { return fmt.Sprintf("There is no command %q. ", line) + next }

// arrowed reports whether the arrows have chosen a completion.
func (p *Palette) arrowed() bool { _, ok := p.list.Chosen(); return ok }

// recent returns the lines that were run before, the last one first.
func (p *Palette) recent() []completion {
	var found []completion
	seen := map[string]bool{}
	for _, line := range slices.Backward(p.history) {
		if !seen[line] {
			seen[line] = true
			found = append(found, completion{line: line, label: line, description: "run before"})
		}
	}
	return found
}

// matching returns the entries that match a text, the best first; where two match alike,
// those of this screen come first. Those of other screens are left out where this one has a
// match, and what only their sentences say where a name matches.
func (p *Palette) matching(text string) []Entry {
	list := slices.Clone(p.entries)
	least, here := nowhere, false
	for i := range list {
		e := &list[i]
		e.at = e.place(text) // once: a line may be long
		if !e.Unavailable {
			least = min(least, e.at/tier*tier)
			here = here || e.Elsewhere == "" && e.at < inHelp
		}
	}
	list = slices.DeleteFunc(list, func(e Entry) bool {
		return e.at >= nowhere || e.at >= inHelp && least < inHelp || here && e.Elsewhere != "" && e.at > exactly
	})
	slices.SortStableFunc(list, func(a, b Entry) int { return a.at - b.at })
	return list
}

// The places of an entry among what matches; those of this screen, of another one, and what
// is not possible follow each other in each.
const (
	exactly   = 0        // its name is the text
	tier      = 3        // of places
	beginning = 1 * tier // its name begins with the text
	inName    = 2 * tier // its name has words that begin with those of the text
	inHelp    = 3 * tier // its name and its sentence have
	nowhere   = 4 * tier // neither has
)

// place tells how well an entry matches a text; less is better.
func (e Entry) place(text string) int {
	text = strings.ToLower(strings.TrimSpace(text))
	behind := 0
	switch {
	case e.Elsewhere != "":
		behind = 1
	case e.Unavailable:
		behind = 2
	}
	name := strings.ToLower(e.Name)
	switch {
	case name == text, text == "q" && e.ID == "quit":
		return exactly
	case strings.HasPrefix(name, text):
		return beginning + behind
	case hasWords(name, text):
		return inName + behind
	case len(text) > 2 && hasWords(name+" "+strings.ToLower(e.Help), text):
		return inHelp + behind
	}
	return nowhere
}

// hasWords reports whether each word of a text begins one of those that there are.
func hasWords(there, text string) bool {
	for word := range strings.FieldsSeq(text) {
		if !strings.Contains(" "+there, " "+word) {
			return false
		}
	}
	return true
}

// guessed reports whether the entry matches too loosely to be run by it: only its
// sentence does, or it would leave the screen for a word. The list shows it all the same.
func (e Entry) guessed() bool { return e.at >= inHelp || e.Elsewhere != "" && e.at >= inName }

func (p *Palette) names(entries []Entry) []completion {
	ascii := p.env.Theme.Options().ASCII
	var found []completion
	for _, e := range entries {
		if e.Unavailable {
			continue
		}
		c := completion{line: e.Name, label: e.Name, before: e.Elsewhere, description: e.Help, entry: &e}
		if e.Argument != "" {
			c.label += " <" + e.Argument + ">"
		}
		if c.before != "" {
			c.before += ": "
		} else if len(e.Keys()) > 0 {
			c.before = views.KeyLabel(e.Keys()[0], ascii) + "  "
		}
		found = append(found, c)
	}
	return found
}

// choices completes the argument of a command.
func (p *Palette) choices(e Entry, start string) (found []completion) {
	var list []views.Choice
	what := e.Argument
	switch {
	case e.Files:
		p.files.Typed(start)
		list, what = p.files.Choices(), ""
	case e.Choices != nil:
		list = complete.Matching(e.Choices(), start, true)
	}
	for _, c := range list {
		found = append(found, completion{line: e.Name + " " + c.Text, label: cmp.Or(c.Shown, c.Text), description: cmp.Or(c.Note, what), entry: &e, argument: c.Text})
	}
	return found
}

// resolveEnter returns what enter runs: the marked completion, else what the line names; or
// why it runs nothing. The line is returned in any case.
func (p *Palette) resolveEnter() (r Run, problem string) {
	line := strings.TrimSpace(p.input.Value())
	if at := p.list.Marked(); at >= 0 {
		c := p.completions[at]
		if c.entry != nil {
			return c.entry.called(c.line, c.argument)
		}
		line = c.line
	}
	e, rest, ok := p.resolve(line)
	switch longer := p.withPrefix(line); {
	case ok && !e.Unavailable:
		return e.called(line, rest)
	case ok && e.Refusal() == "", !ok && len(longer) > 0:
		return Run{Line: line}, views.Keys("not available here; {key:filter.empty} lists what is")
	}
	if why := p.why(line); why != "" {
		return Run{Line: line}, why
	}
	if len(p.completions) > 0 {
		return Run{Line: line}, unknown(line, "Tab takes the nearest.")
	}
	return Run{Line: line}, unknown(line, views.Keys("{key:filter.empty} lists all."))
}

// called is what a line runs, or why it does not: without its argument most have
// nothing to work on.
func (e Entry) called(line, argument string) (r Run, problem string) {
	if e.Argument != "" && argument == "" && !e.Optional && len(e.Keys()) == 0 {
		return Run{Line: e.Name + " "}, "add the " + e.Argument
	}
	return Run{line, e, argument}, ""
}

// withPrefix returns the commands of this screen whose name is a line and more.
func (p *Palette) withPrefix(line string) []Entry {
	var list []Entry
	for _, e := range p.entries {
		same := func(known Entry) bool { return known.Name == e.Name }
		if e.Elsewhere == "" && e.Name != line && strings.HasPrefix(e.Name, line) && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// resolve finds the command that a line names, the longest name first, and what follows the
// name. One that tab has put there comes before another of the same name.
func (p *Palette) resolve(line string) (found Entry, argument string, ok bool) {
	consider := func(e *Entry) {
		rest, match := strings.CutPrefix(line, e.Name)
		if match && len(e.Name) > len(found.Name) && (rest == "" || rest[0] == ' ' && e.Argument != "") {
			found, argument, ok = *e, strings.TrimSpace(rest), true
		}
	}
	if p.inserted != nil {
		consider(p.inserted)
	}
	for i := range p.entries {
		consider(&p.entries[i])
	}
	return found, argument, ok
}
