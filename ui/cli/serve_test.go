package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

// served is what serve -o json says of its site.
type served struct {
	URL, TokenURL string
	Users         []struct{ Username, Password string }
}

// addressOf reads where a site is.
func addressOf(t *testing.T, serve *clitest.Process) (site served) {
	t.Helper()
	line, err := serve.Out.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &site)
	}
	if err != nil {
		rest, _ := io.ReadAll(serve.Err)
		t.Fatal(line, err, string(rest))
	}
	return site
}

// ask sends a GET, or a form, and returns the answer.
func ask(t *testing.T, target string, form url.Values) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(target)
	if form != nil {
		answer, err = client.PostForm(target, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServeWritesWhatItIsAskedAndAnswers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "exchanges.txt")
	serve := clitest.Start(t, nil, "serve", "-o", "json", "--log", file)
	site := addressOf(t, serve)
	user := site.Users[0]
	said := ask(t, site.TokenURL, url.Values{"username": {user.Username}, "password": {user.Password}, "client": {"requestip"}, "f": {"json"}})
	var issued struct{ Token string }
	if err := json.Unmarshal([]byte(said), &issued); err != nil || issued.Token == "" {
		t.Fatal(said, err)
	}
	ask(t, site.URL+"/mode?f=json&token="+issued.Token, nil)
	serve.Signal(os.Interrupt)
	serve.WantCode(0)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{
		"POST /sharing/rest/generateToken\n", "\npassword={password}\n", `"token": "<text>"`,
		"GET /admin/mode?f=json&token={token}\n\nHTTP 200\nContent-Type: application/json;charset=UTF-8\n{\n  \"isReadOnly\": false\n}\n",
	} {
		if !strings.Contains(string(text), wanted) {
			t.Errorf("the log lacks %q:\n%s", wanted, text)
		}
	}
	if strings.Contains(string(text), issued.Token) || strings.Contains(string(text), user.Password) {
		t.Error("the log holds a secret")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	again := clitest.RunInProcess(t, nil, nil, "serve", "--log", file)
	if again.Code != 2 || !strings.Contains(again.Err, "exists already") {
		t.Errorf("exit code %d: %s", again.Code, again.Err)
	}
}

func TestAFullDiskUnderTheLogDoesNotEndTheSite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "exchanges.txt")
	// Files of this process grow to 2 KiB at most.
	serve := clitest.StartCommand(t, nil, "sh", "-c", `ulimit -f 4; exec geodeck serve -o json --log "$0"`, file)
	site := addressOf(t, serve)
	for range 20 {
		if said := ask(t, site.URL+"/mode?f=json", nil); !strings.Contains(said, "Token Required") {
			t.Fatal(said)
		}
	}
	serve.Signal(os.Interrupt)
	errs, _ := io.ReadAll(serve.Err)
	serve.WantCode(0)
	if n := strings.Count(string(errs), "an exchange is missing from the log"); n != 1 {
		t.Errorf("it says so %d times: %s", n, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil || len(text) > 2048 || strings.Count(string(text), "GET /admin/mode") < 2 || !strings.HasSuffix(string(text), "}\n\n") {
		t.Errorf("%v %d bytes: %s", err, len(text), text)
	}
}
