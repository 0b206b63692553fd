package editor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/definition"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// room is a service that was entered with the tab of its definition alone, and what is around that.
type room struct {
	*editor.Tab
	editor.Host
	env        *views.Env
	inks       rows.Inks
	drafts     *editor.Drafts
	comparison *diff.Review
	title      string
	size       uitest.Size
}

func (r *room) Compare(title string, differences document.Review) tea.Cmd {
	if len(differences.Changes) == 0 {
		return views.Tell(views.Info, "No differences.")
	}
	r.title, r.comparison = title, diff.New(r.env.Theme)
	r.comparison.Set(differences)
	r.comparison.SetSize(r.size.Width, r.size.Height-1)
	return nil
}

func (r *room) StopComparing() { r.comparison = nil }

func (r *room) View() string {
	head, body := strings.Join(r.Notes(), " "), r.Tab.View()
	if r.comparison != nil {
		head, body = "Difference: "+r.title, r.comparison.View()
	}
	return r.inks.Headed(r.size.Width, r.size.Height, body, views.Fit(head, r.size.Width, "~"))
}

func (r *room) SetSize(width, height int) {
	r.size.Width, r.size.Height = width, height
	r.Tab.SetSize(width, height-1)
}

func (r *room) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Retry:
		return msg.Do()
	case jsonedit.Msg:
		return r.Tab.Update(msg)
	}
	if r.comparison != nil {
		return r.comparison.Update(msg)
	}
	return r.Tab.Update(msg)
}

func (r *room) Commands() []views.Command {
	shown := views.When(func() bool { return r.comparison == nil }, r.Tab.Commands())
	return views.Guarded(append(shown, editor.BackRow(nil, func() bool { return !r.CapturesText() }, r.back)))
}

// back goes one step out, and then leaves the service.
func (r *room) back() tea.Cmd {
	switch {
	case r.comparison != nil:
		r.comparison = nil
		return nil
	case r.Back():
		return nil
	}
	return r.Close()
}

// enter enters the service anew.
func (r *room) enter() {
	base := r.drafts.Child()
	r.Tab = definition.New(base, &r.inks, cities, r, r.drafts)
	r.SetSize(r.size.Width, r.size.Height)
}

// screen is a room under test on a site whose requests are counted.
type screen struct {
	*room
	*uitest.Part
	t    testing.TB
	site operation.Site
	wire *uitest.Wire
}

// enterIt shows the definition of the sample service of a scenario.
func enterIt(t testing.TB, scenario string, faults ...simulator.Fault) *screen {
	t.Helper()
	return enterAt(t, uitest.Scenario(t, scenario, faults...), uitest.Sizes[1])
}

func enterAt(t testing.TB, scenario simulator.Scenario, size uitest.Size) *screen {
	t.Helper()
	site, wire := uitest.NewSite(t, scenario).Counted(t)
	return startOn(&screen{t: t, site: site, wire: wire, room: &room{size: size}})
}

// startOn is another start of the program, on the site of a screen.
func startOn(s *screen) *screen {
	s.t.Helper()
	next := *s
	env := uitest.Env(s.t, s.site, uitest.Theme())
	base := views.NewBase(env)
	s.t.Cleanup(base.Scope.Close)
	next.room = &room{env: env, inks: rows.NewInks(env.Theme), drafts: editor.NewDrafts(base), size: s.size}
	next.setenv("VISUAL", "true")
	next.enter()
	next.Part = uitest.NewPart(s.t, next.room, s.size.Width, s.size.Height)
	next.drain(next.drafts.Load(), next.drafts.LoadOpen())
	return &next
}

// restart is a new start of the program, on the same machine.
func (s *screen) restart() *screen {
	s.t.Helper()
	next := startOn(s)
	next.env.Getenv = s.env.Getenv
	return next
}

// cities enters the sample service.
func (s *screen) cities() *screen {
	s.t.Helper()
	s.enter()
	s.drain(s.Shown())
	return s
}

// Answer gives keys to the dialog that was opened, and then runs what follows from it.
func (s *screen) Answer(up []tea.Msg, keys string) []tea.Msg {
	s.t.Helper()
	return s.drain(uitest.AnswerOnly(s.t, up, uitest.Keys(keys)...))
}

var (
	alice = journal.Program{User: "alice", Host: "adm1", PID: 4711}
	bob   = journal.Program{User: "bob", Host: "adm1", PID: 4712}
	carol = journal.Program{User: "carol", Host: "adm2", PID: 4713}
)

// startAs is the view of another program on the same machine and site.
func (s *screen) startAs(p journal.Program) *screen {
	s.t.Helper()
	next := *s
	next.site.Memory.Journal = s.journal(p)
	return startOn(&next)
}

// twoDashboards are the dashboards of alice and bob on one folder.
func twoDashboards(t *testing.T, scenario string) (a, b *screen) {
	t.Helper()
	s := enterIt(t, scenario)
	return s.startAs(alice), s.startAs(bob)
}

// set gives the value at a path another one, as text.
func (s *screen) set(path, value string) *screen {
	s.t.Helper()
	s.Invoke("jsonedit.go", path)
	s.Press("jsonedit.edit ctrl+u")
	s.Type(value)
	s.Press("enter")
	return s
}

// sent fails unless so many edits were sent.
func (s *screen) sent(want int) {
	s.t.Helper()
	if n := s.wire.Sent("POST edit"); n != want {
		s.t.Fatalf("%d edits were sent, want %d", n, want)
	}
}

// drain runs commands with all that follows from them.
func (s *screen) drain(cmds ...tea.Cmd) (up []tea.Msg) {
	s.t.Helper()
	for _, cmd := range cmds {
		up = append(up, uitest.Drain(s.t, s.room, cmd)...)
	}
	return up
}

// do runs a command without what follows from it.
func (s *screen) do(id, argument string) tea.Cmd { return views.Invoke(s.room, id, argument) }

// editor makes a program the user's editor: a script that gets the file as $1.
func (s *screen) editor(script string) {
	s.t.Helper()
	s.setenv("VISUAL", "'"+simtest.Script(s.t, "my editor.sh", script)+"'")
}

// setenv sets a variable of the environment that the view sees.
func (s *screen) setenv(name, value string) {
	before := s.env.Getenv
	s.env.Getenv = func(of string) string {
		if of == name {
			return value
		}
		return before(of)
	}
}

// editElsewhere has somebody else set a value of the sample service.
func (s *screen) editElsewhere(path document.Path, raw string) {
	s.t.Helper()
	if _, r := s.site.ApplyEdit(s.t.Context(), uitest.Edit(s.t, s.site, cities, path, raw).Edit, nil); r.Err != nil {
		s.t.Fatal(r.Err)
	}
}

// editorFiles are the folders of texts that editors have, or had, open.
func (s *screen) editorFiles() []string {
	s.t.Helper()
	left, err := filepath.Glob(filepath.Join(s.site.Memory.Journal.Folder(), "drafts", "*", "*.editor"))
	if err != nil {
		s.t.Fatal(err)
	}
	return left
}

// killedInEditor ends a program while its editor is open, which has saved its text with an old
// part in place of a new one.
func (s *screen) killedInEditor(old, replaced string) {
	s.t.Helper()
	s.openInEditor(old, replaced)
	if err := s.site.Memory.Journal.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// openInEditor opens the draft, else what the site has, in an editor that saves.
func (s *screen) openInEditor(old, replaced string) *operation.EditorFile {
	s.t.Helper()
	target := editing.DefinitionOf(cities)
	now, err := editing.Read(s.t.Context(), s.site.Client, target)
	if err != nil {
		s.t.Fatal(err)
	}
	edit := operation.EditDraft{Base: now.Document.Text(), Edited: now.Document.Text()}
	if kept, err := s.site.Memory.SavedEdits(target); err == nil && len(kept) > 0 {
		edit = kept[0].Edit
	}
	file, err := s.site.Memory.OpenEditor(target, edit)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(file.Path())
	if err == nil {
		err = os.WriteFile(file.Path(), []byte(strings.Replace(string(text), old, replaced, 1)), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return file
}

func (s *screen) journal(p journal.Program) *journal.Journal {
	s.t.Helper()
	j, err := journal.Open(filepath.Dir(s.site.Memory.Journal.Folder()), "throwaway://journal",
		journal.WithClock(s.site.Clock), journal.WithProgram(p))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = j.Close() })
	return j
}

// takesOver answers the question with yes.
func (s *screen) takesOver() []tea.Msg {
	s.t.Helper()
	return s.Answer(s.Press("services.take-over"), "y")
}

// texts are the drafts of the definition, as this program sees them.
func (s *screen) texts() (texts []string) {
	s.t.Helper()
	kept, err := s.site.Memory.SavedEdits(editing.DefinitionOf(cities))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, k := range kept {
		texts = append(texts, k.Edit.Edited)
	}
	return texts
}

// wantDrafts fails unless the drafts hold these words, in order.
func (s *screen) wantDrafts(words ...string) {
	s.t.Helper()
	texts := s.texts()
	if len(texts) != len(words) {
		s.t.Fatalf("there are %d drafts, want %d", len(texts), len(words))
	}
	for i, word := range words {
		if !strings.Contains(texts[i], word) {
			s.t.Errorf("draft %d does not hold %q", i, word)
		}
	}
}
