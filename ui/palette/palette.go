// Package palette is the line for commands by name, with completions above it.
//
// Start at [New]. What a line completes to, and what it runs, is in completion.go.
package palette

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

const (
	maxRows  = 8 // completions that are shown at most
	gapCells = 8 // cells around and between a completion and its description
	// maxLine is how many characters a line takes. Each key compares the line with all
	// commands, which a paste by mistake could make last for seconds.
	maxLine = 4096
)

// Palette is the line for commands by name, with completions above it.
type Palette struct {
	widget.Base
	env         *views.Env
	inks        rows.Inks
	entries     []Entry
	history     []string // what was run before, oldest first
	input       textinput.Model
	table       []views.Command // the keys of the line
	completions []completion
	list        complete.List  // of the completions; the marked one is run by enter
	files       *complete.Line // where a path is typed
	inserted    *Entry         // its name was inserted by tab
	problem     string
	width       int
}

// Run requests that a line of the palette be run.
type Run struct {
	Line     string
	Entry    Entry
	Argument string
}

// SetSize takes the width of the line.
func (p *Palette) SetSize(width, _ int) {
	p.width = width
	p.input.Width = max(width-4, 1)
}

// Update edits the line, chooses among the completions, or runs the line.
func (p *Palette) Update(msg tea.Msg) tea.Cmd {
	if found, ok := msg.(complete.Listed); ok {
		p.listed(found)
		return nil
	}
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	if row, ok := views.Typed(p.table, key); ok {
		return row.Do("")
	}
	return p.edit(widget.Pasted(key))
}

// commands are the keys of the line; every other key is text.
func (p *Palette) commands() []views.Command {
	const group = "Command line"
	keys := complete.Keys("line", group, nil, nil, p.take, p.choose)
	keys[1].Help += " On an empty line, recent commands come first."
	return append(keys, []views.Command{
		{ID: "line.run", Key: "enter", Group: group, Run: p.run,
			Help: "Runs the marked command, or the line as it is typed; an empty line closes."},
		{ID: "line.close", Key: "esc", Group: group, Run: p.Shut,
			Help: "Closes the line and runs nothing."},
		{ID: "line.back", Key: "backspace", Group: group, Shown: func() bool { return p.input.Value() == "" },
			Run: p.Shut, Help: "On an empty line: closes it as well."},
	}...)
}

func (p *Palette) edit(key tea.KeyMsg) tea.Cmd {
	before := p.input.Value()
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(key)
	if p.input.Value() != before {
		p.problem = ""
		p.complete()
	}
	return cmd
}

// choose moves among the completions; from the line either arrow leads to the first.
func (p *Palette) choose(by int) tea.Cmd {
	p.problem = ""
	if p.list.Marked() < 0 {
		by = 1
	}
	if _, start, ok := p.path(); ok && p.list.Len() == 0 {
		return p.files.Move(start, by)
	}
	p.list.Choose(by)
	return nil
}

// take completes the line as far as the completions allow; a whole name is ready for an
// argument. Of a path the folder is read first.
func (p *Palette) take() tea.Cmd {
	p.problem = ""
	if e, start, ok := p.path(); ok && !p.arrowed() && !p.list.Turning() {
		text, step, cmd := p.files.Tab(start)
		if step == complete.Taken {
			p.write(e.Name + " " + text)
			p.complete()
		}
		return cmd
	}
	p.taken(p.list.Tab())
	return nil
}

// listed goes on once the folder of a path was read. What there is to go to is shown first.
func (p *Palette) listed(found complete.Listed) {
	shown := p.files.Len() > 0
	if _, start, ok := p.path(); !ok || !p.files.Read(found, start) {
		return
	}
	p.complete()
	if !found.ByTab() {
		p.list.Choose(1)
	} else if c, step := p.list.Tab(); step != complete.Next || shown {
		p.taken(c, step)
	} else {
		p.complete()
	}
}

// taken puts what tab has led to into the line.
func (p *Palette) taken(c views.Choice, step complete.Step) {
	switch at := p.list.Marked(); step {
	case complete.Nothing:
	case complete.Part:
		p.write(c.Text)
		p.complete()
	case complete.Next:
		p.write(c.Text)
		p.inserted = p.completions[at].entry
	default:
		taken := p.completions[slices.IndexFunc(p.completions, func(o completion) bool { return o.line == c.Text })]
		if e := taken.entry; e != nil && e.Argument != "" && taken.argument == "" { // which can follow
			c.Text += " "
		}
		p.write(c.Text)
		p.inserted = taken.entry
		p.complete()
	}
}

// path returns what is typed of a path, and the command that takes it.
func (p *Palette) path() (e Entry, start string, ok bool) {
	text := strings.TrimLeft(p.input.Value(), " ")
	e, start, ok = p.resolve(text)
	return e, start, ok && e.Files && strings.HasPrefix(text, e.Name+" ")
}

func (p *Palette) write(line string) {
	p.input.SetValue(line)
	p.input.CursorEnd()
}

// run runs the command of the line. A line that is not clear stays, and an empty one
// closes.
func (p *Palette) run() tea.Cmd {
	if strings.TrimSpace(p.input.Value()) == "" && !p.arrowed() {
		return p.Shut()
	}
	if c, ok := p.list.Chosen(); ok && strings.HasSuffix(c.Text, "/") {
		if _, _, path := p.path(); path {
			p.take() // into the folder
			return p.choose(1)
		}
	}
	r, problem := p.resolveEnter()
	if problem != "" {
		p.write(r.Line)
		p.complete()
		p.problem = problem
		return nil
	}
	return p.ShutThen(views.Send(r))
}

// View draws nothing: the palette lies over the bottom of the view, see Hooks.
func (p *Palette) View() string { return "" }

// over lays the completions over the last lines of the view.
func (p *Palette) over(lines []string, width int) []string {
	rows := p.rows(min(maxRows, len(lines)-1), width)
	if text := strings.TrimSpace(p.input.Value()); text != "" && p.problem == "" {
		if e, _, ok := p.resolve(text); !ok || e.Unavailable {
			if why := p.why(text); why != "" {
				rows = append(rows, "   "+p.env.Theme.Muted.Render(why))
			}
		}
	}
	if len(rows) == 0 {
		return lines
	}
	rule := p.env.Theme.RuleOf(width)
	rows = append([]string{rule}, rows...)
	return append(lines[:max(len(lines)-len(rows), 0)], rows...)
}

// rows draws the completions around the chosen one, the best first.
func (p *Palette) rows(limit, width int) []string {
	first := rows.Window(p.list.Marked(), len(p.completions), limit)
	last := min(first+limit, len(p.completions))
	names := p.list.Names(first, last)
	var lines []string
	for i := first; i < last; i++ {
		lines = append(lines, " "+p.list.Row(&p.inks, i, names, width-2))
	}
	return lines
}

// line draws what is typed, and what is wrong with it.
func (p *Palette) line(width int) string {
	t := p.env.Theme
	line := t.Accent.Render(":") + p.input.View()
	if p.problem != "" {
		line = t.Accent.Render(":") + t.Plain.Render(p.input.Value()) + t.Caret.Render(" ") + " " + t.Fail.Render(t.Glyphs.Fail+" "+p.problem)
	}
	return views.Fit(line, width, t.Glyphs.Ellipsis)
}

// Hints is empty: the line is drawn in their place.
func (p *Palette) Hints() []views.Hint { return nil }

// New returns the line for commands; history is what was run before, oldest first.
func New(env *views.Env, entries []Entry, history []string, width int) *Palette {
	p := &Palette{
		Base: widget.NewBase("palette"), env: env, inks: rows.NewInks(env.Theme), entries: entries, history: history,
		input: widget.NewInput(env.Theme), files: complete.Files(env.Folder), width: width,
	}
	p.Answers = views.Hooks{Over: p.over, Line: p.line}
	p.table = p.commands()
	p.input.CharLimit = maxLine
	p.complete()
	return p
}

// Commands are the keys of the line, for help.
func Commands() []views.Command { return (&Palette{}).commands() }
