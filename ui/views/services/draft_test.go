package services_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

func TestADraftIsOfferedOnTheNextStart(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("description", "Half done.")
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
	if told := uitest.NoticeText(t, s.Press("esc")); !strings.Contains(told, "kept as a draft") {
		t.Errorf("told %q", told)
	}
	s.Shows("draft")
	s = s.again()
	s.Shows("SampleWorldCities  draft")
	s.cities()
	s.Shows("You have edited this definition before")
	s.Press("v")
	s.Shows("Half done.", "Cities of the world")
	s.Press("esc enter")
	s.Shows("Half done.", "changed, draft kept")
	s.Answer(s.Press("X"), "y")
	s.Hides("Half done.")
	s.Press("esc")
	s.again().Hides("draft")
}

func TestAChangeThatIsUndoneIsNoDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("description", "Half done.")
	s.Press("u esc")
	if drafts, err := s.site.EditDrafts(operation.Definition); err != nil || len(drafts) > 0 {
		t.Errorf("%v, drafts %v", err, drafts)
	}
	s.Hides("draft")
}

func TestTheNewestOfManyQuickChangesIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Invoke("jsonedit.go", "extensions[WFSServer]")
	first := s.do("jsonedit.switch", "")
	if q := s.Leave(); !strings.Contains(q, "not kept") {
		t.Errorf("before it is on disk leaving asks %q", q)
	}
	s.do("jsonedit.go", "provider")
	second := s.do("jsonedit.delete", "")
	uitest.Drain(t, s.Model, tea.Batch(first, second))
	kept, err := s.site.SavedEdits(operation.DefinitionOf(cities))
	if err != nil || len(kept) != 1 || strings.Contains(kept[0].Edit.Edited, `"provider"`) {
		t.Errorf("%v, the drafts are %+v", err, kept)
	}
	if q := s.Leave(); q != "" {
		t.Errorf("leaving asks %q", q)
	}
}

func TestADraftOfADefinitionThatWasChangedMeanwhileLeadsToAMerge(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities()
	s.set("maxUsageTime", "700")
	s = s.again().cities()
	s.Shows("was changed at the site since then")
	s.Press("enter")
	s.send()
	s.Press("m")
	s.Shows("merged with what the site has now")
}

func TestTheTabWithADraftIsMarkedWhereverTheServiceOpens(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.Hides("Placement draft")
	s.Press("tab")
	s.Shows("Placement draft")
	s = s.again().cities()
	s.Shows("Placement draft")
	s.Hides("Definition draft")
	s.Press("tab")
	s.Answer(s.Press("X"), "y")
	s.Press("tab")
	s.Hides("draft")
}
