package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

const cities = "SampleWorldCities.MapServer"

// siteToEdit starts a scenario on a clock that steps by itself, and returns the
// environment of whoever may edit there.
func siteToEdit(t *testing.T, name string) (simulator.Clock, map[string]string) {
	t.Helper()
	scenario, found := simulator.BuiltIn(name)
	if !found {
		t.Fatalf("no scenario %s", name)
	}
	clock := simulator.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	return clock, map[string]string{
		"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir(),
	}
}

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
	editor := filepath.Join(t.TempDir(), "editor.sh")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
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
