package secrets

import "geodeck/adminapi/pattern"

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
	namedMember = pattern.New(`(?i)^(?:.*(?:name|version|build|release|user|type|state|status|kind|mode)|ids?|.*_id|(?:message|error)?_?code|owner|author|createdBy|component|deployment|service|suite|image|role|privileges?|provider|releases|versions|folders)$`)
	idMember    = pattern.New(`[a-z]I[Dd]s?$`)
	code        = pattern.New(`^[\w.:-]*$`)
)

// holdsNames reports whether a member of JSON holds what the site shows as a name, a version, a
// code, an id, or a word for a state.
func holdsNames(member string) bool {
	return (namedMember().MatchString(member) || idMember().MatchString(member)) && !IsMember(member)
}

// IsCode reports whether a text can be the code of a message, such as GWM_0003.
func IsCode(text string) bool { return code().MatchString(text) }
