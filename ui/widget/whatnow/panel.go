// Package whatnow draws an explanation of a fault: the panel What now, and the two lines
// of it that a view shows in place (brief.go). Start at [Open]; [Panel] is what it opens.
package whatnow

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// ID names the panel among the dialogs.
const ID = "whatnow"

// Key is the key that opens the panel, in every view.
const Key = "W"

// Jump returns what shows a place, nil where the view has no way there. See [Elsewhere].
type Jump func(at explain.Place) tea.Cmd

// Fetch explains anew, with what the site shows. It runs outside the update loop.
type Fetch func(ctx context.Context) explain.Explanation

// Panel shows an explanation and moves over its evidence.
type Panel struct {
	widget.Base
	inks          rows.Inks
	explanation   explain.Explanation
	known         explain.Explanation // before the fetch, of one that is followed
	scope         *views.Scope        // of the fetch; nil without one
	fetch         Fetch
	fetching      bool
	env           *views.Env
	read          time.Time // of what is shown; zero where nothing was fetched
	none          string    // told in its place where the fetch finds nothing to explain
	unasked       bool      // no key opened it: only enter does the next step
	jump          Jump
	stops         []tea.Cmd // what enter does where the cursor stops: at the steps, then at the evidence; nil for nothing
	steps         int       // how many of these are steps
	named         []part    // the parts of what scrolls, each from its first line
	at            int
	lines         []string // laid out for the width
	begins        []int    // the first line of each stop
	head          int      // how many lines stay above those that scroll: the fault and why
	top           int      // how many of the others are above the screen
	width, height int
}

// part is where a part of the panel begins.
type part struct {
	line int
	name string
}

// Open returns a command that opens the panel with what is known, and fetches the rest;
// fetch may be nil. Evidence leads where jump says; nil is [Elsewhere].
func Open(env *views.Env, x explain.Explanation, fetch Fetch, jump Jump) tea.Cmd {
	return reading(env, x, fetch, jump).open()
}

// OpenFollowed is [Open], and returns the panel for [Panel.Follow].
func OpenFollowed(env *views.Env, x explain.Explanation, fetch Fetch) (*Panel, tea.Cmd) {
	p := reading(env, x, fetch, nil)
	p.known = x
	return p, p.open()
}

// Follow explains anew what has changed since, where the panel is open: with what is known at
// once where that has another title or next step, and with what fetch reads. The cursor stays on its line.
func (p *Panel) Follow(x explain.Explanation, fetch Fetch) tea.Cmd {
	if p == nil || p.scope == nil || p.scope.Context().Err() != nil || reflect.DeepEqual(x, p.known) {
		return nil
	}
	if p.fetch = fetch; x.Title != p.known.Title || x.Next.Text != p.known.Next.Text {
		p.fetching = true
		p.explain(x)
		p.show()
	}
	p.known = x
	return p.Init()
}

// reading returns the panel, which fetches the rest.
func reading(env *views.Env, x explain.Explanation, fetch Fetch, jump Jump) *Panel {
	p := New(env.Theme, x, jump)
	p.env = env
	if fetch != nil && !env.Offline {
		p.scope, p.fetch, p.fetching = views.NewScope(env.Context), fetch, true
	}
	return p
}

func (p *Panel) open() tea.Cmd { return views.Send(views.Open{Dialog: p, Unrequested: p.unasked}) }

// New returns the panel.
func New(t *theme.Theme, x explain.Explanation, jump Jump) *Panel {
	if jump == nil {
		jump = Elsewhere
	}
	p := &Panel{Base: widget.NewBase(ID), inks: rows.NewInks(t), jump: jump}
	p.Answers = views.Hooks{Keyed: p.commands, Read: func() time.Time { return p.read }}
	p.explain(x)
	return p
}

// explain shows an explanation. The cursor begins at the next step, and the evidence follows.
func (p *Panel) explain(x explain.Explanation) {
	on := explain.Place{}
	if p.at > 0 && p.at >= p.steps {
		on = p.explanation.Evidence[p.at-p.steps].At
	}
	p.explanation, p.stops = x, nil
	if x.Next.Later != "" {
		p.stops = append(p.stops, nil)
	}
	p.stops = append(p.stops, p.to(run(x.Next.Action)))
	p.steps = len(p.stops)
	for i, e := range x.Evidence {
		if p.stops = append(p.stops, p.to(p.jump(e.At))); on != (explain.Place{}) && e.At == on {
			p.at, on = i+p.steps, explain.Place{}
		}
	}
	p.at = min(p.at, len(p.stops)-1)
}

// fetched is the reply of the fetch.
type fetched struct{ explanation explain.Explanation }

// Init fetches.
func (p *Panel) Init() tea.Cmd {
	if p.scope == nil {
		return nil
	}
	fetch := p.fetch
	return p.scope.Do("explain", func(ctx context.Context) tea.Msg { return fetched{fetch(ctx)} })
}

// Replies is what the fetch is addressed to.
func (p *Panel) Replies() *views.Scope { return p.scope }

// to closes the panel and goes on, where there is somewhere to go.
func (p *Panel) to(then tea.Cmd) tea.Cmd {
	if then == nil {
		return nil
	}
	return p.ShutThen(then)
}

// Update moves, follows, closes, or takes what was fetched.
func (p *Panel) Update(msg tea.Msg) tea.Cmd {
	if reply, ok := msg.(fetched); ok {
		if p.fetching = false; reply.explanation.Title == "" && p.none != "" {
			return p.ShutThen(views.Tell(views.Info, p.none))
		}
		p.read = p.env.Clock.Now()
		p.explain(reply.explanation)
		p.show()
		return nil
	}
	key, ok := msg.(tea.KeyMsg)
	if !ok || key.Paste {
		return nil
	}
	if row, ok := views.Pressed(p.commands(), key.String()); ok {
		return row.Do("")
	}
	if next := p.stops[p.steps-1]; next != nil && !p.unasked && key.String() == views.KeyOf(keyRow(p.explanation.Next.Action)) {
		return next
	}
	if save := explain.SaveEvidence.To(); !p.unasked && asksForEvidence(p.explanation) && key.String() == views.KeyOf(keyRow(save)) {
		return p.to(run(save)) // "Then" names that key
	}
	switch {
	case p.unasked, p.fetching: // typed for something else, or to be answered by what is read
		return nil
	case key.Type == tea.KeyEnter:
		return views.Tell(views.Info, "This line leads nowhere.")
	}
	return views.Unused(key, views.Keys(" Press {key:whatnow.close} to close."))
}

// Commands are the keys of the panel, for help.
func Commands() []views.Command { return (&Panel{}).commands() }

func (p *Panel) commands() []views.Command {
	move := func(id, hint, help string, by int, keys string) views.Command {
		return views.Command{ID: id, Key: keys, Word: hint, Help: help, Run: views.Call(func() { p.move(by) })}
	}
	return views.Grouped("What now", []views.Command{
		{ID: follow, Key: "enter", Word: "go there", Help: "Goes to what the line is about, or does the next step.",
			Shown: func() bool { return p.at < len(p.stops) && p.stops[p.at] != nil },
			Run:   func() tea.Cmd { return p.stops[p.at] }},
		{ID: "whatnow.close", Key: "esc q " + Key, Word: "close", Help: "Closes the panel.",
			Run: p.Shut},
		{ID: "whatnow.copy", Key: "Y", Word: "copy", Help: "Copies all of it, with site, time and user.",
			Run: func() tea.Cmd { return views.CopyText(p.text(), "explanation") }},
		{ID: "whatnow.save", Key: "ctrl+s", Word: "save", Help: "Writes the same into a file.", Run: p.save},
		move("whatnow.up", "move", "The line before.", -1, "up k"),
		move("whatnow.down", "move", "The next line.", 1, "down j"),
		move("whatnow.top", "", "The next step.", -len(p.stops)-1, "home g pgup"),
		move("whatnow.end", "", "The last evidence.", len(p.stops)+1, "end G pgdown"),
	})
}

// text is the explanation for somebody who has not seen the site.
func (p *Panel) text() string {
	x, command := p.explanation, ""
	if line, has := operation.CommandOfAction(x.Next.Action); has {
		command = p.env.Commands(line.InText())
	}
	return p.env.Origin() + strings.Join(x.Lines(command), "\n") + "\n"
}

// save asks for a file above the panel, and writes the text into it.
func (p *Panel) save() tea.Cmd {
	env, text := p.env, p.text()
	name := "geodeck-what-now-" + env.Clock.Now().UTC().Format("20060102T150405Z") + ".txt"
	return widget.PromptFile(env, widget.PromptOptions{ID: "whatnow.file", Title: "Write the explanation to", Value: name, Then: func(path string) tea.Cmd {
		return func() tea.Msg {
			path, err := views.ResolvePath(path, env.Folder)
			if err == nil {
				path, err = operation.WriteText(path, text)
			}
			if err != nil {
				return views.Failed("Nothing was written: "+err.Error(), err)
			}
			return views.Wrote("Written to ", path, "")()
		}
	}})
}

// Hints are the keys for the footer.
func (p *Panel) Hints() []views.Hint { return views.Hints(p.commands()) }

// move moves the cursor, or by a line what is longer than the screen.
func (p *Panel) move(by int) {
	first, last := p.section()
	switch on, end := p.head+p.top, p.height+p.top; {
	case by == 1 && end < last, by == -1 && on > first:
		p.top += by
	default:
		if p.at = max(0, min(p.at+by, len(p.stops)-1)); by < -len(p.stops) {
			p.top = 0
		} else if by > len(p.stops) {
			p.top = len(p.lines)
		}
	}
	p.show()
}

// section is the lines from the cursor to what it stops at next, or to an end of the panel.
func (p *Panel) section() (first, last int) {
	first, last = p.head, len(p.lines)
	if p.at > 0 {
		first = max(first, p.begins[p.at])
	}
	if p.at+1 < len(p.begins) {
		last = p.begins[p.at+1]
	}
	return first, last
}

// SetSize lays out the text for the width.
func (p *Panel) SetSize(width, height int) {
	p.width, p.height = width, height
	p.show()
}

// show lays out the lines and scrolls to the cursor. Where all fits, nothing scrolls.
func (p *Panel) show() {
	p.layout()
	first, last := p.section()
	begin, end := first-p.head, last-p.height // with its first line at the top, with its last at the bottom
	p.top = max(min(begin, end), min(p.top, max(begin, end)))
	p.top = max(0, min(p.top, len(p.lines)-p.height))
}

// names is the column of names before values.
const names = 11

func (p *Panel) layout() {
	x, k := &p.explanation, &p.inks
	page := rows.Page{Inks: k, Width: max(1, p.width), Names: names}
	p.begins, p.named = nil, nil
	head := k.Heading.On("What now")
	if p.fetching {
		head += k.Muted.On("  reading the site" + k.Glyphs.Ellipsis)
	} else if !p.read.IsZero() {
		times := *p.env.Times
		if times.Mode == views.RelativeTime { // that would have to go on
			times.Mode = views.LocalTime
		}
		head += k.Muted.On("  as of " + times.Here(p.read))
	}
	page.Line(head)
	page.Text(k.Strong, x.Title)
	page.Gap()
	page.Fact("Why", x.Why())
	page.Gap()
	if p.head = len(page.Lines); p.head > p.height/2 {
		p.head = 0 // a small terminal scrolls all
	}
	from, left, right := 0, &page, &page
	if p.width >= columnsFrom && p.height >= columnsTall {
		from = len(page.Lines)
		left = &rows.Page{Inks: k, Width: (p.width - columnsGap) / 2, Names: names}
		right = &rows.Page{Inks: k, Width: p.width - columnsGap - left.Width, Names: names}
	}
	p.begin(left, "Next")
	left.Line(k.Label.On("Next"))
	next := withKey(x.Next)
	if p.unasked || p.steps > 1 {
		next = x.Next.Text
	}
	p.stop(left, from, next, 0)
	if p.steps > 1 {
		then := second(x.Next)
		if p.unasked {
			then = "Then " + x.Next.Later + "."
		}
		p.stop(left, from, then, 1)
	}
	begin := func(name string) { p.begin(left, name) }
	forbid(left, *x, begin)
	list(left, "Then", withEvidence(x.Then), begin)
	list(left, "Site now", x.Site, begin)
	for i, e := range x.Evidence {
		if i == 0 {
			if left == right {
				page.Gap()
			}
			p.begin(right, "Evidence")
			right.Line(k.Label.On("Evidence"))
		}
		p.stop(right, from, e.Text, p.steps+i)
	}
	left.Gap()
	list(left, "Look at", x.Look, begin)
	list(left, "Run", x.Kubectl, begin)
	if left != right {
		p.named = nil // all fits, or stands in two columns
		p.more(left, right, p.height-from)
		lines := max(len(left.Lines), len(right.Lines))
		page.Lines = append(page.Lines, k.Columns(left.Block(lines), right.Block(lines))...)
	}
	p.lines = page.Lines
}

const (
	columnsFrom = 110 // cells from which the evidence is beside what to do
	columnsTall = 12
	columnsGap  = 3
	leastPart   = 3 // lines of a part, with its name, that are worth showing
)

// more adds what else was read to the shorter of two pages, as far as there is room.
func (p *Panel) more(left, right *rows.Page, height int) {
	for _, part := range p.explanation.More {
		page := left
		if len(right.Lines) < len(left.Lines) {
			page = right
		}
		room := height - len(page.Lines) - 2
		if room < min(leastPart, len(part.Lines)) {
			continue
		}
		page.Gap()
		page.Line(page.Inks.Label.On(part.Name))
		shown := part.Lines
		if len(shown) > room {
			shown = shown[:room-1]
		}
		for _, line := range shown {
			page.Line("  " + page.Inks.Fit(line, page.Width-2))
		}
		if more := len(part.Lines) - len(shown); more > 0 {
			page.Line("  " + page.Inks.Muted.On(fmt.Sprintf("%d more", more)))
		}
	}
}

// begin notes that a part begins.
func (p *Panel) begin(page *rows.Page, name string) {
	p.named = append(p.named, part{len(page.Lines), name})
}

// forbid adds what not to do. Each line has the name: without it, it reads as an order.
func forbid(page *rows.Page, x explain.Explanation, begin func(name string)) {
	for _, s := range x.Forbidden() {
		list(page, "Do not", []string{s}, begin)
	}
}

// list adds sentences, each on lines of its own.
func list(page *rows.Page, name string, sentences []string, begin func(name string)) {
	for i, s := range sentences {
		if i == 0 {
			begin(name)
		}
		page.Fact(name, s)
		name = ""
	}
}

// stop adds the lines of something that the cursor stops at, to a page that begins at a line.
func (p *Panel) stop(page *rows.Page, from int, text string, i int) {
	k := &p.inks
	p.begins = append(p.begins, from+len(page.Lines))
	leads, reached, ink := p.stops[i] != nil, i == p.at, k.Plain
	if reached {
		ink = k.Strong
	}
	const margin = 2
	lines := views.Wrap(text, page.Width-2*margin)
	for n, line := range lines {
		line = ink.On(line)
		if leads && i > 0 && n == len(lines)-1 {
			line += k.Key.On(" " + k.Glyphs.Arrow)
		}
		switch {
		case n > 0 || !reached:
			line = "  " + line
		case leads:
			line = k.Selected(" ", theme.CursorMark+line, page.Width-margin)
		default: // it is read, and leads nowhere
			line = k.Muted.On(k.Glyphs.Dot+" ") + theme.CursorMark + line
		}
		page.Line(line)
	}
}

// under names the part that a line belongs to whose beginning is above the screen, "" for none.
func (p *Panel) under(line int) (name string) {
	if p.top == 0 || line >= len(p.lines) || p.lines[line] == "" {
		return ""
	}
	for _, part := range p.named {
		if part.line == line {
			return ""
		}
		if part.line < line {
			name = part.name
		}
	}
	return name
}

// View draws the part of the panel that fits.
func (p *Panel) View() string {
	from := min(p.head+p.top, len(p.lines))
	to := min(from+max(0, p.height-p.head), len(p.lines))
	shown := append(slices.Clone(p.lines[:p.head]), p.lines[from:to]...)
	if p.head > 0 && len(shown) < len(p.lines) {
		first := 1
		if p.top > 0 {
			first = from + 1
		}
		if label := p.under(from); label != "" {
			at, rest := p.head-1, ""
			if below, beside := strings.CutPrefix(shown[p.head], strings.Repeat(" ", names)); beside {
				at, rest, label = p.head, below, p.inks.Fit(label, names)
			}
			shown[at] = p.inks.Label.On(label) + rest
		}
		shown[0] = p.inks.Beside(shown[0], fmt.Sprintf("%d-%d of %d", first, to, len(p.lines)), p.width)
	}
	return strings.Join(shown, "\n")
}
