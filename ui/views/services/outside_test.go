package services_test

import (
	"testing"

	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
)

// killedInEditor ends a program while its editor is open, which has saved its text with an old
// part in place of a new one.
func (s *screen) killedInEditor(old, replaced string) {
	s.t.Helper()
	uitest.OpenInEditor(s.t, s.site, editing.DefinitionOf(cities), old, replaced)
	if err := s.site.Memory.Journal.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func TestWhatAnEditorHasSavedIsOfferedWithWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(b *screen){
		"continued": func(b *screen) {
			b.Press("enter")
			b.Shows("changed, draft saved", `"Other"`, "Of alice.")
			b.wantDrafts(`"Other"`) // the draft that the editor was given went with it
		},
		"discarded": func(b *screen) {
			question := b.Press("services.discard")
			b.Asks(question, "Discard your editor's text", "The site is not changed")
			b.Tells(b.Answer(question, "y"), "Your editor's text is discarded.")
			b.Shows("Your draft of this definition")
			b.wantDrafts("Of alice.")
		},
		"left for later": func(b *screen) {
			b.Press("esc")
			b.Shows("draft")
			b.wantDrafts(`"Other"`, "Of alice.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := twoDashboards(t, "healthy")
			a.cities().set("description", "Of alice.")
			a.killedInEditor(`"DMaps"`, `"Other"`)
			b = b.startAs(bob)
			b.Shows("draft")
			b.cities()
			b.Shows("Text that your editor saved at", "is in no draft yet", "It differs from your earlier draft: provider.", "continue with your editor's text")
			b.Press("services.difference")
			b.Shows("your editor's text against the present", `"Other"`, "Of alice.")
			b.Press("esc")
			script(b)
			b.sent(0)
			if left := uitest.EditorFiles(t, b.site); (name == "left for later") != (len(left) > 0) {
				t.Errorf("the files are %v", left)
			}
		})
	}
}
