// Package redact finds secrets by the names that they stand under, in requests, in JSON and
// in any text. It is pure. Start reading at [Member] and [Text].
package redact

import (
	"regexp"
	"strings"

	"geodeck/adminapi/pattern"
)

// Mask stands in place of a secret.
const Mask = "[secret]"

var (
	// secretField are fields and parameters of requests; code is one of OAuth.
	secretField = pattern.New(`(?i)token|passw|passcode|passphrase|secret|credential|verifier|assertion|(?:api|private|access|account|shared)_?key|licen[cs]e|cookie|authorization|^(?:code|pwd|pass|sas|sig)$`)
	// secretMember are members of JSON, where a code is that of an error.
	secretMember = pattern.New(`(?i)token|passw|passcode|passphrase|secret|credential|verifier|assertion|(?:api|private|access|account|shared)_?key|cookie|authorization|^(?:pwd|pass|sas|sig)$`)
	// openMember are those that only speak of secrets.
	openMember = pattern.New(`(?i)(url|uri|type|validity|expir\w*)$`)

	// What stands before a secret in a text, the secret, and what follows.
	secretAssignment = pattern.New(`(?i)((?:\b[\w.-]*(?:token|passw|passcode|passphrase|secret|credential|verifier|assertion|(?:api|private|access|account|shared)_?key)[\w.-]*|(?:\b|%26|%3F)(?:code|pwd|pass|sas|sig))(?:=|%3D))([^\s&;"'<>]+)()`)
	// The same of members in what is no JSON as a whole.
	assignedMember = pattern.New(`(?i)(\b(?:[\w.-]*(?:token|passw|passcode|passphrase|secret|credential|verifier|assertion|(?:api|private|access|account|shared)_?key)[\w.-]*|authorization|pwd|pass|sas|sig)(?:\\*["']|%22|%27)?\s*(?::|%3A)\s*(?:\\*["']|%22|%27)?(?:basic\s+|bearer\s+)?)([^\s&;"'<>,{}\[\]\\]+)()`)
	bearerToken    = pattern.New(`(?i)\b(Bearer\s+)([\w.~+/-]{16,})()`)
	urlPassword    = pattern.New(`(://[^\s/?#"'<>@:]*:)([^\s/?#"'<>@]+)(@)`)
	privateKey     = pattern.New(`(PRIVATE KEY-----)([^-]+)()`)
)

// Field reports whether a field or parameter of a request holds a secret.
func Field(name string) bool { return secretField().MatchString(name) }

// Member reports whether a member of JSON holds a secret.
func Member(name string) bool {
	return secretMember().MatchString(name) && !openMember().MatchString(name)
}

// Text returns a text with what hide returns in place of each secret that follows a name, or
// stands where URLs and headers have them.
func Text(text string, hide func(secret string) string) string {
	if !strings.ContainsAny(text, "=:%- \t\r\n\f") { // patterns are slow
		return text
	}
	for _, expression := range [...]*regexp.Regexp{secretAssignment(), assignedMember(), bearerToken(), urlPassword(), privateKey()} {
		text = expression.ReplaceAllStringFunc(text, func(found string) string {
			m := expression.FindStringSubmatch(found)
			return m[1] + hide(m[2]) + m[3]
		})
	}
	return text
}
