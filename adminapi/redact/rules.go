package redact

import "geodeck/adminapi/pattern"

// What is masked, and what is not:
//
//   - What stands in a known field (password=, token=) is masked whatever it is, see [Field],
//     [Member] and [Text].
//   - What the site shows as a name, a version, a code, a user or a component loses no password,
//     see [Named] and [Code]: that may be a word, and who reads a name looks for what it names.
//     Tokens, which are no words, are masked there too.
//   - Errors of requests, and their traces, lose every known secret and every part of one.
//   - What is kept of what the site tells (messages of upgrades, health reports) loses known
//     secrets of [MinKept] characters and more, where they stand as a whole: not within a longer
//     run of letters and digits. It is compared and counted, and has to say what the site said.
//   - A password is none of the site before the site takes it, and a token that it refused before
//     it takes that: until then they are masked in errors and traces alone. One that was refused is
//     forgotten: a password with the answer, a token once the site takes another one. What the site
//     has issued stays known: one that restarts refuses that, too.
//   - A copy of a text with a mask and one without are the same text: messages are counted so.

// MinKept is the length in characters from which a secret is masked in what is kept.
const MinKept = 8

// MaxName is the length of a name in bytes. What is longer is a text.
const MaxName = 256

var (
	namedMember = pattern.New(`(?i)^(?:.*(?:name|version|build|release|user|type|state|status|kind|mode)|ids?|.*_id|(?:message|error)?_?code|owner|author|createdBy|component|deployment|service|suite|image|role|privileges?|provider|releases|versions|folders)$`)
	idMember    = pattern.New(`[a-z]I[Dd]s?$`)
	code        = pattern.New(`^[\w.:-]*$`)
)

// Code reports whether a text can be the code of a message, such as GWM_0003.
func Code(text string) bool { return code().MatchString(text) }

// Named reports whether a member of JSON holds a name: what the site shows as one, a version, a
// code, an id, or a word for a state.
func Named(member string) bool {
	return (namedMember().MatchString(member) || idMember().MatchString(member)) && !Member(member)
}
