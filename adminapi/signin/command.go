package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
	"geodeck/adminapi/secrets"
)

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
