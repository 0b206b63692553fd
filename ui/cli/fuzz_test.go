package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/clitest"
)

// fuzzedFile returns the path of a file that every run writes anew.
func fuzzedFile(f *testing.F) string { return filepath.Join(f.TempDir(), "fuzzed") }

func writeFuzzed(t *testing.T, path string, content []byte) {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fuzzedRun runs a command line without an environment.
func fuzzedRun(t *testing.T, in string, args ...string) clitest.Result {
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), args, cli.Process{
		In: strings.NewReader(in), Out: &out, Err: &errs, Clock: simtest.NewSteppedClock(uitest.Start), Env: func(string) string { return "" },
	})
	return clitest.Result{Code: code, Out: out.String(), Err: errs.String()}
}

const fuzzedPolicy = `{"placementPolicy":[{"deploymentId":"k","podPlacementPolicy":{"tolerations":[{"key":"gpu","operator":"Exists"}],` +
	`"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"In","values":["a100"]}]}]}}}}]}`

// FuzzFiles gives any content to the commands that read a file and need no site. Each says what
// it found, or in a sentence why not, in clean text; as JSON, only in JSON.
func FuzzFiles(f *testing.F) {
	path := fuzzedFile(f)
	policy := filepath.Join(f.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(fuzzedPolicy), 0o600); err != nil {
		f.Fatal(err)
	}
	commands := [][]string{
		{"placement", "check", path}, {"placement", "explain", path, "--hints", "-o", "json"}, {"placement", "simulate", policy, "--nodes", path},
		{"placement", "simulate", policy, "--nodes", path, "-o", "json"}, {"placement", "check", path, "--nodes", path, "-o", "json"},
		{"health", "report", path}, {"health", "report", path, "-o", "json"}, {"health", "compare", path, path, "-o", "json"}, {"health", "compare", path, path},
	}
	const escape = `\u001b[2J\u202e`
	for i, content := range []string{
		fuzzedPolicy, strings.ReplaceAll(fuzzedPolicy, "gpu", escape), `{"tolerations":[{"operator":"` + escape + `"}]}`, "", "\x1b]0;x\x07",
		`{"kind":"NodeList","items":[{"metadata":{"name":"n` + escape + `","labels":{"gpu":"a100"}},"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}}]}`,
		`{"result":"failed","name":"` + escape + `","suiteStatus":[{"id":"B","generalTestStatus":[{"name":"a","result":"fail","message":["full ` + escape + `"],"endTime":9223372036854775807}]}]}`,
		"kind: List\nitems: [{kind: Node, metadata: {name: \"\\e\"}}]",
	} {
		f.Add(uint8(2*i), []byte(content))
		f.Add(uint8(2*i+1), []byte(content))
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		writeFuzzed(t, path, content)
		args := commands[int(which)%len(commands)]
		r := fuzzedRun(t, "", args...)
		uitest.Harmless(t, strings.ReplaceAll(r.Out+r.Err, "\t", " "))
		switch asked := slices.Contains(args, "json"); {
		case r.Code > 2, r.Code == 2 && r.Err == "":
			t.Fatalf("%q exits with %d: %q, %q", args, r.Code, r.Out, r.Err)
		case asked && r.Out != "" && !json.Valid([]byte(r.Out)):
			t.Fatalf("%q prints %q", args, r.Out)
		}
	})
}

// FuzzToken reads a token from a file. It is sent as it is, without the space around it, or
// nothing is sent, and no text repeats it.
func FuzzToken(f *testing.F) {
	path := fuzzedFile(f)
	for _, content := range []string{"", " eyJhbGciOiJIUzI1NiJ9.canary\r\n", "\ufefftoken-with-a-mark", "two words", "a\x00b-secret-secret", "line-one-secret\nX-Evil: 1", strings.Repeat("x", 64<<10), strings.Repeat("y", 64<<10+1)} {
		f.Add([]byte(content))
	}
	var sent []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"error":{"code":499,"message":"Token Required","details":[]}}`))
	}))
	f.Cleanup(site.Close)
	f.Fuzz(func(t *testing.T, content []byte) {
		sent = nil
		writeFuzzed(t, path, content)
		r := fuzzedRun(t, "", "health", "suites", "--url", site.URL+"/admin", "--token-file", path)
		uitest.Harmless(t, r.Out+r.Err)
		token := strings.TrimSpace(string(content))
		whole := token != "" && len(content) <= 64<<10 && !strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' })
		for _, header := range sent {
			if !whole || header != "Bearer "+token {
				t.Fatalf("%.100q is sent as %.100q", content, header)
			}
		}
		if whole != (len(sent) > 0) || r.Code == 0 || r.Err == "" {
			t.Fatalf("%.100q: %d requests, exit %d, %q", content, len(sent), r.Code, r.Err)
		}
		if len(token) > 20 && strings.Contains(r.Out+r.Err, token) {
			t.Fatalf("%q is repeated: %q, %q", token, r.Out, r.Err)
		}
	})
}
