package services_test

import (
	"os"
	"path/filepath"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

var (
	alice = journal.Program{User: "alice", Host: "adm1", PID: 4711}
	bob   = journal.Program{User: "bob", Host: "adm1", PID: 4712}
	carol = journal.Program{User: "carol", Host: "adm2", PID: 4713}
)

// startAs is the view of another program on the same machine and site.
func (s *screen) startAs(p journal.Program) *screen {
	s.t.Helper()
	next := *s
	next.site.Memory.Journal = uitest.AsProgram(s.t, s.site, p)
	return openOn(s.t, &next, s.size)
}

// twoDashboards are the dashboards of alice and bob on one folder.
func twoDashboards(t *testing.T, scenario string) (a, b *screen) {
	t.Helper()
	s := open(t, scenario)
	return s.startAs(alice), s.startAs(bob)
}

// takesOver answers the question with yes.
func (s *screen) takesOver() []tea.Msg {
	s.t.Helper()
	return s.Answer(s.Press("services.take-over"), "y")
}

// wantDrafts fails unless the drafts hold these words, in order.
func (s *screen) wantDrafts(words ...string) {
	s.t.Helper()
	uitest.WantDrafts(s.t, s.site, editing.DefinitionOf(cities), words...)
}

func TestWhatWasTakenOverIsSentOnlyWhenThatIsConfirmed(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("maxUsageTime", "700")
	a.Press("services.write") // the review is open already
	b.cities().takesOver()
	b.set("description", "Of bob.")

	question := a.Answer(a.Press("services.send"), "y")
	a.sent(0)
	a.Asks(question, "Nothing was sent. Send it despite the edit of bob on adm1?")
	a.Answer(question, "n")
	a.Shows("review")
	a.Answer(a.Answer(a.Press("services.send"), "y"), "y")
	a.sent(1)
	b.Shows("Of bob.")
	b.wantDrafts("Of bob.")
}

func TestAnEditThatWasTakenOverIsToldAsNotSentWhereItsPageWasLeft(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("maxUsageTime", "700")
	a.Press("services.write")
	b.cities().takesOver()
	_, a.rest = uitest.Run(a.Model, uitest.AnswerOnly(t, a.Press("services.send"), yes...), 2)
	a.Press("esc")
	a.Tells(a.drain(a.rest...), "The edit of SampleWorldCities.MapServer was not sent; open it.")
	a.sent(0)
	a.Invoke("services.open", "SampleWorldCities.MapServer")
	a.Shows("review")
}

func TestAnEditThatWasTakenOverTwiceIsSent(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("maxUsageTime", "700")
	b.cities().takesOver()
	b.set("description", "Of bob.")
	a.drain(a.Update(views.Shown))
	a.takesOver()
	a.send()
	a.Shows("has the new definition")
	a.sent(1)
}

func TestAnEditThatWasSentMeanwhileIsNotTakenOver(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("maxUsageTime", "700")
	b.cities()
	a.send()
	b.takesOver()
	b.Hides("has it open")
	b.Shows("700")
	b.Hides("changed")
}

func TestTheDraftOfADashboardThatEndedIsOffered(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	b.cities().Shows("has it open")
	if err := a.site.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	b.drain(b.Update(views.Shown))
	b.Shows("Your draft of this definition")
	b.Press("enter")
	b.Shows("Of alice.")
	b.set("maxUsageTime", "700")
	b.wantDrafts("Of alice.")
	b.send()
	b.wantDrafts()
}

func TestAProgramOnAnotherHostMayStillHaveItOpen(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	c := s.startAs(carol)
	c.cities().set("description", "Of carol.")
	c.crash()
	a := s.startAs(alice).cities()
	a.Shows("carol on adm2 (process 4713) has edited this definition", "may still have it open", "discard the draft")
	a.takesOver()
	a.Shows("Of carol.")
	a.set("description", "Of alice.")
	a.Shows("changed, draft saved")
	a.wantDrafts("Of alice.", "Of carol.")
	a.send()
	a.Press("esc esc")
	a.cities()
	a.Shows("may still have it open")
	a.Answer(a.Press("services.discard"), "y")
	a.Hides("draft", "has it open")
	a.wantDrafts()
}

// crash ends the program as a crash on another host does: its file stays.
func (s *screen) crash() {
	s.t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.site.Memory.Journal.Folder(), "programs", "*"))
	if err := s.site.Memory.Journal.Close(); err != nil {
		s.t.Fatal(err)
	}
	for _, file := range files {
		write(s.t, file, "")
	}
}

func TestADamagedDraftIsNotLostAndNotInTheWay(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	files, err := filepath.Glob(filepath.Join(a.site.Memory.Journal.Folder(), "drafts", "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	a.crash()
	write(t, files[0], `{"kind":"defi`)
	b.cities()
	b.Shows("on this machine cannot be read", "set the file aside")
	b.Press("enter")
	b.set("description", "Of bob.")
	b.Shows("changed, draft saved")
	b.send()
	b.Press("esc esc")
	b.cities().Shows("on this machine cannot be read")
	b.Answer(b.Press("services.discard"), "y")
	b.Hides("cannot be read")
	if aside, _ := filepath.Glob(files[0] + "*"); len(aside) != 1 {
		t.Errorf("the file is %v", aside)
	}
}

func TestRulesAreGuardedInTheSameWay(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.rules().onPool("spot")
	b.rules()
	b.Shows("alice on adm1 (process 4711) has edited this placement policy")
	b.Press("enter")
	b.Shows("Read-only: the draft of alice on adm1")
	b.Press("esc")
	b.takesOver()
	b.Shows("spot")
	a.Tells(a.drain(a.Update(views.Shown)), "bob on adm1")
	if a.hint("services.take-over") == "" {
		t.Error("the footer does not offer to take over")
	}
}

func TestTheListSaysWhoseDraftItIs(t *testing.T) {
	t.Parallel()
	a, b := twoDashboards(t, "healthy")
	a.cities().set("description", "Of alice.")
	b = b.restart()
	b.Invoke("rows.filter", "SampleWorldCities")
	b.Press("down")
	b.Shows("SampleWorldCities  draft", ", by alice")
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
