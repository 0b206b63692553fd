package session_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// debugged is a line of the file of --debug.
type debugged struct {
	Request string              `json:"request"`
	Fields  map[string][]string `json:"fields"`
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers"`
	Body    map[string]any      `json:"body"`
	Cut     string              `json:"cut"`
}

// linesOf reads the file of --debug from a position on.
func linesOf(t *testing.T, path string, from int64) (lines []debugged) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(from, 0); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(file); in.Scan(); {
		var line debugged
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatalf("%v: %.200s", err, in.Text())
		}
		lines = append(lines, line)
	}
	return lines
}

func TestDebugHoldsRequestsAndAnswers(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	path := clitest.FileOf(t, "debug.jsonl", "") // of somebody who made it readable
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := clitest.RunInProcess(t, clock, env, "service", "get", clitest.Cities, "--debug", path); r.Code != 0 {
		t.Fatal(r.Err)
	}
	found := false
	for _, line := range linesOf(t, path, 0) {
		if strings.HasSuffix(line.Request, "/SampleWorldCities.MapServer") {
			found = line.Body["serviceName"] == "SampleWorldCities" && line.Status == 200 && line.Fields["f"][0] == "json" && line.Headers["Content-Type"] != nil
		}
	}
	if info, err := os.Stat(path); !found || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("found %v, mode %v, error %v", found, info.Mode(), err)
	}
}

func TestDebugFollowsNoLinkAndWritesToFilesAlone(t *testing.T) {
	t.Parallel()
	target := clitest.FileOf(t, "precious", "content")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{link: "is a symbolic link", "/dev/null": "is not a regular file", t.TempDir(): "is a directory"} {
		r := clitest.RunInProcess(t, simtest.NewSteppedClock(time.Now()), nil, "version", "--debug", path)
		if r.Code != 2 || !strings.Contains(r.Err, says) {
			t.Errorf("%s: exit code %d: %s", path, r.Code, r.Err)
		}
	}
	if content, err := os.ReadFile(target); err != nil || string(content) != "content" {
		t.Errorf("%q, error %v", content, err)
	}
}

func TestTheFileOfDebugEndsWhereItIsFullAndSaysSo(t *testing.T) {
	t.Parallel()
	const limit = 64 << 20
	clock, env := clitest.SiteToEdit(t, "healthy")
	path := clitest.FileOf(t, "debug.jsonl", "")
	const from = limit - 1200 // room for a line or two
	if err := os.Truncate(path, from); err != nil {
		t.Fatal(err)
	}
	if r := clitest.RunInProcess(t, clock, env, "service", "get", clitest.Cities, "--debug", path); r.Code != 0 {
		t.Fatal(r.Err)
	}
	lines := linesOf(t, path, from)
	if last := lines[len(lines)-1]; !strings.Contains(last.Cut, "64 MiB") {
		t.Errorf("the last line is %v", last)
	}
	for _, line := range lines[:len(lines)-1] {
		if line.Cut != "" {
			t.Errorf("cut before its end: %v", line)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > limit+200 {
		t.Errorf("%d bytes, error %v", info.Size(), err)
	}
	if err := os.Truncate(path, limit); err != nil {
		t.Fatal(err)
	}
	if r := clitest.RunInProcess(t, clock, env, "version", "--debug", path); r.Code != 2 || !strings.Contains(r.Err, "is full, with 64 MiB") {
		t.Errorf("exit code %d: %s", r.Code, r.Err)
	}
}
