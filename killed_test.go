package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"geodeck/adminapi/simulator"
)

// held is a site whose answer to the start of an upgrade a test holds back.
type held struct {
	env   []string
	start []string // the command that starts a patch
	state string
	posts atomic.Int32
	seen  chan struct{} // one for each post that has arrived
	goOn  chan struct{} // closed where the posts may go on to the site
}

func holdUpgrades(t *testing.T) *held {
	t.Helper()
	server := newSite(t, simulator.Options{})
	target, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	h := &held{state: t.TempDir(), seen: make(chan struct{}, 10), goOn: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			h.posts.Add(1)
			body, _ := io.ReadAll(r.Body) // so that the end of the caller is noticed
			h.seen <- struct{}{}
			select {
			case <-h.goOn:
			case <-r.Context().Done():
				return
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(line.Close)
	h.env = []string{"GEODECK_URL=" + line.URL + target.Path, "GEODECK_TOKEN=" + tokenOf(t, server, 0), "XDG_STATE_HOME=" + h.state}
	h.start = []string{"upgrade", "start", "pat_12082025_6805", "--confirm", "11.5.0.6805"}
	return h
}

// ends runs a command to its end and returns what it says.
func (h *held) ends(t *testing.T, want int, args ...string) string {
	t.Helper()
	run := start(t, h.env, args...)
	said, _ := io.ReadAll(run.err)
	run.wantCode(want)
	return string(said)
}

func TestAStartThatWasKilledIsNotPostedAgain(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	first := start(t, h.env, h.start...)
	<-h.seen
	first.signal(syscall.SIGKILL)
	_ = first.cmd.Wait()
	for range 2 { // a pipeline that retries
		said := h.ends(t, 6, h.start...)
		if !strings.Contains(said, "an earlier request to start the upgrade (11.5.0.6805) was sent at ") || !strings.Contains(said, "process ") ||
			!strings.Contains(said, "nothing was sent") || !strings.Contains(said, "--again '11.5.0.6805', from ") {
			t.Errorf("it says\n%s", said)
		}
	}
	if said := h.ends(t, 6, append(h.start, "--again", "11.5.0.6805")...); !strings.Contains(said, "nothing was sent") {
		t.Errorf("too soon, it says\n%s", said)
	}
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

func TestTwoStartsAtOncePostOnce(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	first := start(t, h.env, h.start...)
	<-h.seen
	said := h.ends(t, 6, h.start...)
	if !strings.Contains(said, "that program still waits for the answer") {
		t.Errorf("it says\n%s", said)
	}
	close(h.goOn)
	_, _ = io.Copy(io.Discard, first.err)
	first.wantCode(0)
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

func TestADashboardThatWasKilledWhileItSentOpensOnThatAndTheCommandWaits(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	screen := openTerminal(t, 120, h.env, "--plain")
	for _, step := range []struct{ sees, presses string }{
		{"1 of 12", "2"}, {"11.5.0.6805", "u"}, {"warnings to acknowledge", " "}, {"1 warning to acknowledge", "jj "}, {"n goes on", "n"},
		{"asks for no settings", "n"}, {"A dry run ends here", "\r"}, {"To start, type 11.5.0.6805: ", ""},
	} {
		screen.waitFor(step.sees)
		screen.press(step.presses)
	}
	for i, key := range "11.5.0.6805" { // one by one: what comes in one go is not typed
		screen.press(string(key))
		screen.waitFor("type 11.5.0.6805: " + "11.5.0.6805"[:i+1])
	}
	screen.press("\r")
	<-h.seen
	if err := screen.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-screen.done
	h.ends(t, 6, h.start...)
	again := openTerminal(t, 120, h.env, "--plain")
	again.waitFor("Unknown outcome: start the upgrade (11.5.0.6805)")
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

// An error that leaves open whether the site has begun is a refusal only once that was read.
func TestAnErrorThatIsReadBackAsARefusalSaysSo(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "healthy")
	site, err := url.Parse(u.wire.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: site.Scheme, Host: site.Host})
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"Timed out waiting","details":[]}}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(line.Close)
	u.env["GEODECK_URL"] = line.URL + site.Path
	r := u.run(t.Context(), "upgrade", "start", release12, "--license", u.licence, "--confirm", "12.0.0.7286")
	if r.code != 4 || !strings.Contains(r.err, "Timed out waiting") || !strings.Contains(r.err, "nothing has begun in the 30 s since") || strings.Contains(r.err, "not known") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
}
