package editor_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// sheet is the plainest widget: a document that tests put another in place of.
type sheet struct {
	doc, base *document.Document
	revision  int
	busy      bool // an edit goes on in a command
}

func (s *sheet) Prepare(edited, base *document.Document) (func(), error) {
	return func() { s.doc, s.base, s.revision = edited, base, s.revision+1 }, nil
}
func (s *sheet) Check(*document.Document) error { return nil }
func (s *sheet) Replace(d *document.Document) tea.Cmd {
	s.doc, s.revision = d, s.revision+1
	return nil
}
func (s *sheet) Document() *document.Document { return s.doc }
func (s *sheet) Base() *document.Document     { return s.base }
func (s *sheet) Revision() int                { return s.revision }
func (s *sheet) Path() document.Path          { return "" }
func (s *sheet) GoTo(document.Path) tea.Cmd   { return nil }
func (s *sheet) Steps() any                   { return nil }
func (s *sheet) Recall(any)                   {}
func (s *sheet) CapturesText() bool           { return false }
func (s *sheet) Filtering() bool              { return false }
func (s *sheet) Back() bool                   { return false }
func (s *sheet) Busy() bool                   { return s.busy }
func (s *sheet) Unsaved() bool                { return s.busy }
func (s *sheet) GuardsPaste() bool            { return false }
func (s *sheet) Rested()                      {}
func (s *sheet) Update(tea.Msg) tea.Cmd       { return nil }
func (s *sheet) Commands() []views.Command    { return nil }
func (s *sheet) Footer() []string             { return nil }
func (s *sheet) SetSize(int, int)             {}
func (s *sheet) View() string                 { return "the sheet" }

// host remembers what a tab asks for.
type host struct{ reviewed []editing.Edit }

func (h *host) Review(e editing.Edit, _ *document.Document) tea.Cmd {
	h.reviewed = append(h.reviewed, e)
	return nil
}
func (h *host) Compare(string, document.Review) tea.Cmd { return nil }
func (h *host) StopComparing()                          {}

// desk is a tab with what is around it.
type desk struct {
	*editor.Tab
	t      testing.TB
	site   operation.Site
	sheet  *sheet
	host   *host
	drafts *editor.Drafts
}

func (d *desk) Update(msg tea.Msg) tea.Cmd {
	if msg, is := msg.(views.Retry); is {
		return msg.Do()
	}
	return d.Tab.Update(msg)
}

func open(t testing.TB, site operation.Site) *desk {
	t.Helper()
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	d := &desk{t: t, site: site, sheet: &sheet{}, host: &host{}, drafts: editor.NewDrafts(base)}
	d.Tab = editor.New(base, &inks, editing.DefinitionOf(cities), d.sheet, d.host, d.drafts)
	d.SetSize(100, 30)
	uitest.Drain(t, d, d.Shown())
	return d
}

func site(t testing.TB) operation.Site {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	return site
}

// with is the document with another value at a path.
func with(t testing.TB, d *document.Document, path document.Path, raw string) *document.Document {
	t.Helper()
	next, err := d.SetValue(path, raw)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// set edits a value and has it kept.
func (d *desk) set(path document.Path, raw string) {
	d.t.Helper()
	d.sheet.Replace(with(d.t, d.sheet.doc, path, raw))
	uitest.Drain(d.t, d, d.Changed())
}

// edit is what would be sent by now.
func (d *desk) edit() editing.Edit {
	return editing.Edit{Target: d.Target, Base: d.sheet.base, Edited: d.sheet.doc}
}

func (d *desk) kept() []operation.SavedEdit {
	d.t.Helper()
	kept, err := d.site.Memory.SavedEdits(d.Target)
	if err != nil {
		d.t.Fatal(err)
	}
	return kept
}

func TestAnEditIsSavedAndOfferedToTheNextTab(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	d.set("description", `"Half done."`)
	if !d.Differs() || len(d.kept()) != 1 {
		t.Errorf("differs %v, kept %v", d.Differs(), d.kept())
	}
	next := open(t, d.site)
	if !strings.Contains(next.View(), "Your draft of this definition") {
		t.Errorf("it shows\n%s", next.View())
	}
	uitest.Drain(t, next, views.Invoke(next, "services.continue", ""))
	if next.sheet.doc.Text() != d.sheet.doc.Text() || !next.Differs() {
		t.Error("the draft is not gone on with")
	}
	uitest.Drain(t, next, views.Invoke(next, "services.write", ""))
	if len(next.host.reviewed) != 1 {
		t.Error("writing leads to no review")
	}
}

func TestASentEditLeavesNoDraft(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	d.set("description", `"Done."`)
	uitest.Drain(t, d, d.Settle(d.edit(), d.sheet.doc))
	if d.Differs() || len(d.kept()) > 0 || d.Now() != d.sheet.doc {
		t.Errorf("differs %v, kept %v", d.Differs(), d.kept())
	}
}

func TestWhatTheSiteDidNotTakeStaysAnEdit(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	d.set("description", `"Taken."`)
	taken := d.sheet.doc
	d.set("maxUsageTime", "700")
	uitest.Drain(t, d, d.Settle(d.edit(), taken))
	if d.sheet.base != taken || !d.Differs() || len(document.Diff(taken, d.sheet.doc)) != 1 || len(d.kept()) != 1 {
		t.Errorf("differs %v, kept %v", d.Differs(), d.kept())
	}
}

// A draft beside a restore goes on from what was restored. What the site has besides, or has not
// taken, is not silently its base: the review shows it as made by others.
func TestADraftBesideARestoreHidesNoChangeOfOthers(t *testing.T) {
	t.Parallel()
	s := site(t)
	before := open(t, s).sheet.doc
	restored := with(t, with(t, before, "description", `"Restored."`), "maxWaitTime", "77")
	for name, c := range map[string]struct{ now, base *document.Document }{
		"all of it":             {restored, restored},
		"all, and others wrote": {with(t, restored, "maxIdleTime", "55"), restored},
		"a part, and they too":  {with(t, with(t, before, "description", `"Restored."`), "maxIdleTime", "55"), before},
		"none, and they too":    {with(t, before, "maxIdleTime", "55"), before},
	} {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, page closed %v", name, closed), func(t *testing.T) {
				t.Parallel()
				d := open(t, site(t))
				d.set("maxUsageTime", "700")
				sent := editing.Edit{Target: d.Target, Base: d.sheet.base, Edited: restored}
				if closed {
					uitest.Drain(t, d, d.drafts.Sent(sent, c.now))
				} else {
					uitest.Drain(t, d, d.Settle(sent, c.now))
				}
				kept := d.kept()
				if len(kept) != 1 || kept[0].Edit.Base != c.base.Text() || !closed && (d.sheet.base.Text() != c.base.Text() || d.Now() != c.now) {
					t.Fatalf("kept are %d drafts, on another version than %s", len(kept), c.base.Text())
				}
				edited, err := document.Parse([]byte(kept[0].Edit.Edited))
				if err != nil || len(document.Diff(c.base, edited)) != 1 {
					t.Error("the draft has other changes than before")
				}
			})
		}
	}
}

func TestAnEditMadeWhileAResultIsTakenOverStays(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	d.set("description", `"Sent."`)
	edit := d.edit()
	settling := d.Settle(edit, edit.Edited)
	d.set("maxUsageTime", "700")
	uitest.Drain(t, d, settling)
	if n, _ := d.sheet.doc.Find("maxUsageTime"); n.Raw() != "700" || !d.Differs() || len(d.kept()) != 1 {
		t.Errorf("differs %v, kept %v", d.Differs(), d.kept())
	}
}

func TestAFetchThatArrivesAfterTheEditWasUndoneIsShown(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	before := d.sheet.doc
	theirs := editing.Edit{Target: d.Target, Base: before, Edited: with(t, before, "description", `"Theirs."`)}
	d.set("maxUsageTime", "700")
	if _, r := d.site.ApplyEdit(t.Context(), theirs, nil); r.Err != nil {
		t.Fatal(r.Err)
	}
	_, rest := uitest.Run(d, views.Invoke(d, "services.read-again", ""), 2)
	d.sheet.Replace(before) // undone while the two are compared
	uitest.Drain(t, d, tea.Batch(append(rest, d.Changed())...))
	if n, _ := d.sheet.doc.Find("description"); n.Raw() != `"Theirs."` || d.Differs() {
		t.Errorf("shown is %s, differs %v", n.Raw(), d.Differs())
	}
}

func TestRepliesWaitForTheEditOfALongDocument(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	before := d.sheet.doc
	d.set("description", `"Sent."`)
	edit := d.edit()
	d.sheet.busy = true // the next edit, of a long document
	if d.Leave() == "" {
		t.Error("an edit that goes on can be left without a question")
	}
	uitest.Drain(t, d, d.Settle(edit, before)) // the site has refused it all
	if d.sheet.base != before || d.sheet.doc != edit.Edited {
		t.Error("a reply has opened another document under an edit that goes on")
	}
	d.sheet.busy = false
	d.sheet.Replace(with(t, edit.Edited, "maxUsageTime", "700"))
	uitest.Drain(t, d, d.Update(nil)) // the reply that ends the edit
	if n, _ := d.sheet.doc.Find("maxUsageTime"); n.Raw() != "700" || !d.Differs() || len(d.kept()) != 1 {
		t.Errorf("differs %v, kept %v", d.Differs(), d.kept())
	}
}

func TestTheNewestOfManyDraftsIsKept(t *testing.T) {
	t.Parallel()
	d := open(t, site(t))
	base := d.sheet.base.Text()
	var cmds []tea.Cmd
	for _, text := range []string{`{"n": 1}`, `{"n": 2}`, `{"n": 3}`} {
		cmds = append(cmds, d.drafts.Save(d.Target, &operation.EditDraft{Base: base, Edited: text}))
	}
	if _, unsaved := d.drafts.Unsaved(); !unsaved {
		t.Error("nothing is on disk, and nothing is said to be unsaved")
	}
	uitest.Drain(t, d, tea.Batch(cmds...))
	if kept := d.kept(); len(kept) != 1 || kept[0].Edit.Edited != `{"n": 3}` {
		t.Errorf("kept is %+v", kept)
	}
	if _, unsaved := d.drafts.Unsaved(); unsaved {
		t.Error("all is on disk, and something is said to be unsaved")
	}
}

func TestAKeyThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	saved := func(text string) func(*testing.T) *desk {
		return func(t *testing.T) *desk {
			d := open(t, site(t))
			uitest.Drain(t, d, d.drafts.Save(d.Target, &operation.EditDraft{Base: d.sheet.base.Text(), Edited: text}))
			return open(t, d.site)
		}
	}
	read := func(t *testing.T) *desk { return open(t, site(t)) }
	for name, c := range map[string]struct {
		state func(*testing.T) *desk
		says  map[string]string // by key
	}{
		"nothing is edited": {read, map[string]string{
			"services.write": "Nothing to write.", "services.difference": "Nothing is changed.", "services.discard": "Nothing to discard.", "services.take-over": "No other program has this edit.",
		}},
		"in another editor": {func(t *testing.T) *desk {
			d := read(t)
			uitest.PressKey(d, uitest.Key("services.editor").String())
			return d
		}, map[string]string{"services.write": "Your editor has it open.", "services.editor": "Your editor has it open.", "services.read-again": "Your editor has it open."}},
		"a draft is offered": {saved("{}"), map[string]string{
			"services.write": "Decide about the draft first.", "services.editor": "Decide about the draft first.", "services.read-again": "Decide about the draft first.",
		}},
		"it is broken": {saved("{"), map[string]string{"services.difference": "The draft is not valid: it cannot be compared. Continue to see why."}},
		"a broken text": {func(t *testing.T) *desk {
			d := saved("{")(t)
			uitest.Press(t, d, uitest.Key("enter"))
			return d
		}, map[string]string{"services.write": "Correct or discard the broken text first.", "services.read-again": "Correct or discard the broken text first."}},
		"not read": {func(t *testing.T) *desk {
			base := views.NewBase(uitest.Env(t, site(t), uitest.Theme()))
			inks := rows.NewInks(base.Env.Theme)
			return &desk{t: t, Tab: editor.New(base, &inks, editing.DefinitionOf(cities), &sheet{}, &host{}, editor.NewDrafts(base))}
		}, map[string]string{"services.write": "The definition is not read yet.", "services.editor": "The definition is not read yet.", "services.difference": "The definition is not read yet."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.state(t)
			for key, says := range c.says {
				cmd, _, _ := uitest.PressKey(d, uitest.Key(key).String())
				if cmd == nil {
					t.Errorf("%s says nothing", key)
				} else if told, ok := cmd().(views.Notice); !ok || told.Text != says {
					t.Errorf("%s says %q", key, told.Text)
				}
			}
		})
	}
}
