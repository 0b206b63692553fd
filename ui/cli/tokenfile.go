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
	token, err := readToken(string(content))
	if err != nil {
		return token, fmt.Errorf("the token file %s %w", t.path, err)
	}
	if !token.Known() {
		return token, fmt.Errorf("the token file %s is empty", t.path)
	}
	t.last = token.Value
	return token, nil
}

// readToken takes a token with the space around it that files and shells add.
// Its error continues a sentence, and does not show the text.
func readToken(text string) (adminapi.Token, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return adminapi.Token{}, errors.New("holds more than a token")
	}
	return adminapi.Token{Value: adminapi.Secret(text)}, nil
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
