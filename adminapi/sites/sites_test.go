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
    maxAge: 7d
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

// Whatever may be the same site is: a spelling must not be a way around its lock either.
func TestEverySpellingOfALockedAddressIsLocked(t *testing.T) {
	t.Parallel()
	const host, idn, six, here = "https://gis.example.org/arcgis/admin", "https://gis.bücher.example/arcgis/admin", "https://[2001:db8::a]:6443/arcgis/admin", "https://127.0.0.1:6443/arcgis/admin"
	for _, c := range []struct {
		address, other string
		locked         bool
	}{
		{host, "https://gis.example.org/arcgis/admin", true},
		{host, "https://GIS.Example.ORG/arcgis/admin", true},
		{host, "https://gis.example.org/ArcGIS/Admin", true},
		{host, "https://gis.example.org./arcgis/admin", true},
		{host, "https://gis.example.org../arcgis/admin", true},
		{host, "https://gis.example.org:443/arcgis/admin", true},
		{host, "https://gis.example.org:0443/arcgis/admin", true},
		{host, "https://gis.example.org:/arcgis/admin", true},
		{host, "http://gis.example.org/arcgis/admin", true},
		{host, "http://gis.example.org:80/arcgis/admin", true},
		{host, "http://gis.example.org:443/arcgis/admin", true},
		{host, "gis.example.org/arcgis", true},
		{host, " https://gis.example.org/arcgis/admin ", true},
		{host, "https://gis.example.org/arcgis", true},
		{host, "https://gis.example.org/arcgis/", true},
		{host, "https://gis.example.org//arcgis///admin//", true},
		{host, "https://gis.example.org/./arcgis/./admin/.", true},
		{host, "https://gis.example.org/x/../arcgis/admin", true},
		{host, "https://gis.example.org/x/%2e%2e/arcgis/admin", true},
		{host, "https://gis.example.org/%61rcgis/admin", true},
		{host, "https://gis.example.org/arcgis/%61dmin", true},
		{host, "https://gis.example.org/%2561rcgis/admin", true},
		{host, "https://gis.example.org/arcgis%2Fadmin", true},
		{host, "https://gis.example.org/arcgis;v=1/admin;x", true},
		{host, "https://gis.example.org/arcgis/manager", true},
		{host, "https://gis.example.org/arcgis/admin/system/upgrades", true},
		{host, "https://gis.example.org/arcgis/admin?f=json#x", true},
		{host, "https://ｇｉｓ.example。org/arcgis/admin", true},
		{host, "https://gis.example.org:6443/arcgis/admin", false},
		{host, "https://gis.example.org/other/admin", false},
		{host, "https://gis.example.org/admin", false},
		{host, "https://gis.example.org/arcgis/test/admin", false},
		{host, "https://gis.example.com/arcgis/admin", false},
		{host, "https://gis-test.example.org/arcgis/admin", false},
		{"https://gis.example.org:6443/arcgis", "http://gis.example.org:6443/arcgis", true},
		{idn, "https://gis.xn--bcher-kva.example/arcgis/admin", true},
		{idn, "https://GIS.XN--BCHER-KVA.example/arcgis/admin", true},
		{idn, "https://gis.BÜCHER.example/arcgis/admin", true},
		{idn, "https://gis.bu\u0308cher.example/arcgis/admin", true},
		{idn, "https://gis.b%C3%BCcher.example/arcgis/admin", true},
		{idn, "https://gis.bucher.example/arcgis/admin", false},
		{six, "https://[2001:DB8:0:0::000A]:6443/arcgis/admin", true},
		{six, "https://[2001:db8::a%25eth0]:6443/arcgis/admin", true},
		{six, "https://[2001:db8::b]:6443/arcgis/admin", false},
		{"https://10.0.0.1/arcgis", "https://[::ffff:10.0.0.1]/arcgis", true},
		{"https://10.0.0.1/arcgis", "https://10.0.0.2/arcgis", false},
		{here, "http://localhost:6443/arcgis", true},
		{here, "https://LOCALHOST.:6443/arcgis", true},
		{here, "https://[::1]:6443/arcgis", true},
		{here, "https://0.0.0.0:6443/arcgis", true},
		{here, "https://localhost:6444/arcgis", false},
	} {
		for _, lock := range []string{"production", "readOnly"} {
			for _, order := range [][2]string{{c.address, c.other}, {c.other, c.address}} {
				f, err := Read(written(t, "sites:\n  other: {url: \""+order[1]+"\", insecure: true}\n  live: {url: \""+order[0]+"\", insecure: true, "+lock+": true}\n"))
				if err != nil {
					t.Fatal(err)
				}
				if site, _ := f.Site("other"); site.Locked() != c.locked || site.Says(lock) != c.locked {
					t.Errorf("%s %s: %s is locked: %v", lock, order[0], order[1], site.Locked())
				}
			}
		}
	}
}

func TestALockedSiteIsKnownByItsAddress(t *testing.T) {
	t.Parallel()
	f, err := Read(written(t, `sites:
  upper: {url: https://gis.example.org/GIS, readOnly: true}
  lower: {url: https://gis.example.org/gis/admin, production: true}
  open: {url: https://gis.example.org/open}
  calm: {url: https://gis.example.org/calm, readOnly: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][2]string{
		"https://gis.example.org:443/gis/": {"lower", "https://gis.example.org:443/gis/admin is the site lower (or upper) of config.yaml, which is in production"},
		"https://gis.example.org/Gis":      {"upper", "https://gis.example.org/Gis/admin may be the site upper (or lower) of config.yaml, which is in production"},
		"gis.example.org/calm":             {"calm", "https://gis.example.org/calm/admin is the site calm of config.yaml, which starts read-only"},
		"https://gis.example.org/open":     {},
		"https://gis.example.org/other":    {},
		"ftp://gis.example.org/calm":       {},
		"":                                 {},
	} {
		if site, which := f.LockedAt(address); site.Name != want[0] || which != want[1] {
			t.Errorf("%s: %s, %s", address, site.Name, which)
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
		Hook: filepath.Join(folder, "bin/page-me"), Slow: true, MaxAge: "7d",
		Lines: map[string]int{"url": 5, "production": 6, "readOnly": 7, "user": 8, "signIn": 9, "clientId": 10, "authHeader": 11, "ca": 12,
			"clientCert": 13, "clientKey": 14, "proxy": 15, "insecure": 16, "nodes": 17, "alarms": 18, "hook": 19, "poll": 20, "maxAge": 21},
	}, {Name: "staging", URL: "staging.example.org", Lines: map[string]int{"url": 23}}}
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
		"west": "List the sites: {command:site list}",
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
