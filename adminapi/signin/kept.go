package signin

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

const (
	tokenLife   = 8 * time.Hour    // a working day; the site may grant less
	lockTime    = 15 * time.Second // another program signs in meanwhile
	refusalTime = 5 * time.Minute  // sites lock an account after a few wrong passwords
)

// ErrPassword says that the site no longer takes what the keyring holds.
var ErrPassword = errors.New("the site refused what the keyring holds")

// kept is a sign-in that the keyring holds, with one token for all programs: who renews it
// holds the lock of the site, and looks first whether another program has done so.
type kept struct {
	Options
	mu    sync.Mutex
	noted error // why a new token was not kept
}

// Token returns the token of the keyring. Where there is none, or one that has ended, Renew
// may get one.
func (s *kept) Token(ctx context.Context) (adminapi.Token, error) {
	entry, err := s.Keyring.Get(ctx, s.Site)
	if errors.Is(err, ErrNoEntry) {
		return adminapi.Token{}, nil
	}
	return entry.token(), err
}

func (e Entry) token() adminapi.Token { return adminapi.Token{Value: e.Token, Expires: e.Expires} }

// Kept says that it is the keyring.
func (s *kept) Kept() string { return "the system's keyring" }

// Renew returns the token that another program has got meanwhile, else a new one, which it
// keeps for all.
func (s *kept) Renew(ctx context.Context, refused secrets.Secret) (adminapi.Token, error) {
	defer s.lock(ctx)()
	entry, err := s.Keyring.Get(ctx, s.Site)
	if errors.Is(err, ErrNoEntry) {
		err = ErrSignIn
	}
	if err != nil {
		return adminapi.Token{}, err
	}
	now := s.Clock.Now()
	if entry.Token != "" && entry.Token != refused && (entry.Expires.IsZero() || entry.Expires.Time().After(now)) {
		return entry.token(), nil
	}
	if since := now.Sub(entry.Refused.Time()); !entry.Refused.IsZero() && 0 <= since && since < refusalTime {
		return adminapi.Token{}, ErrPassword
	}
	if s.Portal == nil {
		return adminapi.Token{}, ErrSignIn
	}
	token, err := s.obtain(ctx, &entry)
	switch {
	case err == nil:
		entry.Token, entry.Expires, entry.Refused = token.Value, token.Expires, 0
	case errors.Is(err, adminapi.KindSignIn):
		entry.Refused = adminapi.MillisOf(now)
	default:
		return token, err
	}
	if unkept := s.Keyring.Set(ctx, s.Site, entry); unkept != nil && s.isNews(unkept) {
		s.Note("the new token is not kept: " + unkept.Error())
	}
	return token, err
}

// obtain signs in with what the entry holds.
func (s *kept) obtain(ctx context.Context, entry *Entry) (adminapi.Token, error) {
	err := ErrSignIn
	if entry.Refresh != "" && s.ClientID != "" {
		var grant adminapi.Grant
		if grant, err = s.Portal().RefreshToken(ctx, s.ClientID, entry.Refresh); err == nil {
			entry.Refresh = grant.Refresh
			return grant.Token, nil
		}
	}
	if user := cmp.Or(entry.User, s.User); entry.Password != "" && user != "" {
		return s.Portal().SignIn(ctx, user, entry.Password, tokenLife)
	}
	return adminapi.Token{}, err
}

// isNews reports whether the reason is another than the last.
func (s *kept) isNews(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.noted
	s.noted = err
	return before == nil || before.Error() != err.Error()
}

// lock takes the lock of the site, and returns what unlocks it. Without it two programs may
// sign in, each for itself: better than neither.
func (s *kept) lock(ctx context.Context) (unlock func()) {
	if s.Lock == nil {
		return func() {}
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if s.Clock.Sleep(limited, lockTime) == nil {
			cancel()
		}
	}()
	unlock, err := s.Lock(limited)
	if err != nil {
		return func() {}
	}
	return unlock
}

// Keep stores who signed in for a site of the kind sites.Keyring, and returns where. In place of the
// password there may be a token alone, or an OAuth grant.
func Keep(ctx context.Context, o Options, e Entry) (where string, err error) {
	s, err := newKept(o)
	if err != nil {
		return "", err
	}
	defer s.lock(ctx)()
	e.User = plain.Line(e.User)
	if err := s.Keyring.Set(ctx, s.Site, e); err != nil {
		return "", err
	}
	return s.Kept(), nil
}

// Forget removes what is kept for a site, and returns it; the error is [ErrNoEntry] where
// nothing is.
func Forget(ctx context.Context, o Options) (Entry, error) {
	s, err := newKept(o)
	if err != nil {
		return Entry{}, err
	}
	defer s.lock(ctx)()
	entry, err := s.Keyring.Get(ctx, s.Site)
	if err != nil && !errors.Is(err, ErrUnreadable) {
		return Entry{}, err
	}
	return entry, s.Keyring.Delete(ctx, s.Site)
}

func newKept(o Options) (*kept, error) {
	if o.Keyring == nil || o.Site == "" || o.Clock == nil {
		return nil, errors.New("no keyring is given for the sign-in")
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return &kept{Options: o}, nil
}
