package editor_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest"
)

func TestTheSecondDashboardSeesTheFirstAndIsReadOnly(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	b.cities()
	b.Shows("alice on adm1 (process 4711) has edited this definition since", "has it open", "view the text, read-only")
	for _, id := range []string{"services.write", "services.editor", "jsonedit.edit", "jsonedit.delete", "services.discard", "services.continue"} {
		b.Invoke(id, "")
	}
	b.Shows("has it open")
	b.Press("enter")
	b.Shows("Read-only: the draft of alice on adm1", "Of alice.")
	b.Press("e d services.write services.editor")
	b.Type("x")
	b.Press("rows.filter")
	b.Type("description")
	b.Press("enter")
	b.Shows("Of alice.")
	b.Hides("serviceName")
	b.Press("esc enter")
	b.Shows("Read-only: the site's version")
	b.Hides("Of alice.")
	b.Press("esc services.difference")
	b.Shows("Of alice.", "Cities of the world")
	b.Press("esc")
	b.Shows("has it open")
	b.sent(0)
	b.wantDrafts("Of alice.")
}

func TestBothTypeAndNothingIsOverwritten(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities()
	b.cities() // both have it open before anybody types
	a.set("description", "Of alice.")
	b.Invoke("jsonedit.go", "description")
	up := b.Press("jsonedit.edit ctrl+u") // typed text is a draft as well
	b.Type("Of bob.")
	b.Press("enter")
	if told := uitest.NoticeText(t, up); !strings.Contains(told, "alice on adm1 (process 4711) edits the") || !strings.Contains(told, "saved separately") {
		t.Errorf("bob is told %q", told)
	}
	b.Shows("changed; another has the edit", "Of bob.")
	a.set("maxUsageTime", "700")
	a.Shows("changed, draft saved")
	a.wantDrafts("Of alice.", "Of bob.")
	b.wantDrafts("Of bob.", "Of alice.")
	b = b.restart().cities()
	b.Shows("Your draft of this definition", "alice on adm1 (process 4711) has edited this definition", "Your draft is saved")
	b.Press("enter")
	b.Shows("Of bob.", "changed; another has the edit")
}

func TestReturningToATabShowsWhoEdits(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities()
	b.cities()
	a.set("description", "Of alice.")
	b.Shows("serviceName")
	b.drain(b.FindHolder())
	b.Shows("alice on adm1 (process 4711) has edited this definition", "has it open")
	a.Answer(a.Press("services.discard"), "y")
	b.drain(b.Shown())
	b.Shows("serviceName")
	b.Hides("alice", "draft")
}

func TestTheFirstDashboardSeesThatItsEditWasTakenOver(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	b.cities()
	question := b.Press("services.take-over")
	b.Asks(question, "Take over the edit of alice on adm1 (process 4711)?")
	b.Answer(question, "y")
	b.Shows("Of alice.")
	b.set("description", "Of bob.")
	b.Shows("changed, draft saved", "Of bob.")

	// Before it types: when it comes back to the tab.
	a.Tells(a.drain(a.FindHolder()), "bob on adm1 (process 4712) took over the edit")
	a.Shows("changed; another has the edit")
	a.set("maxUsageTime", "700")
	a.Shows("Of alice.", "700")
	b.wantDrafts("Of bob.", "Of alice.")

	a.Tells(a.takesOver(), "You took over the edit")
	a.Shows("Of alice.", "changed, draft saved")
	b.Invoke("jsonedit.go", "provider")
	b.Tells(b.Press("jsonedit.delete"), "alice on adm1 (process 4711) took over")
	b.Shows("Of bob.")
	a.wantDrafts("Of alice.", "Of bob.")
}

func TestTheNextChangeShowsATakeOver(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	b.cities().takesOver()
	b.set("description", "Of bob.")
	a.Invoke("jsonedit.go", "provider")
	a.Tells(a.Press("jsonedit.delete"), "bob on adm1 (process 4712) took over")
	a.wantDrafts("Of alice.", "Of bob.")
}

func TestTwoDoNotGoOnWithTheSameDraft(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	c := a.startAs(carol)
	if err := a.site.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	b.cities()
	c.cities()
	b.Press("enter")
	c.Tells(c.Press("enter"), "not taken over")
	c.Shows("bob on adm1 (process 4712) has edited this definition")
}

func TestAnotherDraftThatWasLeftIsOfferedAfterTheFirst(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities()
	b.cities()
	a.set("description", "Of alice.")
	_ = a.site.Clock.Sleep(t.Context(), time.Minute)
	b.set("description", "Of bob.")
	c := a.startAs(carol)
	for _, s := range []*screen{a, b} {
		if err := s.site.Memory.Journal.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c.cities().Press("services.difference")
	c.Shows("Of bob.")
	c.Press("esc")
	c.Answer(c.Press("services.discard"), "y")
	c.Shows("Your draft of this definition")
	c.Press("enter")
	c.Shows("Of alice.")
}
