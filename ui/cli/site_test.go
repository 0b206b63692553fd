package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryFlagOfANewSiteIsInTheFile(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := configOf(t, "# mine\nsites:\n  old: {url: https://old.example.org}\n# end\n")
	r := runInProcess(t, nil, env, "site", "add", "new", "--url", "http://gis.example.org/x/admin", "--insecure", "--production=false", "--read-only", "--user", "me",
		"--sign-in", "file=token", "--client-id", "geodeck", "--auth-header", "x-esri-authorization", "--ca", "ca.pem", "--client-cert", "c.pem", "--client-key", "/k.pem",
		"--proxy", "none", "--nodes-command", "kubectl get nodes -o json", "--alarms", "none", "--hook", "page-me", "--poll", "slow", "--use")
	if r.code != 0 {
		t.Fatalf("exit code %d, it says\n%s", r.code, r.err)
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
	clock, site := siteToEdit(t, "healthy")
	env := configOf(t, "current: gis\nsites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    signIn: keyring\n")
	if r := runInProcess(t, clock, with(env, "GEODECK_TOKEN", site["GEODECK_TOKEN"]), "service", "stop", cities, "--confirm", "SampleWorldCities"); r.code != 0 {
		t.Fatalf("exit code %d, it says\n%s", r.code, r.err)
	}
	r := runInProcess(t, clock, env, "site", "remove", "gis")
	for _, says := range []string{"stays recorded in " + env["XDG_STATE_HOME"], "geodeck logout --url " + site["GEODECK_URL"], "no site is the current one now"} {
		if r.code != 0 || !strings.Contains(r.err, says) {
			t.Errorf("exit code %d, it does not say %s:\n%s", r.code, says, r.err)
		}
	}
}
