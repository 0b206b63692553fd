package cli_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
	"geodeck/ui/cli/command"
	"geodeck/ui/uitest/clitest"
)

// unread runs the program as a process whose standard output, and errors, nobody reads.
func unread(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	name, err := exec.LookPath("geodeck")
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	cmd := exec.CommandContext(clitest.Patience(t), name, args...)
	cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+t.TempDir()), env...)
	cmd.Stdout, cmd.Stderr = write, write
	_ = cmd.Run()
	return cmd
}

func TestAClosedPipeEndsNoChangeAndNoWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scenario string
		args     []string
		code     int
		shows    []string // a command, and what it prints where the change was made
	}{
		"edit":   {"healthy", []string{"service", "edit", clitest.Cities, "--set", "properties.maxRecordCount=2000", "--wait"}, 0, []string{"service", "get", clitest.Cities, `"maxrecordcount":2000`}},
		"stop":   {"healthy", []string{"service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"}, 0, []string{"service", "status", clitest.Cities, "stopped"}},
		"health": {"healthy", []string{"health", "run", "--name", "unread", "--suite", "BSHC-001"}, 0, []string{"health", "reports", "unread"}},
		"failed": {"degraded", []string{"health", "run", "--name", "unread"}, 1, []string{"health", "reports", "unread"}},
		"import": {"empty-manifest", []string{"upgrade", "import-manifest", clitest.FileOf(t, "manifest.dat", manifest)}, 0, []string{"upgrade", "available", "pat_new_6900"}},
		"watch":  {"running-patch", []string{"upgrade", "watch", "--from-start"}, 0, []string{"upgrade", "status", "succeeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario, _ := simulator.BuiltIn(test.scenario)
			speed := 3600
			if name == "watch" { // an upgrade that has ended before the watch begins is not watched
				speed = 200
			}
			clock := simulator.NewScaledClock(float64(speed))
			server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
			token := clitest.TokenOf(t, server, 0)
			if cmd := unread(t, []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + token, clitest.ClockSpeed + "=" + strconv.Itoa(speed)}, test.args...); cmd.ProcessState.ExitCode() != test.code {
				t.Errorf("it ends with %v, want exit code %d", cmd.ProcessState, test.code)
			}
			last := len(test.shows) - 1
			r := clitest.RunInProcess(t, clock, map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": token}, test.shows[:last]...)
			if !strings.Contains(strings.ToLower(r.Out), test.shows[last]) {
				t.Errorf("%v prints no %q:\n%s%s", test.shows[:last], test.shows[last], r.Out, r.Err)
			}
		})
	}
}

func TestAClosedPipeEndsWhatOnlyPrints(t *testing.T) {
	t.Parallel()
	site := clitest.StartSlowSite(t)
	for _, args := range [][]string{{"service", "list"}, {"service", "stop", clitest.Cities, "--dry-run"}, {"version"}} {
		cmd := unread(t, site, args...)
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGPIPE {
			t.Errorf("%v ends with %v", args, cmd.ProcessState)
		}
	}
}

// Whoever adds a command decides: it goes on, or it only prints.
func TestEveryCommandGoesOnUnreadOrOnlyPrints(t *testing.T) {
	t.Parallel()
	prints := strings.Fields(`completion demo serve help version doctor log whoami diff
		service/list service/get service/status service/history service/diff service/explain
		placement/get placement/diff placement/pods placement/check placement/explain placement/history placement/presets placement/simulate
		health/suites health/reports health/report health/open health/compare health/export health/explain
		upgrade/available upgrade/explain upgrade/history upgrade/plan upgrade/settings upgrade/status upgrade/transcripts
		fleet fleet/compare job/get job/list site/list site/schema site/show`)
	root := cli.Tree()
	for _, path := range leaves(root) {
		cmd, _, _ := root.Find(strings.Fields(path))
		if on := command.OutlivesReader(cmd); on == slices.Contains(prints, strings.ReplaceAll(path, " ", "/")) {
			t.Errorf("%s: goes on %v", path, on)
		}
	}
	var wait *cobra.Command
	wait, _, _ = root.Find([]string{"service", "status"})
	if err := wait.Flags().Set("wait", "true"); err != nil || !command.OutlivesReader(wait) {
		t.Errorf("a wait does not go on: %v", err)
	}
}
