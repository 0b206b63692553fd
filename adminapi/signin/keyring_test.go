package signin_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"geodeck/adminapi"
	"geodeck/adminapi/signin"
)

const site = "https://gis.example.org/context"

// memory is a keyring in memory, for several programs.
type memory struct {
	mu    sync.Mutex
	texts map[string]string
}

func (m *memory) Get(service, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if text, ok := m.texts[service+" "+name]; ok {
		return text, nil
	}
	return "", keyring.ErrNotFound
}

func (m *memory) Set(service, name, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	m.texts[service+" "+name] = secret
	return nil
}

func (m *memory) Delete(service, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.texts[service+" "+name]; !ok {
		return keyring.ErrNotFound
	}
	delete(m.texts, service+" "+name)
	return nil
}

// inBus runs the test again in a process of its own with the library's keyring and that
// environment: the library has one keyring for a whole process. The child gets "true".
func inBus(t *testing.T, env ...string) (child bool) {
	t.Helper()
	if os.Getenv("GEODECK_TEST_BUS") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(env, "GEODECK_TEST_BUS=1", "GORACE=atexit_sleep_ms=0") // the race detector else waits a second at the end
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

func TestTheLibrarysKeyringHoldsOneEntryForASite(t *testing.T) {
	t.Parallel()
	bus := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", bus)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if !inBus(t, "DBUS_SESSION_BUS_ADDRESS=unix:path="+bus) {
		return
	}
	keyring.MockInit()
	k := signin.NewKeyring(os.Getenv, nil, nil)
	if _, err := k.Get(t.Context(), site); !errors.Is(err, signin.ErrNoEntry) {
		t.Error(err)
	}
	want := signin.Entry{User: "siteadmin", Password: "pässword 1", Token: "token", Refresh: "refresh", Expires: 1_800_000_000_000}
	if err := k.Set(t.Context(), site, want); err != nil {
		t.Fatal(err)
	}
	got, err := k.Get(t.Context(), site)
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if text, err := keyring.Get("geodeck", site); err != nil || !strings.HasPrefix(text, `{"user":"siteadmin"`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := errors.Join(k.Delete(t.Context(), site)); err != nil {
		t.Error(err)
	}
	if err := k.Delete(t.Context(), site); !errors.Is(err, signin.ErrNoEntry) {
		t.Error(err)
	}
	const canary = "CANARY-91"
	for _, c := range []struct{ err, want error }{
		{errors.New("failed to unlock correct collection '/x'"), signin.ErrLocked},
		{errors.New("org.freedesktop.Secret.Error.IsLocked " + canary), signin.ErrLocked},
		{keyring.ErrSetDataTooBig, signin.ErrTooBig},
		{errors.New("dial unix /run/bus: connect: connection refused"), signin.ErrNoKeyring},
		{errors.New("denied: " + canary), signin.ErrRefused},
	} {
		keyring.MockInitWithError(c.err)
		_, err := k.Get(t.Context(), site)
		for _, err := range []error{err, k.Set(t.Context(), site, want), k.Delete(t.Context(), site)} {
			if !errors.Is(err, c.want) || strings.Contains(err.Error(), canary) {
				t.Errorf("%v is told as %v", c.err, err)
			}
		}
	}
}

// aTime passes at once.
type aTime struct{ adminapi.SystemClock }

func (aTime) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestABusThatSaysNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	bus := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", bus)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		for c := range accepted {
			_ = c.Close()
		}
	})
	if !inBus(t, "XDG_RUNTIME_DIR="+filepath.Dir(bus)) {
		return
	}
	k := signin.NewKeyring(os.Getenv, aTime{}, nil)
	for range 3 {
		if _, err := k.Get(t.Context(), site); !errors.Is(err, signin.ErrSilent) {
			t.Fatal(err)
		}
	}
}

func TestWithoutASessionBusNoneIsStarted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	launched := filepath.Join(folder, "launched")
	if err := os.WriteFile(filepath.Join(folder, "dbus-launch"), []byte("#!/bin/sh\necho >"+launched+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"", "autolaunch:", "autolaunch:scope=*", "unix:path=" + folder + "/none", "unix:path=" + folder + "/dbus-launch", "unixexec:path=" + folder + "/dbus-launch", "nonsense"} {
		if !inBus(t, "PATH="+folder, "DBUS_SESSION_BUS_ADDRESS="+address, "XDG_RUNTIME_DIR="+folder) {
			continue
		}
		k := signin.NewKeyring(os.Getenv, nil, nil)
		for _, err := range []error{k.Available(), k.Set(t.Context(), site, signin.Entry{Token: "x"})} {
			if !errors.Is(err, signin.ErrNoKeyring) || !strings.Contains(err.Error(), "file, environment, command or ask") {
				t.Error(err)
			}
		}
		return
	}
	if _, err := os.Stat(launched); err == nil {
		t.Error("a bus was started")
	}
}

// hanging is a keyring that answers when told.
type hanging struct {
	memory
	asked   atomic.Int32
	answers chan struct{}
}

func (h *hanging) Get(service, name string) (string, error) {
	h.asked.Add(1)
	<-h.answers
	return h.memory.Get(service, name)
}

func TestAKeyringThatHangsIsAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &hanging{answers: make(chan struct{})}
		k := signin.NewKeyring(nil, nil, store)
		began := time.Now()
		for range 3 {
			if _, err := k.Get(t.Context(), site); !errors.Is(err, signin.ErrSilent) {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 5*time.Second || store.asked.Load() != 1 {
			t.Errorf("asked %d times in %s", store.asked.Load(), took)
		}
		close(store.answers) // the user has unlocked it
		synctest.Wait()
		if _, err := k.Get(t.Context(), site); !errors.Is(err, signin.ErrNoEntry) || store.asked.Load() != 2 {
			t.Errorf("asked %d times: %v", store.asked.Load(), err)
		}
	})
}

func TestAnEntryThatIsNotOursIsNotUsed(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-42"
	for _, text := range []string{
		"", canary, "{}", `[1]`, `{"token":"` + canary, `{"token":"a ` + canary + `"}`, `{"token":"` + canary + `\r\nX-Evil: 1"}`, `{"refresh":"` + canary + `\u0000"}`,
		`{"user":"\u001b[31m` + canary + `","token":"t"}`, `{"token":"` + strings.Repeat(canary, 8000) + `"}`, `{"token":1}`, `{"token":"a","token":"b"}`,
	} {
		store := &memory{}
		_ = store.Set("geodeck", site, text)
		entry, err := signin.NewKeyring(nil, nil, store).Get(t.Context(), site)
		if !errors.Is(err, signin.ErrUnreadable) || strings.Contains(err.Error(), canary) || entry != (signin.Entry{}) {
			t.Errorf("%.40q: %+v, %v", text, entry, err)
		}
	}
}

// breaking is a keyring whose library panics, as one does that trusts its service.
type breaking struct{ memory }

func (*breaking) Get(string, string) (string, error) { panic("CANARY") }

func TestAServiceThatBreaksTheLibraryDoesNotEndTheProgram(t *testing.T) {
	t.Parallel()
	if _, err := signin.NewKeyring(nil, nil, &breaking{}).Get(t.Context(), site); !errors.Is(err, signin.ErrRefused) {
		t.Error(err)
	}
}
