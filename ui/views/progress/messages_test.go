package progress_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func running(n int) adminapi.UpgradeStatus {
	return adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: release(n)}
}

func TestAFilterAsksForCodePhaseAndKind(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(17))
	for filter, want := range map[string]string{
		"code:2287":                   "1 of 17",
		"code:22":                     "4 of 17",
		"code:2287,2288":              "2 of 17",
		"phase:diag":                  "2 of 17",
		"!phase:diag":                 "15 of 17",
		"kind:completed":              "3 of 17",
		"kind:open":                   "1 of 17",
		"kind:attention":              "1 of 17",
		"kind:unknown":                "0 of 17",
		"phase:post kind:completed":   "2 of 17",
		"phase:post postgresql moves": "1 of 17",
		"PHASE:Post !database":        "6 of 17",
		"when:later":                  "0 of 17", // no word of the language, so a text
	} {
		s.filter(filter)
		if !strings.Contains(s.Draw(), want) {
			t.Errorf("%s: not %s:\n%s", filter, want, s.Draw())
		}
		s.Press("esc")
	}
}

func TestWhatNeedsAttentionFollowsTheRun(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(11))
	s.Press("progress.attention")
	s.Shows("2 of 11", "2144", "2108")
	s.poll(running(13)) // 2145 has completed the 2144
	s.Shows("1 of 13", "2108")
	s.Hides("2144")
	s.Press("progress.attention")
	s.Shows("2287")
}

func TestNewMessagesPassTheFilterOneByOne(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(5))
	s.filter("code:2288,2145")
	s.Shows("1 of 5")
	s.poll(running(13))
	s.Shows("2 of 13", "has been upgraded on")
	s.Hides("READ-ONLY mode", "2165")
}

func TestASearchHidesNothingAndGoesRound(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(17))
	s.Press("rows.top")
	s.search("2108")
	s.Shows("1 of 1 found", "› 14:56:00", "2287")
	s.Press("esc")
	s.Hides("found")
	s.Press("rows.top")
	s.search("postgresql")
	s.Press("enter")
	for _, at := range []string{"1 of 5", "2 of 5", "3 of 5", "4 of 5", "5 of 5", "1 of 5"} {
		s.Shows(at+" found", "paused")
		s.Press("rows.next")
	}
	s.Press("rows.previous rows.previous")
	s.Shows("5 of 5 found")
	s.Press("esc rows.top down down progress.same-code")
	s.Shows("search 2287")
}

func TestAFoundTextIsMarkedInColour(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	s := openThemed(t, site, uitest.ColorTheme(), 80, 19)
	s.show(running(9))
	before := s.View()
	s.search("database")
	if marked := s.View(); marked == before || !strings.Contains(marked, "m"+"database"+"\x1b") {
		t.Errorf("nothing is marked:\n%q", marked)
	}
}

func TestPhasesAreJumpedBetween(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, running(17))
	for _, want := range []string{"› 15:05:00  ● 2101", "› 14:54:50    2094", "› 14:25:18    2270", "› 14:24:12    2287", "› 14:24:00    2010", "› 14:24:00    2010"} {
		s.Press("progress.previous-phase")
		s.Shows(want, "paused")
	}
	s.Press("progress.next-phase progress.next-phase")
	s.Shows("› 14:25:18    2270")
	up := s.do("progress.phase")
	dialogShows(t, up, "Launch", "PostgreSQL", "Components")
	uitest.Answer(t, s.Model, up, uitest.Keys("up up up enter")...)
	s.Shows("› 14:24:12    2287")
}

func TestMarkedMessagesAreCopiedAndSaved(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, running(12))
	s.Press("rows.top space down space")
	s.Shows("2 marked")
	got := uitest.Find[views.Copy](t, s.Press("progress.copy"))
	want := "2026-11-20T13:24:00Z 2010 Upgrade from 11.5.0.6835 to 12.0.0.7286 begins.\n2026-11-20T13:24:12Z 2287 Diagnostics begin.\n"
	if got.Text != want || got.What != "2 messages" {
		t.Errorf("copied %q as %s", got.Text, got.What)
	}
	s.Hides("marked")
	s.Press("rows.top rows.range down down")
	s.Shows("3 marked")
	path := filepath.Join(t.TempDir(), "some.jsonl")
	s.save(path)
	if text := read(t, path); strings.Count(text, "\n") != 3 || strings.Count(text, `,"origin":{"exported":"2026-11-20 `) != 3 || !strings.Contains(text, `"site":"http://127.0.0.1:`) || !strings.Contains(text, `{"code":2168,"message":"The upgrader runs.","when":`) {
		t.Errorf("written:\n%s", text)
	}
	s.Hides("marked")
}

func TestSavedLinesOfJSONHoldNoCharacterThatATerminalObeys(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, adminapi.UpgradeMessage{Code: 7, When: began + 1000, Message: "a\u009b\u202e\u2028b"}))
	path := filepath.Join(t.TempDir(), "all.jsonl")
	s.save(path)
	if text := read(t, path); !strings.Contains(text, `"a\u009b\u202e\u2028b"`) {
		t.Errorf("written:\n%q", text)
	}
}

func TestAllMessagesAreSavedAsLinesOfTheFilter(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, running(12))
	s.filter("phase:diag")
	path := filepath.Join(t.TempDir(), "log.txt")
	s.save(path)
	head, text, _ := strings.Cut(read(t, path), "\n\n")
	if !strings.HasPrefix(head, "Site: http://127.0.0.1:") || !strings.Contains(head, "\nVersion: ") || !strings.Contains(head, " UTC by ") || !strings.HasSuffix(head, "\nTimes below: UTC") {
		t.Errorf("the file begins with\n%s", head)
	}
	if text != "2026-11-20T13:24:12Z 2287 Diagnostics begin.\n2026-11-20T13:25:14Z 2288 Diagnostics ended, nothing stands in the way.\n" {
		t.Errorf("written:\n%s", text)
	}
}

func TestMoreThanAClipboardTakesIsOfferedAsAFile(t *testing.T) {
	t.Parallel()
	s := showing(t, 80, 19, statusWith("in_progress", 1, numbered(200)...))
	if got := uitest.Find[views.Copy](t, s.Press("progress.copy-all")); strings.Count(got.Text, "\n") != 201 {
		t.Errorf("copied %d lines", strings.Count(got.Text, "\n"))
	}
	s.poll(statusWith("in_progress", 1, numbered(3000)...))
	dialogShows(t, s.Press("progress.copy-all"), "These 3001 messages are too many for the", "choose a file")
}

// save exports messages to a path.
func (s *screen) save(path string) []tea.Msg {
	s.t.Helper()
	up := uitest.Answer(s.t, s.Model, s.Press("progress.export"), uitest.Keys("down enter")...)
	return uitest.Answer(s.t, s.Model, up, append(append([]tea.KeyMsg{uitest.Key("ctrl+u")}, uitest.Text(path)...), uitest.Key("enter"))...)
}

// dialogShows checks what a dialog shows that was just opened.
func dialogShows(t *testing.T, up []tea.Msg, texts ...string) {
	t.Helper()
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	for _, text := range texts {
		if !strings.Contains(dialog.View(), text) {
			t.Errorf("the dialog does not show %q:\n%s", text, dialog.View())
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestALateMessageIsInItsPlace(t *testing.T) {
	t.Parallel()
	all := release(12)
	late := append(append([]adminapi.UpgradeMessage{}, all[:5]...), all[6:]...)
	s := showing(t, 120, 35, adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: late})
	s.Press("progress.previous-phase")
	s.Shows("› 14:54:50", "11 messages")
	s.poll(running(12))
	s.Shows("› 14:54:50", "12 messages") // the cursor stays on its message
	v := s.Draw()
	before, at, after := strings.Index(v, "2270"), strings.Index(v, "2271"), strings.Index(v, "2165")
	if before >= at || at >= after {
		t.Errorf("it does not stand between its neighbours:\n%s", v)
	}
}

func TestTheMarkOfAnOpenStepEndsWithIt(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 35, running(11))
	s.poll(running(12))
	s.Shows("14:56:00  ● 2108", "14:58:00  ● 2144")
	s.poll(running(13))
	s.Shows("14:56:00  ● 2108", "14:58:00    2144", "✓ 2145")
}

func TestANewMessageLeavesTheOthersWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := showing(t, 120, 45, running(4))
	first := func() int {
		return slices.IndexFunc(strings.Split(s.Draw(), "\n"), func(line string) bool { return strings.Contains(line, " 2010 ") })
	}
	at := first()
	for n := 5; n <= 17; n++ { // steps begin and end
		if s.poll(running(n)); first() != at {
			t.Fatalf("message %d moves those before it:\n%s", n, s.Draw())
		}
	}
	s.Resize(120, 16)
	s.poll(running(20)) // the screen is full, up to the newest
	s.Shows(" 2109 ", " 2103 ", " 2191 ")
}
