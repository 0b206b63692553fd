package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/clitest"
)

// lockable is a vault that would ask the user while it is locked.
type lockable struct {
	vault
	locked atomic.Bool
	asked  atomic.Int32
}

func (l *lockable) Locked() bool { return l.locked.Load() }

func (l *lockable) Get(service, name string) (string, error) {
	l.asked.Add(1)
	return l.vault.Get(service, name)
}

// later is a clock that is ahead.
type later struct {
	adminapi.Clock
	by time.Duration
}

func (l later) Now() time.Time { return l.Clock.Now().Add(l.by) }

// completing is a site of config.yaml, and a shell that completes names of it.
type completing struct {
	*testing.T
	config, state string
	keeper        *lockable
	by            time.Duration // that the clock is ahead

	mu   sync.Mutex
	seen []string // requests
}

// newCompleting starts a site whose sign-in is that line of config.yaml.
func newCompleting(t *testing.T, signIn string) (*completing, simulator.User) {
	c := &completing{T: t, state: t.TempDir(), keeper: &lockable{}}
	site := clitest.NewSite(t, simulator.Options{Watch: func(site http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.mu.Lock()
			c.seen = append(c.seen, r.Method+" "+r.URL.Path)
			c.mu.Unlock()
			site.ServeHTTP(w, r)
		})
	}})
	user := site.Users()[0]
	c.config = clitest.FileOf(t, "config.yaml", fmt.Sprintf("current: gis\nsites:\n  gis:\n    url: %s\n    user: %s\n    signIn: %s\n", site.URL(), user.Username, signIn))
	return c, user
}

// run runs a command on a slow clock: no wait for the site ends.
func (c *completing) run(in string, args ...string) string {
	c.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(context.Background(), args, cli.Process{
		In: strings.NewReader(in), Out: &out, Err: &errs, Keyring: c.keeper, Clock: later{simulator.NewScaledClock(0.01), c.by},
		Env: func(name string) string {
			return map[string]string{"GEODECK_CONFIG": c.config, "XDG_STATE_HOME": c.state}[name]
		},
	})
	if code != 0 {
		c.Fatalf("%q: exit code %d: %s", args, code, errs.String())
	}
	return out.String()
}

// services completes the name of a service, and returns what that asked of the site.
func (c *completing) services() (offered bool, requests []string) {
	c.Helper()
	c.mu.Lock()
	c.seen = nil
	c.mu.Unlock()
	out := c.run("", "__complete", "service", "get", "")
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(out, "SampleWorldCities.MapServer\t"), c.seen
}

func (c *completing) wants(what string, offered bool, requests int) {
	c.Helper()
	if is, seen := c.services(); is != offered || len(seen) != requests {
		c.Errorf("%s: offered %v, asked %q; want %v and %d requests", what, is, seen, offered, requests)
	}
}

// C16: a keyring that is locked is not asked, a token that has ended is not renewed, and what is known is kept for
// a minute.
func TestACompletionAsksNobodyAndRenewsNothing(t *testing.T) {
	t.Parallel()
	c, user := newCompleting(t, "keyring")
	c.wants("without a sign-in", false, 0)
	c.run(user.Password+"\n", "login")
	c.keeper.locked.Store(true)
	before := c.keeper.asked.Load()
	if c.wants("locked", false, 0); c.keeper.asked.Load() != before {
		t.Error("the locked keyring was asked")
	}
	c.run("", "whoami") // a command may ask
	c.keeper.locked.Store(false)
	c.wants("unlocked", true, 1)
	before = c.keeper.asked.Load()
	if c.wants("within the minute", true, 0); c.keeper.asked.Load() != before {
		t.Error("the keyring was asked for what is kept")
	}
	c.by = 61 * time.Second
	c.wants("after the minute", true, 1)
	c.by = 0
	c.wants("a clock that was set back", true, 1)
	c.keeper.locked.Store(true)
	c.by = 30 * time.Minute
	c.wants("older, where the site is not reached", true, 0)
	c.by = 2 * time.Hour
	c.wants("too old", false, 0)
	c.keeper.locked.Store(false)
	c.keeper.texts.Range(func(name, text any) bool {
		c.keeper.texts.Store(name, strings.Replace(text.(string), `"token":"`, `"token":"ended`, 1))
		return true
	})
	if offered, seen := c.services(); offered || len(seen) != 1 || strings.Contains(seen[0], "generateToken") {
		t.Errorf("with a token that has ended: offered %v, asked %q", offered, seen)
	}
}

// A command for tokens may ask the user.
func TestACompletionRunsNoCommandForATokenAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	c, _ := newCompleting(t, "{command: \"touch "+ran+"\"}")
	c.wants("a command", false, 0)
	for _, path := range []string{ran, filepath.Join(c.state, "geodeck")} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
}

// Names that were damaged, or are of another program, are read anew.
func TestNamesThatAreNoLongerReadableAreReadAgain(t *testing.T) {
	t.Parallel()
	c, user := newCompleting(t, "keyring")
	c.run(user.Password+"\n", "login")
	c.wants("the first time", true, 1)
	files, err := filepath.Glob(filepath.Join(c.state, "geodeck", "names-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, content := range []string{"", "null", "[]", `{"services ":`, `{"services ":null}`, strings.Repeat(" ", 2<<20)} {
		if err := os.WriteFile(files[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c.wants(fmt.Sprintf("%.20q", content), true, 1)
		c.wants("after that", true, 0)
	}
}
