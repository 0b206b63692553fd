package signin_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/sites"
)

// gate is a simulated site that counts who signs in.
type gate struct {
	*simulator.Server
	signIns atomic.Int32
	wall    atomic.Int64 // what the time of the site is ahead
}

func serve(t *testing.T) *gate {
	t.Helper()
	g := &gate{}
	server, err := simulator.New(simulator.Options{
		Clock: simulator.NewScaledClock(1),
		Wall:  func() time.Time { return time.Now().Add(time.Duration(g.wall.Load())) },
		Watch: func(site http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/generateToken") || strings.HasSuffix(r.URL.Path, "/oauth2/token") {
					g.signIns.Add(1)
				}
				site.ServeHTTP(w, r)
			})
		},
	})
	if err == nil {
		err = server.Start("127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	g.Server = server
	return g
}

// clock is the machine's, ahead by what the test says.
type clock struct {
	adminapi.SystemClock
	ahead *atomic.Int64
}

func (c clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// program is one that signs in with the keyring.
func (g *gate) program(t *testing.T, store signin.Store, folder string, notes func(string)) *adminapi.Client {
	t.Helper()
	var client *adminapi.Client
	now := clock{ahead: &g.wall}
	base, _, err := adminapi.ParseBase(g.URL(), false)
	if err != nil {
		t.Fatal(err)
	}
	source, err := signin.New(signin.Options{
		Kind: sites.Keyring, Keyring: signin.NewKeyring(nil, nil, store), Site: journal.SiteOf(base), Clock: now, ClientID: "geodeck", Note: notes,
		Portal: func() *adminapi.Session { return client.Session },
		Lock: func(ctx context.Context) (func(), error) {
			return journal.LockSite(ctx, folder, journal.SiteOf(base), "signin", journal.WithoutSync())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err = adminapi.New(adminapi.Config{Base: g.URL(), Clock: now, Token: token, Renew: source.Renew, RenewEarly: true, RenewFailed: func(err error) { notes(err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func (g *gate) keep(t *testing.T, store *memory, e signin.Entry) {
	t.Helper()
	base, _, _ := adminapi.ParseBase(g.URL(), false)
	if err := signin.NewKeyring(nil, nil, store).Set(t.Context(), journal.SiteOf(base), e); err != nil {
		t.Fatal(err)
	}
}

func TestProgramsOfOneKeyringSignInOnce(t *testing.T) {
	t.Parallel()
	g, store, folder := serve(t), &memory{}, t.TempDir()
	g.keep(t, store, signin.Entry{User: "admin", Password: secrets.Secret(g.Users()[0].Password)})
	programs := make([]*adminapi.Client, 4)
	for i := range programs {
		programs[i] = g.program(t, store, folder, func(text string) { t.Error(text) })
	}
	all := func(want int32) {
		t.Helper()
		var done sync.WaitGroup
		for _, c := range programs {
			for range 2 {
				done.Go(func() {
					if _, err := c.Root(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
		}
		done.Wait()
		if got := g.signIns.Load(); got != want {
			t.Errorf("%d sign-ins, want %d", got, want)
		}
		for _, c := range programs {
			if c.Session.Token() != programs[0].Session.Token() {
				t.Error("two tokens")
			}
		}
	}
	all(1)
	before := programs[0].Session.Token()
	g.wall.Store(int64(time.Until(before.Expires.Time()) - 4*time.Minute))
	all(2) // it ends soon
	if programs[0].Session.Token() == before {
		t.Error("a token that ends soon was not renewed")
	}
	g.wall.Store(int64(time.Until(programs[0].Session.Token().Expires.Time()) + time.Minute))
	all(3) // it has ended
	later := g.program(t, store, folder, func(text string) { t.Error(text) })
	if _, err := later.Root(t.Context()); err != nil || g.signIns.Load() != 3 {
		t.Errorf("a program that began later: %d sign-ins, %v", g.signIns.Load(), err)
	}
}

// A site locks the account of who gives a wrong password a few times.
func TestAPasswordThatTheSiteRefusedIsNotSentAgainAtOnce(t *testing.T) {
	t.Parallel()
	g, store, folder := serve(t), &memory{}, t.TempDir()
	g.keep(t, store, signin.Entry{User: "admin", Password: "CANARY-old"})
	for range 3 {
		c := g.program(t, store, folder, func(string) {})
		for range 2 {
			if _, err := c.Root(t.Context()); !errors.Is(err, adminapi.KindSignIn) || strings.Contains(err.Error(), "CANARY") {
				t.Error(err)
			}
		}
	}
	if got := g.signIns.Load(); got != 1 {
		t.Errorf("the password was sent %d times", got)
	}
	g.wall.Store(int64(6 * time.Minute))
	if _, err := g.program(t, store, folder, func(string) {}).Root(t.Context()); !errors.Is(err, adminapi.KindSignIn) || g.signIns.Load() != 2 {
		t.Errorf("later: %d times, %v", g.signIns.Load(), err)
	}
}

// full is a keyring that gives and does not take.
type full struct{ memory }

func (f *full) Set(string, string, string) error { return errors.New("disk full: CANARY") }

func TestATokenThatCannotBeKeptIsUsedAndNotedOnce(t *testing.T) {
	t.Parallel()
	g, store := serve(t), &full{}
	g.keep(t, &store.memory, signin.Entry{User: "admin", Password: secrets.Secret(g.Users()[0].Password)})
	var notes []string
	c := g.program(t, store, t.TempDir(), func(text string) { notes = append(notes, text) })
	for range 2 {
		if _, err := c.Root(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.wall.Add(int64(9 * time.Hour))
	}
	if g.signIns.Load() != 2 || len(notes) != 1 || !strings.Contains(notes[0], "is not kept") || strings.Contains(notes[0], "CANARY") {
		t.Errorf("%d sign-ins, notes %q", g.signIns.Load(), notes)
	}
}

func TestATokenAloneIsNotRenewed(t *testing.T) {
	t.Parallel()
	g, store := serve(t), &memory{}
	g.keep(t, store, signin.Entry{Token: "CANARY-token"})
	if _, err := g.program(t, store, t.TempDir(), func(string) {}).Root(t.Context()); !errors.Is(err, adminapi.KindSignIn) || g.signIns.Load() != 0 {
		t.Errorf("%d sign-ins, %v", g.signIns.Load(), err)
	}
}
