package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
)

// deck is a dashboard on a terminal, at the definition of the sample service.
func deck(t *testing.T, env []string, state string) *screen {
	t.Helper()
	s := openTerminal(t, 200, env, "--state-dir", state)
	s.waitFor("1 of 12")
	s.press("3")
	s.waitFor("SampleWorldCities")
	s.types("/SampleWorld")
	s.waitFor("/SampleWorld")
	s.press("\r")
	s.waitFor("1 of 1 ")
	s.press("\r")
	s.waitFor("Placement")
	return s
}

// types writes a text, a key for each character.
func (s *screen) types(text string) {
	s.t.Helper()
	for _, r := range text {
		s.press(string(r))
	}
}

// setsRecords changes how many records a query returns, until that is kept.
func (s *screen) setsRecords(count string) {
	s.t.Helper()
	s.press("s")
	s.waitFor("earch")
	s.types("maxRecord\r")
	s.press("e")
	s.waitFor("New value")
	s.press("\x15")
	s.types(count + "\r")
	s.waitFor(count)
}

func TestTwoDashboardsOnOneStateFolderOverwriteNothingOfEachOther(t *testing.T) {
	t.Parallel()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(60)})
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0), "NO_COLOR=1"}
	state := filepath.Join(t.TempDir(), "state")
	a := deck(t, env, state)
	a.waitFor("serviceName")
	a.setsRecords("4321")
	a.waitFor("draft kept")

	b := deck(t, env, state)
	b.waitFor("and has it open")
	b.press("T")
	b.waitFor("Take over the edit of")
	b.press("y")
	b.waitFor("w write")
	b.setsRecords("1234")
	b.waitFor("draft kept")
	a.press("d")
	a.waitFor("has taken over the edit")

	// A command leaves alone what is open.
	vars := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0), "EDITOR": "true"}
	for _, flag := range []string{"--dry-run", "--continue", "--discard"} {
		r := runInProcess(t, simulator.NewScaledClock(60), vars, "service", "edit", cities, "--state-dir", state, flag)
		if r.code != 4 || !strings.Contains(r.err, "has it open; nothing was sent") || !strings.Contains(r.err, "--take-over") {
			t.Errorf("%s: exit code %d, it says\n%s", flag, r.code, r.err)
		}
	}
	r := runInProcess(t, simulator.NewScaledClock(60), vars, "service", "edit", cities, "--state-dir", state, "--take-over", "--dry-run")
	if r.code != 0 || !strings.Contains(r.out, "maxRecordCount") {
		t.Errorf("taking over: exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}

	// Whatever is kept by each is there, also after both were killed.
	for _, s := range []*screen{a, b} {
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.end()
	}
	c := deck(t, env, state) // of three that were left
	c.waitFor("You have edited this definition before")
	c.press("\r")
	c.waitFor("w write")
	kept := textBelow(t, state)
	if !strings.Contains(kept, "1234") {
		t.Error("what b typed is lost")
	}
	if strings.Count(kept, `"edited":`) != 3 {
		t.Errorf("the drafts are\n%s", kept)
	}
}

// textBelow is all that is kept in a folder.
func textBelow(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(folder, "*", "drafts", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
