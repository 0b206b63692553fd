package site_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

func TestEveryFlagOfANewSiteIsInTheFile(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := clitest.ConfigOf(t, "# mine\nsites:\n  old: {url: https://old.example.org}\n# end\n")
	r := clitest.RunInProcess(t, nil, env, "site", "add", "new", "--url", "http://gis.example.org/x/admin", "--insecure", "--production=false", "--read-only", "--user", "me",
		"--sign-in", "file=token", "--client-id", "geodeck", "--auth-header", "x-esri-authorization", "--ca", "ca.pem", "--client-cert", "c.pem", "--client-key", "/k.pem",
		"--proxy", "none", "--nodes-command", "kubectl get nodes -o json", "--alarms", "none", "--hook", "page-me", "--poll", "slow", "--use")
	if r.Code != 0 {
		t.Fatalf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	written, err := os.ReadFile(env["GEODECK_CONFIG"])
	if err != nil {
		t.Fatal(err)
	}
	want := `# mine
current: new
sites:
  old: {url: https://old.example.org}
  new:
    url: http://gis.example.org/x/admin
    production: false
    readOnly: true
    user: me
    signIn: {file: ` + filepath.Join(here, "token") + `}
    clientId: geodeck
    authHeader: X-Esri-Authorization
    ca: ` + filepath.Join(here, "ca.pem") + `
    clientCert: ` + filepath.Join(here, "c.pem") + `
    clientKey: /k.pem
    proxy: none
    insecure: true
    nodes: {command: "kubectl get nodes -o json"}
    alarms: []
    hook: page-me
    poll: slow
# end
`
	if string(written) != want {
		t.Errorf("the file is\n%s", written)
	}
}

func TestARemovedSiteLeavesItsRecords(t *testing.T) {
	t.Parallel()
	clock, site := clitest.SiteToEdit(t, "healthy")
	env := clitest.ConfigOf(t, "current: gis\nsites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    signIn: keyring\n")
	if r := clitest.RunInProcess(t, clock, clitest.With(env, "GEODECK_TOKEN", site["GEODECK_TOKEN"]), "service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"); r.Code != 0 {
		t.Fatalf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	r := clitest.RunInProcess(t, clock, env, "site", "remove", "gis")
	for _, says := range []string{"stays recorded in " + env["XDG_STATE_HOME"], "geodeck logout --url " + site["GEODECK_URL"], "no site is the current one now"} {
		if r.Code != 0 || !strings.Contains(r.Err, says) {
			t.Errorf("exit code %d, it does not say %s:\n%s", r.Code, says, r.Err)
		}
	}
}
