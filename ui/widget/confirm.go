package widget

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Question is what a [Confirm] asks.
type Question struct {
	ID          string
	Text        string   // "Delete this report?"
	Lines       []string // what it is about, each on a line of its own; clean, may be empty
	Consequence string   // what happens then, in a sentence or two; may be empty
	Yes         string   // what y does: "delete it"
	// Word has to be typed where a y is too little; empty where y is enough.
	Word string
	No   string // what n does; empty means "cancel"
	Then tea.Cmd
	Read time.Time     // when what it is about was read; zero for as the screen below it
	Else tea.Cmd       // follows from no; may be nil
	Copy *views.Copies // of what yes sends; nil where it sends nothing
}

// Confirm asks a question that only y answers with yes, or a word that is typed.
// Enter alone answers nothing, so that neither habit nor a pasted line confirms anything.
type Confirm struct {
	Base
	theme         *theme.Theme
	question      Question
	width, height int
	top           int // the first line of the consequence that is shown, where not all are
	typed         Typed
}

// NewConfirm returns the dialog of a question.
func NewConfirm(t *theme.Theme, q Question) *Confirm {
	if q.No == "" {
		q.No = "cancel"
	}
	c := &Confirm{Base: NewBase(q.ID), theme: t, question: q}
	c.Answers = views.Hooks{Takes: c.takes, Keyed: c.keyed, Read: func() time.Time { return q.Read }}
	return c
}

// SetSize takes the cells: the question and the answers are always in them, what
// follows from yes scrolls where there is no room for it.
func (c *Confirm) SetSize(width, height int) {
	c.width, c.height = width, height
	c.scroll(0)
}

// Update waits for one of the answers.
func (c *Confirm) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	if row, ok := views.Typed(c.commands(), key); ok {
		return row.Do("")
	}
	switch together := key.Paste || len(key.Runes) > 1; {
	case c.question.Word != "":
		c.typed.Key(key)
		c.typed.wrong = c.typed.Hint != "" && !c.typed.pasted && !strings.HasPrefix(c.question.Word, c.typed.Text)
	case together && strings.ContainsAny(string(key.Runes), "yn"):
		return views.Tell(views.Warning, views.Keys("Pasted text answers no question: press {key:question.yes} or {key:question.no} alone."))
	default:
		return views.Tell(views.Info, "Answer y or n first.")
	}
	return nil
}

// takes says whether a word answers; else a key does, and keys that come together answer nothing.
func (c *Confirm) takes() views.Takes {
	word := c.question.Word != ""
	return views.Takes{Question: !word, Word: word}
}

// commands are the keys of the question; every other key is text of the word, where one has
// to be typed. No key that scrolls answers anything.
func (c *Confirm) commands() []views.Command {
	const group = "Questions"
	q, readOn, page := c.question, "", 0
	if c.height > 0 { // else nothing is laid out
		if _, text, _, room := c.layout(); len(text) > room {
			readOn, page = "read on", max(1, room-1)
		}
	}
	scroll := func(id, hint, key, help string, by int) views.Command {
		return views.Command{ID: id, Key: key, Word: hint, Group: group, Help: help, Run: views.Call(func() { c.scroll(by) })}
	}
	yes := views.Command{ID: "question.yes", Key: "y", Word: q.Yes, Group: group, Run: c.yes,
		Help: "Answers yes; enter alone answers nothing."}
	no := views.Command{ID: "question.no", Key: "n esc q", Word: q.No, Group: group, Help: "Answers no.",
		Run: func() tea.Cmd { return c.ShutThen(q.Else) }}
	if q.Word != "" {
		yes.ID, yes.Key, yes.Group, yes.Help = "word.yes", "enter", wordGroup, "Answers yes once the whole word is typed."
		no.ID, no.Key, no.Group = "word.no", "esc", wordGroup
	}
	return slices.Concat([]views.Command{yes, no}, q.Copy.DialogRows("question"), []views.Command{
		scroll("question.up", readOn, "up", "Where the text is cut: a line up.", -1),
		scroll("question.down", readOn, "down", "A line down.", 1),
		scroll("question.page-up", "", "pgup", "A page up.", -page),
		scroll("question.page-down", "", "pgdown", "A page down.", page),
	})
}

func (c *Confirm) yes() tea.Cmd {
	if !c.typed.Confirms(c.typed.Text == c.question.Word, strings.HasPrefix(c.question.Word, c.typed.Text), `Only the word "`+c.question.Word+`" confirms it.`) {
		return nil
	}
	return c.ShutThen(c.question.Then)
}

// View draws the question, what follows from it, and the answers. If there is no room for all that
// follows, a line above says which part is shown.
func (c *Confirm) View() string {
	lines, text, tail, room := c.layout()
	switch {
	case len(text) == 0 || room == 0:
	case len(text) <= room:
		lines = append(append(lines, ""), text...)
	default:
		top := min(c.top, len(text)-room)
		where := fmt.Sprintf("lines %d to %d of %d", top+1, top+room, len(text))
		lines = append(append(lines, c.theme.Muted.Render(where)), text[top:top+room]...)
	}
	return join(append(lines, tail...))
}

// maxLineRows are the rows of a line of what a question is about, such as a long path.
const maxLineRows = 4

// layout returns the question and the answers, which stay on the screen whatever its size, and between them
// what follows from yes, with how many lines of it are shown, below one that is blank or says which they are.
func (c *Confirm) layout() (head, text, tail []string, room int) {
	head = wrapped(c.theme.Strong, c.question.Text, c.width)
	if c.question.Word != "" {
		tail = c.typedLines()
	} else {
		tail = []string{"", theme.CursorMark + c.theme.Key.Render(views.KeyOf("question.yes")) + " " + c.question.Yes + "   " + c.theme.Key.Render(views.KeyOf("question.no")) + " " + c.question.No}
	}
	if over := 1 + len(tail) - c.height; over > 0 && c.height > 0 { // a long word: the blank lines go, then its begin
		tail = slices.DeleteFunc(tail, func(line string) bool { return line == "" })
		tail = tail[min(len(tail), max(0, 1+len(tail)-c.height)):]
	}
	head = head[:min(len(head), max(1, c.height-len(tail)))]
	for _, line := range c.question.Lines {
		if ansi.StringWidth(line) <= c.width {
			text = append(text, c.theme.Plain.Render(line))
			continue
		}
		rest := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(rest)]
		room := max(1, c.width-len(indent))
		for _, part := range views.Wrap(ansi.Truncate(rest, maxLineRows*room, c.theme.Glyphs.Ellipsis), room) {
			text = append(text, c.theme.Plain.Render(indent+part))
		}
	}
	if c.question.Consequence != "" {
		if len(text) > 0 {
			text = append(text, "")
		}
		text = append(text, wrapped(c.theme.Plain, c.question.Consequence, c.width)...)
	}
	return head, text, tail, max(0, c.height-len(head)-len(tail)-1)
}

// Hints are the answers.
func (c *Confirm) Hints() []views.Hint { return views.Hints(c.commands()) }

// keyed are the keys of the question, none where a word is typed.
func (c *Confirm) keyed() []views.Command {
	if c.question.Word != "" {
		return nil
	}
	return c.commands()
}

// scroll moves the consequence by a number of lines.
func (c *Confirm) scroll(by int) {
	_, text, _, room := c.layout()
	c.top = max(0, min(c.top+by, len(text)-room))
}

// Typed is a word that is typed to confirm something, however fast.
type Typed struct {
	Text   string
	Hint   string // why what was typed confirms nothing; the next key clears it
	pasted bool   // a part of it was: it confirms nothing
	wrong  bool   // it was not right: the next character begins anew
}

const (
	maxTyped = 300 // bytes; names have up to 253

	pastedText = "Pasted text confirms nothing. "
)

// Key takes a key. A paste is shown, so that the line never has a part of what was typed; but it
// confirms nothing. Nor does an enter that came behind other keys, which is text here.
func (t *Typed) Key(key tea.KeyMsg) {
	if row, ok := views.Typed(t.commands(), key); ok {
		row.Do("")
		t.wrong = false
		if t.Text == "" {
			*t = Typed{}
		}
	} else {
		text := views.TextOf(key)
		characters := strings.TrimRight(text, "\r\n")
		if t.Hint = ""; characters != text {
			t.Hint = views.Keys("Enter came with the text. Press {key:word.yes} again.")
		}
		if t.wrong && characters != "" {
			t.Text, t.wrong = "", false
		}
		t.pasted = t.pasted || key.Paste
		if len(t.Text) < maxTyped {
			t.Text += characters[:min(len(characters), maxTyped)]
		}
	}
	if t.pasted {
		t.Hint = pastedText + views.Keys("Press {key:word.empty}, then type it.")
	}
}

// Confirms reports whether the text confirms, where it is right. If not, the hint says why; what
// was pasted is emptied, and unless the text is the begin of what is right, the next character
// begins anew.
func (t *Typed) Confirms(right, begun bool, hint string) bool {
	switch {
	case t.pasted:
		*t = Typed{Hint: pastedText + "Type it instead."}
		return false
	case !right:
		t.Hint, t.wrong = hint, !begun
	}
	return right
}

const wordGroup = "Typed confirmation"

// commands are the keys of the word; every other key is text.
func (t *Typed) commands() []views.Command {
	return views.Grouped(wordGroup, []views.Command{
		{ID: "word.back", Key: "backspace", Help: "Delete the last character.", Run: views.Call(func() {
			_, size := utf8.DecodeLastRuneInString(t.Text)
			t.Text = t.Text[:len(t.Text)-size]
		})},
		{ID: "word.empty", Key: "ctrl+u", Help: "Deletes what was typed.", Run: views.Call(func() { t.Text = "" })},
	})
}

// typedLines draws the word, whole, what is typed, on a line of its own where one has not the
// room for both, and why it does not confirm.
func (c *Confirm) typedLines() []string {
	t, word, rest := c.theme, plain.Line(c.question.Word), " and enter to "+c.question.Yes+":"
	typed := plain.Line(c.typed.Text)
	lines := []string{"", "Type " + t.Strong.Render(word) + rest + " "}
	if ansi.StringWidth(lines[1])+max(ansi.StringWidth(word), ansi.StringWidth(typed))+1 > c.width {
		lines = append(lines[:1], wrapped(t.Plain, "Type "+word+rest, c.width)...)
		lines = append(lines, "")
		typed = plain.End(typed, c.width-1, t.Glyphs.Ellipsis) // its end is what is typed
	}
	lines[len(lines)-1] += t.Accent.Render(typed) + t.Caret.Render(" ")
	lines = append(lines, t.Key.Render(views.KeyOf("word.no"))+" "+c.question.No)
	if c.typed.Hint != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(t.Warn, t.Glyphs.Warn+" "+c.typed.Hint, c.width)...)
	}
	return lines
}

// Discard asks whether what was typed is discarded; again after a key that answers nothing.
func Discard(k *rows.Inks, again bool) string {
	text := "Discard this edit?"
	if again {
		text = "Answer first: discard this edit?"
	}
	return theme.CursorMark + k.Warn.On(text) + "  y discard " + k.Glyphs.Dot + " n keep typing"
}

// DiscardRows are the answers to [Discard]. Esc, which may be a part of another key that a slow
// line has cut off, is a no as in any question; other keys answer nothing.
func DiscardRows(prefix, group string, yes, no func()) []views.Command {
	return views.Grouped(group, []views.Command{
		{ID: prefix + ".discard", Key: "y", Word: "discard", Run: views.Call(yes), Help: "When asked: discard the edit."},
		{ID: prefix + ".stay", Key: "n", Word: "keep typing", Run: views.Call(no), Help: "Answers no: keep typing."},
	})
}
