package editor

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// line is a widget in which one text is typed.
type line struct {
	Widget
	edited, base *document.Document
	text         string
	strokes      int
	done         bool
}

func (l *line) Prepare(edited, base *document.Document) (func(), error) {
	return func() { l.edited, l.base = edited, base }, nil
}
func (l *line) Check(*document.Document) error { return nil }
func (l *line) Document() *document.Document   { return l.edited }
func (l *line) Base() *document.Document       { return l.base }
func (l *line) Revision() int                  { return 1 }
func (l *line) Busy() bool                     { return false }
func (l *line) Strokes() int                   { return l.strokes }
func (l *line) CapturesText() bool             { return l.text != "" && !l.done }

func (l *line) Typing() *operation.TypedText {
	if !l.CapturesText() {
		return nil
	}
	return &operation.TypedText{Text: l.text}
}

func (l *line) ForgetTyping() { l.text = "" }

func (l *line) ResumeTyping(typed *operation.TypedText, _ bool) (tea.Cmd, bool) {
	l.text = typed.Text
	return nil, typed.Text != "nowhere"
}

// loop runs what children lead to, as a tab does.
type loop struct{ views.Base }

func (loop) Update(msg tea.Msg) tea.Cmd {
	if next, is := msg.(views.Retry); is {
		return next.Do()
	}
	return nil
}

func run(t testing.TB, base views.Base, cmd tea.Cmd) []tea.Msg {
	t.Helper()
	l := loop{base}
	return uitest.Drain(t, &l, cmd)
}

// childOf is an edit without a tab, on a machine that remembers.
func childOf(t *testing.T) (base views.Base, e *edit, w *line) {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	base = views.NewBase(uitest.Env(t, site, uitest.Theme()))
	t.Cleanup(base.Scope.Close)
	w = &line{}
	target := editing.DefinitionOf(adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"})
	e = newEdit(base, target, w, NewDrafts(base), func(then func() tea.Cmd) tea.Cmd { return then() })
	read, err := editing.Read(t.Context(), site.Client, target)
	if err != nil {
		t.Fatal(err)
	}
	e.now = read.Document
	e.open(prepared(w, e.now, e.now))
	return base, e, w
}

func TestWhatIsTypedIsSavedInAMomentAndNoLongerOnceItIsTaken(t *testing.T) {
	t.Parallel()
	base, e, w := childOf(t)
	w.text, w.strokes = "half", 1
	run(t, base, e.typing.follow())
	if kept := e.drafts.savers[e.target.String()].want; kept == nil || kept.Typed == nil || kept.Typed.Text != "half" {
		t.Fatalf("kept is %+v", kept)
	}
	w.done, w.strokes = true, 2
	run(t, base, e.typing.follow())
	if kept := e.saver.want; kept != nil {
		t.Errorf("a draft of nothing is kept: %+v", kept)
	}
	if up := run(t, base, e.typing.resume(&operation.TypedText{Text: "nowhere"}, true)); !strings.Contains(uitest.NoticeText(t, up), "no longer exists") {
		t.Errorf("a place that is gone is told as %v", up)
	}
}

func TestAnOfferedDraftLeadsToWhatWasDecided(t *testing.T) {
	t.Parallel()
	base, e, _ := childOf(t)
	var led []string
	note := func(what string) tea.Cmd { led = append(led, what); return nil }
	inks := rows.NewInks(base.Env.Theme)
	p := newOfferPage(e, &inks, offerHandlers{
		open:    func(o *offer) tea.Cmd { return note("open " + o.saved.Edited) },
		discard: func() tea.Cmd { return note("discard") },
		reload:  func() tea.Cmd { return note("reload") },
		gone:    func() { note("gone") },
	})
	p.setSize(100, 30)
	mine := &offer{from: journal.Draft{Mine: true}, saved: operation.EditDraft{Edited: "mine"}, edited: e.now}
	run(t, base, p.found(mine))
	if !strings.Contains(p.view(), "Your draft of this definition") || p.notComparable() != "" {
		t.Errorf("it is offered as\n%s", p.view())
	}
	run(t, base, p.next())

	theirs := &offer{from: journal.Draft{Program: journal.Program{User: "bob", Host: "adm1"}, Liveness: journal.Alive}, saved: operation.EditDraft{Edited: `{"a":1}`}, edited: e.now}
	run(t, base, p.found(theirs))
	run(t, base, p.togglePreview())
	if !strings.Contains(p.view(), "Read-only: the draft of bob on adm1") || !p.readOnly() || p.notDiscardable() == "" {
		t.Errorf("what another program has open is shown as\n%s", p.view())
	}
	if !p.closePreview() || p.closePreview() {
		t.Error("the text is not left by one step")
	}
	run(t, base, p.found(nil))

	run(t, base, p.found(&offer{from: journal.Draft{Mine: true}, err: errors.New("a fault")}))
	if !strings.Contains(p.view(), "cannot be read") || p.continueHint() != "continue without it" {
		t.Errorf("a damaged draft is offered as\n%s", p.view())
	}
	if p.next(); p.shown() {
		t.Error("a damaged draft is in the way")
	}
	if got, want := strings.Join(led, ", "), "open mine, reload"; got != want {
		t.Errorf("it led to %q, want %q", got, want)
	}
}
