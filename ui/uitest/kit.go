// Package uitest is what tests of views are written with: a theme and times
// that are the same everywhere, golden screens, keys, a way to run commands
// without a program, and a simulated site with the real client in front of it.
// Start at [NewScreen] and [NewSite].
//
// It never imports package ui: whole programs are tested beside main.go.
package uitest

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
)

// SetUp sets the look of goldens as the default of widgets; for TestMain.
func SetUp() {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
}

// Size is a size of a view, by the name of the terminal around it.
type Size struct {
	Name          string
	Width, Height int
}

// Sizes are those of terminals, less the frame around a view.
var Sizes = []Size{{"80x24", 80, 19}, {"120x40", 120, 35}, {"200x60", 200, 55}}

// Scenario returns a scenario of the simulator, with more faults.
func Scenario(t testing.TB, name string, faults ...simulator.Fault) simulator.Scenario {
	t.Helper()
	s, ok := simulator.BuiltIn(name)
	if !ok {
		t.Fatalf("no scenario %q", name)
	}
	s.Faults = append(s.Faults, faults...)
	return s
}

// Part is a view, or a widget of one, under test at a size, driven as what is around it does.
type Part struct {
	Drawn
	part Presser
}

// Refuses presses each of some keys alone, and wants the same sentence for each. Of a command in it the
// address of the site is left out; state says when they are pressed.
func (p *Part) Refuses(state, keys, sentence string) {
	p.t.Helper()
	for key := range strings.FieldsSeq(keys) {
		if text, _, _ := strings.Cut(NoticeText(p.t, p.Press(key)), " --url "); text != sentence {
			p.t.Errorf("%s: %s says %q, not %q", state, key, text, sentence)
		}
	}
}

// Widget is a part of views that has commands and takes text, such as an editor.
type Widget interface {
	Drawer
	Commands() []views.Command
	CapturesText() bool
	Update(tea.Msg) tea.Cmd
}

// keyed is a widget as a view of its own.
type keyed struct{ Widget }

// Replies is what the replies of the widget are addressed to; nil where it has none.
func (k keyed) Replies() *views.Scope {
	if w, ok := k.Widget.(interface{ Replies() *views.Scope }); ok {
		return w.Replies()
	}
	return nil
}

// Update calls what is done with a result, as a view does, and gives the rest to the widget.
func (k keyed) Update(msg tea.Msg) tea.Cmd {
	if done, is := msg.(views.Retry); is {
		return done.Do()
	}
	return k.Widget.Update(msg)
}

// NewPart gives a widget its size.
func NewPart(t testing.TB, w Widget, width, height int) *Part {
	t.Helper()
	return &Part{drawn(t, w, width, height), keyed{w}}
}

// Child is a part of a view that fills no size, and takes text at most now and then.
type Child interface {
	Drawer
	Commands() []views.Command
}

// framed is a child in a frame of its size.
type framed struct {
	Child
	width, height int
}

// SetSize takes the size of the frame.
func (f *framed) SetSize(width, height int) {
	f.width, f.height = width, height
	f.Child.SetSize(width, height)
}

// View fills the frame.
func (f *framed) View() string {
	return views.Block(strings.Split(f.Child.View(), "\n"), f.width, f.height, "~")
}

// CapturesText reports whether the child takes text.
func (f *framed) CapturesText() bool {
	c, is := f.Child.(interface{ CapturesText() bool })
	return is && c.CapturesText()
}

// Update gives what is typed to a child that takes it.
func (f *framed) Update(msg tea.Msg) tea.Cmd {
	if c, is := f.Child.(interface{ Update(tea.Msg) tea.Cmd }); is {
		return c.Update(msg)
	}
	return nil
}

// Replies is what the replies of the child are addressed to.
func (f *framed) Replies() *views.Scope {
	return f.Child.(interface{ Replies() *views.Scope }).Replies()
}

// NewChild is [NewPart] for a child.
func NewChild(t testing.TB, c Child, width, height int) *Part {
	t.Helper()
	return NewPart(t, &framed{Child: c}, width, height)
}

// Drain runs a command with all that follows from it, and returns what was sent upward.
func (p *Part) Drain(cmd tea.Cmd) []tea.Msg {
	p.t.Helper()
	return Drain(p.t, p.part, cmd)
}

// Press gives keys by name and returns what was sent upward.
func (p *Part) Press(keys string) []tea.Msg {
	p.t.Helper()
	return p.Send(Keys(keys)...)
}

// Type types a text, a key for each character.
func (p *Part) Type(text string) []tea.Msg {
	p.t.Helper()
	return p.Send(Text(text)...)
}

// Send gives messages of keys, such as a paste.
func (p *Part) Send(keys ...tea.KeyMsg) []tea.Msg {
	p.t.Helper()
	return Press(p.t, p.part, keys...)
}

// Accept accepts the finding under the cursor of a review and those that follow, a second after
// another: a caution by the key, which has no word here, a danger by its word.
func (p *Part) Accept(clock adminapi.Clock, words ...string) (up []tea.Msg) {
	p.t.Helper()
	for _, word := range words {
		_ = clock.Sleep(p.t.Context(), time.Second)
		up = p.Press("diff.accept")
		if word != "" {
			up = append(up, p.Drain(AnswerOnly(p.t, up, append(Text(word), Keys("enter")...)...))...)
			p.Rest()
		}
	}
	return up
}

// AcceptAll accepts all that a review asks for, each danger by the word that its question names.
func (p *Part) AcceptAll(clock adminapi.Clock) {
	p.t.Helper()
	for n := 0; n < 50 && len(p.Press("diff.next-open")) == 0; n++ { // else nothing is left
		_ = clock.Sleep(p.t.Context(), time.Second)
		up := p.Press("diff.accept")
		if len(up) == 0 {
			continue
		}
		dialog := Find[views.Open](p.t, up).Dialog
		dialog.SetSize(200, 30)
		_, word, _ := strings.Cut(ansi.Strip(dialog.View()), "\nType ")
		word, _, _ = strings.Cut(word, " ")
		p.Drain(AnswerOnly(p.t, up, append(Text(word), Keys("enter")...)...))
		p.Rest()
	}
}

// Invoke runs a command as the palette does; the user rests after it.
func (p *Part) Invoke(id, argument string) []tea.Msg {
	p.t.Helper()
	attend(p.part)
	return append(Drain(p.t, p.part, views.Invoke(p.part, id, argument)), p.Rest()...)
}

// Rest says that no key has come for a moment.
func (p *Part) Rest() []tea.Msg {
	p.t.Helper()
	return Drain(p.t, p.part, rested(p.part))
}

// Tells fails unless the first notice that was sent upward has every text.
func (p *Part) Tells(up []tea.Msg, texts ...string) {
	p.t.Helper()
	has(p.t, "the notice", NoticeText(p.t, up), texts)
}

// Dialog draws the dialog that was opened, at a size.
func (p *Part) Dialog(up []tea.Msg, width, height int) string {
	p.t.Helper()
	dialog := Find[views.Open](p.t, up).Dialog
	dialog.SetSize(width, height)
	return dialog.View()
}

// Asks fails unless the dialog that was opened shows every text.
func (p *Part) Asks(up []tea.Msg, texts ...string) {
	p.t.Helper()
	has(p.t, "the dialog", p.Dialog(up, 78, 16), texts)
}

func has(t testing.TB, what, shown string, texts []string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Fatalf("%s does not say %q:\n%s", what, text, shown)
		}
	}
}

// Screen is a whole view under test at a size.
type Screen struct {
	Part
	view views.View
}

// NewScreen gives a view its size, and closes it with the test. Nothing is started.
func NewScreen(t testing.TB, view views.View, width, height int) *Screen {
	t.Helper()
	t.Cleanup(view.Replies().Close)
	return &Screen{Part{drawn(t, view, width, height), view}, view}
}

// Start starts the view as the root does and lets it come to rest.
func (s *Screen) Start() []tea.Msg {
	s.t.Helper()
	return Drain(s.t, s.view, tea.Batch(s.view.Init(), s.view.Update(views.Shown)))
}

// Answer gives keys to a dialog that the view opened, and then runs what follows from it.
func (s *Screen) Answer(up []tea.Msg, keys string) []tea.Msg {
	s.t.Helper()
	return Answer(s.t, s.view, up, Keys(keys)...)
}

// NoticeText returns the text of the first notice.
func NoticeText(t testing.TB, up []tea.Msg) string {
	t.Helper()
	return Find[views.Notice](t, up).Text
}

// Answer gives keys to a dialog that a view opened, until it is shut, and then
// runs in the view what follows from the dialog. It returns what was sent upward.
func Answer(t testing.TB, view views.View, up []tea.Msg, keys ...tea.KeyMsg) []tea.Msg {
	t.Helper()
	return Drain(t, view, AnswerOnly(t, up, keys...))
}

// AnswerOnly is Answer without running what follows from the dialog.
func AnswerOnly(t testing.TB, up []tea.Msg, keys ...tea.KeyMsg) tea.Cmd {
	t.Helper()
	dialog := Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	sent := Drain(t, dialog, dialog.Init())
	for _, key := range keys {
		sent = append(sent, Drain(t, dialog, dialog.Update(key))...)
	}
	for _, msg := range sent {
		if shut, ok := msg.(views.Shut); ok {
			return shut.Then
		}
	}
	t.Fatalf("the dialog is still open:\n%s", dialog.View())
	return nil
}
