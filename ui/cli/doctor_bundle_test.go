package cli_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
)

// unzipped reads all files of a zip.
func unzipped(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// bundled is a machine with secrets and names in every place, and the bundles that it makes.
type bundled struct {
	secrets, names []string
	files, named   map[string]string
	state          string
}

func newBundled(t *testing.T) bundled {
	t.Helper()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	b := bundled{
		secrets: []string{
			"CANARY-token-7261-abcd", "CANARY-hook-1182-efgh", "CANARY-nodes-9913-ijkl", "CANARY-proxy-4420-mnop", "CANARY-earlier-3305-qrst",
			"CANARY-definition-8874-uvwx", "CANARY-variable-6652-yzab", "CANARY-client-5518-cdef",
		},
		names: []string{"gis.corp.example.org", "db7.corp.example.org", "10.11.12.13", "emea-prod", "jdoe", "proxy.corp.example.org", "hanna"},
		state: filepath.Join(t.TempDir(), "hanna"),
	}
	home := filepath.Join(t.TempDir(), "hanna")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := clitest.FileOf(t, "config.yaml", `current: emea-prod
sites:
  emea-prod:
    url: https://gis.corp.example.org/ctx/admin
    user: jdoe
    clientId: `+b.secrets[7]+`
    signIn: {command: "vault read `+b.secrets[6]+`"}
    proxy: http://proxy.corp.example.org:3128
    hook: "notify `+b.secrets[1]+`"
    nodes: {command: "kubectl --token=`+b.secrets[2]+` get nodes"}
`)
	debug := clitest.FileOf(t, "debug.jsonl", `{"request":"GET /x","body":{"password":"`+b.secrets[4]+`","again":"say `+strings.ToUpper(b.secrets[4])+`","machine":"db7.corp.example.org","at":"https://10.11.12.13:6443/x"}}
{"request":"POST /edit","fields":{"service":["{\"connection\":\"PASSWORD=`+b.secrets[5]+`\"}"]}}
{"cut":`+b.secrets[4]+"\n")
	journal := filepath.Join(b.state, "gis.corp.example.org-0123456789ab", "drafts", "jdoe")
	if err := os.MkdirAll(journal, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(journal, "draft.json"), []byte(b.secrets[5]), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"GEODECK_TOKEN": b.secrets[0], "GEODECK_CONFIG": config, "HOME": home, "USER": "hanna", "TERM": "xterm-256color", "LANG": "en_US.UTF-8", "TMUX": "/tmp/" + b.secrets[0],
		"HTTP_PROXY": "http://jdoe:" + b.secrets[3] + "@proxy.corp.example.org:1", "COLORTERM": "x;password=" + b.secrets[0], "GEODECK_URL": site.URL(),
	}
	for _, more := range [][]string{nil, {"--with-names"}} {
		path := filepath.Join(t.TempDir(), "report.zip")
		args := append([]string{"doctor", "--bundle", path, "--debug", debug, "--state-dir", b.state}, more...)
		r := clitest.RunInProcess(t, nil, env, args...)
		if r.Code != 1 || !strings.Contains(r.Err, "holds README.txt, doctor.json") || !strings.Contains(r.Err, "before you send it") {
			t.Fatalf("exit code %d: %s%s", r.Code, r.Out, r.Err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, error %v", info.Mode(), err)
		}
		if more == nil {
			b.files = unzipped(t, path)
		} else {
			b.named = unzipped(t, path)
		}
	}
	return b
}

func TestABundleHoldsNoSecretInAnyFormAndNoName(t *testing.T) {
	t.Parallel()
	b := newBundled(t)
	for _, files := range []map[string]string{b.files, b.named} {
		for name, content := range files {
			lower := strings.ToLower(content)
			for _, secret := range b.secrets {
				for _, form := range []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)), secret[len(secret)-12:]} {
					if strings.Contains(lower, strings.ToLower(form)) {
						t.Errorf("%s holds %s:\n%s", name, form, content)
					}
				}
			}
		}
	}
	for name, content := range b.files {
		for _, known := range b.names {
			if strings.Contains(strings.ToLower(content), known) {
				t.Errorf("%s names %s:\n%s", name, known, content)
			}
		}
	}
}

func TestABundleHoldsWhatABugReportNeeds(t *testing.T) {
	t.Parallel()
	b := newBundled(t)
	for name, words := range map[string][]string{
		"README.txt":       {"Look at it before you send it", "1 lines of the file of --debug that are no JSON"},
		"doctor.json":      {`"id": "signIn"`, `"verdict": "failed"`},
		"version.json":     {`"platform"`},
		"environment.json": {`"TERM": "xterm-256color"`, `"TMUX"`, `"COLORTERM"`, `"GEODECK_TOKEN"`},
		"config.json":      {`"url": "https://host-`, `"name": "site-1"`, `"hook"`, `"signIn": "command"`, `"proxy": "http://host-`},
		"state.json":       {`"drafts": 1`},
		"debug.jsonl":      {`"request":"GET /geodeck/admin"`, `"password":"[secret]"`},
	} {
		for _, word := range words {
			if !strings.Contains(b.files[name], word) {
				t.Errorf("%s does not say %s:\n%s", name, word, b.files[name])
			}
		}
	}
	for _, known := range []string{"gis.corp.example.org", "emea-prod"} {
		if !strings.Contains(b.named["config.json"], known) {
			t.Errorf("--with-names replaces %s:\n%s", known, b.named["config.json"])
		}
	}
	var config struct {
		Sites []struct{ URL, Proxy string }
	}
	if err := json.Unmarshal([]byte(b.files["config.json"]), &config); err != nil || len(config.Sites) != 1 {
		t.Fatalf("%v: %s", err, b.files["config.json"])
	}
	host, err := url.Parse(config.Sites[0].URL)
	if err != nil || config.Sites[0].Proxy == config.Sites[0].URL || !strings.HasPrefix(host.Host, "host-") {
		t.Errorf("%v", config)
	}
	sums := 0
	for line := range strings.Lines(b.files["SHA256SUMS"]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if content, found := b.files[name]; !found || sum != fmt.Sprintf("%x", sha256.Sum256([]byte(content))) {
			t.Errorf("a wrong checksum: %s", line)
		}
		sums++
	}
	if sums != len(b.files)-1 {
		t.Errorf("%d checksums of %d files", sums, len(b.files))
	}
}

func TestABundleReplacesNoFile(t *testing.T) {
	t.Parallel()
	path := clitest.FileOf(t, "report.zip", "precious")
	if r := clitest.RunInProcess(t, nil, nil, "doctor", "--bundle", path); r.Code != 2 || !strings.Contains(r.Err, "exists already") {
		t.Errorf("exit code %d: %s", r.Code, r.Err)
	}
	if r := clitest.RunInProcess(t, nil, nil, "doctor", "--with-names"); r.Code != 2 {
		t.Errorf("exit code %d: %s", r.Code, r.Err)
	}
}
