// Package signin is where the token of one site comes from, and where it is kept: a file,
// the environment, a command, the system's keyring, or only the memory of this program.
//
// Start at [Source] and [New].
package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/sites"
)

// Source gives the token of one site, and another one once that is refused or ends soon. It
// is safe for concurrent use.
type Source interface {
	// Token returns the token to begin with; the zero token where the user has to sign in.
	Token(ctx context.Context) (adminapi.Token, error)
	// Renew returns another token than the one that was refused, or ends soon.
	Renew(ctx context.Context, refused secrets.Secret) (adminapi.Token, error)
	// Kept says where the token is, such as "the system's keyring" or "the file PATH".
	Kept() string
}

// Options say where the token of a site comes from.
type Options struct {
	Kind     sites.Kind          // empty means Ask
	File     string              // the path, for File
	Variable string              // its name, for Environment
	Env      func(string) string // as os.Getenv
	Command  string              // its line, for Command; run without a shell

	// For ByKeyring: what holds the sign-in of Site, named as [journal.SiteOf] does; who signs
	// in, where the keyring does not know; the name of this program at the site, for OAuth.
	Keyring        *Keyring
	Site           string
	User, ClientID string
	// Portal is the client that signs in. It may be the one that uses the source, which is
	// made later.
	Portal func() Portal
	// Lock keeps other programs from signing in meanwhile, see [journal.LockSite]. May be nil.
	Lock  func(context.Context) (unlock func(), err error)
	Clock adminapi.Clock // that tokens end by

	// Note is told what the user should know, such as that others may read the file. May be
	// nil.
	Note func(string)
}

// New returns the source of a site. Nothing is read yet.
func New(o Options) (Source, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	switch {
	case o.Kind == "", o.Kind == sites.Ask:
		return asked{}, nil
	case o.Kind == sites.FromFile && o.File != "":
		return &tokenFile{path: o.File, note: o.Note}, nil
	case o.Kind == sites.Environment && o.Variable != "" && o.Env != nil:
		return variable{name: o.Variable, env: o.Env}, nil
	case o.Kind == sites.Command:
		return newCommand(o.Command)
	case o.Kind == sites.Keyring:
		return newKept(o)
	}
	return nil, fmt.Errorf("a sign-in of the kind %q needs more to be said", plain.Line(string(o.Kind)))
}

// ErrSignIn says that only the user can sign in.
var ErrSignIn = errors.New("no token is kept for this site; sign in")

// asked keeps nothing: the user signs in each time.
type asked struct{}

// Token returns none.
func (asked) Token(context.Context) (adminapi.Token, error) { return adminapi.Token{}, nil }

// Renew leaves it to the user.
func (asked) Renew(context.Context, secrets.Secret) (adminapi.Token, error) {
	return adminapi.Token{}, ErrSignIn
}

// Kept says that nothing is.
func (asked) Kept() string { return "not kept" }

// variable is a variable of the environment that holds the token.
type variable struct {
	name string
	env  func(string) string
}

// Token reads the variable; the zero token where it is not set.
func (v variable) Token(context.Context) (adminapi.Token, error) {
	token, err := ParseToken(v.env(v.name))
	if err != nil {
		err = fmt.Errorf("%s %w", v.name, err)
	}
	return token, err
}

// Renew fails: an environment does not change while a program runs.
func (v variable) Renew(context.Context, secrets.Secret) (adminapi.Token, error) {
	return adminapi.Token{}, fmt.Errorf("put a new token into %s", v.name)
}

// Kept names the variable.
func (v variable) Kept() string { return "the environment (" + v.name + ")" }

// ParseToken removes the space around a token that files and shells add. Its error continues
// a sentence, and does not show the text.
func ParseToken(text string) (adminapi.Token, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return adminapi.Token{}, errors.New("holds more than a token")
	}
	return adminapi.Token{Value: secrets.Secret(text)}, nil
}
