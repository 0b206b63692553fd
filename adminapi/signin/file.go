package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

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
