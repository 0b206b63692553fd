package main

import (
	"os"
	"path/filepath"
	"testing"

	"geodeck/adminapi/simulator"
)

func TestADashboardThatCannotRecordReadsAndSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	screen := openTerminal(t, 100, startSlowSite(t), "--state-dir", file)
	screen.waitFor("nothing can be changed at the site")
	screen.waitFor("no writes")
	screen.waitFor("Reports")
	screen.press("q")
	if code := screen.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheJournalOfADemonstrationGoesWithIt(t *testing.T) {
	temporary := t.TempDir()
	screen := openTerminal(t, 100, []string{"TMPDIR=" + temporary}, "demo")
	screen.waitFor("DEMO")
	if made, err := filepath.Glob(filepath.Join(temporary, "geodeck-journal-*")); err != nil || len(made) != 1 {
		t.Errorf("journals while it runs: %q, %v", made, err)
	}
	screen.press("q")
	if code := screen.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}

func TestADashboardOnASiteMakesItsJournalPrivate(t *testing.T) {
	state := t.TempDir()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	screen := openTerminal(t, 100, []string{
		"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0), "XDG_STATE_HOME=" + state}, "--theme", "dark")
	screen.waitFor("Reports")
	info, err := os.Stat(filepath.Join(state, "geodeck"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	screen.press("q")
	if code := screen.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
