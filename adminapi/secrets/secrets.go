// Package secrets says what is secret, in which forms, and how it is masked. Secrets are found by
// their values, once these are known, and by the names that they stand under. It is pure.
//
// Start reading at [Rule]. [Known] keeps the secrets of a site, and [ByValue] finds them in any
// text, however they are written: matcher.go searches, forms.go decodes. [ByName] masks what
// nobody has told: this file has the one list of names, text.go finds them in texts and command
// lines, json.go in JSON, in requests and in answers.
//
// What is masked, and what is not:
//
//   - What stands under the name of a secret (password=, "token":) is masked whatever it is.
//   - What the site shows as a name, a version, a code, a user or a component loses no password:
//     that may be a word, and who reads a name looks for what it names. Tokens, which are no
//     words, are masked there too.
//   - Errors of requests, and their traces, lose every known secret and every part of one.
//   - What is kept of what the site tells (messages of upgrades, health reports) loses known
//     secrets of eight characters and more, where they stand as a whole: not within a longer run
//     of letters and digits. It is compared and counted, and has to say what the site said.
//   - A password is none of the site before the site takes it, and a token that it refused before
//     it takes that: until then they are masked in errors and traces alone. One that was refused is
//     forgotten: a password with the answer, a token once the site takes another one. What the site
//     has issued stays known: one that restarts refuses that, too.
//   - A copy of a text with a mask and one without are the same text ([Covers]): messages are
//     counted so.
package secrets

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi/pattern"
)

// Mask stands in place of a secret.
const Mask = "[secret]"

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
	return Mask
}

// Format writes the mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText writes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON writes the mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// Rule says where known secrets are masked.
type Rule int

const (
	// Anywhere is for errors and traces: also parts of secrets, and short ones as whole words.
	Anywhere Rule = iota
	// InKept is for what is kept: secrets of eight characters and more that are not within a
	// longer run of letters and digits, and parts of tokens.
	InKept
	// InNames is for names, and for what consists of names such as a path: parts of tokens alone,
	// which are no words.
	InNames
)

// Covers reports whether a text becomes the masked one where secrets in it are masked.
func Covers(masked, text string) bool {
	parts := strings.Split(masked, Mask)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) < 2 || len(text) <= len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		if text == "" { // each mask stands for something
			return false
		}
		_, rest, found := strings.Cut(text[1:], part)
		if !found {
			return false
		}
		text = rest
	}
	return text != ""
}

// The one list of names. A name is that of a secret where it holds one of words, in any case:
// accessToken, DB_PASSWORD. Short ones are names as a whole only: "sig" is in "signed".
const (
	words = `token|passw|passcode|passphrase|secret|credential|verifier|assertion` +
		`|apikey|api_key|api-key|api key|privatekey|private_key|private-key|private key|accesskey|access_key|access-key|access key` +
		`|accountkey|account_key|account-key|account key|sharedkey|shared_key|shared-key|shared key`
	short = `pwd|sas|sig`
)

var (
	secretName = pattern.New(`(?i)` + words + `|^(?:pass|` + short + `)$`)
	fieldName  = pattern.New(`(?i)cookie|authorization|licen[cs]e|^code$`)
	memberName = pattern.New(`(?i)cookie|authorization`)
	aboutOne   = pattern.New(`(?i)(?:url|uri|type|validity|expir\w*)$`)
	tellsName  = pattern.New(`(?i)^(?:id|name|type|key)$`)
	holdsValue = pattern.New(`(?i)^(?:default)?value$`)
)

// IsName reports whether a name is that of a secret: of a setting, or of a field that is recorded.
func IsName(name string) bool { return secretName().MatchString(name) }

// IsField reports whether a field or parameter of a request holds a secret. There, a code is one
// of OAuth, and a licence is sent with its content.
func IsField(name string) bool { return IsName(name) || fieldName().MatchString(name) }

// IsMember reports whether a member of JSON holds a secret. There, a code is that of an error, a
// licence is described, and people look for what only speaks of secrets, such as tokenUrl.
func IsMember(name string) bool {
	return (IsName(name) || memberName().MatchString(name)) && !aboutOne().MatchString(name)
}

// TellsName reports whether a member of an object says what the object holds a value of.
func TellsName(member string) bool { return tellsName().MatchString(member) }

// HoldsValue reports whether a member of an object holds the value that [TellsName] names.
func HoldsValue(member string) bool { return holdsValue().MatchString(member) }

var (
	idMember = pattern.New(`[a-z]I[Dd]s?$`)
	code     = pattern.New(`^[\w.:-]*$`)
)

// Members that hold names, in small letters: those that end so, and whole ones.
var (
	nameEnds    = []string{"name", "version", "build", "release", "user", "type", "state", "status", "kind", "mode", "_id"}
	nameMembers = []string{"id", "ids", "code", "_code", "messagecode", "message_code", "errorcode", "error_code", "owner", "author", "createdby",
		"component", "deployment", "service", "suite", "image", "role", "privilege", "privileges", "provider", "releases", "versions", "folders"}
)

// holdsNames reports whether a member of JSON holds what the site shows as a name, a version, a
// code, an id, or a word for a state.
func holdsNames(member string) bool {
	small := strings.ToLower(member)
	named := slices.Contains(nameMembers, small) || slices.ContainsFunc(nameEnds, func(end string) bool { return strings.HasSuffix(small, end) })
	return (named || idMember().MatchString(member)) && !IsMember(member)
}

// IsCode reports whether a text can be the code of a message, such as GWM_0003.
func IsCode(text string) bool { return code().MatchString(text) }
