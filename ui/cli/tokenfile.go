package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"geodeck/adminapi"
)

// longestToken bounds what is read from a token file.
const longestToken = 64 << 10

// tokenFile is a file that somebody keeps a token in.
type tokenFile struct {
	path string
	mode fs.FileMode
	last adminapi.Secret
}

// read takes the token from the file. Errors show its name, never its content.
func (t *tokenFile) read() (adminapi.Token, error) {
	file, err := os.Open(t.path)
	if err != nil {
		return adminapi.Token{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return adminapi.Token{}, err
	}
	t.mode = info.Mode()
	content, err := io.ReadAll(io.LimitReader(file, longestToken))
	if err != nil {
		return adminapi.Token{}, err
	}
	token := strings.TrimSpace(string(content))
	switch {
	case token == "":
		return adminapi.Token{}, fmt.Errorf("the token file %s is empty", t.path)
	case len(strings.Fields(token)) != 1:
		return adminapi.Token{}, fmt.Errorf("the token file %s holds more than a token", t.path)
	}
	t.last = adminapi.Secret(token)
	return adminapi.Token{Value: t.last}, nil
}

// warning says what is wrong with who can read the file, empty where nothing is.
func (t *tokenFile) warning() string {
	if runtime.GOOS == "windows" || t.mode.Perm()&0o077 == 0 || !t.mode.IsRegular() {
		return ""
	}
	return fmt.Sprintf("others on this machine may read the token file %s; make it private: chmod 600", t.path)
}

// renew reads the file again after a refusal: somebody may have written a new
// token into it.
func (t *tokenFile) renew(context.Context) (adminapi.Token, error) {
	refused := t.last
	token, err := t.read()
	if err == nil && token.Value == refused {
		err = errors.New("the token file still holds the token that was refused")
	}
	return token, err
}
