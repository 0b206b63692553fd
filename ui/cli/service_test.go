package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestAnEditThatNeverArrivedEndsAsUnknownAfterLooking(t *testing.T) {
	t.Parallel()
	clock, env := siteToEdit(t, "edit-answer-lost-not-performed")
	r := runInProcess(t, clock, env, "service", "get", cities)
	file := filepath.Join(t.TempDir(), "edited.json")
	edited := strings.Replace(r.out, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1)
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	began := clock.Now()
	r = runInProcess(t, clock, env, "service", "apply", cities, "-f", file)
	if r.code != 6 || !strings.Contains(r.err, "the site still has the old definition, and no job edits the service") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	if looked := clock.Now().Sub(began); looked < 30*time.Second {
		t.Errorf("it gave up after %s", looked)
	}
	r = runInProcess(t, clock, env, "service", "apply", cities, "-f", file)
	if r.code != 6 || !strings.Contains(r.err, "nothing was sent") || !strings.Contains(r.err, "--again '"+cities+"'") {
		t.Errorf("once more, too soon: exit code %d, it says\n%s", r.code, r.err)
	}
	if err := clock.Sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	r = runInProcess(t, clock, env, "service", "apply", cities, "-f", file, "--again", cities, "-o", "json")
	if r.code != 0 || !strings.Contains(r.out, `"kept": true`) {
		t.Errorf("once more, on purpose: exit code %d, it says\n%s", r.code, r.err)
	}
}

// terminalToEdit opens service edit on a terminal, with an editor that is a script.
func terminalToEdit(t *testing.T, script string, more ...string) *screen {
	t.Helper()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	editor := simtest.Script(t, "editor.sh", script)
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0), "VISUAL=", "EDITOR='" + editor + "'"}
	return openTerminal(t, 120, env, append([]string{"service", "edit", cities, "--plain"}, more...)...)
}

func TestOnATerminalAnEditIsAgreedToByName(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `sed -i -e /maxIdleTime/d "$1"`)
	screen.waitFor("maxIdleTime would be lost. Type its name, maxIdleTime, to agree")
	screen.press("maxWaitTime\r")
	screen.waitFor("That is not its name")
	screen.press("maxIdleTime\r")
	screen.waitFor("Type yes to send:")
	screen.press("yes\r")
	if code := screen.end(); code != 0 || !strings.Contains(screen.text(), "done: the site has the definition") {
		t.Errorf("exit code %d:\n%s", code, screen.text())
	}
}

func TestOnATerminalNothingIsSentWithoutTheLastWord(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `sed -i -e 's/"maxIdleTime": 1800/"maxIdleTime": 900/' "$1"`)
	screen.waitFor("Type yes to send:")
	screen.press("y\r")
	if code := screen.end(); code != 4 || strings.Contains(screen.text(), "sending the definition") {
		t.Errorf("exit code %d:\n%s", code, screen.text())
	}
	if text := screen.text(); !strings.Contains(text, "nothing was sent") || !strings.Contains(text, "--continue") {
		t.Errorf("it says\n%s", text)
	}
}

func TestOnATerminalBrokenJSONGoesBackToTheEditorAsItIs(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `if grep -q '"maxIdleTime": 900,,' "$1"
then grep -q 'comma too many' "$1" || sed -i -e 's/900,,/900,/' "$1"
else sed -i -e 's/"maxIdleTime": 1800,/"maxIdleTime": 900,,/' "$1"
fi`)
	screen.waitFor("a comma too many")
	screen.waitFor("Press enter to go back to the editor")
	screen.press("\r")
	screen.waitFor("Type yes to send:")
	screen.press("yes\r")
	if code := screen.end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, screen.text())
	}
}

func TestADefinitionOnATerminalHoldsNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	scenario := simulator.Scenario{Name: "odd"}
	scenario.Editing.Definitions = map[string]string{cities: "{\"serviceName\":\"SampleWorldCities\",\"type\":\"MapServer\",\"a\":\"\u202e\u009b2J\x7f\"}"}
	server := newSite(t, simulator.Options{Scenario: scenario})
	out := onTerminal(t, 80, []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0)}, "service", "get", cities)
	if strings.ContainsAny(out, "\u009b\u202e\x7f") || !strings.Contains(out, `\u202e`) {
		t.Errorf("it shows %q", out)
	}
}

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
	a.waitFor("draft saved")

	b := deck(t, env, state)
	b.waitFor("and has it open")
	b.press("T")
	b.waitFor("Take over the edit of")
	b.press("y")
	b.waitFor("w write")
	b.setsRecords("1234")
	b.waitFor("draft saved")
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
