package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"geodeck/adminapi/doctor"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
)

// examined runs the doctor and reads its JSON, by the ids of the checks.
func examined(t *testing.T, env map[string]string, args ...string) (clitest.Result, map[string]doctor.Check) {
	t.Helper()
	r := clitest.RunInProcess(t, nil, env, append([]string{"doctor", "-o", "json"}, args...)...)
	var report doctor.Report
	if err := json.Unmarshal([]byte(r.Out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, r.Out, r.Err)
	}
	checks := map[string]doctor.Check{}
	for _, c := range report.Checks {
		checks[c.ID] = c
	}
	return r, checks
}

func TestTheDoctorExitsWithOneOnlyWhereACheckFailed(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	token := clitest.TokenOf(t, site, 0)
	bad := clitest.FileOf(t, "config.yaml", "sites: {a: {nothing: 1}}\n")
	for name, c := range map[string]struct {
		env    map[string]string
		args   []string
		code   int
		failed string // the check, and words in it
		says   string
	}{
		"no site":           {nil, nil, 0, "", ""},
		"all is well":       {map[string]string{"GEODECK_URL": site.URL(), "GEODECK_TOKEN": token}, nil, 0, "", ""},
		"not signed in":     {map[string]string{"GEODECK_URL": site.URL()}, nil, 0, "", ""},
		"a wrong token":     {map[string]string{"GEODECK_URL": site.URL(), "GEODECK_TOKEN": "CANARY-" + token}, nil, 1, "signIn", "refuses"},
		"no token file":     {map[string]string{"GEODECK_URL": site.URL()}, []string{"--token-file", "/nowhere/token"}, 1, "signIn", "/nowhere/token"},
		"nothing listens":   {map[string]string{"GEODECK_URL": "http://127.0.0.1:1/geodeck/admin"}, nil, 1, "tcp", "refused"},
		"a bad address":     {map[string]string{"GEODECK_URL": "http://gis.example.org"}, nil, 1, "address", "--insecure"},
		"two sites":         {map[string]string{"GEODECK_URL": site.URL()}, []string{"--url", site.URL(), "--site", "a"}, 1, "address", "which is meant"},
		"an unknown site":   {nil, []string{"--site", "nope"}, 1, "address", "nope"},
		"a bad config.yaml": {map[string]string{"GEODECK_URL": site.URL(), "GEODECK_TOKEN": token}, []string{"--config", bad}, 1, "config", "line 1"},
		"a bad CA file":     {map[string]string{"GEODECK_URL": "https" + strings.TrimPrefix(site.URL(), "http")}, []string{"--ca", bad}, 1, "tls", "no PEM"},
		"a bad header":      {map[string]string{"GEODECK_URL": site.URL(), "GEODECK_AUTH_HEADER": "Cookie"}, nil, 1, "path", "X-Esri-Authorization"},
		"bad nodes":         {nil, []string{"--nodes", "/nowhere/nodes.json"}, 1, "nodes", "no such file"},
		"no state folder":   {nil, []string{"--state-dir", bad}, 1, "state", "is a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, checks := examined(t, c.env, c.args...)
			if r.Code != c.code || strings.Contains(r.Out+r.Err, token) || strings.Contains(r.Out+r.Err, "CANARY") {
				t.Errorf("exit code %d, want %d: %s%s", r.Code, c.code, r.Out, r.Err)
			}
			for id, check := range checks {
				text := check.Summary + check.Advice + strings.Join(check.Evidence, "")
				if id == c.failed && (check.Verdict != doctor.Failed || !strings.Contains(text, c.says)) || id != c.failed && check.Verdict == doctor.Failed {
					t.Errorf("%s is %s: %s", id, check.Verdict, text)
				}
			}
		})
	}
}

func TestTheDoctorPrintsATableWithEvidenceAndAdvice(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{TLS: true})
	r := clitest.RunInProcess(t, nil, nil, "doctor", "--url", site.URL())
	for _, line := range []string{
		"passed          Address ", "failed          TLS                    The site's certificate is self-signed and not trusted; trust it with --ca FILE.\n",
		"                                       not trusted: CN=geodeck simulator\n", "                                       -> Ask the site's administrator",
		"not known       Context path           TLS comes first; see there.\n", "\n1 failed, ",
	} {
		if !strings.Contains("\n"+r.Out, line) {
			t.Errorf("no line %q in\n%s", line, r.Out)
		}
	}
	if r.Code != 1 || !strings.Contains(r.Err, "1 of 21 checks failed") {
		t.Errorf("exit code %d: %s", r.Code, r.Err)
	}
	ca := clitest.FileOf(t, "ca.pem", string(site.Certificate()))
	if r := clitest.RunInProcess(t, nil, nil, "doctor", "--url", site.URL(), "--ca", ca); r.Code != 0 || !strings.Contains(r.Out, "The certificate is trusted") {
		t.Errorf("exit code %d: %s%s", r.Code, r.Out, r.Err)
	}
}

func TestTheDoctorMeasuresTheTerminal(t *testing.T) {
	t.Parallel()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(clitest.Patience(t), name, "doctor")
	cmd.Env = []string{"TERM=xterm-256color", "LANG=en_US.UTF-8", "HOME=" + t.TempDir()}
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	var said strings.Builder
	answered := false
	for part := make([]byte, 4096); ; {
		n, err := screen.Read(part)
		said.Write(part[:n])
		if !answered && strings.Contains(said.String(), "\x1b[c") { // it draws glyphs of two cells, and copies
			answered = true
			if _, err := screen.WriteString("\x1b[9;3R\x1b[9;2R\x1b[9;3R\x1b[9;2R\x1bP>|WezTerm 1\x1b\\\x1b[?65;52c"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil { // the program has ended
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, words := range []string{"✓ passed", "The terminal answers", "120 columns, 30 lines", "a glyph is 2 wide, and should be 1", "it calls itself WezTerm 1", "The terminal says that it copies", "1 warning"} {
		if !strings.Contains(said.String(), words) {
			t.Errorf("no %q in\n%s", words, said.String())
		}
	}
}

func TestTheDoctorWritesNothingButWhatItRemoves(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	folder := t.TempDir()
	env["XDG_STATE_HOME"], env["HOME"] = folder, folder
	clitest.RunInProcess(t, clock, env, "doctor")
	var found []string
	_ = filepath.WalkDir(folder, func(path string, _ os.DirEntry, _ error) error {
		found = append(found, path)
		return nil
	})
	if len(found) != 1 {
		t.Errorf("left behind: %q", found)
	}
}

func TestTheDoctorLooksForTheKeyringThatASiteNeeds(t *testing.T) {
	t.Parallel()
	config := clitest.FileOf(t, "config.yaml", "sites:\n  a:\n    url: http://127.0.0.1:1/a/admin\n    signIn: keyring\n")
	_, checks := examined(t, nil, "--config", config)
	if c := checks["keyring"]; c.Verdict != doctor.NotApplicable || !strings.Contains(c.Evidence[0], "no session bus") {
		t.Errorf("not needed: %v", c)
	}
	_, checks = examined(t, nil, "--config", config, "--site", "a")
	if c := checks["keyring"]; c.Verdict != doctor.Failed || !strings.Contains(c.Evidence[0], "no session bus") {
		t.Errorf("needed: %v", c)
	}
}

func TestADeadProxyIsLookedForWhereItIsSet(t *testing.T) {
	t.Parallel()
	config := clitest.FileOf(t, "config.yaml", "sites:\n  a:\n    url: https://gis.example.org/a/admin\n    proxy: http://127.0.0.1:1\n")
	_, checks := examined(t, nil, "--config", config, "--site", "a")
	if c := checks["proxy"]; c.Verdict != doctor.Failed || c.Advice != "Check the proxy in config.yaml line 4, and whether it runs." {
		t.Errorf("%v", c)
	}
	r := clitest.RunInProcess(t, nil, nil, "health", "reports", "--config", config, "--site", "a")
	if !strings.Contains(r.Err, "no connection to the proxy") || !strings.Contains(r.Err, "Check the proxy that HTTPS_PROXY or config.yaml names.") {
		t.Error(r.Err)
	}
}

func TestTheDoctorSaysThatOnlyASCIIWasAskedFor(t *testing.T) {
	t.Parallel()
	_, checks := examined(t, map[string]string{"LANG": "en_US.UTF-8"}, "--ascii")
	if c := checks["locale"]; c.Verdict != doctor.Passed || !strings.Contains(c.Summary, "as you asked") {
		t.Errorf("%v", c)
	}
}
