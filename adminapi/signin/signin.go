// Package signin is where the token of one site comes from, and where it is kept: a file,
// the environment, a command, the system's keyring, or only the memory of this program.
//
// Start at [Source] and [New].
package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
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

	// For sites.Keyring: what holds the sign-in of Site, named as [journal.SiteOf] does; who signs
	// in, where the keyring does not know; the name of this program at the site, for OAuth.
	Keyring        *Keyring
	Site           string
	User, ClientID string
	// Portal is the session that signs in. It may be that of the client that uses the source,
	// which is made later.
	Portal func() *adminapi.Session
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

// maxToken is how much is read of a file or of a command at most, in bytes.
const maxToken = 64 << 10

// tokenFile is a file that holds the token. Whoever writes it renews the token.
type tokenFile struct {
	path string
	note func(string)
}

// Token reads the file, and notes who else can read it. Errors show its name, never its
// content.
func (f *tokenFile) Token(ctx context.Context) (adminapi.Token, error) {
	token, mode, err := f.readWithin(ctx)
	if err == nil && runtime.GOOS != "windows" && mode.IsRegular() && mode.Perm()&0o077 != 0 {
		f.note(fmt.Sprintf("others on this machine may read the token file %s; make it private: chmod 600", plain.Line(f.path)))
	}
	return token, err
}

// Renew reads the file again: it may hold another token by now.
func (f *tokenFile) Renew(ctx context.Context, refused secrets.Secret) (adminapi.Token, error) {
	token, _, err := f.readWithin(ctx)
	if err == nil && token.Value == refused {
		return adminapi.Token{}, errors.New("the token file still holds the same token; write a new one into it")
	}
	return token, err
}

// Kept names the file.
func (f *tokenFile) Kept() string { return "the file " + plain.Line(f.path) }

// readWithin reads the file, but not for ever: one that is a pipe, or far away, may have nobody
// who writes or answers. What hangs is left behind.
func (f *tokenFile) readWithin(ctx context.Context) (adminapi.Token, os.FileMode, error) {
	limited, cancel := context.WithTimeoutCause(ctx, commandTime, fmt.Errorf("the token file %s gave nothing for %s", plain.Line(f.path), adminapi.FormatDuration(commandTime)))
	defer cancel()
	type content struct {
		token adminapi.Token
		mode  os.FileMode
		err   error
	}
	contents := make(chan content, 1)
	go func() {
		token, mode, err := f.read()
		contents <- content{token, mode, err}
	}()
	select {
	case c := <-contents:
		return c.token, c.mode, c.err
	case <-limited.Done():
		return adminapi.Token{}, 0, context.Cause(limited)
	}
}

func (f *tokenFile) read() (token adminapi.Token, mode os.FileMode, err error) {
	file, err := os.Open(f.path)
	if err != nil {
		return token, 0, fmt.Errorf("the token file cannot be read: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return token, 0, err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err == nil && len(content) > maxToken { // cut off it would be refused without a reason
		err = fmt.Errorf("the token file %s has more than %d KiB", f.path, maxToken>>10)
	}
	if err != nil {
		return token, 0, err
	}
	if token, err = ParseToken(string(content)); err != nil {
		return token, 0, fmt.Errorf("the token file %s %w", f.path, err)
	}
	if !token.Known() {
		return token, 0, fmt.Errorf("the token file %s is empty", f.path)
	}
	return token, info.Mode(), nil
}

// commandTime is how long a command may take that prints a token.
const commandTime = 30 * time.Second

// tokenCommand is a program that prints the token.
type tokenCommand struct {
	words []string
	time  time.Duration
}

func newCommand(line string) (*tokenCommand, error) {
	words, err := program.Words(line)
	if err != nil {
		return nil, fmt.Errorf("the token command %w", err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the token command is empty; use one that prints a token, such as: vault read -field=token PATH")
	}
	return &tokenCommand{words: words, time: commandTime}, nil
}

// Token runs the command.
func (c *tokenCommand) Token(ctx context.Context) (adminapi.Token, error) {
	printed, complaint, err := program.Command{Words: c.words, Time: c.time, Bytes: maxToken}.Run(ctx)
	var token adminapi.Token
	switch {
	case err == nil:
		token, err = readPrinted(printed)
	case errors.Is(err, program.ErrFlood):
		err = fmt.Errorf("stopped after printing more than %d KiB; it has to print a token alone", maxToken>>10)
	case errors.Is(err, program.ErrTime):
		err = fmt.Errorf("stopped after %s; run it in a terminal: it may be waiting for a password", adminapi.FormatDuration(c.time))
	}
	if err == nil {
		return token, nil
	}
	err = fmt.Errorf("%s: %w", c, err)
	if complaint = hideTokens(complaint, printed); complaint != "" {
		err = fmt.Errorf("%w; its errors: %s", err, complaint)
	}
	return adminapi.Token{}, err
}

// Renew runs the command again.
func (c *tokenCommand) Renew(ctx context.Context, refused secrets.Secret) (adminapi.Token, error) {
	token, err := c.Token(ctx)
	if err == nil && token.Value == refused {
		return adminapi.Token{}, fmt.Errorf("%s prints the same token again", c)
	}
	return token, err
}

// Kept names the command.
func (c *tokenCommand) Kept() string { return "the " + c.String() }

// String is the command in one line, without what looks like a secret.
func (c *tokenCommand) String() string {
	return "token command " + plain.Clip(plain.Line(secrets.CommandLine(c.words)), 200)
}

// readPrinted reads what a command printed: a token, or JSON of a token and its end. Errors do
// not show it.
func readPrinted(printed []byte) (token adminapi.Token, err error) {
	text := strings.TrimSpace(string(printed))
	if strings.HasPrefix(text, "{") {
		var written struct {
			Token   string `json:"token"`
			Expires int64  `json:"expires"`
		}
		if json.Unmarshal([]byte(text), &written) != nil {
			return token, errors.New(`printed JSON without a token; it has to look like {"token": "...", "expires": MILLISECONDS}`)
		}
		text, token.Expires = written.Token, adminapi.Millis(written.Expires)
	}
	parsed, err := ParseToken(text)
	switch {
	case err != nil:
		return adminapi.Token{}, errors.New("printed more than a token; its first line has to be all")
	case !parsed.Known():
		return adminapi.Token{}, errors.New("printed no token")
	}
	token.Value = parsed.Value
	return token, nil
}

// longWord matches words of texts that may be tokens.
var longWord = pattern.New(`[A-Za-z0-9_=+-]{24,}`)

// hideTokens masks in the errors of a command what it printed, and all that looks like a token.
func hideTokens(complaint string, printed []byte) string {
	var words []secrets.Secret
	for word := range strings.FieldsFuncSeq(string(printed), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"{}:,`, r) }) {
		if len(word) >= 8 && len(words) < 32 {
			words = append(words, secrets.Secret(word))
		}
	}
	complaint = secrets.Of(words...).Text(complaint, secrets.Anywhere)
	return longWord().ReplaceAllStringFunc(complaint, func(word string) string {
		if strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter) {
			return secrets.Mask
		}
		return word
	})
}
