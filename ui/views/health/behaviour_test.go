package health_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func healthy(t testing.TB) *screen {
	return open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 120, 35)
}

func degraded(t testing.TB) *screen {
	return open(t, uitest.NewSite(t, uitest.Scenario(t, "degraded")).Site, 120, 35)
}

func TestAnExpiredSignInAsksForAnotherAndGoesOn(t *testing.T) {
	s := healthy(t)
	token := s.env.Site.Client.Token()
	s.env.Site.Client.SetToken(adminapi.Token{Value: "stale"})
	ask := uitest.Find[views.SignIn](t, s.Press("R"))
	s.Shows("1 of 12")
	s.env.Site.Client.SetToken(token)
	uitest.Drain(t, s.Model, ask.Retry)
	if s.Status().Busy != "" {
		t.Errorf("still %s", s.Status().Busy)
	}
}

func TestASiteThatIsAwayKeepsItsDataAndComesBackByItself(t *testing.T) {
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "/admin/healthCheck/reports/query", What: "html", After: 1, Times: 12}}
	s := open(t, uitest.NewSite(t, sc).Site, 120, 35)
	_, rest := uitest.Run(s.Model, s.Do("health.refresh", ""), 2)
	away := s.Status().Away
	if away == nil || away.Since.IsZero() || !away.Next.After(away.Since) || away.Err == nil {
		t.Fatalf("away %+v", away)
	}
	s.Shows("1 of 12", "scheduled-")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	if s.Status().Away != nil {
		t.Error("still away")
	}
}

func TestPagesOfReportsAreAllThere(t *testing.T) {
	sc := uitest.Scenario(t, "healthy")
	many := 250
	sc.Reports = &many
	s := open(t, uitest.NewSite(t, sc).Site, 80, 19)
	s.Shows("1 of 250")
	s.Press("G")
	s.Shows("250 of 250")
}

func TestTheReportIsReadOnlyOnceTheCursorRests(t *testing.T) {
	s := healthy(t)
	before := s.View()
	var cmds []tea.Cmd
	for range 3 {
		cmds = append(cmds, s.Do("rows.down", ""))
	}
	if first := strings.SplitN(before, "\n", 2)[0]; !strings.Contains(s.Draw(), first[50:]) {
		t.Error("the tree changed while the cursor was moving")
	}
	uitest.Drain(t, s.Model, tea.Batch(cmds...))
	s.Shows("after-update-11.5.0.6745")
}

func TestEscGoesOutStepByStep(t *testing.T) {
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 80, 19)
	s.Press("enter down down enter")
	s.Shows("sharing_availability", "Reported")
	s.Press("esc")
	s.Shows("▾ ✓ Critical")
	s.Press("esc")
	s.Shows("Reports")
	for _, c := range s.usable() {
		if c.ID == "health.back" {
			t.Error("esc is taken although there is nothing to go back to")
		}
	}
}

func TestFiltersLeaveTestsAndWhatTheyStandIn(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	s.Press("enter f")
	s.Shows("healthcheck_objectStore", "query_logs_availability", "General")
	s.Hides("home_app_availability", "▾ ✓ Critical")
	s.Press("a i")
	s.Shows("sharing_availability")
	s.Hides("home_app_availability")
	s.Press("a /")
	if !s.CapturesText() {
		t.Fatal("the filter takes no text")
	}
	uitest.Press(t, s.Model, uitest.Text("INGRESS")...)
	s.Shows("healthcheck_ingress", "General")
	s.Hides("home_app_availability")
	s.Press("enter esc")
	s.Shows("home_app_availability")
}

func TestTheOrderOfTestsCanBeChosen(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	at := func(name string) int { return strings.Index(s.Draw(), name) }
	s.Press("enter")
	if at("query_logs_availability") > at("home_app_availability") {
		t.Error("the worst is not first")
	}
	s.Press("s")
	s.Shows("longest first")
	s.Press("s")
	s.Shows("as reported")
	if at("query_logs_availability") < at("home_app_availability") {
		t.Error("not the order of the report")
	}
}

func TestExportsGoIntoANewFileEachTime(t *testing.T) {
	s := healthy(t)
	for range 2 {
		if text := uitest.Told(t, s.Call("health.export", "csv")); !strings.Contains(text, s.env.Folder) {
			t.Errorf("told %q", text)
		}
	}
	uitest.Answer(t, s.Model, s.Press("e"), uitest.Keys("down down enter")...)
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*"))
	if len(files) != 3 {
		t.Fatalf("files %v", files)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
			t.Errorf("%s: %v %v", file, info.Mode(), err)
		}
	}
	if text := uitest.Told(t, s.Call("health.export", "pdf")); !strings.Contains(text, "json, csv, md, junit") {
		t.Errorf("told %q", text)
	}
}

func TestASavedReportOpensWithoutASiteAndCanBeCompared(t *testing.T) {
	s := healthy(t)
	s.Call("health.export", "json")
	s.Press("G")
	s.Call("health.export", "json")
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*.json"))
	if len(files) != 2 {
		t.Fatalf("files %v", files)
	}
	offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 120, 35)
	offline.Shows("There is no site.")
	for _, file := range files {
		offline.Call("health.open", file)
	}
	offline.Shows("1 of 2", "file", "healthcheck_objectStore")
	offline.Press("c down c")
	offline.Shows("Before", "After", "newly failing")
}

func TestAFileIsOpenedIntoItsTreeWhereThereIsRoomForOnePane(t *testing.T) {
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	s.Call("health.open", bigReport(t, s.env.Folder, 5))
	s.Shows("test_number_000004", "5 of 5 passed")
	s.Press("esc")
	s.Shows("Reports", "file")
}

func TestWhatIsNoReportIsSaidInASentence(t *testing.T) {
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(s.env.Folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("text.json", "hello")
	write("other.json", `{"a":[1,2]}`)
	if err := syscall.Mkfifo(filepath.Join(s.env.Folder, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"gone.json": "there is no file", "pipe.json": "not a regular file", s.env.Folder: "is a folder", "text.json": "no health check report", "other.json": "no health check report",
	} {
		if text := uitest.Told(t, s.Call("health.open", path)); !strings.Contains(text, want) {
			t.Errorf("%s: told %q", path, text)
		}
	}
}

func TestDeletingAsksFirstAndThenTheReportIsGone(t *testing.T) {
	s := healthy(t)
	up := s.Press("down down down D")
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	if text := dialog.View(); !strings.Contains(text, "by itself") {
		t.Errorf("a system-made report is deleted without a word: %s", text)
	}
	up = uitest.Answer(t, s.Model, up, uitest.Key("y"))
	if text := uitest.Told(t, up); !strings.Contains(text, "Deleted after-update-11.5.0.6745") {
		t.Errorf("told %q", text)
	}
	s.Shows("of 11")
	s.Press("R")
	s.Shows("of 11")
}

func TestNothingThatTheServerWritesReachesTheTerminalAsControl(t *testing.T) {
	for _, size := range uitest.Sizes {
		s := open(t, uitest.NewSite(t, uitest.Scenario(t, "hostile")).Site, size.Width, size.Height)
		s.runCheck()
		for _, keys := range []string{"", "enter", "f", "a down down down enter", "v", "esc esc esc c down c", "esc"} {
			s.Press(keys)
			uitest.Harmless(t, s.Draw())
		}
	}
}

func TestTheIDOfWhatIsChosenIsCopied(t *testing.T) {
	s := healthy(t)
	if c := uitest.Find[views.Copy](t, s.Press("y")); c.What != "report id" || len(c.Text) < 8 {
		t.Errorf("copied %+v", c)
	}
	if c := uitest.Find[views.Copy](t, s.Press("enter down down y")); c.What != "test id" || !strings.HasPrefix(c.Text, "HC_") {
		t.Errorf("copied %+v", c)
	}
}

func TestTimesFollowTheChosenMode(t *testing.T) {
	s := healthy(t)
	s.env.Times.Next()
	s.Shows("11-18 12:05Z")
	s.env.Times.Next()
	s.Shows("2 days ago", "22 days ago")
	s.env.Times.Now = func() time.Time { return uitest.Start.Add(100 * 24 * time.Hour) }
	s.Shows("102 days ago")
}

func TestAnUnknownResultIsShownAsUnknown(t *testing.T) {
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 120, 35)
	report := `{"id":"odd","name":"odd","result":"passed","state":"completed","startTime":1795183500000,"endTime":1795183400000,
		"suiteStatus":[{"id":"S","name":"Suite","result":"passed","state":"completed","criticalTestStatus":[
		{"id":"T1","name":"one","severity":"critical","result":"splendid","state":"completed"}]}]}`
	if err := os.WriteFile(filepath.Join(s.env.Folder, "odd.json"), []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Call("health.open", "odd.json")
	s.Shows("? unknown  file  odd", "contradiction", "0 of 1 passed")
	s.Press("enter G")
	s.Shows(`"splendid"`, "? unknown")
}

func TestARefusedFormSaysWhatIsWrongWithAName(t *testing.T) {
	s := healthy(t)
	dialog := uitest.Find[views.Open](t, s.Press("r")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	for _, key := range uitest.Keys("enter ctrl+u enter") {
		for _, msg := range uitest.Drain(t, dialog, dialog.Update(key)) {
			if shut, ok := msg.(views.Shut); ok {
				t.Fatalf("sent without a name: %+v", shut)
			}
		}
	}
	if !strings.Contains(dialog.View(), "name") {
		t.Errorf("no reason:\n%s", dialog.View())
	}
}
