package cli_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
)

func TestADashboardThatCannotRecordReadsAndSaysSo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "no-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	screen := clitest.OpenTerminal(t, 100, clitest.StartSlowSite(t), "--state-dir", file)
	screen.Shows("changes are disabled")
	screen.Shows("no writes")
	screen.Shows("Reports")
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// untrusted are folders in which a journal cannot be kept, by what is said of them.
func untrusted(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	link, shared, foreign := filepath.Join(dir, "link"), filepath.Join(dir, "shared"), filepath.Join(dir, "foreign")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{shared: 0o777, foreign: 0o700} {
		if err := errors.Join(os.Mkdir(path, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if os.Chown(foreign, 65534, 65534) != nil {
		foreign = "/usr" // only root can give a folder away; to others this one is foreign
	}
	return map[string]string{"symbolic link": link, "others may write to": shared, "belongs to another user": foreign}
}

func TestWithoutATrustedFolderForTheJournalNothingIsSent(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	site := env["GEODECK_URL"]
	writes := regexp.MustCompile(`/(run|stop|edit|upgrade|upload)$`)
	sent := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if writes.MatchString(r.URL.Path) {
			sent++
		}
		clitest.Forward(w, r, site)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + "/geodeck/admin"
	advice := map[string]string{
		"symbolic link": "Replace the link by a folder, or", "others may write to": "Fix that and try again, or", "belongs to another user": "Make that folder yours and writable, or",
	}
	for reason, folder := range untrusted(t) {
		for _, command := range [][]string{
			{"health", "run", "--name", "refused"},
			{"service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"},
			{"placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot")},
			{"placement", "apply", clitest.Cities, "-f", clitest.RulesOfPool(t, "spot"), "--dry-run"},
			{"upgrade", "start", "pat_12082025_6805", "--accept", "health,placement", "--confirm", "11.5.0.6805"},
			{"upgrade", "start", "pat_12082025_6805", "--accept", "health,placement", "--dry-run"},
		} {
			r := clitest.RunInProcess(t, clock, env, append(command, "--state-dir", folder)...)
			if r.Code != 4 || sent != 0 || !strings.Contains(r.Err, reason) || !strings.Contains(strings.ToLower(r.Err), "nothing was sent") ||
				!strings.Contains(r.Err, advice[reason]+" name another folder with --state-dir.") || strings.Contains(r.Err, "read-only") {
				t.Errorf("%q with a folder of which it %s: exit code %d, %d sent, it says\n%s", command, reason, r.Code, sent, r.Err)
			}
		}
		if r := clitest.RunInProcess(t, clock, env, "health", "run", "-o", "json", "--state-dir", folder); !strings.Contains(r.Err, `"kind":"not recorded"`) || !strings.Contains(r.Err, reason) {
			t.Errorf("%s: as JSON it says\n%s", reason, r.Err)
		}
		if r := clitest.RunInProcess(t, clock, env, "health", "reports", "--state-dir", folder); r.Code != 0 || strings.Contains(r.Out, "refused") {
			t.Errorf("%s: reading ends with the exit code %d, it says\n%s%s", reason, r.Code, r.Out, r.Err)
		}
	}
}

func TestWhatIsRecordedIsNotReadFromAnUntrustedFolder(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	folders := untrusted(t)
	folders["cannot be created"] = "/proc/geodeck"
	for reason, folder := range folders {
		for _, command := range [][]string{
			{"service", "history", clitest.Cities}, {"placement", "history", clitest.Cities},
			{"upgrade", "transcripts"}, {"upgrade", "transcripts", "an-id"}, {"upgrade", "evidence"}, {"upgrade", "evidence", "an-id"},
			{"log"}, {"log", "--verify"}, {"log", "an-id"},
		} {
			if command[0] == "log" && folder == "/proc/geodeck" {
				continue // it creates nothing: there is no record
			}
			r := clitest.RunInProcess(t, clock, env, append(command, "--state-dir", folder, "-o", "json")...)
			if r.Code != 4 || r.Out != "" || !strings.Contains(r.Err, `"kind":"not readable"`) || !strings.Contains(r.Err, reason) ||
				!strings.Contains(r.Err, "the records of the site cannot be read: ") || !strings.Contains(r.Err, "the state folder") || !strings.Contains(r.Err, ": "+folder) ||
				!strings.Contains(r.Err, "name another folder with --state-dir.") {
				t.Errorf("%q with a folder of which it %s: exit code %d, it says\n%s%s", command, reason, r.Code, r.Out, r.Err)
			}
		}
	}
}

// TestTheSimulatedPlatformTakesNoFlagsOfARealSite: taken and not obeyed, --state-dir would
// promise a record that is nowhere, and --read-only a site that refuses changes.
func TestTheSimulatedPlatformTakesNoFlagsOfARealSite(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	flags := map[string]string{"url": "https://gis.example.org/x/admin", "token-file": "t", "ca": "c", "client-cert": "c", "client-key": "k", "insecure": "true", "state-dir": state}
	for _, command := range []string{"demo", "serve"} {
		if command == "serve" {
			flags["auth-header"], flags["read-only"] = "Authorization", "true"
		}
		for flag, value := range flags {
			r := clitest.RunInProcess(t, nil, nil, command, "--"+flag+"="+value, "--scenarios")
			if r.Code != 2 || r.Out != "" || !strings.Contains(r.Err, "geodeck: --"+flag+" does nothing in geodeck "+command+"\nLeave it out") {
				t.Errorf("%s --%s: exit code %d, it says\n%s%s", command, flag, r.Code, r.Out, r.Err)
			}
		}
	}
}

func TestADashboardWithoutATrustedFolderForTheJournalReads(t *testing.T) {
	t.Parallel()
	site := clitest.StartSlowSite(t)
	for reason, folder := range untrusted(t) {
		screen := clitest.OpenTerminal(t, 160, site, "--state-dir", folder)
		screen.Shows("no writes")
		screen.Shows("Basic health checks")
		screen.Shows(reason)
		screen.Press("q")
		if code := screen.End(); code != 0 {
			t.Errorf("%s: exit code %d", reason, code)
		}
	}
}

func TestTheJournalOfADemonstrationGoesWithIt(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	screen := clitest.OpenTerminal(t, 100, []string{"TMPDIR=" + temporary}, "demo")
	screen.Shows("DEMO")
	screen.Press("?")
	screen.Shows("Help for") // keys wait for the journal
	if made, err := filepath.Glob(filepath.Join(temporary, "geodeck-journal-*")); err != nil || len(made) != 1 {
		t.Errorf("journals while it runs: %q, %v", made, err)
	}
	screen.Press("\x1b")
	screen.Shows("1 of 12")
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}

func TestADemonstrationThatDoesNotOpenLeavesNothing(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	out := clitest.OnTerminal(t, 100, []string{"TMPDIR=" + temporary}, "demo", "--timeout", "5s")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 || !strings.Contains(out, "--timeout is for commands") {
		t.Errorf("it leaves %v behind, %v, and says %q", left, err, out)
	}
}

func TestADashboardOnASiteMakesItsJournalPrivate(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	screen := clitest.OpenTerminal(t, 100, []string{
		"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "XDG_STATE_HOME=" + state}, "--theme", "dark")
	screen.Shows("Reports")
	screen.Press("?")
	screen.Shows("Help for") // keys wait for the journal
	info, err := os.Stat(filepath.Join(state, "geodeck"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	screen.Press("\x1b")
	screen.Shows("1 of 12")
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
