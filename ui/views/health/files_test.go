package health_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestExportsGoIntoANewFileEachTime(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for range 2 {
		if text := uitest.NoticeText(t, s.Invoke("health.export", "csv")); !strings.Contains(text, s.env.Folder) {
			t.Errorf("told %q", text)
		}
	}
	uitest.Answer(t, s.Model, s.Press("health.export"), uitest.Keys("down down enter")...)
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
	if text := uitest.NoticeText(t, s.Invoke("health.export", "pdf")); !strings.Contains(text, "json, csv, md, html, junit") {
		t.Errorf("told %q", text)
	}
}

func TestAFileOpensInTheTreeIfThereIsOnlyOnePane(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	s.Invoke("health.open", bigReport(t, s.env.Folder, 4))
	s.Shows("test_number_000003", "4 of 4 passed")
	s.Press("esc")
	s.Shows("Reports", "file")
}

func TestThePromptForAFileKeepsThePathAndNamesTheProblem(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	dialog := uitest.Find[views.Open](t, s.Press("health.open")).Dialog
	for _, key := range append(uitest.Text("gone.json"), uitest.Key("esc")) {
		dialog.Update(key)
	}
	up := s.Press("health.open")
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
	fresh := uitest.Find[views.Open](t, s.Press("health.open")).Dialog
	fresh.SetSize(78, 16)
	if text := fresh.View(); strings.Contains(text, "gone") {
		t.Errorf("a path that was used is offered again:\n%s", text)
	}
}

func TestAFileThatIsNoReportIsExplained(t *testing.T) {
	t.Parallel()
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
		"gone.json": "there is no file", "pipe.json": "not a regular file", s.env.Folder: "is a folder", "text.json": "not a health check report", "other.json": "not a health check report",
	} {
		if text := uitest.NoticeText(t, s.Invoke("health.open", path)); !strings.Contains(text, want) {
			t.Errorf("%s: told %q", path, text)
		}
	}
}
