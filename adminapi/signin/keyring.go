package signin

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/zalando/go-keyring"
	ss "github.com/zalando/go-keyring/secret_service"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Entry is what a keyring holds for a site. Each of the secrets may be missing.
type Entry struct {
	User     string
	Password secrets.Secret
	Token    secrets.Secret
	Refresh  secrets.Secret  // the OAuth token that gets new ones
	Expires  adminapi.Millis // the end of Token; zero if not known
	Refused  adminapi.Millis // when the site last refused Password or Refresh; zero for never
}

// keptEntry is an entry as it is stored: here secrets are texts.
type keptEntry struct {
	User     string `json:"user,omitzero"`
	Password string `json:"password,omitzero"`
	Token    string `json:"token,omitzero"`
	Refresh  string `json:"refresh,omitzero"`
	Expires  int64  `json:"expires,omitzero"`
	Refused  int64  `json:"refused,omitzero"`
}

// The errors of a keyring. The text of one says what to do; none holds what is stored.
var (
	// ErrNoEntry says that nothing is stored for the site.
	ErrNoEntry = errors.New("the keyring holds nothing for this site")
	// ErrNoKeyring says that this machine offers no keyring to this session, and names the
	// ways that are left.
	ErrNoKeyring = errors.New("this session has no keyring: no session bus. " + otherWays)
	// ErrNoService says that the session has a bus, and no keyring on it.
	ErrNoService = errors.New("no keyring runs in this session. " + otherWays)
	// ErrSilent says that the keyring did not answer in time.
	ErrSilent = errors.New("the keyring did not answer for 5 s. Unlock it and try again, or choose another way: " + otherWays)
	// ErrLocked says that the keyring is locked and was not unlocked.
	ErrLocked = errors.New("the keyring is locked. Unlock it and try again")
	// ErrRefused says that the keyring does not take or give the entry.
	ErrRefused = errors.New("the keyring refused. " + otherWays)
	// ErrTooBig says that the entry is larger than the keyring takes.
	ErrTooBig = errors.New("the sign-in is too large for the keyring. " + otherWays)
	// ErrUnreadable says that the entry is not of this program, or damaged.
	ErrUnreadable = errors.New("the entry of this site in the keyring cannot be read")
)

// WithoutKeyring reports whether an error says that the keyring of this machine does not keep the
// sign-in: signing in again will not help.
func WithoutKeyring(err error) bool {
	return errors.Is(err, ErrNoKeyring) || errors.Is(err, ErrNoService) || errors.Is(err, ErrRefused) || errors.Is(err, ErrTooBig)
}

// otherWays are the kinds of sign-in that need no keyring.
const otherWays = "Set signIn to a file, environment, command or ask"

const (
	service     = "geodeck"
	keyringTime = 5 * time.Second
	maxEntry    = 64 << 10 // bytes
)

// Store holds secrets by service and name, as a keyring does. Its errors are those of package
// go-keyring.
type Store interface {
	Get(service, name string) (string, error)
	Set(service, name, secret string) error
	Delete(service, name string) error
}

// systemStore is the keyring of the system: on Linux the Secret Service of the session.
type systemStore struct{}

// Get reads an entry.
func (systemStore) Get(service, name string) (string, error) { return keyring.Get(service, name) }

// Set stores an entry.
func (systemStore) Set(service, name, secret string) error {
	return keyring.Set(service, name, secret)
}

// Delete removes an entry.
func (systemStore) Delete(service, name string) error { return keyring.Delete(service, name) }

// Locked reports whether the user would be asked to unlock it. Other systems unlock theirs with the login.
func (systemStore) Locked() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return false
	}
	service, err := ss.NewSecretService()
	if err != nil {
		return true
	}
	locked, err := service.GetLoginCollection().GetProperty("org.freedesktop.Secret.Collection.Locked")
	return err != nil || locked.Value() != false
}

// Keyring keeps the sign-in of sites. It is safe for concurrent use, and waits 5 s at most for
// a keyring that hangs or asks the user.
type Keyring struct {
	Quiet bool // one that is locked is an error: the user is not asked to unlock it

	store Store
	env   func(string) string
	clock adminapi.Clock
	busy  chan struct{} // holds a value while the store is asked

	mu   sync.Mutex
	hung bool // by a call that was given up
}

// NewKeyring returns the keyring of the system, or the one that store is. env reads a variable
// of the environment, as os.Getenv does; nil stands for the values of the machine.
func NewKeyring(env func(string) string, clock adminapi.Clock, store Store) *Keyring {
	if clock == nil {
		clock = adminapi.SystemClock{}
	}
	return &Keyring{store: store, env: env, clock: clock, busy: make(chan struct{}, 1)}
}

// Available returns why there is no keyring, nil where there may be one. It asks nothing of it.
func (k *Keyring) Available() error {
	if k.store != nil || runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return nil
	}
	return findBus(k.env)
}

// Get returns the entry of a site; the site is named as [journal.SiteOf] does.
func (k *Keyring) Get(ctx context.Context, site string) (Entry, error) {
	text, err := k.ask(ctx, func(s Store) (string, error) { return s.Get(service, site) })
	if err != nil {
		return Entry{}, err
	}
	return readEntry(text)
}

// Set stores the entry of a site, in place of an earlier one.
func (k *Keyring) Set(ctx context.Context, site string, e Entry) error {
	text, err := json.Marshal(keptEntry{
		User: e.User, Password: e.Password.Reveal(), Token: e.Token.Reveal(), Refresh: e.Refresh.Reveal(), Expires: int64(e.Expires), Refused: int64(e.Refused),
	})
	if err != nil {
		return ErrUnreadable // the library's error may show a part
	}
	if len(text) > maxEntry {
		return ErrTooBig
	}
	_, err = k.ask(ctx, func(s Store) (string, error) { return "", s.Set(service, site, string(text)) })
	return err
}

// Delete removes the entry of a site; the error is [ErrNoEntry] where there is none.
func (k *Keyring) Delete(ctx context.Context, site string) error {
	_, err := k.ask(ctx, func(s Store) (string, error) { return "", s.Delete(service, site) })
	return err
}

// ask asks the store once. A call that hangs is left behind, and no other is made until it has
// returned: they would hang as well.
func (k *Keyring) ask(ctx context.Context, call func(Store) (string, error)) (string, error) {
	if err := k.Available(); err != nil {
		return "", err
	}
	k.mu.Lock()
	hung := k.hung
	k.mu.Unlock()
	if hung {
		return "", ErrSilent
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if k.clock.Sleep(limited, keyringTime) == nil {
			cancel(ErrSilent)
		}
	}()
	select {
	case k.busy <- struct{}{}:
	case <-limited.Done():
		return "", context.Cause(limited)
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() {
			k.mu.Lock()
			k.hung = false
			k.mu.Unlock()
			<-k.busy
		}()
		defer func() {
			if recover() != nil { // the library trusts what a service answers
				answers <- answer{err: ErrRefused}
			}
		}()
		var store Store = systemStore{}
		if k.store != nil {
			store = k.store
		}
		if locker, is := store.(interface{ Locked() bool }); is && k.Quiet && locker.Locked() {
			answers <- answer{err: ErrLocked}
			return
		}
		text, err := call(store)
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, explain(a.err)
	case <-limited.Done():
		k.mu.Lock()
		k.hung = len(answers) == 0
		k.mu.Unlock()
		return "", context.Cause(limited)
	}
}

// explain makes a sentence of an error of the library, which may hold anything.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNoEntry
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooBig
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return ErrNoKeyring
	}
	for _, known := range []error{ErrRefused, ErrNoKeyring, ErrLocked} {
		if errors.Is(err, known) {
			return known
		}
	}
	switch text := strings.ToLower(err.Error()); {
	case strings.Contains(text, "unlock"), strings.Contains(text, "locked"), strings.Contains(text, "dismissed"):
		return ErrLocked
	case strings.Contains(text, "serviceunknown"), strings.Contains(text, "was not provided by any .service"):
		return ErrNoService
	case strings.Contains(text, "connection refused"), strings.Contains(text, "no such file"), strings.Contains(text, "invalid bus address"):
		return ErrNoKeyring
	}
	return ErrRefused
}

// readEntry reads what a keyring holds, which other programs can have written.
func readEntry(text string) (Entry, error) {
	var kept keptEntry
	if len(text) > maxEntry || json.Unmarshal(bytes.TrimSpace([]byte(text)), &kept) != nil {
		return Entry{}, ErrUnreadable
	}
	for _, secret := range []string{kept.Token, kept.Refresh} {
		if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return Entry{}, ErrUnreadable
		}
	}
	if strings.ContainsFunc(kept.User, unicode.IsControl) || plain.Line(kept.User) != kept.User || kept == (keptEntry{}) {
		return Entry{}, ErrUnreadable
	}
	return Entry{
		User: kept.User, Password: secrets.Secret(kept.Password), Token: secrets.Secret(kept.Token), Refresh: secrets.Secret(kept.Refresh),
		Expires: adminapi.Millis(kept.Expires), Refused: adminapi.Millis(kept.Refused),
	}, nil
}

// busVariable names the session bus.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// findBus returns [ErrNoKeyring] where the session has no bus. The library would start one
// where the environment names none, so that it is told which there is: a bus of its own has no
// keyring, and stays behind.
func findBus(env func(string) string) error {
	address := env(busVariable)
	if address == "" || address == "autolaunch:" {
		folder := env("XDG_RUNTIME_DIR")
		path := filepath.Join(folder, "bus") // of the user
		if !filepath.IsAbs(folder) || !isSocket(path) || os.Setenv(busVariable, "unix:path="+url.PathEscape(path)) != nil {
			return ErrNoKeyring
		}
		return nil
	}
	for one := range strings.SplitSeq(address, ";") {
		if mayAnswer(one) {
			return nil
		}
	}
	return ErrNoKeyring
}

// mayAnswer reports whether a bus may be at an address: a socket that exists, or one that has
// no file.
func mayAnswer(address string) bool {
	transport, keys, _ := strings.Cut(address, ":")
	if transport != "unix" {
		return transport == "tcp" || transport == "nonce-tcp"
	}
	for key := range strings.SplitSeq(keys, ",") {
		name, value, _ := strings.Cut(key, "=")
		value, err := url.PathUnescape(value)
		switch {
		case err != nil:
		case name == "abstract":
			return true
		case name == "path" && isSocket(value):
			return true
		}
	}
	return false
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
