package adminapi

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// shortestSecret is the shortest text that is looked for: masking every "a" in
// a sentence would tell more than it hides.
const shortestSecret = 4

// scrubber masks secrets in texts that a server or a library wrote.
type scrubber struct {
	replacer *strings.Replacer
	hidden   []hiddenContent
}

// Mask returns text with a mask in place of the secrets: for texts of others that are
// shown or kept.
func Mask(text string, secrets ...Secret) string { return newScrubber(secrets...).text(text) }

// Mask returns text with a mask in place of the client's token.
func (c *Client) Mask(text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Mask(text, c.token.Value)
}

func newScrubber(secrets ...Secret) scrubber {
	// The longer first: one secret may begin like another.
	slices.SortFunc(secrets, func(a, b Secret) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		text := secret.Reveal()
		if len(text) < shortestSecret {
			continue
		}
		for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			pairs = append(pairs, form, masked)
		}
	}
	if pairs == nil {
		return scrubber{}
	}
	return scrubber{replacer: strings.NewReplacer(pairs...)}
}

func (s scrubber) text(text string) string {
	if s.replacer != nil {
		text = s.replacer.Replace(text)
	}
	for _, content := range s.hidden {
		text = content.mask(text)
	}
	return text
}

func (s scrubber) texts(texts []string) []string {
	for i := range texts {
		texts[i] = s.text(texts[i])
	}
	return texts
}

// cause returns err itself where its text holds no secret, else an error that
// matches the same targets and cannot be taken apart.
func (s scrubber) cause(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); s.text(text) != text {
		return maskedCause{text: s.text(text), is: func(target error) bool { return errors.Is(err, target) }}
	}
	return err
}

// error masks secrets in everything that e shows.
func (s scrubber) error(e *Error) *Error {
	if e == nil {
		return nil
	}
	e.Message, e.MessageCode = s.text(e.Message), s.text(e.MessageCode)
	e.Details = s.texts(e.Details)
	e.Err = s.cause(e.Err)
	return e
}

// maskedCause holds the error below in a function, where not even %#v finds it.
type maskedCause struct {
	text string
	is   func(target error) bool
}

func (m maskedCause) Error() string        { return m.text }
func (m maskedCause) Is(target error) bool { return m.is(target) }
