package adminapi

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"geodeck/adminapi/redact"
)

// masked is printed in place of a secret.
const masked = "[secret]"

// Secret is a token or a password. It is printed as a mask, with every verb and in JSON, so
// that it does not reach a log, an error or a file by accident.
type Secret string

// Reveal returns the secret itself, for requests only.
func (s Secret) Reveal() string { return string(s) }

// String returns a mask, and nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// Format writes the mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText writes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON writes the mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// maxTokens and maxOthers limit how many tokens and other secrets a client masks: the
// newest of each. Earlier ones count because a site may write about an expired token.
const maxTokens, maxOthers = 32, 512

// secretStore holds the secrets of a client: its present and earlier tokens, and the secret
// values that it has sent. It is safe for concurrent use.
type secretStore struct {
	base    uint64
	mu      sync.Mutex
	tokens  []knownSecret
	others  []knownSecret
	current atomic.Pointer[matcher]
}

// knownSecret is a secret with what the site made of it.
type knownSecret struct {
	fingerprints
	sending        int  // requests under way that carry it
	taken, refused bool // by the site, ever; what it has issued, and what is a value of it, is taken
	typed          bool // for a sign-in
}

// doubtful reports whether a secret may be none of this site. It is masked in what belongs to
// requests, and nowhere else.
func (k knownSecret) doubtful() bool { return !k.taken && (k.refused || k.typed) }

func newSecretStore(rand Rand) *secretStore { return newSecretStoreOf(rand.Uint64() | 1) }

// newSecretStoreOf returns a store whose fingerprints are those of other stores of that base.
func newSecretStoreOf(base uint64) *secretStore {
	r := &secretStore{base: base}
	r.current.Store(newMatcher(base, nil, nil))
	return r
}

func (r *secretStore) addToken(secret Secret, issued bool) {
	r.add(&r.tokens, maxTokens, knownSecret{taken: issued}, secret)
}

// addOther adds secrets that are certainly some of the site.
func (r *secretStore) addOther(secrets ...Secret) {
	r.add(&r.others, maxOthers, knownSecret{taken: true}, secrets...)
}

// add adds secrets, the newest last, all at once: what finds them is made anew each time.
func (r *secretStore) add(to *[]knownSecret, limit int, as knownSecret, secrets ...Secret) {
	var added []knownSecret
	seen := map[Secret]bool{}
	for _, secret := range slices.Backward(secrets) {
		if seen[secret] || len(added) == limit {
			continue
		}
		seen[secret] = true
		if as.fingerprints = fingerprintsOf(secret, r.base); len(as.runs)+len(as.words) > 0 {
			added = append(added, as)
		}
	}
	if len(added) == 0 {
		return
	}
	slices.Reverse(added)
	r.mu.Lock()
	defer r.mu.Unlock()
	*to = slices.DeleteFunc(*to, func(old knownSecret) bool {
		at := slices.IndexFunc(added, old.equal)
		if at >= 0 {
			old.taken = old.taken || as.taken
			added[at] = old
		}
		return at >= 0
	})
	*to = append(*to, added...)
	*to = (*to)[max(0, len(*to)-limit):]
	r.renew()
}

func (k knownSecret) equal(other knownSecret) bool {
	return slices.Equal(k.runs, other.runs) && slices.Equal(k.words, other.words)
}

// renew makes what finds the secrets anew. The mutex is held.
func (r *secretStore) renew() { r.current.Store(newMatcher(r.base, r.tokens, r.others)) }

// sending notes that a request with known secrets is under way.
func (r *secretStore) sending(secrets ...Secret) {
	r.note(func(k *knownSecret) { k.sending++ }, secrets)
}

// sent notes what the site made of a request with known secrets: err is nil where it took them,
// of [KindSignIn] where it refused them. A refusal of a privilege, and an answer that never came,
// say nothing of the secrets.
func (r *secretStore) sent(err error, secrets ...Secret) {
	r.note(func(k *knownSecret) {
		k.sending--
		k.taken = k.taken || err == nil
		k.refused = k.refused || errors.Is(err, KindSignIn)
	}, secrets)
}

// note changes what is known of each secret.
func (r *secretStore) note(change func(*knownSecret), secrets []Secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for _, secret := range secrets {
		noted := knownSecret{fingerprints: fingerprintsOf(secret, r.base)}
		for _, list := range [][]knownSecret{r.tokens, r.others} {
			if at := slices.IndexFunc(list, noted.equal); at >= 0 {
				before := list[at].doubtful()
				change(&list[at])
				changed = changed || list[at].doubtful() != before
			}
		}
	}
	if changed {
		r.renew()
	}
}

// forget drops the secrets that the site has refused and never taken, unless a request with them
// is under way or they are in use, here and in what finds secrets in traces.
func (r *secretStore) forget(from *[]knownSecret, inUse Secret, traced *secretStore) {
	used := knownSecret{fingerprints: fingerprintsOf(inUse, r.base)}
	dropped := r.drop(from, func(k knownSecret) bool {
		return k.refused && !k.taken && k.sending == 0 && !k.equal(used)
	})
	traced.drop(&traced.others, func(k knownSecret) bool { return slices.ContainsFunc(dropped, k.equal) })
}

func (r *secretStore) drop(from *[]knownSecret, drops func(knownSecret) bool) (dropped []knownSecret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*from = slices.DeleteFunc(*from, func(k knownSecret) bool {
		if !drops(k) {
			return false
		}
		dropped = append(dropped, k)
		return true
	})
	if len(dropped) > 0 {
		r.renew()
	}
	return dropped
}

// Clean masks in a text every secret that this client has used (tokens, passwords, secret
// values that it has sent), and every part of one that is longer than a few characters. It
// finds them in upper and lower case, escaped for HTML, URLs or JSON, and with invisible
// characters in between. Texts of errors, messages, jobs and reports are already clean.
func (c *Client) Clean(text string) string { return c.secrets.current.Load().text(text, anywhere) }

// CleanJSON is [Client.Clean] for the texts in JSON: one value, or several in a row. Names
// ([redact.Named]) lose tokens alone; all other bytes are unchanged.
func (c *Client) CleanJSON(value []byte) []byte {
	return c.secrets.current.Load().json(value, anywhere)
}

// CleanName masks tokens in a name, or in what consists of names such as a path.
func (c *Client) CleanName(text string) string { return c.secrets.current.Load().text(text, tokens) }

// CleanKept masks secrets in a text of the site that is kept: those of [redact.MinKept]
// characters and more where they stand as a whole, and parts of tokens.
func (c *Client) CleanKept(text string) string { return c.secrets.current.Load().text(text, whole) }

// CleanKeptJSON is [Client.CleanKept] for the texts in JSON, as [Client.CleanJSON].
func (c *Client) CleanKeptJSON(value []byte) []byte {
	return c.secrets.current.Load().json(value, whole)
}

// scrubber masks secrets in texts of a server or a library.
type scrubber struct {
	known    *secretStore
	contents []secretContent
}

// Mask returns text with a mask in place of the secrets, for texts of other programs.
func Mask(text string, secrets ...Secret) string { return newScrubber(secrets...).text(text) }

// MaskJSON is [Mask] for the texts in JSON, as [Client.CleanJSON].
func MaskJSON(value []byte, secrets ...Secret) []byte {
	return newScrubber(secrets...).json(value, anywhere)
}

func newScrubber(secrets ...Secret) scrubber {
	known := newSecretStore(SystemRand{})
	known.add(&known.others, len(secrets), knownSecret{taken: true}, secrets...)
	return scrubber{known: known}
}

func (s scrubber) text(text string) string { return s.textAs(text, anywhere) }

// textAs masks the secrets in a text that stand there as a rule says.
func (s scrubber) textAs(text string, rule standing) string {
	text = s.known.current.Load().text(text, rule)
	for _, content := range s.contents {
		text = content.mask(text)
	}
	return text
}

// json masks secrets in the texts of JSON.
func (s scrubber) json(value []byte, rule standing) []byte {
	return s.known.current.Load().json(value, rule)
}

func (s scrubber) texts(texts []string) []string {
	for i := range texts {
		texts[i] = s.text(texts[i])
	}
	return texts
}

// cause returns err itself if its text contains no secret, else an error that matches the
// same targets and cannot be unwrapped.
func (s scrubber) cause(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); s.text(text) != text {
		return maskedCause{text: s.text(text), is: func(target error) bool { return errors.Is(err, target) }}
	}
	return err
}

// error masks secrets in all texts of e.
func (s scrubber) error(e *Error) *Error {
	if e == nil {
		return nil
	}
	e.Message = s.text(e.Message)
	if !redact.Code(e.MessageCode) {
		e.MessageCode = s.text(e.MessageCode)
	}
	e.Path = s.textAs(e.Path, tokens) // names are in it
	e.Details = s.texts(e.Details)
	e.Err = s.cause(e.Err)
	return e
}

// maskedCause keeps the masked error in a function, where not even %#v finds it.
type maskedCause struct {
	text string
	is   func(target error) bool
}

// Error returns the masked text.
func (m maskedCause) Error() string { return m.text }

// Is matches what the masked error matches.
func (m maskedCause) Is(target error) bool { return m.is(target) }

// maxEcho is how many bytes in a row an error may have in common with a secret file. Any
// text repeats some bytes of a licence, such as the name of a product.
const maxEcho = 15

const minCode = 8 // bytes

// secretContent is the content of a secret file, of which a server may quote a part.
type secretContent []byte

// withContents returns a scrubber that also masks parts of contents.
func (s scrubber) withContents(contents [][]byte) scrubber {
	for _, content := range contents {
		s.contents = append(slices.Clip(s.contents), content)
	}
	return s
}

// mask masks what text has in common with the content.
func (h secretContent) mask(text string) string {
	if text == "" {
		return text
	}
	return h.maskCodes(h.maskRuns(text))
}

// maskRuns masks every run of more than maxEcho bytes.
func (h secretContent) maskRuns(text string) string {
	const window = maxEcho + 1
	if len(text) < window || len(h) < window {
		return text
	}
	shared := make(map[string]bool, len(text))
	for i := range len(text) - window + 1 {
		shared[text[i:i+window]] = false
	}
	for i := range len(h) - window + 1 {
		if found, known := shared[string(h[i:i+window])]; known && !found {
			shared[string(h[i:i+window])] = true
		}
	}
	var b strings.Builder
	end := 0 // of what is hidden or written
	for i := range len(text) - window + 1 {
		if !shared[text[i:i+window]] {
			continue
		}
		if i >= end {
			b.WriteString(text[end:i] + masked)
		}
		end = i + window
	}
	return b.String() + text[end:]
}

// maskCodes masks words that are whole values in the content and look like codes of an
// authorization: letters and digits, at most maxEcho of them. Versions, dates and words of
// prose remain.
func (h secretContent) maskCodes(text string) string {
	for _, word := range strings.FieldsFunc(text, isWordSeparator) {
		word = strings.TrimRight(word, ".!?")
		if len(word) < minCode || len(word) > maxEcho ||
			!strings.ContainsFunc(word, unicode.IsDigit) || !strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		if bytes.Contains(h, []byte(`"`+word+`"`)) {
			text = strings.ReplaceAll(text, word, masked)
		}
	}
	return text
}

func isWordSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:()[]{}<>=", r)
}
