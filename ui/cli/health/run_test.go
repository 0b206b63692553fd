package health_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

// runAt is a line to a site that does something else with the request that starts a run; the
// site itself is behind pass.
func runAt(t *testing.T, site string, do func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc)) (address string, forms func() []url.Values) {
	t.Helper()
	var sent []url.Values
	pass := func(w http.ResponseWriter, r *http.Request) { clitest.Forward(w, r, site) }
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/healthCheck/run") {
			pass(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		sent = append(sent, form)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		do(w, r, pass)
	}))
	t.Cleanup(line.Close)
	return line.URL + "/geodeck/admin", func() []url.Values { return sent }
}

func TestARunWithSyncWaitsForTheAnswerOfTheSite(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	var forms func() []url.Values
	env["GEODECK_URL"], forms = runAt(t, env["GEODECK_URL"], func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) { pass(w, r) })
	r := clitest.RunInProcess(t, clock, env, "health", "run", "--sync", "--name", "at once", "-o", "json")
	if sent := forms(); r.Code != 0 || len(sent) != 1 || sent[0].Get("async") != "false" || !strings.Contains(r.Out, `"name": "at once"`) ||
		!strings.Contains(r.Err, "the site answers when the health check at once has ended; waiting for up to 15 min") {
		t.Errorf("exit code %d, sent %v, it says\n%s%s", r.Code, forms(), r.Out, r.Err)
	}
	if r = clitest.RunInProcess(t, clock, env, "health", "run", "--name", "as a job"); r.Code != 0 || forms()[1].Get("async") != "true" {
		t.Errorf("exit code %d, sent %v", r.Code, forms())
	}
	if r = clitest.RunInProcess(t, clock, env, "health", "run", "--sync", "--timeout", "2h"); r.Code != 0 || !strings.Contains(r.Err, "waiting for up to 2 h") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

func TestALostAnswerToARunWithSyncIsFoundByItsName(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	var forms func() []url.Values
	env["GEODECK_URL"], forms = runAt(t, env["GEODECK_URL"], func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
		pass(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><title>Bad Gateway</title></html>")
	})
	r := clitest.RunInProcess(t, clock, env, "health", "run", "--sync", "--name", "lost")
	if r.Code != 0 || len(forms()) != 1 || !strings.Contains(r.Err, "finding the run lost at the site") || !strings.Contains(r.Out, "lost") {
		t.Errorf("exit code %d, %d sent, it says\n%s%s", r.Code, len(forms()), r.Out, r.Err)
	}
	env["GEODECK_URL"], forms = runAt(t, env["GEODECK_URL"], func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) { w.WriteHeader(http.StatusBadGateway) })
	for range 2 {
		r = clitest.RunInProcess(t, clock, env, "health", "run", "--sync", "--name", "nowhere")
		if r.Code != 6 || len(forms()) != 1 || !strings.Contains(r.Err, "geodeck health reports") {
			t.Errorf("exit code %d, %d sent, it says\n%s", r.Code, len(forms()), r.Err)
		}
	}
}

// TestARunThatIsNotAwaitedToItsEndIsLookedForAfterTheTimeout: nothing is lost then, and what
// is seen to go on is no unknown outcome.
func TestARunThatIsNotAwaitedToItsEndIsLookedForAfterTheTimeout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, form string // what the site gets of the run; empty for nothing
		code       int
		says       []string
	}{
		{"nowhere", "", 6, []string{`the site has no run of that name; checked for 3`, "\nIf the run continues, its report appears in: geodeck health reports --url "}},
		{"a job", "async=true", 7, []string{"not finished within 1 s; job ", "continues at the site"}},
	} {
		clock, env := clitest.SiteToEdit(t, "healthy")
		var forms func() []url.Values
		env["GEODECK_URL"], forms = runAt(t, env["GEODECK_URL"], func(_ http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
			if c.form != "" {
				body, _ := io.ReadAll(r.Body)
				form := strings.Replace(string(body), "async=false", c.form, 1)
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
				pass(httptest.NewRecorder(), r)
			}
			<-r.Context().Done()
		})
		r := clitest.RunInProcess(t, clock, env, "health", "run", "--sync", "--name", "slow", "--timeout", "1s")
		if r.Code != c.code || len(forms()) != 1 || strings.Contains(r.Err, "lost") || strings.Contains(r.Err, "geodeck job list") || strings.Count(r.Err, "health reports") > 1 {
			t.Errorf("%s: exit code %d, %d sent, it says\n%s", c.name, r.Code, len(forms()), r.Err)
		}
		for _, text := range append(c.says, "stopped waiting after 1 s; the site may continue; finding the run slow at the site") {
			if !strings.Contains(r.Err, text) {
				t.Errorf("%s: it does not say %q, but\n%s", c.name, text, r.Err)
			}
		}
	}
}

func TestARunIsNotNamedLikeTheToken(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	token := env["GEODECK_TOKEN"]
	var forms func() []url.Values
	env["GEODECK_URL"], forms = runAt(t, env["GEODECK_URL"], func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) { pass(w, r) })
	for _, name := range []string{token, "with " + token} {
		r := clitest.RunInProcess(t, clock, env, "health", "run", "--name", name)
		if r.Code != 2 || len(forms()) > 0 || !strings.Contains(r.Err, "the name contains a token or a password; choose another") || strings.Contains(r.Err, token) {
			t.Errorf("exit code %d, %d sent, it says\n%s", r.Code, len(forms()), r.Err)
		}
	}
	err := filepath.WalkDir(env["XDG_STATE_HOME"], func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		if content, err := os.ReadFile(path); err != nil || strings.Contains(string(content), token) {
			t.Errorf("%s holds the token, %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAnInterruptedRunWithSyncSaysThatItGoesOn(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		var sent atomic.Int32
		arrived := make(chan struct{}, 10)
		address, _ := runAt(t, server.URL(), func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
			sent.Add(1)
			arrived <- struct{}{}
			pass(w, r)
		})
		run := clitest.Start(t, []string{"GEODECK_URL=" + address, "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0)}, "health", "run", "--sync")
		<-arrived
		run.Signal(signal)
		said, _ := io.ReadAll(run.Err)
		if text := string(said); !strings.Contains(text, "interrupted; whether the health check was started is unknown; if it was, it continues at the site") ||
			!strings.Contains(text, "geodeck health reports") {
			t.Errorf("it says %q", text)
		}
		run.WantCode(want)
		if sent.Load() != 1 {
			t.Errorf("%d sent", sent.Load())
		}
	}
}
