package checkout_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

// A program that was stopped right after its edit was sent has not kept that: the next apply does, and what it has sent itself
// is no drift from then on.
func TestTheNextApplyKeepsWhatAnEarlierOneHasSent(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	folder := t.TempDir()
	file, index := filepath.Join(folder, clitest.Cities+".json"), filepath.Join(folder, ".geodeck.json")
	edit := func(old, new string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	clitest.Wants(t, run, 0, "pull", "-d", folder, clitest.Cities)
	pulled, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	edit(`"maxIdleTime": 1800`, `"maxIdleTime": 900`)
	clitest.Wants(t, run, 0, "apply", "-d", folder, "--yes")
	if err = os.WriteFile(index, pulled, 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, run, 0, "apply", "-d", folder, "--dry-run")
	if now, err := os.ReadFile(index); err != nil || !bytes.Equal(now, pulled) {
		t.Errorf("a dry run has written the index: %v", err)
	}
	clitest.Wants(t, run, 0, "apply", "-d", folder, "--yes")
	edit(`"maxIdleTime": 900`, `"maxIdleTime": 901`)
	if r := run("apply", "-d", folder, "--yes"); r.Code != 0 || strings.Contains(r.Err, "drift") {
		t.Errorf("exit code %d, it says\n%s\n%s", r.Code, r.Out, r.Err)
	}
}

// Both parts of one service are one service, and what could not be read was not found to be the same.
func TestAServiceThatCannotBeReadIsCountedOnceAndNotCalledTheSame(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	run := func(args ...string) clitest.Result { return clitest.RunInProcess(t, clock, env, args...) }
	folder := t.TempDir()
	clitest.Wants(t, run, 0, "pull", "-d", folder, clitest.Cities)
	env["GEODECK_URL"] = "http://127.0.0.1:1/geodeck/admin"
	r := run("apply", "-d", folder, "--yes")
	if r.Code == 0 || !strings.Contains(r.Err, "1 service cannot take it; nothing was sent") || strings.Contains(r.Err, "nothing to send") {
		t.Errorf("exit code %d, it says\n%s\n%s", r.Code, r.Out, r.Err)
	}
}
