package services_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

// elses has somebody else set a value of the sample service.
func (s *screen) elses(path document.Path, raw string) {
	s.t.Helper()
	d, err := s.site.ReadContent(s.t.Context(), operation.DefinitionOf(cities))
	if err != nil {
		s.t.Fatal(err)
	}
	edited, err := d.Document.SetValue(path, raw)
	if err != nil {
		s.t.Fatal(err)
	}
	edit := operation.Edit{Target: operation.DefinitionOf(cities), Base: d.Document, Edited: edited}
	if _, _, err := s.site.ApplyEdit(s.t.Context(), edit, nil); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) drain(cmds ...tea.Cmd) {
	s.t.Helper()
	for _, cmd := range cmds {
		uitest.Drain(s.t, s.Model, cmd)
	}
}

func TestAReadingThatComesWhileTheEditorIsOpenTakesNobodysChangeBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`sed -i 's/DMaps/Other/' "$1"`)
	s.elses("maxIdleTime", "900")
	reading, outside := s.do("services.read-again", ""), s.do("services.editor", "")
	s.drain(reading, outside)
	s.send()
	s.Shows("changed at the site meanwhile", "maxIdleTime")
	s.Press("m")
	s.Answer(s.Press("w"), "y")
	s.has("maxIdleTime", "900")
	s.has("provider", `"Other"`)
}

func TestAReadingLeavesWhatIsBeingTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	reading := s.do("services.read-again", "")
	s.Invoke("jsonedit.go", "description")
	s.Press("e ctrl+u")
	s.Type("Half a sen")
	s.drain(reading)
	s.Type("tence")
	s.Press("enter")
	s.Shows("Half a sentence")
}

func TestTheTextOfAnEditorIsKeptAlsoWhereItsServiceWasLeft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.editor(`sed -i 's/DMaps/Other/' "$1"`)
	_, rest := uitest.Run(s.Model, s.do("services.editor", ""), 2)
	s.Press("esc")
	s.drain(rest...)
	s.cities()
	s.Shows("You have edited this definition before")
	s.Press("enter")
	s.Shows(`"Other"`)
}

func TestWhatCouldNotBeKeptOnDiskIsThereWhenTheServiceIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	if err := s.site.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	s.set("description", "Only in memory.")
	if told := uitest.NoticeText(t, s.Press("esc")); !strings.Contains(told, "not kept on this machine") {
		t.Errorf("told %q", told)
	}
	s.cities()
	s.Shows("You have edited this definition before")
	s.Press("enter")
	s.Shows("Only in memory.")
}

func TestTheProgramOfAnEditorDoesNotSeeTheToken(t *testing.T) {
	s := open(t, "healthy").cities()
	t.Setenv("GEODECK_TOKEN", "canary")
	s.editor(`sed -i "s/DMaps/${GEODECK_TOKEN:-none}/" "$1"`)
	s.Press("E")
	s.Shows(`"none"`)
}

func TestAfterALostAnswerTheChangeOfSomebodyElseIsNotTakenBack(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-answer-lost-not-performed").cities()
	s.set("description", "Other words.")
	s.Press("w")
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.Press("w"), uitest.Keys("y")...), 3)
	s.elses("maxIdleTime", "900")
	s.drain(rest...)
	s.Shows("neither the definition from before nor the one that was sent")
	s.Press("esc w")
	s.Shows("Other words.")
	s.Hides("maxIdleTime")
	s.Answer(s.Press("w"), "y")
	s.has("maxIdleTime", "900")
	s.has("description", `"Other words."`)
}
