package editor_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
)

func TestADraftIsAskedAboutAfterARestartOrADriftOnly(t *testing.T) {
	t.Parallel()
	const asks = "Your draft of this definition"
	s := enterIt(t, "healthy").cities().set("description", "Half done.")
	again := func(s *screen, question bool) {
		t.Helper()
		s.Press("esc")
		s.cities()
		if !question {
			s.Hides(asks)
			s.Shows("Half done.")
			return
		}
		s.Shows(asks)
		s.Press("enter")
	}
	again(s, false)
	s.set("maxUsageTime", "700")
	s.Press("esc")
	s.cities()
	s.Shows(`"maxUsageTime": 700`)
	s = s.restart().cities()
	s.Shows(asks)
	s.Press("enter")
	again(s, false)
	s.editElsewhere("maxIdleTime", "900")
	again(s, true)
	s.Answer(s.Press("services.discard"), "y")
	s.Press("esc")
	s.cities()
	s.Hides(asks)
}

func TestARefreshKeepsTheCursorAndTheFoldsOfADefinition(t *testing.T) {
	t.Parallel()
	s := enterAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2]).cities()
	s.Invoke("jsonedit.go", "properties")
	s.Press("rows.toggle")
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	s.editElsewhere("description", `"Another, and a longer one."`)
	s.Press("services.read-again")
	s.Shows("Another, and a longer one.", `"properties": {…}`, "extensions[WFSServer]  an object")
	s.editElsewhere("maxIdleTime", "900")
	s.editElsewhere("extensions[WFSServer].enabled", "true")
	s.Press("services.read-again")
	s.Shows("900", `"properties": {…}`, "extensions[WFSServer]  an object")
}

func TestTheNewestOfManyQuickChangesIsKept(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	first := s.do("jsonedit.switch", "")
	if of, unsaved := s.drafts.Unsaved(); !unsaved || !of.Same(s.Target) {
		t.Error("before it is on disk it does not count as unsaved")
	}
	s.do("jsonedit.go", "provider")
	second := s.do("jsonedit.delete", "")
	s.drain(tea.Batch(first, second))
	kept, err := s.site.Memory.SavedEdits(editing.DefinitionOf(cities))
	if err != nil || len(kept) != 1 || strings.Contains(kept[0].Edit.Edited, `"provider"`) {
		t.Errorf("%v, the drafts are %+v", err, kept)
	}
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	if _, unsaved := s.drafts.Unsaved(); unsaved {
		t.Error("on disk it counts as unsaved")
	}
}

func TestTheDifferenceOfADraftNamesWhatWasTypedAndNotApplied(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities().set("maxUsageTime", "700")
	s.Press("jsonedit.edit")
	s.Type("8")
	s = s.restart().cities()
	s.Press("services.difference")
	s.Shows("Difference: the draft against the present; 7008 typed, not applied", "600 → 700")
}

func TestARefreshLeavesWhatIsBeingTyped(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	reading := s.do("services.read-again", "")
	s.Invoke("jsonedit.go", "description")
	s.Press("jsonedit.edit ctrl+u")
	s.Type("Half a sen")
	s.drain(reading)
	s.Type("tence")
	s.Press("enter")
	s.Shows("Half a sentence")
}

func TestWhatCouldNotBeKeptOnDiskIsThereWhenTheServiceIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s := enterIt(t, "healthy").cities()
	if err := s.site.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	s.set("description", "Only in memory.")
	s.Tells(s.Press("esc"), "not saved on this machine")
	s.cities()
	s.Shows("Only in memory.")
}
