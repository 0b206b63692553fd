package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// entry is a command as the palette runs it.
type entry struct {
	views.Command
	run         func(argument string) tea.Cmd
	elsewhere   string // the title of its view, where that is not shown
	unavailable bool   // of the view that is shown, but not possible at present
	at          int    // its place among what matches
}

// completion is a line that the palette suggests.
type completion struct {
	line        string // the whole line
	label       string // how it is shown
	before      string // its description: a key, or a view that is not shown
	description string
	entry       *entry // what it runs; nil for a line that was run before
	argument    string // with this argument
}

// entries lists the commands with a name: those of the view, the root's own, those of the
// view that are not possible at present, and those of the other views, which are shown
// before they run.
func (m *Model) entries() []entry {
	var list []entry
	v := m.screen.router.active()
	for _, c := range views.Distinct(views.Usable(v.Commands())) {
		list = append(list, entry{Command: c, run: func(argument string) tea.Cmd { return views.Invoke(v, c.ID, argument) }})
	}
	for _, row := range m.everywhere {
		list = append(list, entry{Command: row, run: row.Run})
	}
	for _, c := range m.screen.router.unavailable() {
		list = append(list, entry{Command: c, unavailable: true})
	}
	for _, maker := range m.screen.router.makers {
		if maker.ID == m.screen.router.shown {
			continue
		}
		for _, c := range views.Distinct(m.screen.router.view(maker.ID).Commands()) {
			if rows.Moving(c.ID) || slices.Contains(c.Keys(), "esc") { // within what is not shown
				continue
			}
			there := c
			there.Binding = key.Binding{} // its keys do not work here
			list = append(list, entry{Command: there, elsewhere: maker.Title, run: func(argument string) tea.Cmd {
				if c.Needs != "" && argument == "" { // what the cursor is on was not seen
					return views.Batch(m.navigate(views.Navigate{View: maker.ID}), views.Tell(views.Info, fmt.Sprintf("%q needs %s. Choose it here first.", c.Name, c.Needs)))
				}
				return m.navigate(views.Navigate{View: maker.ID, Command: c.ID, Argument: argument})
			}})
		}
	}
	return slices.DeleteFunc(list, func(e entry) bool { return e.Name == "" })
}

// complete finds the completions of what is typed, and marks the one that enter runs: none
// on an empty line, and none where the line itself is a command with its argument.
func (p *palette) complete() {
	marked := 0
	text := strings.TrimLeft(p.input.Value(), " ")
	switch e, rest, ok := p.resolve(text); {
	case text == "":
		moves, own := split(p.entries, func(e entry) bool { return rows.Moving(e.ID) })
		p.completions = append(p.recent(), p.names(append(own, moves...))...)
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
		impossible := len(longer) > 0 && !slices.ContainsFunc(longer, func(e entry) bool { return !e.unavailable })
		if impossible || p.why(text) != "" || list[0].guessed() || ok && (e.unavailable || p.inserted != nil) {
			marked = -1
		}
	}
	list := make([]views.Choice, len(p.completions))
	names := 0
	for _, c := range p.completions {
		names = max(names, min(ansi.StringWidth(c.label), complete.MaxNames))
	}
	for i, c := range p.completions {
		note := clause(c.description, p.width-names-ansi.StringWidth(c.before)-paletteGaps)
		list[i] = views.Choice{Text: c.line, Shown: c.label, Note: c.before + note}
	}
	p.list.Offer(text, list)
	p.list.Mark(min(marked, len(list)-1))
}

// why says why the best match of a line cannot be run, or that nothing matches; empty where it can.
func (p *palette) why(line string) string {
	list := p.matching(line)
	switch {
	case len(list) == 0:
		return unknown(line, views.Keys("{key:filter.empty} lists all."))
	case !list[0].unavailable:
		return ""
	case list[0].Refusal() != "":
		return list[0].Refusal()
	}
	return fmt.Sprintf(views.Keys("%q is not available here; {key:filter.empty} lists what is"), list[0].Name)
}

// unknown says that a line is no command, and what to do.
func unknown(line, next string) string { return fmt.Sprintf("There is no command %q. ", line) + next }

// arrowed reports whether the arrows have chosen a completion.
func (p *palette) arrowed() bool { _, ok := p.list.Chosen(); return ok }

// recent returns the lines that were run before, the last one first.
func (p *palette) recent() []completion {
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
func (p *palette) matching(text string) []entry {
	list := slices.Clone(p.entries)
	least, here := nowhere, false
	for i := range list {
		e := &list[i]
		e.at = e.place(text) // once: a line may be long
		if !e.unavailable {
			least = min(least, e.at/tier*tier)
			here = here || e.elsewhere == "" && e.at < inHelp
		}
	}
	list = slices.DeleteFunc(list, func(e entry) bool {
		return e.at >= nowhere || e.at >= inHelp && least < inHelp || here && e.elsewhere != "" && e.at > exactly
	})
	slices.SortStableFunc(list, func(a, b entry) int { return a.at - b.at })
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
func (e entry) place(text string) int {
	text = strings.ToLower(strings.TrimSpace(text))
	behind := 0
	switch {
	case e.elsewhere != "":
		behind = 1
	case e.unavailable:
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
func (e entry) guessed() bool { return e.at >= inHelp || e.elsewhere != "" && e.at >= inName }

func (p *palette) names(entries []entry) []completion {
	ascii := p.env.Theme.Options().ASCII
	var found []completion
	for _, e := range entries {
		if e.unavailable {
			continue
		}
		c := completion{line: e.Name, label: e.Name, before: e.elsewhere, description: e.Help, entry: &e}
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
func (p *palette) choices(e entry, start string) (found []completion) {
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
func (p *palette) resolveEnter() (r runLine, problem string) {
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
	case ok && !e.unavailable:
		return e.called(line, rest)
	case ok && e.Refusal() == "", !ok && len(longer) > 0:
		return runLine{line: line}, views.Keys("not available here; {key:filter.empty} lists what is")
	}
	if why := p.why(line); why != "" {
		return runLine{line: line}, why
	}
	if len(p.completions) > 0 {
		return runLine{line: line}, unknown(line, "Tab takes the nearest.")
	}
	return runLine{line: line}, unknown(line, views.Keys("{key:filter.empty} lists all."))
}

// called is what a line runs, or why it does not: without its argument most have
// nothing to work on.
func (e entry) called(line, argument string) (r runLine, problem string) {
	if e.Argument != "" && argument == "" && !e.Optional && len(e.Keys()) == 0 {
		return runLine{line: e.Name + " "}, "add the " + e.Argument
	}
	return runLine{line, e, argument}, ""
}

// withPrefix returns the commands of this screen whose name is a line and more.
func (p *palette) withPrefix(line string) []entry {
	var list []entry
	for _, e := range p.entries {
		same := func(known entry) bool { return known.Name == e.Name }
		if e.elsewhere == "" && e.Name != line && strings.HasPrefix(e.Name, line) && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// resolve finds the command that a line names, the longest name first, and what follows the
// name. One that tab has put there comes before another of the same name.
func (p *palette) resolve(line string) (found entry, argument string, ok bool) {
	consider := func(e *entry) {
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
