package sites

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written writes a private config.yaml into a new folder.
func written(t *testing.T, content string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const everyKey = `# comments survive
current: staging
sites:
  production:
    url: https://gis.example.org/context/admin
    production: true
    readOnly: false
    user: siteadmin
    signIn: keyring            # keyring | ask | {file: PATH} | {environment: NAME} | {command: "vault read ..."}
    clientId: geodeck          # OAuth for the sign-in of keyring and ask
    authHeader: x-esri-authorization
    ca: ca.pem                 # paths: ~/ and relative to the folder of config.yaml
    clientCert: /etc/cert.pem
    clientKey: keys/key.pem
    proxy: http://proxy:3128
    insecure: false
    nodes: {command: "kubectl get nodes -o json"}
    alarms: [bell, notify]
    hook: bin/page-me
    poll: slow
  staging:
    url: staging.example.org
`

// Another name of a production site must not be a way around its lock.
func TestEveryNameOfAProductionAddressIsProduction(t *testing.T) {
	t.Parallel()
	f, err := Read(written(t, `sites:
  short:
    url: https://GIS.example.org:443/ctx
  live:
    url: https://gis.example.org/ctx/admin
    production: true
  other:
    url: https://gis.example.org/other/admin
  plain:
    url: https://gis.example.org/ctx/admin/
    production: false
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range f.Sites() {
		if want := site.Name != "other"; site.Production != want || site.Locked() != want || want && site.Lines["production"] != 6 {
			t.Errorf("%s: production %v, said in line %d", site.Name, site.Production, site.Lines["production"])
		}
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	path := written(t, everyKey)
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(path)
	want := []Site{{
		Name: "production", URL: "https://gis.example.org/context/admin", Production: true, User: "siteadmin",
		SignIn: SignIn{Kind: Keyring}, ClientID: "geodeck", AuthHeader: "X-Esri-Authorization",
		CA: filepath.Join(folder, "ca.pem"), ClientCert: "/etc/cert.pem", ClientKey: filepath.Join(folder, "keys/key.pem"),
		Proxy: "http://proxy:3128", NodesCommand: "kubectl get nodes -o json", Bell: true, Notify: true,
		Hook: filepath.Join(folder, "bin/page-me"), Slow: true,
		Lines: map[string]int{"url": 5, "production": 6, "readOnly": 7, "user": 8, "signIn": 9, "clientId": 10, "authHeader": 11, "ca": 12,
			"clientCert": 13, "clientKey": 14, "proxy": 15, "insecure": 16, "nodes": 17, "alarms": 18, "hook": 19, "poll": 20},
	}, {Name: "staging", URL: "staging.example.org", Lines: map[string]int{"url": 22}}}
	if diff := cmp.Diff(want, f.Sites()); diff != "" {
		t.Error(diff)
	}
	if f.Current() != "staging" || f.Path() != path {
		t.Errorf("current is %q in %s", f.Current(), f.Path())
	}
	s, err := f.Site("production")
	if err != nil || !s.Says("readOnly") || !s.Locked() {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := f.Site("staging"); err != nil || s.Says("readOnly") || s.Locked() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAFileThatIsMissingIsEmpty(t *testing.T) {
	t.Parallel()
	f, err := Read(filepath.Join(t.TempDir(), "none", "config.yaml"))
	if err != nil || len(f.Sites()) > 0 || f.Current() != "" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestASiteThatIsMissingIsSuggested(t *testing.T) {
	t.Parallel()
	f, err := Read(written(t, everyKey))
	if err != nil {
		t.Fatal(err)
	}
	for name, advice := range map[string]string{
		"prodution": "Did you mean production?", "PRODUCTION": "Did you mean production?", "stag": "Did you mean staging?",
		"west": "List the sites: geodeck site list",
	} {
		_, err := f.Site(name)
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, ErrNoSuchSite) || e.Advice != advice {
			t.Errorf("%s: %v, %+v", name, err, e)
		}
	}
}

func TestWithoutAPlaceForTheFileTheAnswerStillNamesIt(t *testing.T) {
	t.Parallel()
	_, err := new(File).Site("lab")
	if want := `there is no site "lab" in config.yaml`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
