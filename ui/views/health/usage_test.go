package health_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

// offers tells whether a command can be run by its id now.
func (s *screen) offers(id string) bool {
	return slices.ContainsFunc(s.usable(), func(c views.Command) bool { return c.ID == id })
}

// hint returns what the footer says of a key.
func (s *screen) hint(key string) string {
	for _, c := range s.usable() {
		if c.Has(key) {
			return c.Hint()
		}
	}
	return ""
}

func TestTheTreeSaysWhyATestFailed(t *testing.T) {
	s := open(t, siteOf(t, "degraded"), 200, 55)
	s.runCheck()
	s.Press("enter")
	s.Shows("failed was ✓ 11-18 No answer from")
	s.Press("/")
	uitest.Press(t, s.Model, uitest.Text("0 of 2 pods")...)
	s.Shows("healthcheck_objectStore", "General")
	s.Hides("home_app_availability")
}

func TestFiltersStandBeforeAnythingThatRoomCanTakeAway(t *testing.T) {
	s := open(t, siteOf(t, "degraded"), 60, 19)
	s.Press("enter f i i s")
	s.Shows("[not passed · general · longest first]")
}

func TestFoldsBelongToOneReport(t *testing.T) {
	s := healthy(t)
	s.Press("enter -")
	s.Hides("sharing_availability")
	s.Press("esc down enter")
	s.Shows("sharing_availability")
	s.Press("esc up enter")
	s.Hides("sharing_availability")
	s.Press("esc")
	s.runCheck()
	s.Shows("sharing_availability")
}

func TestFoldsOfARunStayWithItsReport(t *testing.T) {
	s := healthy(t)
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	_, rest := uitest.Run(s.Model, cmd, 18)
	s.Press("enter -")
	s.Hides("sharing_availability")
	for _, c := range rest {
		uitest.Drain(t, s.Model, c)
	}
	s.Shows("✓ passed  geodeck 2026-11-20")
	s.Hides("sharing_availability")
}

func TestKeysOfTheTreeDoNothingWhileItIsNotOnTheScreen(t *testing.T) {
	s := open(t, siteOf(t, "degraded"), 80, 19)
	for _, id := range []string{"health.failed", "health.order", "health.severity", "health.all"} {
		if s.offers(id) {
			t.Errorf("%s is offered beside a list alone", id)
		}
	}
	uitest.Told(t, s.Call("health.failed", ""))
	s.Press("enter")
	s.Hides("[")
	if !s.offers("health.failed") {
		t.Error("the tree cannot be filtered")
	}
}

func TestARunThatGoesOnSaysHowManyTestsAreDone(t *testing.T) {
	s := open(t, siteOf(t, "degraded"), 80, 19)
	before := s.Status().Updated
	cmd := uitest.AnswerOnly(t, s.Press("r"), uitest.Keys("enter enter")...)
	uitest.Run(s.Model, cmd, 18)
	s.Press("enter")
	s.Shows("2 of 13 done", "2 of 2 done", "0 of 11 done")
	s.Hides(" passed")
	if !s.Status().Updated.After(before) {
		t.Error("the time of reading is that of the list")
	}
}

func TestAMarkIsShownAsLongAsItIsThere(t *testing.T) {
	s := healthy(t)
	if up := s.Press("c"); len(up) > 0 {
		t.Errorf("a notice outlives the mark: %v", up)
	}
	s.Shows("◆ marked: c compares", "◆ ")
	s.Press("c")
	s.Hides("marked", "◆")
	s.Press("c down c")
	s.Press("esc")
	s.Hides("marked", "◆")
	narrow := open(t, siteOf(t, "healthy"), 80, 19)
	narrow.Press("enter c")
	narrow.Shows("[◆ compare]")
}

func TestTheFormOfARunKeepsWhatWasTyped(t *testing.T) {
	s := healthy(t)
	leave := func(keys ...string) string {
		dialog := uitest.Find[views.Open](t, s.Press("r")).Dialog
		dialog.SetSize(78, 16)
		uitest.Drain(t, dialog, dialog.Init())
		for _, key := range keys {
			uitest.Drain(t, dialog, dialog.Update(uitest.Key(key)))
		}
		shown := dialog.View()
		uitest.Drain(t, dialog, dialog.Update(uitest.Key("esc")))
		return shown
	}
	first := leave("enter", "X")
	if !strings.Contains(first, "15:05:00X") {
		t.Fatalf("not typed:\n%s", first)
	}
	if again := leave(); !strings.Contains(again, "15:05:00X") {
		t.Errorf("forgotten:\n%s", again)
	}
	s.runCheck()
	s.Shows("15:05:00X")
	if next := leave(); strings.Contains(next, "X") {
		t.Errorf("a name that was used is offered again:\n%s", next)
	}
}

func TestThePromptForAFileKeepsThePathAndSaysWhatIsWrong(t *testing.T) {
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	dialog := uitest.Find[views.Open](t, s.Press("o")).Dialog
	for _, key := range append(uitest.Text("gone.json"), uitest.Key("esc")) {
		dialog.Update(key)
	}
	up := s.Press("o")
	up = uitest.Answer(t, s.Model, up, uitest.Key("enter"))
	again := uitest.Find[views.Open](t, up).Dialog
	again.SetSize(78, 16)
	if text := again.View(); !strings.Contains(text, "gone.json") || !strings.Contains(text, "there is no file") {
		t.Fatalf("the prompt comes back as\n%s", text)
	}
	path := bigReport(t, s.env.Folder, 3)
	if err := os.Rename(path, filepath.Join(s.env.Folder, "gone.json")); err != nil {
		t.Fatal(err)
	}
	uitest.Answer(t, s.Model, up, uitest.Key("enter"))
	s.Shows("file", "3 of 3 passed")
	fresh := uitest.Find[views.Open](t, s.Press("o")).Dialog
	fresh.SetSize(78, 16)
	if text := fresh.View(); strings.Contains(text, "gone") {
		t.Errorf("a path that was used is offered again:\n%s", text)
	}
}

func TestOneEscClearsTheTextAndTheSentenceSaysWhatIsLeft(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	s.Press("enter f /")
	if s.hint("enter") != "keep" || s.hint("esc") != "clear" || len(s.usable()) != 2 {
		t.Errorf("while a filter is typed the footer shows %v", s.usable())
	}
	uitest.Press(t, s.Model, uitest.Text("sharing")...)
	s.Shows("not passed only", "esc clears the text; after that, a shows all tests again.")
	s.Press("enter esc")
	s.Shows("healthcheck_objectStore", "[not passed]")
	s.Hides("home_app_availability")
	s.Press("a")
	s.Shows("home_app_availability")
}

func TestTheFooterSaysWhatEnterDoes(t *testing.T) {
	s := healthy(t)
	if hint := s.hint("enter"); hint != "open" {
		t.Errorf("on a report enter is called %q", hint)
	}
	s.Press("enter")
	if hint := s.hint("enter"); hint != "fold" {
		t.Errorf("on a suite enter is called %q", hint)
	}
	s.Press("enter")
	if hint := s.hint("enter"); hint != "unfold" {
		t.Errorf("on a folded suite enter is called %q", hint)
	}
	s.Press("enter down down")
	if hint := s.hint("enter"); hint != "open" {
		t.Errorf("on a test enter is called %q", hint)
	}
}

func TestWhatCannotBeDoneIsNotOffered(t *testing.T) {
	old := open(t, siteOf(t, "old"), 80, 19)
	offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	for name, s := range map[string]*screen{"an old site": old, "no site": offline} {
		for _, id := range []string{"health.run", "health.mark", "health.delete", "health.export", "health.json", "health.enter"} {
			if s.offers(id) {
				t.Errorf("%s offers %s", name, id)
			}
		}
		if s.hint("o") == "" {
			t.Errorf("%s does not say how to open a file", name)
		}
	}
}

func TestAReadOnlyDashboardSaysSoBeforeItAsks(t *testing.T) {
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	client, err := adminapi.New(adminapi.Config{Base: site.Client.Base().String(), Insecure: true, ReadOnly: true, Clock: site.Clock})
	if err != nil {
		t.Fatal(err)
	}
	client.SetToken(site.Client.Token())
	site.Client = client
	s := open(t, site, 120, 35)
	s.Shows("1 of 12")
	for _, key := range []string{"r", "D"} {
		if text := uitest.Told(t, s.Press(key)); !strings.Contains(text, "read-only") {
			t.Errorf("%s: told %q", key, text)
		}
	}
}

func TestAComparisonCanGoOnWithAnotherReport(t *testing.T) {
	s := healthy(t)
	s.Press("down down")
	id := uitest.Find[views.Copy](t, s.Press("y")).Text
	s.Press("g c down c")
	s.Shows("Before", "check by hand")
	if !s.offers("health.compare") {
		t.Fatal("no other report can be named")
	}
	s.Call("health.compare", id)
	s.Shows("Before", "scheduled-20261114")
	if text := uitest.Told(t, s.Press("e")); !strings.Contains(text, "geodeck health compare") {
		t.Errorf("e tells %q", text)
	}
}

func TestASCIIArrowsReadAsArrows(t *testing.T) {
	ascii := *uitest.Theme()
	ascii.Glyphs = theme.New(theme.Options{ASCII: true}).Glyphs
	s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), &ascii), 80, 19)
	s.runCheck()
	s.Press("c down c")
	s.Shows("+ -> x", "s -> 30 s")
}

func TestNumbersAreWholeOrLeftOut(t *testing.T) {
	s, path := bigScreen(t, 100_000)
	s.Call("health.open", path)
	s.Press("enter")
	for _, width := range []int{60, 80, 100, 120, 160, 200} {
		s.Resize(width, 35)
		v := s.Draw()
		for _, cut := range []string{"10000…", "1000…", "9990…", "of …", "100000 o…"} {
			if strings.Contains(v, cut) {
				t.Errorf("at %d a number is cut: %q\n%s", width, cut, v)
			}
		}
		if !strings.Contains(v, "99.9k of 100k") && !strings.Contains(v, "99900 of 100000") {
			t.Errorf("at %d there is no count", width)
		}
	}
}
