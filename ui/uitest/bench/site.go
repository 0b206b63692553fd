package bench

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"testing"
)

// Site is a simulated site in a process of its own.
type Site struct {
	URL       string
	Passwords []string // of all users

	tokenURL, administrator string
}

// Serve starts a simulated site with a geodeck, a file. It ends with the test.
func Serve(t testing.TB, program string, args ...string) *Site {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve", "-o", "json"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var served struct {
		URL, TokenURL string
		Users         []struct{ Username, Password string }
	}
	decode(t, out, &served)
	site := &Site{URL: served.URL, tokenURL: served.TokenURL, administrator: served.Users[0].Username}
	for _, user := range served.Users {
		site.Passwords = append(site.Passwords, user.Password)
	}
	return site
}

// SignIn returns a new token of the administrator.
func (s *Site) SignIn(t testing.TB) (token string) {
	t.Helper()
	reply, err := http.PostForm(s.tokenURL, url.Values{
		"f": {"json"}, "client": {"requestip"}, "username": {s.administrator}, "password": {s.Passwords[0]},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var signedIn struct{ Token string }
	decode(t, reply.Body, &signedIn)
	return signedIn.Token
}

func decode(t testing.TB, r io.Reader, into any) {
	t.Helper()
	if err := json.NewDecoder(r).Decode(into); err != nil {
		t.Fatal(err)
	}
}
