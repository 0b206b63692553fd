package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
	"geodeck/ui/uitest/terminal"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

func TestAnEditThatNeverArrivedEndsAsUnknownAfterLooking(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "edit-answer-lost-not-performed")
	r := clitest.RunInProcess(t, clock, env, "service", "get", clitest.Cities)
	file := filepath.Join(t.TempDir(), "edited.json")
	edited := strings.Replace(r.Out, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1)
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	began := clock.Now()
	r = clitest.RunInProcess(t, clock, env, "service", "apply", clitest.Cities, "-f", file)
	if r.Code != 6 || !strings.Contains(r.Err, "the site still has the old definition, and no job edits the service") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	if looked := clock.Now().Sub(began); looked < 30*time.Second {
		t.Errorf("it gave up after %s", looked)
	}
	r = clitest.RunInProcess(t, clock, env, "service", "apply", clitest.Cities, "-f", file)
	if r.Code != 6 || !strings.Contains(r.Err, "nothing was sent") || !strings.Contains(r.Err, "--again "+clitest.Cities) {
		t.Errorf("once more, too soon: exit code %d, it says\n%s", r.Code, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "service", "explain", clitest.Cities)
	if r.Code != 1 || !strings.Contains(r.Out, "Outcome unknown: edit the service ("+clitest.Cities+")") || !strings.Contains(r.Out, "send it again before its outcome is known") {
		t.Errorf("it is explained: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	dry := []string{"service", "apply", clitest.Cities, "-f", file, "--dry-run"}
	r = clitest.RunInProcess(t, clock, env, dry...)
	if r.Code != 6 || !strings.Contains(r.Out, "\nrequest: POST ") || !strings.Contains(r.Err, "its outcome is unknown") || !strings.Contains(r.Err, "--again "+clitest.Cities) {
		t.Errorf("a dry run: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r = clitest.RunInProcess(t, clock, env, append(dry, "-o", "json")...); r.Code != 6 || !strings.Contains(r.Out, `"request"`) {
		t.Errorf("a dry run in JSON: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if err := clock.Sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	if r = clitest.RunInProcess(t, clock, env, append(dry, "--again", clitest.Cities)...); r.Code != 0 || !strings.Contains(r.Out, "dry run: nothing was sent") {
		t.Errorf("a dry run of once more: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "service", "apply", clitest.Cities, "-f", file, "--again", clitest.Cities, "-o", "json")
	if r.Code != 0 || !strings.Contains(r.Out, `"kept": true`) {
		t.Errorf("once more, on purpose: exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// terminalToEdit opens service edit on a terminal, with an editor that is a script.
func terminalToEdit(t *testing.T, script string, more ...string) *terminal.Terminal {
	t.Helper()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	editor := simtest.Script(t, "editor.sh", script)
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "VISUAL=", "EDITOR='" + editor + "'"}
	return clitest.OpenTerminal(t, 200, env, append([]string{"service", "edit", clitest.Cities, "--plain"}, more...)...)
}

func TestOnATerminalADangerIsAcceptedByItsWord(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `subst /maxIdleTime/d "$1"`)
	screen.Shows("danger, maxIdleTime: The site will delete this key. Type removed-key to accept it")
	screen.Press("maxWaitTime\r")
	screen.Shows("That is not the word")
	screen.Press("removed-key\r")
	screen.Shows("Type yes to send:")
	screen.Press("yes\r")
	if code := screen.End(); code != 0 || !strings.Contains(screen.Sent(), "done: the site has the definition") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
}

func TestOnATerminalAWordIsAskedOnceForSeveralServices(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, "", "SouthTrees_10.MapServer", "--set", "properties.zzz=20")
	screen.Shows("caution in 2 services, properties.zzz: ")
	screen.Press("unknown-key\r")
	screen.Shows("Send this to 2 services, one after the other? Type yes to send:")
	screen.Press("yes\r")
	if code := screen.End(); code != 0 || strings.Count(screen.Sent(), ": done (started)") != 2 || strings.Count(screen.Sent(), "Type unknown-key") != 1 {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
}

func TestOnATerminalNothingIsSentWithoutTheLastWord(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `subst 's/"maxIdleTime": 1800/"maxIdleTime": 900/' "$1"`)
	screen.Shows("Type yes to send:")
	screen.Press("y\r")
	if code := screen.End(); code != 4 || strings.Contains(screen.Sent(), "sending the definition") {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
	if text := screen.Sent(); !strings.Contains(text, "nothing was sent") || !strings.Contains(text, "--continue") {
		t.Errorf("it says\n%s", text)
	}
}

func TestOnATerminalBrokenJSONGoesBackToTheEditorAsItIs(t *testing.T) {
	t.Parallel()
	screen := terminalToEdit(t, `if grep -q '"maxIdleTime": 900,,' "$1"
then grep -q 'comma too many' "$1" || subst 's/900,,/900,/' "$1"
else subst 's/"maxIdleTime": 1800,/"maxIdleTime": 900,,/' "$1"
fi`)
	screen.Shows("an extra comma")
	screen.Shows("Press enter to go back to the editor")
	screen.Press("\r")
	screen.Shows("Type yes to send:")
	screen.Press("yes\r")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, screen.Sent())
	}
}

func TestADefinitionOnATerminalHoldsNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	scenario := simulator.Scenario{Name: "odd"}
	scenario.Editing.Definitions = map[string]string{clitest.Cities: "{\"serviceName\":\"SampleWorldCities\",\"type\":\"MapServer\",\"a\":\"\u202e\u009b2J\x7f\"}"}
	server := clitest.NewSite(t, simulator.Options{Scenario: scenario})
	out := clitest.OnTerminal(t, 80, []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0)}, "service", "get", clitest.Cities)
	if strings.ContainsAny(out, "\u009b\u202e\x7f") || !strings.Contains(out, `\u202e`) {
		t.Errorf("it shows %q", out)
	}
}

// deck is a dashboard on a terminal, at the definition of the sample service.
func deck(t *testing.T, env []string, state string) *terminal.Terminal {
	t.Helper()
	return toTheCities(clitest.OpenTerminal(t, 200, env, "--state-dir", state))
}

// deckAfter is deck after another program has left something: it is listed first.
func deckAfter(t *testing.T, env []string, state string) *terminal.Terminal {
	t.Helper()
	s := clitest.OpenTerminal(t, 200, env, "--state-dir", state)
	s.Shows("Unfinished work")
	s.Press("\x1b")
	return toTheCities(s)
}

func toTheCities(s *terminal.Terminal) *terminal.Terminal {
	s.Shows("1 of 12")
	s.Press("3")
	s.Shows("SampleWorldCities")
	types(s, "/SampleWorld")
	s.Shows("/SampleWorld")
	s.Press("\r")
	s.Shows("1 of 40")
	s.Press("\r")
	s.Shows("Placement")
	return s
}

// types writes a text, a key for each character.
func types(s *terminal.Terminal, text string) {
	for _, r := range text {
		s.Press(string(r))
	}
}

// setsRecords changes how many records a query returns, until that is kept.
func setsRecords(s *terminal.Terminal, count string) {
	types(s, "//maxRecord\r")
	s.Press("e")
	s.Shows("New value")
	s.Press("\x15")
	types(s, count+"\r")
	s.Shows(count)
}

func TestTwoDashboardsOnOneStateFolderOverwriteNothingOfEachOther(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(60)})
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "NO_COLOR=1"}
	state := filepath.Join(t.TempDir(), "state")
	a := deck(t, env, state)
	a.Shows("serviceName")
	setsRecords(a, "4321")
	a.Shows("draft saved")

	b := deck(t, env, state)
	b.Shows("and has it open")
	b.Press("O")
	b.Shows("Take over the edit of")
	b.Press("y")
	b.Shows("w write")
	setsRecords(b, "1234")
	b.Shows("draft saved")
	a.Press("d")
	a.Shows("took over the edit")

	// A command leaves alone what is open.
	vars := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0), "EDITOR": "true"}
	for _, flag := range []string{"--dry-run", "--continue", "--discard"} {
		r := clitest.RunInProcess(t, simulator.NewScaledClock(60), vars, "service", "edit", clitest.Cities, "--state-dir", state, flag)
		if r.Code != 4 || !strings.Contains(r.Err, "has it open; nothing was sent") || !strings.Contains(r.Err, "--take-over") {
			t.Errorf("%s: exit code %d, it says\n%s", flag, r.Code, r.Err)
		}
	}
	r := clitest.RunInProcess(t, simulator.NewScaledClock(60), vars, "service", "edit", clitest.Cities, "--state-dir", state, "--take-over", "--dry-run")
	if r.Code != 0 || !strings.Contains(r.Out, "maxRecordCount") {
		t.Errorf("taking over: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}

	// Whatever is kept by each is there, also after both were killed.
	for _, s := range []*terminal.Terminal{a, b} {
		s.Signal(os.Kill)
		s.End()
	}
	c := deckAfter(t, env, state) // of three that were left
	c.Shows("Your draft of this definition")
	c.Press("\r")
	c.Shows("w write")
	kept := textBelow(t, state)
	if !strings.Contains(kept, "1234") {
		t.Error("what b typed is lost")
	}
	if strings.Count(kept, `"edited":`) != 3 {
		t.Errorf("the drafts are\n%s", kept)
	}
}

// A killed program leaves what was edited before a text was broken.
func TestChangesBeforeABrokenTextSurviveAKill(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(60)})
	editor := simtest.Script(t, "editor.sh", `subst 's/"provider": "DMaps",/"provider": "DMaps"/' "$1"`)
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "NO_COLOR=1", "VISUAL=", "EDITOR='" + editor + "'"}
	state := filepath.Join(t.TempDir(), "state")
	a := deck(t, env, state)
	a.Shows("serviceName")
	setsRecords(a, "4321")
	a.Shows("draft saved")
	a.Press("E")
	a.Shows("edit it again")
	for wait := clitest.Patience(t); !strings.Contains(textBelow(t, state), `"before":`); {
		if wait.Err() != nil {
			t.Fatal("the draft is not saved")
		}
	}
	a.Signal(os.Kill)
	a.End()

	b := deckAfter(t, env, state)
	b.Shows("Its text is broken")
	b.Press("X")
	b.Shows("Discard the broken text")
	b.Press("y")
	b.Shows("w write")
	b.Shows("draft saved")
	if kept := textBelow(t, state); !strings.Contains(kept, "4321") || strings.Contains(kept, `"before":`) {
		t.Errorf("the draft is\n%s", kept)
	}
}

// What was sent is no draft, and the next program says how it ended.
func TestAnEditWhoseProgramWasKilledIsSaidToBeSent(t *testing.T) {
	t.Parallel()
	clock := simtest.NewManualClock(time.Now())
	server := clitest.NewSite(t, simulator.Options{Clock: clock})
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "NO_COLOR=1"}
	state := filepath.Join(t.TempDir(), "state")
	a := deck(t, env, state)
	a.Shows("serviceName")
	setsRecords(a, "4321")
	a.Shows("draft saved")
	a.Press("w")
	a.Shows("1 change")
	a.Press("w")
	a.Shows("y send")
	a.Press("y")
	a.Shows("the job: submitted")
	a.Signal(os.Kill)
	a.End()

	clock.Advance(time.Minute)
	b := clitest.OpenTerminal(t, 200, env, "--state-dir", state)
	b.Shows("Sent, its end was not seen: definition of SampleWorldCities.MapServer")
	b.Press("\x1b")
	for wait := clitest.Patience(t); ; { // until its end was found
		if left, _ := filepath.Glob(filepath.Join(state, "*", "drafts", "*", "*.json")); len(left) == 0 {
			break
		}
		if wait.Err() != nil {
			t.Fatal("the draft of what was sent stays")
		}
	}
	b.Sends("earlier request to edit the service", 0) // else that notice may take the place of the next
	b.Press(":")
	types(b, "unfinished work")
	b.Shows(":unfinished work")
	b.Press("\r")
	b.Shows("Nothing is unfinished.")
	if shown := b.Sent(); strings.Contains(shown, "Draft: ") {
		t.Errorf("what was sent is called a draft:\n%s", shown)
	}
}

// A draft of which the site has all by now is no work that is left.
func TestADraftThatTheSiteHasByNowGoesOnceTheServiceIsOpened(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	token := clitest.TokenOf(t, server, 0)
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + token, "NO_COLOR=1"}
	state := filepath.Join(t.TempDir(), "state")
	a := deck(t, env, state)
	a.Shows("serviceName")
	setsRecords(a, "4321")
	a.Shows("draft saved")
	a.Signal(os.Kill)
	a.End()
	vars := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": token}
	clitest.Ok(t, clitest.RunInProcess(t, simulator.NewScaledClock(3600), vars, "service", "edit", clitest.Cities, "--set", "properties.maxRecordCount=4321"))

	b := deckAfter(t, env, state)
	b.Shows("The site has all of this draft; it is set aside.")
	for wait := clitest.Patience(t); ; {
		if left, _ := filepath.Glob(filepath.Join(state, "*", "drafts", "*", "*.json")); len(left) == 0 {
			break
		}
		if wait.Err() != nil {
			t.Fatal("the draft stays")
		}
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
